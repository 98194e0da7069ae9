//! How far a long read has come, for a person who waits: one line on standard error that is written
//! over, and only where that is a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use tokio::time::Instant;

/// How long a read may take before it says anything, and between two words.
const PATIENCE: Duration = Duration::from_millis(500);

/// See the module.
#[derive(Debug)]
pub(super) struct Progress {
    is_terminal: bool,
    said: Instant,
    is_shown: bool,
    read: u64,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            is_terminal: stderr().is_terminal(),
            said: Instant::now(),
            is_shown: false,
            read: 0,
        }
    }

    /// Counts a message that was read; `left` are those before the end, if there is one.
    pub(super) fn read(&mut self, left: Option<u64>) {
        self.read += 1;
        if !self.is_terminal || self.said.elapsed() < PATIENCE {
            return;
        }
        self.said = Instant::now();
        self.is_shown = true;
        let read = self.read;
        let line = match left {
            Some(left) => format!("\r\x1b[K{read} messages read, at most {left} to go"),
            None => format!("\r\x1b[K{read} messages read"),
        };
        // Nobody misses it where it cannot be written.
        stderr().write_all(line.as_bytes()).ok();
    }

    /// Takes the line away, so that something else can be written.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            stderr().write_all(b"\r\x1b[K").ok();
            self.said = Instant::now();
        }
    }

    /// Messages read so far.
    pub(super) fn count(&self) -> u64 {
        self.read
    }
}
