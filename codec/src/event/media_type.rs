//! Media types: their syntax (RFC 2045, 2046 and 9110), and what they say about text.

/// What nearly every event says.
pub(crate) const APPLICATION_JSON: &str = "application/json";

/// Whether `text` is `type/subtype`, with `;name=value` parameters or without. A semicolon may stand without
/// a parameter after it (RFC 9110, section 5.6.6).
pub(crate) fn is_media_type(text: &str) -> bool {
    after_subtype(text.as_bytes()).and_then(check).is_some()
}

/// Whether `text` is `type/subtype` and something after a semicolon that a header can hold.
pub(crate) fn is_loose_media_type(text: &str) -> bool {
    after_subtype(text.as_bytes()).is_some_and(|rest| {
        let is_visible = rest.iter().all(|byte| matches!(byte, b' '..=b'~'));
        rest.trim_ascii_start().starts_with(b";") && is_visible && !rest.ends_with(b" ")
    })
}

fn after_subtype(bytes: &[u8]) -> Option<&[u8]> {
    after_token(after_token(bytes)?.strip_prefix(b"/")?)
}

fn check(mut rest: &[u8]) -> Option<()> {
    while !rest.is_empty() {
        rest = rest.trim_ascii_start().strip_prefix(b";")?;
        let name = rest.trim_ascii_start();
        if rest.is_empty() || name.starts_with(b";") {
            continue;
        }
        rest = after_token(name)?.strip_prefix(b"=")?;
        rest = match rest.strip_prefix(b"\"") {
            Some(quoted) => after_quoted(quoted)?,
            None => after_token(rest)?,
        };
    }
    Some(())
}

/// What follows a token of RFC 2045, which has at least one character.
#[inline]
fn after_token(bytes: &[u8]) -> Option<&[u8]> {
    let in_token = |byte: &&u8| byte.is_ascii_graphic() && !br#"()<>@,;:\"/[]?="#.contains(byte);
    let length = bytes.iter().take_while(in_token).count();
    bytes.get(length..).filter(|_| length > 0)
}

/// What follows a quoted string whose opening quote is gone.
fn after_quoted(bytes: &[u8]) -> Option<&[u8]> {
    let mut bytes = bytes.iter();
    loop {
        match *bytes.next()? {
            b'"' => return Some(bytes.as_slice()),
            b'\\' if bytes.next()?.is_ascii() => {}
            b' '..=b'~' => {}
            _ => return None,
        }
    }
}

/// Type and subtype, without parameters.
#[inline]
fn essence(media_type: &str) -> &str {
    let essence = media_type.split(';').next();
    essence.unwrap_or_default().trim_ascii()
}

/// Whether the subtype is `name` or ends in it after a plus, whatever the case.
fn ends_in(media_type: &str, name: &[u8]) -> bool {
    let essence = essence(media_type).as_bytes();
    let (start, end) = essence.split_at(essence.len().saturating_sub(name.len()));
    end.eq_ignore_ascii_case(name) && matches!(start, [.., b'/' | b'+'])
}

/// Whether a media type means JSON: subtype `json` or a subtype that ends in `+json`, whatever the
/// main type, case or parameters (JSON format 1.0.2, section 3.1.1).
///
/// ```
/// use cloudevents_nl_codec::is_json;
///
/// assert!(is_json("application/json; charset=utf-8") && is_json("model/gltf+JSON"));
/// assert!(!is_json("application/json-seq") && !is_json("application/x-ndjson"));
/// ```
#[must_use]
#[inline]
pub fn is_json(media_type: &str) -> bool {
    media_type == APPLICATION_JSON || ends_in(media_type, b"json")
}

/// Whether a media type says that the bytes are text in some charset.
pub(crate) fn is_text(media_type: &str) -> bool {
    let main_type = essence(media_type).as_bytes().first_chunk();
    main_type.is_some_and(|it: &[u8; 5]| it.eq_ignore_ascii_case(b"text/"))
        || ends_in(media_type, b"xml")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    Ascii,
    Latin1,
    /// One this codec does not have.
    Other,
}

