//! URIs as nearly all of them are: a scheme of letters or a path, and characters that need no closer look.
//!
//! What is found valid here is so beyond doubt. It says nothing about the others.

use crate::lanes::{Lanes, WIDTH};

/// What a text has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `URI-reference`
    Reference,
    /// `absolute-URI`
    Absolute,
}

/// Whether all of `text` is beyond doubt a URI of that kind. Others may be one too.
#[inline(always)]
pub(crate) fn is_common(text: &[u8], kind: Kind) -> bool {
    end(text, 0, kind) == Some(text.len())
}

/// Walks over the bytes that most URIs are made of, up to the first other one or the end. Returns where
/// that is if what lies before it is valid beyond doubt: a scheme of letters, an authority without user
/// and port.
#[inline(never)]
pub(crate) fn end(bytes: &[u8], start: usize, kind: Kind) -> Option<usize> {
    let first = Lanes::at(bytes, start)?;
    let colon = first.places(b':').trailing_zeros();
    let has_scheme = matches!(colon, 1..16) && first.not_letters().trailing_zeros() == colon;
    let hierarchy = start + if has_scheme { colon as usize + 1 } else { 0 };
    let has_authority = bytes.get(hierarchy..)?.starts_with(b"//");
    if !has_scheme && (kind == Kind::Absolute || has_authority || bytes.get(start) != Some(&b'/')) {
        return None;
    }
    // Where there is an authority, a second colon may begin a port.
    let mut other_colons = 0;
    let mut is_other = u32::MAX << 1 << (colon & 15);
    let mut at = start;
    while let Some(lanes) = Lanes::at(bytes, at) {
        let others = lanes.not_in_paths();
        let colons = lanes.places(b':') & is_other;
        if others != 0 {
            other_colons |= colons & (others - 1) & !others;
            let end = at + others.trailing_zeros() as usize;
            return (!has_authority || other_colons == 0).then_some(end);
        }
        other_colons |= colons;
        is_other = u32::MAX;
        at += WIDTH;
    }
    let rest = Lanes::rest(bytes, at);
    let others = rest.lanes.not_in_paths() & u32::MAX << rest.before;
    other_colons |=
        rest.lanes.places(b':') & u32::MAX << rest.before & others.wrapping_sub(1) & !others;
    let length = (others.trailing_zeros() as usize).min(WIDTH) - rest.before;
    (!has_authority || other_colons == 0).then_some(at + length)
}
