//! A file of lines: what is acknowledged is on the disk, and every line is whole.
//!
//! A line that a crash cut off was never acknowledged and is removed; one that only lacks its line
//! break gets it. A file that does not end in a dead letter is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::LINE_BYTES;
use super::capture;
use crate::delivery::Position;
use crate::logging::Throttle;
use crate::transport::state_file::folder;

const BEGINNING: &[u8] = br#"{"protocol":""#;

#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes that could not be written, until as many are: on a full disk shorter lines may still fit.
    owed: usize,
    throttle: Throttle,
}

impl Journal {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: open(path)?,
            owed: 0,
            throttle: Throttle::default(),
        })
    }

    /// After an error none of the lines is there, or the next call removes what is.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let written = self.write(lines);
        let path = self.path.display();
        match &written {
            Err(error) => {
                self.owed = self.owed.max(lines.len());
                if let Some(held_back) = self.throttle.lets_through(&error.to_string()) {
                    tracing::error!(
                        %path, %error, held_back,
                        "dead letters cannot be written to their file"
                    );
                }
            }
            Ok(()) if self.owed == 0 => {}
            Ok(()) => {
                self.owed = self.owed.saturating_sub(lines.len());
                if self.owed == 0 {
                    tracing::info!(%path, "dead letters are written to their file again");
                }
            }
        }
        written
    }

    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        if !self.is_in_place() {
            // Somebody moved it away to read it: a new one begins.
            self.file = open(&self.path)?;
        }
        // A write may have been cut off; and somebody else may have written the file, such as an editor.
        repair(&mut self.file, &self.path)?;
        let end = self.file.metadata()?.len();
        let written = self.file.write_all(lines);
        let written = written.and_then(|()| self.file.sync_data());
        if written.is_err() {
            // Else the next call does it.
            drop(self.file.set_len(end));
        }
        written
    }

    fn is_in_place(&self) -> bool {
        let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let there = std::fs::metadata(&self.path).map(place).ok();
        there.is_some() && there == self.file.metadata().map(place).ok()
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let what = "another process writes to it";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, what));
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    repair(&mut file, path)?;
    file.sync_all()?;
    // The folder holds the name of a file that was just made.
    File::open(folder(path))?.sync_all()?;
    Ok(file)
}

/// Ends the last line, or removes it where it is a piece.
fn repair(file: &mut File, path: &Path) -> io::Result<()> {
    let (start, last) = unended(file)?;
    if last.is_empty() {
        return Ok(());
    }
    let position = Position::numbered("file::", 0);
    if capture::read(&last, position).is_ok() {
        return file.write_all(b"\n");
    }
    if !is_piece(&last) {
        return Err(foreign());
    }
    tracing::warn!(
        path = %path.display(),
        bytes = last.len(),
        "a piece of a line is cut off the end of the file: a dead letter that was never acknowledged, unless somebody else cut it"
    );
    file.set_len(start)
}

/// Whether a dead letter may begin so. After a power failure a file may be longer than what reached the disk of it.
pub(super) fn is_piece(line: &[u8]) -> bool {
    let is_blank = || line.iter().all(|&byte| byte == 0);
    BEGINNING.starts_with(&line[..line.len().min(BEGINNING.len())]) || is_blank()
}

fn foreign() -> io::Error {
    let what = "it does not end in a dead letter: mend its last line, or name another file";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// What stands behind the last line break, and where.
fn unended(file: &mut File) -> io::Result<(u64, Vec<u8>)> {
    let end = file.metadata()?.len();
    // A line break, in nearly all cases.
    let mut step = 1;
    loop {
        let start = end.saturating_sub(step);
        file.seek(SeekFrom::Start(start))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        if let Some(at) = text.iter().rposition(|&byte| byte == b'\n') {
            let last = text.split_off(at + 1);
            return Ok((end - last.len() as u64, last));
        }
        if start == 0 {
            return Ok((0, text));
        }
        if step > LINE_BYTES as u64 {
            return Err(foreign());
        }
        step *= 4;
    }
}
