//! Sixteen bytes at once, one lane each: one bit of a mask per byte.
//!
//! SSE2 and NEON belong to the platforms themselves, so nothing is detected when the program runs.

use wide::u8x16;

pub(crate) const WIDTH: usize = 16;

/// Bytes of long texts that one mask of 64 bits stands for.
pub(crate) const BLOCK: usize = 4 * WIDTH;

/// The mask of a block, given that of a vector.
#[inline(always)]
pub(crate) fn block_mask(block: &[u8; BLOCK], mask: impl Fn(Lanes) -> u32) -> u64 {
    let (chunks, _) = block.as_chunks::<WIDTH>();
    let chunks = chunks.iter().rev();
    chunks.fold(0, |bits, chunk| {
        bits << WIDTH | u64::from(mask(Lanes::of(chunk)))
    })
}

/// Whether no bit is set in the masks of a text. Zeros (`0`), which fill the last vector, must set none.
#[inline(always)]
pub(crate) fn has_none(bytes: &[u8], mask: impl Fn(Lanes) -> u32) -> bool {
    let (chunks, _) = bytes.as_chunks::<WIDTH>();
    let found = chunks
        .iter()
        .fold(0, |found, chunk| found | mask(Lanes::of(chunk)));
    let (rest, _) = Lanes::tail(bytes, chunks.len() * WIDTH);
    found | mask(rest) == 0
}

/// The lowest and the highest byte that each lane may hold.
pub(crate) type ByteRanges = [[u8; WIDTH]; 2];

/// Consecutive bytes of a text. The lowest bit of a mask stands for the first of them.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(u8x16);

/// Less than sixteen bytes, filled up with zeros (`0`). Two overlapping loads beat a copy of varying length.
#[inline(always)]
fn padded(bytes: &[u8]) -> [u8; WIDTH] {
    const ZEROS: u128 = u128::from_le_bytes([b'0'; WIDTH]);
    let bits = bytes.len() * 8;
    let (low, high, piece) =
        if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
            (u64::from_le_bytes(*low), u64::from_le_bytes(*high), 64)
        } else if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
            let (low, high) = (u32::from_le_bytes(*low), u32::from_le_bytes(*high));
            (u64::from(low), u64::from(high), 32)
        } else {
            let mut padded = [b'0'; WIDTH];
            for (lane, byte) in padded.iter_mut().zip(bytes) {
                *lane = *byte;
            }
            return padded;
        };
    let text = u128::from(low) | u128::from(high) << (bits - piece);
    (text | ZEROS << bits).to_le_bytes()
}

impl Lanes {
    /// The bytes from `at` on, if there are enough.
    #[inline(always)]
    pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let chunk = bytes.get(at..)?.first_chunk::<WIDTH>()?;
        Some(Self::of(chunk))
    }

    /// The bytes from `at` to the end, which are too few to fill all lanes, and how many lanes lie before them,
    /// with bytes that were looked at before. Zeros (`0`) may come after them.
    #[inline(always)]
    pub(crate) fn tail(bytes: &[u8], at: usize) -> (Self, usize) {
        match bytes.last_chunk() {
            Some(chunk) => (Self::of(chunk), at + WIDTH - bytes.len()),
            None => (Self::of(&padded(bytes)), at),
        }
    }

    #[inline(always)]
    pub(crate) fn of(chunk: &[u8; WIDTH]) -> Self {
        Self(u8x16::new(*chunk))
    }

    /// The bytes that a JSON string holds only as escapes (RFC 8259, section 7): quotation mark, backslash,
    /// control characters.
    #[inline(always)]
    pub(crate) fn must_be_escaped(self) -> u32 {
        (self.controls() | self.equal(b'"') | self.equal(b'\\')).to_bitmask()
    }

    #[inline(always)]
    pub(crate) fn not_ascii(self) -> u32 {
        self.0.to_bitmask()
    }

    /// The bytes that are not printable ASCII, U+0020 to U+007E.
    #[inline(always)]
    pub(crate) fn not_printable(self) -> u32 {
        (self.0 | self.equal(0x7F) | self.controls()).to_bitmask()
    }

    #[inline(always)]
    pub(crate) fn mask_of(self, byte: u8) -> u32 {
        self.equal(byte).to_bitmask()
    }

    #[inline(always)]
    pub(crate) fn equal_bytes(self, other: Self) -> u32 {
        self.0.simd_eq(other.0).to_bitmask()
    }

    /// Whether every byte is as `ranges` has it.
    #[inline(always)]
    pub(crate) fn is_within(self, [low, high]: &ByteRanges) -> bool {
        let clamped = self.0.max(u8x16::new(*low)).min(u8x16::new(*high));
        clamped.simd_eq(self.0).to_bitmask() == 0xFFFF
    }

    #[inline(always)]
    pub(crate) fn not_letters(self) -> u32 {
        self.lower().within(b'a', 26).to_bitmask() ^ 0xFFFF
    }

    /// The bytes other than those of printable ASCII that stand for themselves in a JSON string.
    #[inline(always)]
    pub(crate) fn not_verbatim(self) -> u32 {
        let quotes = self.equal(b'"') | self.equal(b'\\');
        (self.within(b' ', b'~' - b' ' + 1) & !quotes).to_bitmask() ^ 0xFFFF
    }

    #[inline(always)]
    pub(crate) fn not_digits(self) -> u32 {
        self.within(b'0', 10).to_bitmask() ^ 0xFFFF
    }

    /// The bytes that are neither lower-case letters nor digits.
    #[inline(always)]
    pub(crate) fn not_in_names(self) -> u32 {
        (self.within(b'a', 26) | self.within(b'0', 10)).to_bitmask() ^ 0xFFFF
    }

    /// The bytes other than the usual ones of a path (RFC 3986): unreserved characters, most sub-delimiters,
    /// colon and slash.
    #[inline(always)]
    pub(crate) fn not_in_paths(self) -> u32 {
        let lower = self.lower().within(b'a', 26);
        // From `&` to `;` lie `'()*+,-./`, the digits and the colon.
        let middle = self.within(b'&', b';' - b'&' + 1);
        (lower | middle | self.equal(b'_')).to_bitmask() ^ 0xFFFF
    }

    /// Letters in lower case; other bytes become something that is no letter.
    #[inline(always)]
    fn lower(self) -> Self {
        Self(self.0 | u8x16::splat(0x20))
    }

    /// The `count` bytes from `first` on.
    #[inline(always)]
    fn within(self, first: u8, count: u8) -> u8x16 {
        let distance = self.0 - u8x16::splat(first);
        distance.min(u8x16::splat(count - 1)).simd_eq(distance)
    }

    #[inline(always)]
    fn controls(self) -> u8x16 {
        self.0.min(u8x16::splat(0x1F)).simd_eq(self.0)
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u8x16 {
        self.0.simd_eq(u8x16::splat(byte))
    }
}
