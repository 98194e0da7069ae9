//! A reader that fingerprints what it hands out.

use std::io::{self, BufRead, Read};

use sha2::{Digest, Sha256};

#[derive(Debug)]
pub(crate) struct Hashed<R> {
    reader: R,
    hash: Sha256,
    bytes: u64,
}

impl<R: BufRead> Hashed<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    /// SHA-256 in hexadecimal, and how many bytes were read.
    pub(crate) fn finish(self) -> (String, u64) {
        (format!("{:x}", self.hash.finalize()), self.bytes)
    }
}

impl<R: BufRead> Read for Hashed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut from = self.fill_buf()?;
        let read = from.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Hashed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // What was filled is still there: asking again reads nothing.
        if let Ok(filled) = self.reader.fill_buf() {
            self.hash.update(filled.get(..amount).unwrap_or_default());
        }
        self.bytes += amount as u64;
        self.reader.consume(amount);
    }
}

pub(crate) fn sha256(text: &[u8]) -> String {
    format!("{:x}", Sha256::digest(text))
}
