//! What the demo shows while it runs: one line that is refreshed on a terminal, a line now and then
//! elsewhere.

use std::io::{self, IsTerminal, Stdout, Write};
use std::time::Duration;

use tokio::time::Instant;

use super::record::{DeadLetter, Record};

/// How often there is something new to see.
pub(super) const REFRESH: Duration = Duration::from_millis(250);

/// How often a line is written where lines stay.
const LINE_EVERY: Duration = Duration::from_secs(3);

/// Dead letters that are shown one by one; the rest is counted.
const DEAD_LETTERS_SHOWN: usize = 5;

/// Standard output. A reader who went away does not end the demo, whose result is its exit code.
pub(super) struct Display {
    out: Stdout,
    is_terminal: bool,
    started: Instant,
    last_line: Option<Instant>,
    dead_letters_shown: usize,
}

impl Display {
    pub(super) fn new() -> Self {
        let out = io::stdout();
        Self {
            is_terminal: out.is_terminal(),
            out,
            started: Instant::now(),
            last_line: None,
            dead_letters_shown: 0,
        }
    }

    /// Writes a line that stays.
    pub(super) fn say(&mut self, text: &str) {
        let clear = if self.is_terminal { "\r\x1b[2K" } else { "" };
        writeln!(self.out, "{clear}{text}").ok();
    }

    /// Shows how far the run is.
    pub(super) fn refresh(&mut self, written: usize, record: &Record) {
        let seen = record.lock();
        // At most 80 columns: a line that wraps cannot be refreshed.
        let line = format!(
            "{:4.1} s  written {written}  delivered {}  dead letters {}  503 ×{} 429 ×{} 400 ×{}",
            self.started.elapsed().as_secs_f64(),
            seen.arrivals.len(),
            seen.dead_letters.len(),
            seen.unavailable,
            seen.too_many,
            seen.refused,
        );
        let letters: Vec<_> = seen
            .dead_letters
            .iter()
            .take(DEAD_LETTERS_SHOWN)
            .skip(self.dead_letters_shown)
            .map(dead_letter)
            .collect();
        drop(seen);
        self.dead_letters_shown += letters.len();
        for letter in letters {
            self.say(&letter);
        }
        if self.is_terminal {
            write!(self.out, "\r\x1b[2K{line}").ok();
            self.out.flush().ok();
        } else if self
            .last_line
            .is_none_or(|last| last.elapsed() >= LINE_EVERY)
        {
            self.last_line = Some(Instant::now());
            self.say(&line);
        }
    }

    /// The last state of the run, on a line that stays.
    pub(super) fn finish(&mut self, written: usize, record: &Record) {
        self.last_line = None;
        self.refresh(written, record);
        if self.is_terminal {
            writeln!(self.out).ok();
        }
    }
}

fn dead_letter(letter: &DeadLetter) -> String {
    let DeadLetter {
        id,
        kind,
        status,
        attempts,
        source,
    } = letter;
    format!(
        "        dead letter: {id}  {kind}, status {status}, attempts {attempts}, from {source}"
    )
}
