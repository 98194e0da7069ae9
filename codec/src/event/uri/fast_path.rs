//! Accepts most URIs; has no opinion on others.

use crate::lanes::{Lanes, has_none};

/// What a text has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UriKind {
    /// `URI-reference`
    Reference,
    /// `absolute-URI`
    Absolute,
}

/// Whether `text` is surely a URI of that kind: a scheme of letters or none, an authority without
/// user and port or none, and characters that most URIs are made of.
#[inline]
pub(crate) fn accepts(text: &[u8], kind: UriKind) -> bool {
    let Some(start) = text.first_chunk() else {
        return false;
    };
    let first = Lanes::of(start);
    let colon = first.mask_of(b':').trailing_zeros();
    let has_scheme = matches!(colon, 1..16) && first.not_letters().trailing_zeros() == colon;
    let after_scheme = if has_scheme { colon as usize + 1 } else { 0 };
    let hier_part = text.get(after_scheme..).unwrap_or_default();
    let has_authority = hier_part.starts_with(b"//");
    if !has_scheme && (kind == UriKind::Absolute || has_authority || start[0] != b'/') {
        return false;
    }
    // Where there is an authority, a second colon may begin a port.
    has_none(text, Lanes::not_in_paths)
        && (!has_authority || has_none(hier_part, |lanes| lanes.mask_of(b':')))
}
