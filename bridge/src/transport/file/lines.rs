//! Lines of a text that may grow, one at a time, none of them kept beyond a limit.

use std::io::{self, BufRead, Read};

const PIECE: u64 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    limit: usize,
    line: Vec<u8>,
    is_too_long: bool,
    is_ended: bool,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// `limit` counts line breaks, too.
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            line: Vec::new(),
            is_too_long: false,
            is_ended: false,
            number: 0,
        }
    }

    /// False while the line has not ended; what is there of it is kept.
    pub(crate) fn read(&mut self) -> io::Result<bool> {
        self.read_through(|_| {})
    }

    fn read_through(&mut self, mut see: impl FnMut(&[u8])) -> io::Result<bool> {
        if std::mem::take(&mut self.is_ended) {
            self.line.clear();
            self.is_too_long = false;
            self.number += 1;
        }
        while !self.is_ended {
            let (mut piece, kept) = (Read::take(&mut self.reader, PIECE), self.line.len());
            if piece.read_until(b'\n', &mut self.line)? == 0 {
                break;
            }
            see(self.line.get(kept..).unwrap_or_default());
            self.is_ended = self.line.ends_with(b"\n");
            self.is_too_long |= self.line.len() > self.limit;
            if self.is_too_long {
                self.line.clear();
            }
        }
        Ok(self.is_ended)
    }

    /// For a text that does not grow, whose last line may lack its end. `see` gets each piece of the line, even of
    /// one that is too long to keep.
    pub(crate) fn read_or_rest(&mut self, see: impl FnMut(&[u8])) -> io::Result<bool> {
        self.is_ended = self.read_through(see)? || self.is_too_long || !self.line.is_empty();
        Ok(self.is_ended)
    }

    /// With its end; `None` when it is too long.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        (!self.is_too_long).then_some(&self.line)
    }

    /// From 0.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn memory_stays_bounded_whatever_the_length_of_a_line() {
        let endless = io::repeat(b'x').take(32 << 20).chain(&b"\nend"[..]);
        let mut lines = Lines::new(io::BufReader::new(endless), 1 << 20);
        assert!(lines.read_or_rest(|_| {}).unwrap());
        assert_eq!((lines.number(), lines.line()), (0, None));
        assert!(lines.read_or_rest(|_| {}).unwrap());
        assert_eq!((lines.number(), lines.line()), (1, Some(&b"end"[..])));
        assert!(lines.line.capacity() < 4 << 20, "{}", lines.line.capacity());
        assert!(!lines.read_or_rest(|_| {}).unwrap());
    }
}
