//! Checkpoints of a replay, in a file beside the dead letters.
//!
//! A file may be moved away and another one begun in its place, whose lines have the same numbers:
//! so a checkpoint names the first line of its file, and says nothing about another file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::path::PathBuf;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::LINE_BYTES;
use super::lines::Lines;
use super::view::failed;
use crate::transport::state_file;
use crate::transport::view::{Checkpoint, CheckpointStore, ViewError};

pub(super) struct FileCheckpoints {
    pub(super) dead_letters: PathBuf,
    pub(super) path: PathBuf,
    pub(super) first_line: Option<String>,
}

/// Its SHA-256 in hexadecimal digits; nothing while there is none. The file stands at its beginning
/// afterwards.
pub(super) fn first_line(mut file: &File) -> io::Result<Option<String>> {
    let mut lines = Lines::new(BufReader::new(file), LINE_BYTES);
    let is_there = lines.read_or_rest(|_| {})?;
    file.rewind()?;
    let line = lines.line().filter(|_| is_there);
    Ok(line.map(|line| {
        let mut text = String::new();
        for byte in digest(&SHA256, line.trim_ascii_end()).as_ref() {
            write!(text, "{byte:02x}").expect("a string takes all");
        }
        text
    }))
}

pub(super) fn another_file() -> io::Error {
    io::Error::other("it is not the file that was opened: somebody moved that one away")
}

impl FileCheckpoints {
    fn note(&self) -> io::Result<Option<Checkpoint>> {
        let written = state_file::read::<Value>(&self.path).map_err(|error| {
            let path = self.path.display();
            io::Error::other(format!(
                "{path}: {error}; without this file every dead letter counts as open"
            ))
        })?;
        let is_about_this = written["first_line"].as_str() == self.first_line.as_deref();
        let note = written["next"].as_u64().zip(written["beyond"].as_str());
        let note = note.filter(|_| is_about_this);
        Ok(note.map(|(next, beyond)| Checkpoint {
            next,
            beyond: beyond.to_owned(),
        }))
    }

    fn replace(&self, note: &Checkpoint) -> io::Result<()> {
        if first_line(&File::open(&self.dead_letters)?)? != self.first_line {
            return Err(another_file());
        }
        let Some(first_line) = &self.first_line else {
            return Err(io::Error::other("it has no first line"));
        };
        let Checkpoint { next, beyond } = note;
        let written = json!({ "first_line": first_line, "next": next, "beyond": beyond });
        // Who counts dead letters may be another user than who replays them.
        state_file::write(&self.path, 0o644, &written)
    }
}

impl CheckpointStore for FileCheckpoints {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Checkpoint>, ViewError>> {
        let note = self.note().map_err(|error| failed(&error));
        ready(note.map(|note| note.map(|note| (0, note)).into_iter().collect())).boxed_local()
    }

    fn write(&self, notes: BTreeMap<i32, Checkpoint>) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        let written = notes.get(&0).map_or(Ok(()), |note| self.replace(note));
        ready(written.map_err(|error| failed(&error))).boxed_local()
    }
}
