//! Notes about a file of dead letters, in a file beside it.
//!
//! A file may be moved away and a new one begun in its place, whose lines have the same numbers. So
//! a note names the first line of the file that was opened, and says nothing about another file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};
use serde::{Deserialize, Serialize};

use super::super::journal::folder;
use super::lines::first_line;
use super::{Note, Notes, ViewError, failed};

pub(super) struct FileNotes {
    /// The dead letters.
    letters: PathBuf,
    /// The notes.
    path: PathBuf,
    /// The digest of the first line of the file that was opened.
    first_line: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The SHA-256 of the first line, in hexadecimal digits.
    first_line: String,
    next: u64,
    beyond: String,
}

impl FileNotes {
    /// Notes under `name`, of which the file name keeps letters and digits.
    pub(super) fn of(letters: &Path, name: &str, first_line: Option<String>) -> Self {
        let mut file = letters.as_os_str().to_owned();
        let mut suffix = String::from(".");
        for c in name.chars() {
            match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => suffix.push(c),
                _ => write!(suffix, "%{:x}", u32::from(c)).expect("a string takes all"),
            }
        }
        file.push(suffix);
        Self {
            letters: letters.to_owned(),
            path: file.into(),
            first_line,
        }
    }

    fn note(&self) -> io::Result<Option<Note>> {
        let text = match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        // What is no note of ours says nothing, as a note about another file does.
        let written = serde_json::from_slice::<Written>(&text).ok();
        let written = written.filter(|note| Some(&note.first_line) == self.first_line.as_ref());
        Ok(written.map(|Written { next, beyond, .. }| Note { next, beyond }))
    }

    /// Either the old notes or the new ones are there, whatever happens on the way.
    fn replace(&self, note: Note) -> io::Result<()> {
        if first_line(&mut File::open(&self.letters)?)? != self.first_line {
            return Err(another_file());
        }
        let first_line = self.first_line.clone();
        let first_line = first_line.ok_or_else(|| io::Error::other("it has no first line"))?;
        let Note { next, beyond } = note;
        let written = Written {
            first_line,
            next,
            beyond,
        };
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let mut file = File::create(&new)?;
        serde_json::to_writer(&mut file, &written)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        File::open(folder(&self.path))?.sync_all()
    }
}

/// What was read lies somewhere else now, and what lies here was not read.
pub(super) fn another_file() -> io::Error {
    io::Error::other("it is not the file that was opened: somebody moved that one away")
}

impl Notes for FileNotes {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Note>, ViewError>> {
        let note = self.note().map_err(|error| failed(&error));
        let notes = note.map(|note| note.into_iter().map(|note| (0, note)).collect());
        ready(notes).boxed_local()
    }

    fn write(&self, mut notes: BTreeMap<i32, Note>) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        let written = notes.remove(&0).map_or(Ok(()), |note| self.replace(note));
        ready(written.map_err(|error| failed(&error))).boxed_local()
    }
}
