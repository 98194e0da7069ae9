//! What the beginning of a file tells: whether it can be read, and whether one in a directory is meant
//! for the checker.

use super::{InputError, foreign, http};

/// Why a file that begins so is not read.
pub(super) fn not_text(text: &[u8]) -> Option<InputError> {
    const COMPRESSED: [(&[u8], &str, &str); 5] = [
        (b"\x1F\x8B", "gzip", "gzip -dc"),
        (b"\x28\xB5\x2F\xFD", "zstd", "zstd -dc"),
        (b"\xFD7zXZ\0", "xz", "xz -dc"),
        (b"BZh", "bzip2", "bzip2 -dc"),
        (b"PK\x03\x04", "zip", "unzip -p"),
    ];
    if text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") {
        return Some(InputError::Utf16);
    }
    let mut compressed = COMPRESSED.into_iter();
    let (_, with, command) = compressed.find(|(begin, ..)| text.starts_with(begin))?;
    Some(InputError::Compressed { with, command })
}

/// Whether a text begins like one with messages: JSON, HTTP, or what may be either and cannot be read,
/// such as UTF-16 and gzip, so that nobody takes it for something else. Zip is what documents of offices
/// are in.
#[must_use]
pub fn is_like_messages(beginning: &[u8]) -> bool {
    match not_text(beginning) {
        Some(InputError::Compressed { with: "zip", .. }) => return false,
        Some(_) => return true,
        None => {}
    }
    let text = beginning.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(beginning);
    let text = text.trim_ascii_start();
    match text.first() {
        Some(b'{') => true,
        // TOML begins a table so, with a name behind it.
        Some(b'[') => {
            let element = text.get(1..).unwrap_or_default().trim_ascii_start();
            matches!(element.first(), None | Some(b'{' | b']'))
        }
        // Comments and marks of `.http` files are those of other files too.
        Some(b'A'..=b'Z') => http::is_meant(text),
        _ => foreign::is_yaml(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_messages_is_told_from_what_does_not() {
        for text in [
            "{\"a\":1}",
            " \n{",
            "[{",
            "[ ]",
            "[\n",
            "\u{feff}{",
            "HTTP/1.1 200 OK\n",
            "POST /a HTTP/1.1\n",
        ] {
            assert!(is_like_messages(text.as_bytes()), "{text:?}");
        }
        for bytes in [&b"\xFF\xFE{\0"[..], b"\x1F\x8B\x08", b"BZh91AY"] {
            assert!(is_like_messages(bytes), "{bytes:?}");
        }
        for text in [
            "",
            "# Title",
            "// code",
            "* list",
            "> quote",
            "[package]",
            "[[waiver]]",
            "<a/>",
            "a: b",
            "Een zin.",
            "PK\u{3}\u{4}",
        ] {
            assert!(!is_like_messages(text.as_bytes()), "{text:?}");
        }
    }
}
