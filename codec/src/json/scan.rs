//! Walks over strings and values (RFC 8259), whatever is in them, and finds where they end.

use crate::error::json::{JsonError, JsonFault};
use crate::lanes::{BLOCK, Lanes, WIDTH, block_mask};
use crate::limits::DEPTH_MAX;
use crate::tokens::{
    byte_at, skip_escape, skip_literal, skip_number, skip_space, token, unexpected,
};
use crate::vector::VectorLoops;

#[cfg(test)]
const fn must_be_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Walks over characters that are not escaped; returns where the first is that must be, or the end.
#[inline(always)]
pub(crate) fn skip_unescaped(bytes: &[u8], mut at: usize) -> usize {
    // Most strings end within the first two vectors: one branch for both is foreseen more often.
    if let Some(two) = bytes.get(at..at + 2 * WIDTH) {
        let (chunks, _) = two.as_chunks::<WIDTH>();
        let specials = Lanes::of(&chunks[0]).must_be_escaped()
            | Lanes::of(&chunks[1]).must_be_escaped() << WIDTH;
        if specials != 0 {
            return at + specials.trailing_zeros() as usize;
        }
        at += 2 * WIDTH;
    }
    while let Some(lanes) = Lanes::at(bytes, at) {
        let specials = lanes.must_be_escaped();
        if specials != 0 {
            return at + specials.trailing_zeros() as usize;
        }
        at += WIDTH;
    }
    unescaped_end(bytes, at)
}

/// As [`skip_unescaped`], of less than a vector.
#[inline(never)]
fn unescaped_end(bytes: &[u8], at: usize) -> usize {
    let (rest, before) = Lanes::tail(bytes, at);
    match rest.must_be_escaped() >> before {
        0 => bytes.len(),
        specials => at + specials.trailing_zeros() as usize,
    }
}

/// Walks over a string whose opening quote is after `at`; returns where its closing quote is.
#[inline(always)]
pub(crate) fn string_end(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    loop {
        at = skip_unescaped(bytes, at);
        match byte_at(bytes, at) {
            b'"' => return Ok(at),
            b'\\' => at = skip_escape(bytes, at)?,
            _ => return Err(JsonError::of(JsonFault::ControlCharacter, bytes, at)),
        }
    }
}

/// As [`string_end`], for strings that may be long: the text of a document and its escapes.
#[inline(never)]
pub(crate) fn long_string_end(
    loops: Option<VectorLoops>,
    bytes: &[u8],
    at: usize,
) -> Result<usize, JsonError> {
    Marks::from(bytes, at).end(loops, at)
}

/// Where the bytes are that a string holds only as escapes, found a block at a time: no string waits for the end of
/// the one before it.
struct Marks<'a> {
    bytes: &'a [u8],
    block_end: usize,
    /// Those of the block that were not passed yet.
    ahead: u64,
}

impl<'a> Marks<'a> {
    #[inline(always)]
    fn from(bytes: &'a [u8], block_end: usize) -> Self {
        Self {
            bytes,
            block_end,
            ahead: 0,
        }
    }

    /// The next of them, if one is left and the text is as long as a block.
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.ahead == 0 {
            // The last block begins in the one before it.
            let end = self.bytes.len().min(self.block_end + BLOCK);
            let block = self.bytes.get(..end)?.last_chunk()?;
            let not_passed = u64::MAX.checked_shl((self.block_end + BLOCK - end) as u32)?;
            self.ahead = block_mask(block, Lanes::must_be_escaped) & not_passed;
            self.block_end = end;
        }
        let next = self.block_end - BLOCK + self.ahead.trailing_zeros() as usize;
        self.ahead &= self.ahead - 1;
        Some(next)
    }

    /// As the function [`string_end`], for a string whose opening quote is at `quote`.
    #[inline(always)]
    fn string_end(&mut self, quote: usize) -> Result<usize, JsonError> {
        if self.next() == Some(quote) {
            return self.end(None, quote + 1);
        }
        // Between strings only space other than blanks is marked. From the first on, strings are sought one by one.
        *self = Self::from(self.bytes, self.bytes.len());
        string_end(self.bytes, quote + 1)
    }

    /// Where the string ends in which the last mark was.
    #[inline(always)]
    fn end(&mut self, loops: Option<VectorLoops>, mut from: usize) -> Result<usize, JsonError> {
        loop {
            if self.ahead == 0
                && let Some(loops) = loops
            {
                self.block_end = loops.skip_text(self.bytes, from.max(self.block_end));
            }
            let Some(at) = self.next() else {
                return string_end(self.bytes, from.max(self.block_end));
            };
            match byte_at(self.bytes, at) {
                b'"' => return Ok(at),
                b'\\' => {
                    from = skip_escape(self.bytes, at)?;
                    // What is escaped may be marked too.
                    if matches!(byte_at(self.bytes, at + 1), b'"' | b'\\') {
                        self.next();
                    }
                }
                _ => return Err(JsonError::of(JsonFault::ControlCharacter, self.bytes, at)),
            }
        }
    }
}

/// Whether `text` is exactly one JSON value, nested no deeper than `depth_max`.
pub(crate) fn validate(text: &str, depth_max: usize) -> Result<(), JsonError> {
    let bytes = text.as_bytes();
    let start = skip_space(bytes, 0);
    let end = match byte_at(bytes, start) {
        b'"' => long_string_end(VectorLoops::detect(), bytes, start + 1)? + 1,
        _ => skip(bytes, start, depth_max.min(DEPTH_MAX))?,
    };
    expect_end(bytes, end)
}

