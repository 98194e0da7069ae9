//! The languages that rules and reports are told in.

/// A language of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// Dutch, the language of the profile.
    #[default]
    Dutch,
    /// English.
    English,
}

impl Language {
    /// Its tag (BCP 47).
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Dutch => "nl",
            Self::English => "en",
        }
    }
}
