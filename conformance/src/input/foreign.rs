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
    let lines = beginning.split(|byte| *byte == b'\n');
    let mut lines = lines.skip_while(|line| line.trim_ascii().is_empty() || may_precede_yaml(line));
    let first = lines.next().unwrap_or_default();
    let names: [&[u8]; 3] = [b"asyncapi:", b"$schema:", b"$id:"];
    names.iter().any(|name| first.starts_with(name))
}

/// Comments, but not the marks of `.http` files, directives, and the line behind them.
pub(super) fn may_precede_yaml(line: &[u8]) -> bool {
    let is_mark = line.starts_with(b"###");
    (line.starts_with(b"#") && !is_mark) || line.starts_with(b"%") || line.starts_with(b"---")
}

/// The messages among the examples of such a document.
pub(super) fn read_yaml(text: &[u8], line: u64) -> Vec<Result<Item, InputError>> {
    let text = String::from_utf8_lossy(text);
    match yaml::as_json(&text, line) {
        Ok(json) => {
            let mut items = examples::read(json.as_bytes(), line).unwrap_or_default();
            for item in &mut items {
                item.lines.has_no_columns = true;
            }
            items.into_iter().map(Ok).collect()
        }
        Err(error) => vec![Err(error)],
    }
}

/// The line of an offset in a text that begins on a line.
fn line_at(text: &[u8], line: u64, at: usize) -> u64 {
    line + text.iter().take(at).filter(|byte| **byte == b'\n').count() as u64
}

fn first_name(text: &[u8]) -> Option<&[u8]> {
    let inner = text.trim_ascii_start().strip_prefix(b"{")?;
    let name = inner.trim_ascii_start().strip_prefix(b"\"")?;
    name.split(|byte| *byte == b'"').next()
}
