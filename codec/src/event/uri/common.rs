//! URIs as nearly all of them are: a scheme of letters or a path, and characters that need no closer look.
//!
//! What is found valid here is so beyond doubt. It says nothing about the others.

use crate::lanes::{Lanes, has_none};

/// What a text has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `URI-reference`
    Reference,
    /// `absolute-URI`
    Absolute,
}

/// Whether `text` is beyond doubt a URI of that kind: a scheme of letters or none, an authority without
/// user and port or none, and characters that most URIs are made of. Others may be one too.
#[inline]
pub(crate) fn is_common(text: &[u8], kind: Kind) -> bool {
    let Some(start) = text.first_chunk() else {
        return false;
    };
    let first = Lanes::of(start);
    let colon = first.places(b':').trailing_zeros();
    let has_scheme = matches!(colon, 1..16) && first.not_letters().trailing_zeros() == colon;
    let hierarchy = if has_scheme { colon as usize + 1 } else { 0 };
    let hierarchy = text.get(hierarchy..).unwrap_or_default();
    let has_authority = hierarchy.starts_with(b"//");
    if !has_scheme && (kind == Kind::Absolute || has_authority || start[0] != b'/') {
        return false;
    }
    // Where there is an authority, a second colon may begin a port.
    has_none(text, Lanes::not_in_paths)
        && (!has_authority || has_none(hierarchy, |lanes| lanes.places(b':')))
}
