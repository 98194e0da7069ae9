//! The grammar of RFC 8259 as arithmetic on masks: one bit per byte, 64 bytes at a time.
//!
//! What a byte may be depends on the token before it, and every token is the successor of exactly one
//! other. So it is enough to look at the successors of each kind. Only which brackets belong together
//! needs a memory of all that came before; [`super::nesting`] has it.

use crate::lanes::BLOCK;
use crate::tokens::{byte_at, skip_number};

/// What the bytes of one block are. The lowest bit stands for the first byte.
pub(super) struct Masks {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    /// Up to U+001F.
    pub(super) controls: u64,
    pub(super) spaces: u64,
    pub(super) commas: u64,
    pub(super) colons: u64,
    pub(super) opening: u64,
    pub(super) closing: u64,
    /// Where a bracket is, it is a curly one.
    pub(super) curly: u64,
    pub(super) digits: u64,
    pub(super) zeros: u64,
    pub(super) minuses: u64,
    pub(super) points: u64,
}

/// What one block holds.
pub(super) struct ScannedBlock {
    /// Bytes that cannot stand where they do.
    pub(super) wrong: u64,
    pub(super) brackets: u64,
    pub(super) opening: u64,
    /// The brackets with the beginning of an object's member between them and the bracket before.
    pub(super) keys: u64,
    /// Likewise, with that of an array's element.
    pub(super) elements: u64,
}

/// What a shift or an addition carries from one block into the next.
#[derive(Clone, Copy, Default)]
struct Carry(u64);

impl Carry {
    /// The bytes after those of a mask.
    #[inline(always)]
    fn follows(&mut self, mask: u64) -> u64 {
        let after = mask << 1 | self.0;
        self.0 = mask >> 63;
        after
    }

    /// The ends of the runs that begin with a bit of `starts`: a carry goes through each of them.
    #[inline(always)]
    fn end_of_run(&mut self, starts: u64, run: u64) -> u64 {
        let (sum, goes_on) = run.overflowing_add(starts | self.0);
        self.0 = u64::from(goes_on);
        sum & !run
    }

    /// The first bytes that are no spaces, after those of a mask and from those of `more` on.
    #[inline(always)]
    fn next_token(&mut self, mask: u64, more: u64, spaces: u64) -> u64 {
        let (sum, goes_on) = spaces.overflowing_add(mask << 1 | more | self.0);
        self.0 = mask >> 63 | u64::from(goes_on);
        sum & !spaces
    }

    /// The brackets with a bit of `mask` between them and the bracket before: an addition carries it there.
    #[inline(always)]
    fn brackets_after(&mut self, mask: u64, brackets: u64) -> u64 {
        let (sum, carry) = (!brackets).overflowing_add(mask & !brackets);
        let (sum, more) = sum.overflowing_add(self.0);
        self.0 = u64::from(carry | more);
        (sum | mask) & brackets
    }
}

/// What is kept from block to block.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    /// Where the block begins.
    at: usize,
    /// All bits within a string.
    in_string: u64,
    escaped: u64,
    item_strings: Carry,
    follows_item_strings: Carry,
    follows_values: Carry,
    follows_opening: Carry,
    follows_commas: Carry,
    follows_colons: Carry,
    scalars: Carry,
    digits: Carry,
    minuses: Carry,
    points: Carry,
    fractions: Carry,
    zeros: Carry,
    keys: Carry,
    elements: Carry,
    /// What the last block's literals are of this one, and where they must have ended.
    literals: u64,
    literal_ends: u64,
}

