//! The text of headers: short, many, and almost always ASCII.

use bstr::ByteSlice;

/// The text of `bytes`, if it is UTF-8.
///
/// The check of the standard library goes byte by byte up to an aligned address and again at the end,
/// which for a header is most of it. This one looks at sixteen bytes from the first one on.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    bytes.to_str().ok()
}
