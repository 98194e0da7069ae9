//! Members written as nearly all of them are: a short name, a string in plain ASCII without escapes.
//!
//! Everything else is left untouched for the reader that knows all forms. What a core attribute must look
//! like is asked when all have come: in which order they come no processor foresees, so until then the
//! way is the same for each of them.

use super::{DATA, Reader};
use crate::event::attribute::Core;
use crate::json::value::skip_colon;
use crate::lanes::{Lanes, WIDTH};
use crate::tokens::byte_at;

impl<'a> Reader<'a, '_> {
    /// Reads the member whose name `text` begins with; returns what is behind it.
    ///
    /// Which attribute it is decides nothing here but where its text goes;
    /// [`Draft::close`](crate::event::draft::Draft::close) has yet to look at it.
    #[inline(always)]
    pub(super) fn read_common(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let marked = self.marker.mark(text);
        let start = text.first_chunk()?;
        let name_end = marked.first_other();
        let core = Core::of_quoted(start);
        let name = marked.before_first_other();
        if core.is_none() {
            let is_name = Lanes::of(start).not_in_names().trailing_zeros() as usize == name_end;
            // A shorter name ends before its fifth byte, which may have hidden that it is `id`.
            if !is_name || !(3..WIDTH).contains(&name_end) || start[name_end] != b'"' {
                return None;
            }
            if name == DATA {
                let value = skip_colon(text, name_end + 1).ok()?;
                let end = self.read_data(self.place(text) + value).ok()?;
                return self.bytes.get(end..);
            }
        }
        if self.draft.count() >= self.options.limits.attributes {
            return None;
        }
        let value = string_behind(text, name_end)?;
        let value_text = marked.verbatim(value)?;
        match core {
            Some(core) if value_text.is_empty() || self.draft.names(core) => return None,
            Some(core) => self.draft.put_unchecked(core, value_text),
            None => self
                .draft
                .put_extension(name, value_text, &self.options.register)?,
        }
        text.get(value + value_text.len() + 1..)
    }
}

/// What separates a name from a string in JSON without spaces.
const BETWEEN: &[u8; 3] = b"\":\"";

/// Where the inside of a string value is, given where the name ends.
#[inline(always)]
fn string_behind(text: &[u8], name_end: usize) -> Option<usize> {
    match text.get(name_end..)?.first_chunk() {
        Some(BETWEEN) => Some(name_end + BETWEEN.len()),
        _ => string_far_behind(text, name_end),
    }
}

/// As [`string_behind`], with space around the colon.
#[inline(never)]
fn string_far_behind(text: &[u8], name_end: usize) -> Option<usize> {
    let at = skip_colon(text, name_end + 1).ok()?;
    (byte_at(text, at) == b'"').then_some(at + 1)
}

#[cfg(test)]
mod tests;
