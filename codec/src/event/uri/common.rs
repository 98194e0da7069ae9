//! URIs as nearly all of them are: a scheme of letters or a path, and characters that need no closer look.
//!
//! What is found valid here is so beyond doubt. It says nothing about the others.

use super::skip_path;
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
    let end = skip_path(bytes, start);
    // Where there is an authority, a second colon may begin a port.
    let is_sure = !has_authority || !has_colon(bytes.get(hierarchy..end)?);
    is_sure.then_some(end)
}

#[inline(always)]
fn has_colon(bytes: &[u8]) -> bool {
    let (chunks, _) = bytes.as_chunks::<WIDTH>();
    let colons = |lanes: Lanes| lanes.places(b':');
    let found = chunks
        .iter()
        .fold(0, |found, chunk| found | colons(Lanes::of(chunk)));
    found | colons(Lanes::rest(bytes, chunks.len() * WIDTH).lanes) != 0
}
