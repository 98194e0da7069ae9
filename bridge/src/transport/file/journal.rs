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
    /// A piece of a line may stand at the end, because it could not be removed.
    is_torn: bool,
    /// Bytes that could not be written, until as many are: on a full disk shorter lines may still fit.
    owed: usize,
    throttle: Throttle,
}

impl Journal {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: open(path)?,
            is_torn: false,
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
            (self.file, self.is_torn) = (open(&self.path)?, false);
        }
        if self.is_torn {
            repair(&mut self.file, &self.path)?;
            self.is_torn = false;
        }
        let end = self.file.metadata()?.len();
        let written = self.file.write_all(lines);
        let written = written.and_then(|()| self.file.sync_data());
        if written.is_err() {
            self.is_torn = self.file.set_len(end).is_err();
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
    let beginning = &last[..last.len().min(BEGINNING.len())];
    // After a power failure a file may be longer than what reached the disk of it.
    let is_blank = last.iter().all(|&byte| byte == 0);
    if !is_blank && !BEGINNING.starts_with(beginning) {
        return Err(foreign());
    }
    tracing::warn!(
        path = %path.display(),
        bytes = last.len(),
        "a dead letter that was never acknowledged is cut off the end of the file"
    );
    file.set_len(start)
}

fn foreign() -> io::Error {
    let what = "it does not end in a dead letter: name another file";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// What stands behind the last line break, and where.
fn unended(file: &mut File) -> io::Result<(u64, Vec<u8>)> {
    let end = file.metadata()?.len();
    let mut step = 64 << 10;
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
