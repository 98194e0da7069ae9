//! The language of the page, and of findings to those who post events.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    #[default]
    Dutch,
    English,
}

impl Language {
    /// `?lang=`, else the first that a browser accepts, else Dutch.
    pub(crate) fn of(query: Option<&str>, accepted: Option<&str>) -> Self {
        let asked =
            query.and_then(|query| query.split('&').find_map(|it| it.strip_prefix("lang=")));
        let accepted = accepted.unwrap_or_default().split(',');
        let mut tags = asked.into_iter().chain(accepted);
        let known = |tag: &str| match tag.trim().get(..2) {
            Some("nl") => Some(Self::Dutch),
            Some("en") => Some(Self::English),
            _ => None,
        };
        tags.find_map(known).unwrap_or_default()
    }

    pub(crate) fn say<T>(self, dutch: T, english: T) -> T {
        match self {
            Self::Dutch => dutch,
            Self::English => english,
        }
    }

    pub(crate) fn code(self) -> &'static str {
        self.say("nl", "en")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_goes_before_what_the_browser_accepts() {
        for (query, accepted, expected) in [
            (None, None, Language::Dutch),
            (Some("lang=en"), Some("nl"), Language::English),
            (Some("a=b&lang=nl"), Some("en"), Language::Dutch),
            (Some("lang=xx"), Some("en-GB;q=0.9, nl"), Language::English),
            (None, Some("fr, de-DE, en;q=0.5"), Language::English),
            (None, Some("fr"), Language::Dutch),
            (None, Some("é"), Language::Dutch),
        ] {
            assert_eq!(
                Language::of(query, accepted),
                expected,
                "{query:?} {accepted:?}"
            );
        }
    }
}
