//! The thread that writes a file: whoever waits at the same time shares one write and one sync.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use tokio::sync::{mpsc, oneshot};

use super::journal::{Journal, JournalError};
use crate::outcome::Outcome;
use crate::transport::contract::OpenError;

/// Most jobs that wait for the thread; further ones wait for their turn.
const QUEUE: usize = 64;
/// A group that holds so many bytes is written, even if more is waiting.
const GROUP_BYTES: usize = 4 << 20;

/// The way to the thread of one file. The thread ends, and the file is given free, with the last of
/// those who hold this.
#[derive(Debug)]
pub(super) struct Writer(mpsc::Sender<Job>);

/// Lines to write, and who waits for them.
#[derive(Debug)]
struct Job {
    lines: Vec<u8>,
    written: oneshot::Sender<Outcome>,
}

impl Writer {
    /// The writer of a file: routes of this process share it, on whichever thread they are.
    pub(super) fn shared(path: &Path) -> Result<Arc<Self>, OpenError> {
        static WRITERS: Mutex<BTreeMap<PathBuf, Weak<Writer>>> = Mutex::new(BTreeMap::new());
        let mut writers = WRITERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = writers.get(path).and_then(Weak::upgrade) {
            return Ok(writer);
        }
        let failed = |error: JournalError| OpenError {
            reason: "file",
            detail: format!("{}: {error}", path.display()),
        };
        let journal = Journal::open(path).map_err(failed)?;
        let (sender, jobs) = mpsc::channel(QUEUE);
        let thread = thread::Builder::new().name("dead-letters".to_owned());
        let started = thread.spawn(move || work(journal, jobs));
        started.map_err(|error| failed(error.into()))?;
        let writer = Arc::new(Self(sender));
        writers.insert(path.to_owned(), Arc::downgrade(&writer));
        Ok(writer)
    }

    /// Writes whole lines and waits until they are on the disk.
    pub(super) async fn write(&self, lines: Vec<u8>) -> Outcome {
        let (written, outcome) = oneshot::channel();
        let sent = self.0.send(Job { lines, written }).await;
        match (sent, outcome.await) {
            (Ok(()), Ok(outcome)) => outcome,
            _ => Outcome::Unreachable("writer-ended"),
        }
    }
}

fn work(mut journal: Journal, mut jobs: mpsc::Receiver<Job>) {
    let mut is_failing = false;
    while let Some(job) = jobs.blocking_recv() {
        let Job { mut lines, written } = job;
        let mut waiting = vec![written];
        while lines.len() < GROUP_BYTES
            && let Ok(job) = jobs.try_recv()
        {
            lines.extend_from_slice(&job.lines);
            waiting.push(job.written);
        }
        let written = journal.append(&lines);
        let path = journal.path.display();
        let outcome = match &written {
            Ok(()) if is_failing => {
                tracing::info!(%path, "dead letters are written to their file again");
                Outcome::Delivered
            }
            Ok(()) => Outcome::Delivered,
            Err(error) => {
                tracing::error!(%path, %error, "dead letters cannot be written to their file");
                Outcome::Unreachable(word(error))
            }
        };
        is_failing = written.is_err();
        for written in waiting {
            // Whoever does not wait any more tries again, and the line is there twice.
            drop(written.send(outcome.clone()));
        }
    }
}

fn word(error: &JournalError) -> &'static str {
    let JournalError::Io(error) = error else {
        return "file";
    };
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "disk-full",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "no-permission",
        _ => "file",
    }
}
