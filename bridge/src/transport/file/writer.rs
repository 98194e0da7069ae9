//! Sinks that write to a file at the same time share one write and one sync.

use std::io;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::sync::{self, OwnedMutexGuard, oneshot};
use tokio::task::spawn_blocking;
use tracing::Span;

use super::journal::Journal;
use crate::outcome::Outcome;
use crate::shared::{Shared, lock};
use crate::transport::contract::OpenError;

/// The lock on the file goes with the last of those who hold this.
#[derive(Debug)]
pub(super) struct SharedWriter {
    waiting: Mutex<Vec<Waiting>>,
    journal: Arc<sync::Mutex<Journal>>,
}

/// No more than the sinks have in flight.
#[derive(Debug)]
struct Waiting {
    lines: Vec<u8>,
    written: oneshot::Sender<Outcome>,
}

impl SharedWriter {
    /// Routes of this process share it, on whichever thread they are.
    pub(super) fn shared(path: &Path) -> Result<Arc<Self>, OpenError> {
        static WRITERS: Shared<PathBuf, SharedWriter> = Shared::new();
        WRITERS.try_get(path.to_owned(), || {
            let journal = Journal::open(path).map_err(|error| OpenError {
                reason: "file",
                detail: format!("{}: {error}", path.display()),
            })?;
            Ok(Arc::new(Self {
                waiting: Mutex::default(),
                journal: Arc::new(sync::Mutex::new(journal)),
            }))
        })
    }

    /// Returns when the lines are on the disk. Who stops waiting tries again, and the lines may be
    /// there twice.
    pub(super) async fn write(&self, lines: Vec<u8>) -> Outcome {
        let (written, outcome) = oneshot::channel();
        {
            let mut waiting = lock(&self.waiting);
            waiting.retain(|it| !it.written.is_closed());
            waiting.push(Waiting { lines, written });
        }
        // Whoever gets the file writes for all who wait.
        let journal = Arc::clone(&self.journal).lock_owned().await;
        let waiting = take(&mut *lock(&self.waiting));
        if !waiting.is_empty() {
            let span = Span::current();
            drop(spawn_blocking(move || {
                span.in_scope(|| append(journal, waiting));
            }));
        }
        let ended = Outcome::Unreachable("writer-ended");
        outcome.await.unwrap_or(ended)
    }
}

fn append(mut journal: OwnedMutexGuard<Journal>, mut waiting: Vec<Waiting>) {
    let lines: Vec<_> = waiting.iter_mut().map(|it| take(&mut it.lines)).collect();
    let outcome = match journal.append(&lines.concat()) {
        Ok(()) => Outcome::Delivered,
        Err(error) => Outcome::Unreachable(reason(&error)),
    };
    for Waiting { written, .. } in waiting {
        drop(written.send(outcome.clone()));
    }
}

fn reason(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "disk-full",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "no-permission",
        _ => "file",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn who_does_not_wait_any_more_is_forgotten_while_the_disk_hangs() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dead.jsonl");
        let writer = SharedWriter::shared(&file).unwrap();
        let hangs = Arc::clone(&writer.journal).lock_owned().await;
        for _ in 0..10 {
            let written = writer.write(b"given up\n".to_vec()).now_or_never();
            assert_eq!(written, None);
            assert_eq!(lock(&writer.waiting).len(), 1);
        }
        drop(hangs);
        let written = writer.write(b"{}\n".to_vec()).await;
        assert_eq!(written, Outcome::Delivered);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{}\n");
    }
}