impl<'a> Scanner<'a> {
    /// Scans from an opening bracket on.
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            in_string: 0,
            escaped: 0,
            item_strings: Carry(0),
            follows_item_strings: Carry(0),
            follows_values: Carry(0),
            follows_opening: Carry(0),
            follows_commas: Carry(0),
            // The value stands as if after a colon.
            follows_colons: Carry(1),
            scalars: Carry(0),
            digits: Carry(0),
            minuses: Carry(0),
            points: Carry(0),
            fractions: Carry(0),
            zeros: Carry(0),
            keys: Carry(0),
            elements: Carry(0),
            literals: 0,
            literal_ends: 0,
        }
    }

    #[inline(always)]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    #[inline(always)]
    pub(super) fn advance(&mut self) {
        self.at += BLOCK;
    }

    /// The quotes that begin and end strings; `None` where an escape is none of JSON's.
    #[inline(always)]
    pub(super) fn quotes(&mut self, masks: &Masks) -> Option<u64> {
        let mut escaped = self.escaped;
        self.escaped = 0;
        let mut rest = masks.backslashes & !escaped;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            let at = self.at + rest.trailing_zeros() as usize + 1;
            match byte_at(self.bytes, at) {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' if is_hex(self.bytes.get(at + 1..at + 5)?) => {}
                _ => return None,
            }
            escaped |= bit << 1;
            self.escaped = bit >> 63;
            rest &= !(bit | bit << 1);
        }
        Some(masks.quotes & !escaped)
    }

    /// Takes the next block, given its quotes and for each byte whether their number up to it is odd.
    #[inline(always)]
    pub(super) fn scan_block(&mut self, masks: &Masks, quotes: u64, parity: u64) -> ScannedBlock {
        // From each opening quote to the byte before the closing one.
        let strings = parity ^ self.in_string;
        self.in_string = ((strings as i64) >> 63) as u64;
        let outside = !(strings | quotes);
        let (opening_quotes, closing_quotes) = (quotes & strings, quotes & !strings);
        let spaces = masks.spaces & outside;
        let commas = masks.commas & outside;
        let colons = masks.colons & outside;
        let opening = masks.opening & outside;
        let closing = masks.closing & outside;
        let scalars = outside & !(spaces | commas | colons | opening | closing);

        let follows_scalars = self.scalars.follows(scalars);
        let scalar_starts = scalars & !follows_scalars;
        let values = opening_quotes | opening | scalar_starts;
        let follows_commas = self.follows_commas.next_token(commas, 0, spaces);
        let follows_opening = self.follows_opening.next_token(opening, 0, spaces);
        let follows_colons = self.follows_colons.next_token(colons, 0, spaces);
        // What begins here is a member or an element; a string tells which by what follows it.
        let items = (follows_commas | follows_opening) & values;
        let item_strings = items & opening_quotes;
        let item_string_ends = self.item_strings.end_of_run(item_strings, strings) & closing_quotes;
        let follows_item_strings =
            self.follows_item_strings
                .next_token(item_string_ends, 0, spaces);
        let ends = closing_quotes ^ item_string_ends | closing;
        let scalar_ends = follows_scalars & !scalars;
        let follows_values = self.follows_values.next_token(ends, scalar_ends, spaces);

        let wrong = masks.controls & strings
            | follows_commas & !values
            | follows_opening & !(values | closing)
            | follows_colons & !values
            | follows_item_strings & !(colons | commas | closing)
            | follows_values & !(commas | closing)
            | self.scalars(masks, scalars, scalar_starts);
        let brackets = opening | closing;
        let elements = items & !opening_quotes | follows_item_strings & !colons;
        ScannedBlock {
            wrong,
            brackets,
            opening,
            keys: self
                .keys
                .brackets_after(follows_item_strings & colons, brackets),
            elements: self.elements.brackets_after(elements, brackets),
        }
    }

    /// The bytes where numbers and literals are wrong.
    #[inline(always)]
    fn scalars(&mut self, masks: &Masks, scalars: u64, starts: u64) -> u64 {
        let digits = masks.digits & scalars;
        let minuses = masks.minuses & scalars;
        let points = masks.points & scalars;
        let (literals, literal_ends) = (self.literals, self.literal_ends);
        (self.literals, self.literal_ends) = (0, 0);
        let (literals, literal_ends, not_literals) =
            self.literals(literals, literal_ends, starts & !(digits | minuses));
        let wrong = literal_ends & scalars | not_literals;

        let follows_digits = self.digits.follows(digits);
        let follows_minuses = self.minuses.follows(minuses & starts);
        let follows_points = self.points.follows(points);
        let follows_fractions = self.fractions.end_of_run(follows_points, digits);
        let leading = starts & digits | follows_minuses;
        let follows_zeros = self.zeros.follows(leading & masks.zeros);
        let without_digits = (follows_minuses | follows_points) & !digits;
        // What is left is an exponent, or wrong; the minus in one may be in the block after it.
        if scalars & !(literals | digits | minuses & starts | points) != 0 {
            let numbers = scalars & !(literals | literal_ends);
            let ended_before = without_digits & !scalars & 1;
            return wrong | ended_before | self.exponents(numbers, starts & (digits | minuses));
        }
        wrong
            | without_digits
            | points & (!follows_digits | follows_fractions)
            | follows_zeros & digits
    }

    /// The bytes of literals, those after them, and those of `starts` where none is.
    #[inline(always)]
    fn literals(&mut self, mut literals: u64, mut ends: u64, starts: u64) -> (u64, u64, u64) {
        let (mut not_literals, mut rest) = (0, starts);
        while rest != 0 {
            let place = rest.trailing_zeros();
            let length = self.literal(self.at + place as usize);
            if length == 0 {
                not_literals |= 1 << place;
            }
            let bytes = ((1_u128 << length) - 1) << place;
            let end = 1_u128 << (place + length);
            literals |= bytes as u64;
            ends |= end as u64;
            self.literals |= (bytes >> 64) as u64;
            self.literal_ends |= (end >> 64) as u64;
            rest &= rest - 1;
        }
        (literals, ends, not_literals)
    }

    /// The length of the literal at `at`, or none.
    #[inline(always)]
    fn literal(&self, at: usize) -> u32 {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(b"true" | b"null") => 4,
            Some(b"fals") if byte_at(self.bytes, at + 4) == b'e' => 5,
            _ => 0,
        }
    }

    /// Where numbers are wrong, some of which may have exponents: they are rare, so one by one.
    #[cold]
    #[inline(never)]
    fn exponents(&self, numbers: u64, starts: u64) -> u64 {
        let mut wrong = 0;
        if numbers & !starts & 1 == 1 {
            // It began in a block before.
            let before = self.bytes.get(..self.at).unwrap_or_default();
            let is_part =
                |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
            let length = before.iter().rev().take_while(is_part).count();
            wrong |= u64::from(!self.is_number(self.at - length));
        }
        let mut rest = starts;
        while rest != 0 {
            if !self.is_number(self.at + rest.trailing_zeros() as usize) {
                wrong |= rest & rest.wrapping_neg();
            }
            rest &= rest - 1;
        }
        wrong
    }

    /// Whether a number is at `at`, and nothing but what may follow one after it.
    fn is_number(&self, at: usize) -> bool {
        let ends = |end| {
            matches!(
                byte_at(self.bytes, end),
                b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t'
            )
        };
        skip_number(self.bytes, at).is_ok_and(ends)
    }
}

#[inline(always)]
fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}