/// The charset that a media type names; UTF-8 when it names none.
pub(crate) fn charset(media_type: &str) -> Charset {
    let is = |name: &str, any: [&str; 2]| any.iter().any(|it| name.eq_ignore_ascii_case(it));
    match parameter(media_type, "charset") {
        None => Charset::Utf8,
        Some(name) if is(name, ["utf-8", "utf8"]) => Charset::Utf8,
        Some(name) if is(name, ["us-ascii", "ascii"]) => Charset::Ascii,
        Some(name) if is(name, ["iso-8859-1", "latin1"]) => Charset::Latin1,
        Some(_) => Charset::Other,
    }
}

/// The value of the first parameter of that name, quotes removed. Quoted values may hold anything,
/// `;` included, so parameters are walked over one by one.
fn parameter<'m>(media_type: &'m str, name: &str) -> Option<&'m str> {
    let mut rest = media_type.split_once(';')?.1;
    loop {
        let (found, value) = rest.split_once('=')?;
        let (value, after) = match value.strip_prefix('"') {
            Some(quoted) => {
                let after = after_quoted(quoted.as_bytes())?;
                let length = quoted.len() - after.len() - 1;
                (quoted.get(..length)?, quoted.get(length + 1..)?)
            }
            None => value.split_at(value.find([';', ' ', '\t']).unwrap_or(value.len())),
        };
        let found = found.trim_matches([' ', '\t', ';']);
        if found.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = after.split_once(';')?.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_syntax() {
        for (text, expected) in [
            ("application/json", true),
            ("text/plain; charset=utf-8", true),
            ("text/plain;charset=UTF-8;a=b", true),
            ("text/plain ; a=\"x; \\\" y\"", true),
            ("multipart/mixed; boundary=\"simple boundary\"", true),
            ("application/vnd.a.b+json", true),
            ("", false),
            ("xyz", false),
            ("application/", false),
            ("/json", false),
            ("///", false),
            ("a/b/c", false),
            ("a b/c", false),
            (" a/b", false),
            ("a/b ", false),
            ("a/b;", true),
            ("a/b; ", false),
            ("a/b;;c=d; ;", true),
            ("application/json; charset", false),
            ("application/json; charset=", false),
            ("application/json; =x", false),
            ("application/json; a=\"x", false),
            ("application/json; a=\"é\"", false),
            ("application/jsôn", false),
        ] {
            assert_eq!(is_media_type(text), expected, "{text}");
        }
    }

    #[test]
    fn tells_json_from_its_neighbours() {
        for (text, expected) in [
            ("application/json", true),
            ("TEXT/JSON", true),
            ("application/ld+json;x=y", true),
            ("model/gltf+Json ; a=b", true),
            ("application/json-seq", false),
            ("application/x-ndjson", false),
            ("application/x-json", false),
            ("application/json5", false),
            ("application/json+xml", false),
            ("text/plain; a=b/json", false),
        ] {
            assert_eq!(is_json(text), expected, "{text}");
        }
    }

    #[test]
    fn finds_the_charset_of_text() {
        for (text, is_text_type, expected) in [
            ("text/plain", true, Charset::Utf8),
            ("Text/HTML; Charset=\"UTF-8\"", true, Charset::Utf8),
            (
                "application/soap+xml; charset=us-ascii",
                true,
                Charset::Ascii,
            ),
            (
                "application/XML;a=\"; charset=utf-16\";charset=ISO-8859-1",
                true,
                Charset::Latin1,
            ),
            ("text/plain; a=b; charset=utf-16", true, Charset::Other),
            ("text/plain;; charset=latin1;", true, Charset::Latin1),
            ("application/octet-stream", false, Charset::Utf8),
        ] {
            assert_eq!(
                (is_text(text), charset(text)),
                (is_text_type, expected),
                "{text}"
            );
        }
    }
}
