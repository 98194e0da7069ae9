//! No loops: what asks for them goes on with safe code.

/// As that of the module `x86_64`. There is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VectorLoops {}

impl VectorLoops {
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        None
    }

    pub(super) fn detect_each() -> impl Iterator<Item = Self> {
        [].into_iter()
    }

    pub(super) fn name(self) -> &'static str {
        match self {}
    }

    pub(crate) fn skip_text(self, _bytes: &[u8], _at: usize) -> usize {
        match self {}
    }

    pub(super) fn unescape(
        self,
        _bytes: &[u8],
        _at: usize,
        _out: &mut [u8],
        _end: usize,
    ) -> (usize, usize) {
        match self {}
    }

    pub(super) fn base64(self, _text: &[u8], _out: &mut [u8]) -> (usize, usize) {
        match self {}
    }
}
