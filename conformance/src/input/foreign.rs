//! Captures that other tools write: `kcat -J`, HAR files of browsers and proxies, and documents whose
//! examples are events.

mod examples;
mod har;
mod kcat;

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

fn first_name(text: &[u8]) -> Option<&[u8]> {
    let inner = text.trim_ascii_start().strip_prefix(b"{")?;
    let name = inner.trim_ascii_start().strip_prefix(b"\"")?;
    name.split(|byte| *byte == b'"').next()
}
