//! The lines of a file that grows, one at a time.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};

use ring::digest::{SHA256, digest};

use super::super::LINE_BYTES;

/// See the module.
pub(super) struct Lines {
    reader: BufReader<File>,
    /// What was read of the line at hand.
    line: Vec<u8>,
    is_too_long: bool,
    /// What `line` holds was handed out.
    is_taken: bool,
    read: u64,
    number: u64,
}

/// A line that has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    TooLong,
}

/// The SHA-256 of the first line of a file, in hexadecimal digits; nothing while there is none. The
/// file stands at its beginning afterwards.
pub(super) fn first_line(file: &mut File) -> io::Result<Option<String>> {
    let mut lines = Lines::of(file.try_clone()?);
    let first = match lines.next()? {
        Some(Line::Whole(line)) => Some(hexadecimal(line)),
        Some(Line::TooLong) | None => None,
    };
    // A copy of the handle has read from the same place.
    file.rewind()?;
    Ok(first)
}

fn hexadecimal(line: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest(&SHA256, line).as_ref() {
        write!(text, "{byte:02x}").expect("a string takes all");
    }
    text
}

impl Lines {
    pub(super) fn of(file: File) -> Self {
        Self {
            reader: BufReader::with_capacity(64 << 10, file),
            line: Vec::new(),
            is_too_long: false,
            is_taken: false,
            read: 0,
            number: 0,
        }
    }

    /// Bytes of the file as it is now.
    pub(super) fn bytes(&self) -> io::Result<u64> {
        Ok(self.reader.get_ref().metadata()?.len())
    }

    /// Bytes of the file that were read so far.
    pub(super) fn read_bytes(&self) -> u64 {
        self.read
    }

    /// The number of the next line, from 0.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line, once it has ended.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if std::mem::take(&mut self.is_taken) {
            self.line.clear();
            self.is_too_long = false;
        }
        loop {
            let mut piece = Read::take(&mut self.reader, 64 << 10);
            let count = piece.read_until(b'\n', &mut self.line)?;
            self.read += count as u64;
            if count == 0 {
                return Ok(None);
            }
            let is_end = self.line.last() == Some(&b'\n');
            self.is_too_long |= self.line.len() > LINE_BYTES;
            if self.is_too_long {
                self.line.clear();
            }
            if is_end {
                self.number += 1;
                self.is_taken = true;
                return Ok(Some(match self.is_too_long {
                    true => Line::TooLong,
                    false => Line::Whole(self.line.trim_ascii_end()),
                }));
            }
        }
    }

    /// Passes over everything that is there.
    pub(super) fn skip_to_end(&mut self) -> io::Result<()> {
        while self.next()?.is_some() {}
        Ok(())
    }
}
