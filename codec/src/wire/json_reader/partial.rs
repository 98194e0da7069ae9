//! Reads what is left to read of an event object that was refused.

use std::borrow::Cow;

use crate::event::partial::{PartialEvent, WRITTEN_MAX};
use crate::json::scan::{skip, skip_colon, string_end};
use crate::limits::DEPTH_MAX;
use crate::tokens::{byte_at, skip_space};
use crate::vector::unescape::unescape;

/// What tells the event at `at` apart, from the members before the first that is no JSON.
#[cold]
pub(crate) fn read_partial(bytes: &[u8], at: usize) -> Option<Box<PartialEvent>> {
    let mut partial = PartialEvent::default();
    let mut next = (byte_at(bytes, at) == b'{').then(|| skip_space(bytes, at + 1));
    while let Some(at) = next {
        next = read_member(bytes, at, &mut partial);
    }
    partial.finish()
}

/// Reads a member; returns where the next one is, if there is one.
fn read_member(bytes: &[u8], at: usize, partial: &mut PartialEvent) -> Option<usize> {
    if byte_at(bytes, at) != b'"' {
        return None;
    }
    let name_end = string_end(bytes, at + 1).ok()? + 1;
    let (value, _) = skip_colon(bytes, name_end).ok()?;
    let end = skip(bytes, value, DEPTH_MAX).ok()?;
    if let Some(name) = text(bytes, at, name_end) {
        partial.take(&name, || text(bytes, value, end));
    }
    let next = skip_space(bytes, end);
    (byte_at(bytes, next) == b',').then(|| skip_space(bytes, next + 1))
}

/// The text of a value, if it is a string that is not too long and stands for text.
fn text(bytes: &[u8], start: usize, end: usize) -> Option<Cow<'_, str>> {
    let inside = bytes.get(start..end)?;
    let inside = inside.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let short = (inside.len() <= WRITTEN_MAX).then_some(inside)?;
    unescape(None, str::from_utf8(short).ok()?).ok()
}
