//! Captures that other tools write: `kcat -J`, HAR files of browsers and proxies, and documents whose
//! examples are events, in JSON or YAML.

mod examples;
mod har;
mod kcat;
mod yaml;

use super::{InputError, Item};

/// The messages of a document, `None` where it is none of those. Their first member tells them apart, so
/// that no event is read twice.
pub(super) fn read(text: &[u8], line: u64) -> Option<Vec<Result<Item, InputError>>> {
    let items = match first_name(text)? {
        b"topic" => vec![Ok(kcat::read(text, line)?)],
        b"log" => har::read(text, line)?.into_iter().map(Ok).collect(),
        b"asyncapi" | b"$schema" | b"$id" => {
            examples::read(text, line)?.into_iter().map(Ok).collect()
        }
        _ => return None,
    };
    Some(items)
}

/// Whether it begins as a document of AsyncAPI or a JSON Schema does in YAML.
pub(super) fn is_yaml(beginning: &[u8]) -> bool {
    let is_name = |name: &[u8]| beginning.starts_with(name);
    is_name(b"asyncapi:") || is_name(b"$schema:") || is_name(b"$id:")
}

/// The messages among the examples of such a document.
pub(super) fn read_yaml(text: &[u8], line: u64) -> Vec<Result<Item, InputError>> {
    let text = String::from_utf8_lossy(text);
    match yaml::as_json(&text, line) {
        Ok(json) => {
            let items = examples::read(json.as_bytes(), line).unwrap_or_default();
            items.into_iter().map(Ok).collect()
        }
        Err(error) => vec![Err(error)],
    }
}

fn first_name(text: &[u8]) -> Option<&[u8]> {
    let inner = text.trim_ascii_start().strip_prefix(b"{")?;
    let name = inner.trim_ascii_start().strip_prefix(b"\"")?;
    name.split(|byte| *byte == b'"').next()
}