/// The error for anything but white space after the end.
pub(crate) fn expect_end(bytes: &[u8], at: usize) -> Result<(), JsonError> {
    let at = skip_space(bytes, at);
    let end = (at == bytes.len()).then_some(());
    end.ok_or_else(|| JsonError::new(JsonFault::TrailingText, at))
}

/// Walks over the value that starts at `at`, nested no deeper than `depth_max` (at most 128); returns
/// where it ends.
#[inline]
pub(crate) fn skip(bytes: &[u8], at: usize, depth_max: usize) -> Result<usize, JsonError> {
    let mut marks = Marks::from(bytes, at);
    let (mut at, mut first) = (at, byte_at(bytes, at));
    // What opened the level that the walk is in, and of each around it whether it is an object, a bit each.
    let (mut level, mut around, mut depth) = (0, 0_u128, 0);
    'value: loop {
        if level == b'{' {
            if first != b'"' {
                return Err(unexpected(bytes, at));
            }
            (at, first) = skip_colon(bytes, marks.string_end(at)? + 1)?;
        }
        match first {
            b'"' => at = marks.string_end(at)? + 1,
            b'{' | b'[' => {
                if depth == depth_max {
                    return Err(JsonError::new(JsonFault::TooDeep, at));
                }
                let opening = first;
                (at, first) = token(bytes, at + 1);
                // What closes it is the second character after what opens it.
                if first != opening + 2 {
                    depth += 1;
                    around = around << 1 | u128::from(level == b'{');
                    level = opening;
                    continue 'value;
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => at = skip_number(bytes, at, first)?,
            b't' => at = skip_literal(bytes, at, b"true")?,
            b'f' => at = skip_literal(bytes, at, b"false")?,
            b'n' => at = skip_literal(bytes, at, b"null")?,
            _ => return Err(unexpected(bytes, at)),
        }
        while depth != 0 {
            let (end, byte) = token(bytes, at);
            if byte == b',' {
                (at, first) = token(bytes, end + 1);
                continue 'value;
            }
            if byte != level + 2 {
                return Err(unexpected(bytes, end));
            }
            at = end + 1;
            depth -= 1;
            level = if around & 1 == 1 { b'{' } else { b'[' };
            around >>= 1;
        }
        return Ok(at);
    }
}

/// Walks over a colon and the space around it; returns where the value is, and its first byte.
#[inline(always)]
pub(crate) fn skip_colon(bytes: &[u8], at: usize) -> Result<(usize, u8), JsonError> {
    // Compact texts: one look for both.
    if let Some(&[b':', first]) = bytes.get(at..at + 2)
        && first > b' '
    {
        return Ok((at + 1, first));
    }
    match token(bytes, at) {
        (at, b':') => Ok(token(bytes, at + 1)),
        (at, _) => Err(unexpected(bytes, at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_byte_to_escape_at_every_offset() {
        for length in 0..40 {
            for special in [b'"', b'\\', 0, 0x1F] {
                for at in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = special;
                    assert_eq!(skip_unescaped(&bytes, 0), at);
                }
            }
            assert_eq!(skip_unescaped(&vec![0xE9; length], 0), length);
        }
    }

    #[test]
    fn long_strings_end_where_short_ones_do() {
        for length in 0..150 {
            for piece in [
                "\"",
                "\\\"\"",
                "\\\\\"",
                "\\n\"",
                "\\u00e9\"",
                "\n",
                "\\x\"",
                "\\u12\"",
                "\\",
                "\\u1",
                "",
                "\\\\\\\"\\\\\\\\\"",
            ] {
                for after in [0, 1, 70] {
                    let text = format!("{}{piece}{}", "x".repeat(length), "y".repeat(after));
                    let expected = string_end(text.as_bytes(), 0);
                    assert_eq!(
                        long_string_end(None, text.as_bytes(), 0),
                        expected,
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn strings_found_by_blocks_end_where_those_sought_one_by_one_do() {
        for length in 0..140 {
            for piece in [
                r#"":1"#,
                r#"":"""#,
                r#"\"":"\\""#,
                r#"\\":[{},"\"\"\n"]"#,
                r#"\u00e9\/":{"":[]}"#,
                r#"":true,"b":null,"c":-1.5e3,"d":["#,
                "\n\":1",
                "\":\"\t\"",
                r#"\x":1"#,
                r#"\u12":1"#,
                r#"\"#,
                r#"":"#,
                "\": \n1,\r\n\"b\" : \"\"",
                "",
            ] {
                for after in [
                    "}",
                    "} ,",
                    "",
                    "]",
                    r#","z":"\\"},"y":"#,
                    "}xxxxxxxxxxxxxxxxxxxxx",
                ] {
                    let rest = format!("\"{}{piece}{after}", "x".repeat(length));
                    let from = |before: &str, opening: &str| {
                        let text = [before, opening, &rest].concat();
                        let passed = before.len() + opening.len();
                        let end = skip(text.as_bytes(), before.len(), 5);
                        end.map(|end| end - passed)
                            .map_err(|error| JsonError::new(error.fault, error.at - passed))
                    };
                    // The end of a line before the first string.
                    let expected = from("", "{\n");
                    for before in ["", "\"", &"\"\\".repeat(35)] {
                        assert_eq!(from(before, "{"), expected, "{before}{rest}");
                    }
                }
            }
        }
    }

    #[test]
    fn escapes_quote_backslash_and_controls_only() {
        for byte in 0..=u8::MAX {
            let mut bytes = [b'x'; WIDTH];
            bytes[3] = byte;
            let expected = if must_be_escaped(byte) { 3 } else { WIDTH };
            assert_eq!(skip_unescaped(&bytes, 0), expected, "{byte}");
        }
    }
}
