//! Media types: RFC 2045, 2046 and 9110.

/// A media type taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MediaType<'m> {
    ty: &'m str,
    subtype: &'m str,
    /// Names and values; a quoted value still has its backslashes.
    parameters: Vec<(&'m str, &'m str)>,
}

impl<'m> MediaType<'m> {
    /// Reads `type/subtype`, with `;name=value` parameters or without. A semicolon may stand without a
    /// parameter behind it (RFC 9110, section 5.6.6).
    pub(crate) fn parse(text: &'m str) -> Option<Self> {
        let (ty, rest) = token(text)?;
        let (subtype, mut rest) = token(rest.strip_prefix('/')?)?;
        let mut parameters = Vec::new();
        while !rest.is_empty() {
            rest = rest.trim_ascii_start().strip_prefix(';')?;
            let parameter = rest.trim_ascii_start();
            if rest.is_empty() || parameter.starts_with(';') {
                continue;
            }
            let (name, after) = token(parameter)?;
            let after = after.strip_prefix('=')?;
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted_string(quoted)?,
                None => token(after)?,
            };
            parameters.push((name, value));
            rest = after;
        }
        Some(Self {
            ty,
            subtype,
            parameters,
        })
    }

    /// Subtype `json`, or one that ends in `+json` (JSON-DATA-14).
    pub(crate) fn is_json(&self) -> bool {
        let suffix = self.subtype.rsplit('+').next().unwrap_or_default();
        self.subtype.eq_ignore_ascii_case("json")
            || self.subtype.contains('+') && suffix.eq_ignore_ascii_case("json")
    }

    /// The value of the first parameter of a name, whose case is not looked at.
    pub(crate) fn parameter(&self, name: &str) -> Option<&'m str> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(found, _)| found.eq_ignore_ascii_case(name))?;
        Some(found.1)
    }

    /// Type and subtype, in lower case.
    pub(crate) fn essence(&self) -> String {
        format!("{}/{}", self.ty, self.subtype).to_ascii_lowercase()
    }
}

pub(crate) fn is_media_type(text: &str) -> bool {
    MediaType::parse(text).is_some()
}

/// Whether a content type means JSON; one that is no media type does not, unless it is clear what
/// was meant.
pub(crate) fn is_json(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_ascii();
    let ends_with = |end: &str| {
        let start = essence.len().checked_sub(end.len());
        let found = start.and_then(|start| essence.get(start..));
        found.is_some_and(|found| found.eq_ignore_ascii_case(end))
    };
    match MediaType::parse(essence) {
        Some(media_type) => media_type.is_json(),
        None => ends_with("/json") || ends_with("+json"),
    }
}

fn token(text: &str) -> Option<(&str, &str)> {
    let is_special = |c: char| !c.is_ascii_graphic() || "()<>@,;:\\\"/[]?=".contains(c);
    let end = text.find(is_special).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// What is inside a quoted string, and what follows it.
fn quoted_string(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            character if !character.is_ascii() => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some((text.get(..at)?, text.get(at + 1..)?)),
            ' '..='~' => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_the_syntax() {
        let passes = [
            "application/json",
            "text/plain; charset=utf-8",
            "text/plain ; a=\"x; \\\" y\"",
            "multipart/mixed;boundary=\"simple boundary\"",
            "application/vnd.a.b+json;a=b;c=d",
            "a/b;",
            "a/b;;c=d; ;",
        ];
        let fails = [
            "",
            "xyz",
            "application/",
            "/json",
            "a/b/c",
            "a b/c",
            " a/b",
            "a/b ",
            "a/b; ",
            "application/json; charset",
            "application/json; charset=",
            "application/json; =x",
            "application/json; a=\"x",
            "application/json; a=\"é\"",
            "application/jsôn",
        ];
        check(is_media_type, &passes, &fails);
    }

    #[test]
    fn tells_json_from_its_neighbours() {
        let passes = [
            "application/json",
            "TEXT/JSON",
            "application/ld+json;x=y",
            "model/gltf+Json ; a=b",
        ];
        let fails = [
            "application/json-seq",
            "application/x-ndjson",
            "application/x-json",
            "application/json5",
            "application/json+xml",
            "text/plain; a=b/json",
        ];
        check(is_json, &passes, &fails);
    }

    #[test]
    fn finds_parameters() {
        let media_type = MediaType::parse("Text/XML;a=\"; charset=x\"; Charset=\"UTF-8\"");
        let media_type = media_type.expect("a media type");
        assert_eq!(media_type.parameter("charset"), Some("UTF-8"));
        assert_eq!(media_type.parameter("b"), None);
        assert_eq!(media_type.essence(), "text/xml");
    }
}
