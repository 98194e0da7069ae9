//! How far a large input has been read, for somebody who looks on.

use std::io::{self, IsTerminal, Read, Write};

/// Inputs that are read in a moment show nothing, in bytes.
const LARGE: u64 = 16 << 20;

/// A reader that tells on standard error how far it is, when that is a terminal.
pub(super) struct Progress<R> {
    reader: R,
    name: String,
    /// `None` for a pipe, whose end nobody knows.
    length: Option<u64>,
    read: u64,
    /// What was told last, so that it is told once: a percentage, or units of `LARGE`.
    told: u64,
    is_shown: bool,
}

impl<R> Progress<R> {
    pub(super) fn new(reader: R, name: &str, length: Option<u64>) -> Self {
        let is_large = length.is_none_or(|length| length >= LARGE);
        Self {
            reader,
            name: name.to_owned(),
            length,
            read: 0,
            told: 0,
            is_shown: is_large && io::stderr().is_terminal(),
        }
    }

    fn tell(&mut self) {
        let (now, text) = match self.length {
            Some(length) => {
                let percent = self.read.saturating_mul(100) / length.max(1);
                (percent, format!("{percent} %"))
            }
            None => (self.read / LARGE, format!("{} MiB", self.read >> 20)),
        };
        if now != self.told {
            self.told = now;
            show(&format!("\r\x1b[K{text} {}", self.name));
        }
    }
}

impl<R> Drop for Progress<R> {
    fn drop(&mut self) {
        if self.is_shown && self.told > 0 {
            show("\r\x1b[K");
        }
    }
}

/// A terminal that cannot be written to is nobody's problem.
fn show(text: &str) {
    let mut terminal = io::stderr().lock();
    drop(terminal.write_all(text.as_bytes()));
    drop(terminal.flush());
}

impl<R: Read> Read for Progress<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        self.read += read as u64;
        if self.is_shown {
            self.tell();
        }
        Ok(read)
    }
}
