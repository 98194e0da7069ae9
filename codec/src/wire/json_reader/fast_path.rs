//! Reads members with a short name and a verbatim string. All others are left to the general reader, which
//! alone refuses.

use super::{DATA, Reader};
use crate::event::attribute::CoreAttribute;
use crate::json::scan::skip_colon;
use crate::lanes::{Lanes, WIDTH};
use crate::vector::verbatim::ScannedText;

impl<'a> Reader<'a, '_> {
    /// Reads the member whose name `text` begins with; returns what is after it.
    ///
    /// Which attribute it is decides only where its text goes: a branch on it would be mispredicted.
    /// [`Draft::close`](crate::event::draft::Draft::close) checks its form.
    #[inline(always)]
    pub(super) fn read_member_fast(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let scanned = ScannedText::of(text);
        let start = text.first_chunk()?;
        let name_end = scanned.verbatim_len();
        let core = CoreAttribute::of_quoted(start);
        let name = scanned.verbatim_prefix();
        if core.is_none() {
            let is_name = Lanes::of(start).not_in_names().trailing_zeros() as usize == name_end;
            // A shorter name ends before its fifth byte, which may have hidden that it is `id`.
            if !is_name || !(3..WIDTH).contains(&name_end) || start[name_end] != b'"' {
                return None;
            }
            if name == DATA {
                let (value, _) = skip_colon(text, name_end + 1).ok()?;
                let end = self.read_data(self.offset_of(text) + value).ok()?;
                return self.bytes.get(end..);
            }
        }
        if self.draft.count >= self.options.limits.attributes {
            return None;
        }
        let Ok((quote, b'"')) = skip_colon(text, name_end + 1) else {
            return None;
        };
        let value = quote + 1;
        let value_text = scanned.verbatim_string(value)?;
        match core {
            Some(core) if value_text.is_empty() || self.draft.is_named(core) => return None,
            Some(core) => self.draft.put_unchecked(core, value_text),
            None => self.draft.put_extension(name, value_text)?,
        }
        text.get(value + value_text.len() + 1..)
    }
}

#[cfg(test)]
mod tests;
