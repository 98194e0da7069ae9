//! A file of dead letters: one line of JSON each, as `cenl-bridge convert` reads them.
//!
//! A line is on the disk before its event is settled. Lines are written on a blocking thread; those
//! that wait at the same time share one write and one sync. Routes of one process may share a file;
//! a lock keeps other processes out. Nothing but the disk bounds it.

pub(crate) mod capture;
mod checkpoints;
mod journal;
pub(crate) mod lines;
mod view;
mod writer;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cloudevents_nl_codec::{Binding, KAFKA};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::timeout;

use super::address::Address;
use super::contract::{Entry, OpenError, OpenSink, SinkOpening, Transport};
use super::state_file::folder;
use super::view::OpenView;
use super::{Batch, EXCHANGE_TIMEOUT, Outgoing, Sink};
use crate::config::{Reported, Table};
use crate::delivery::{Position, Received};
use crate::outcome::{Outcome, RefusedReason};
use view::FileView;
use writer::SharedWriter;

/// A batch of the largest size fits in several times. What is longer is not written: it could not be read.
pub(crate) const LINE_BYTES: usize = if cfg!(test) { 1 << 20 } else { 256 << 20 };

pub const TRANSPORT: Transport = Transport {
    name: "file",
    tables: &[],
    view: None,
    source: None,
    sink: Some(Entry {
        key: "file",
        read: |table, _| Ok(Box::new(FileSettings::read(table)?)),
    }),
};

#[derive(Clone, Debug)]
pub struct FileSettings(PathBuf);

impl FileSettings {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "path of the file, in a folder that is there; made for its owner alone (mode \
                       0600). Routes of one process may share it, another process is refused. It \
                       may be moved away at any time: the bridge then begins a new one";
        // No `PathBuf`, whose content would count as a setting.
        let file = table.resolve(&table.key::<String>("file", meaning).required()?);
        let problem = |what: &'static str| {
            let remedy = "name a file in a folder that is there";
            Err(table.report(&["file"], what, remedy))
        };
        let (Some(name), folder) = (file.file_name(), folder(&file)) else {
            return problem("is no name of a file");
        };
        // A pipe has no end, and lines on a device are gone.
        if file.exists() && !file.is_file() {
            return problem("is a folder, pipe or device, which keeps no lines");
        }
        match folder.canonicalize() {
            Ok(folder) if folder.is_dir() => Ok(Self(folder.join(name))),
            _ => problem("is in a folder that is not there"),
        }
    }
}

impl OpenSink for FileSettings {
    fn address(&self) -> Address {
        let text = |part: Option<&OsStr>| part.unwrap_or_default().display().to_string();
        Address {
            transport: TRANSPORT.name,
            server: text(self.0.parent().map(Path::as_os_str)),
            name: text(self.0.file_name()),
        }
    }

    /// A line keeps the message of any protocol; events do not go there.
    fn binding(&self) -> &'static Binding {
        &KAFKA
    }

    fn keeps_dead_letters(&self) -> bool {
        true
    }

    fn takes_events(&self) -> bool {
        false
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        Some(Box::new(FileView::of(self.0.clone())))
    }

    fn open(&self, _: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        Ok(Box::new(FileSink(SharedWriter::shared(&self.0)?)))
    }
}

struct FileSink(Arc<SharedWriter>);

impl Sink for FileSink {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let lines: Option<Vec<_>> = batch.iter().map(|letter| line(letter)).collect();
        let writer = Arc::clone(&self.0);
        async move {
            let Some(lines) = lines else {
                return Outcome::Refused(RefusedReason::Other("not-a-dead-letter"));
            };
            if lines.iter().any(|line| line.len() > LINE_BYTES) {
                return Outcome::Refused(RefusedReason::TooLarge);
            }
            let written = writer.write(lines.concat());
            let outcome = timeout(EXCHANGE_TIMEOUT, written).await;
            outcome.unwrap_or(Outcome::Unreachable("timeout"))
        }
        .boxed_local()
    }
}

fn line(letter: &Outgoing) -> Option<Vec<u8>> {
    let message = Received {
        binding: letter.received_as?,
        headers: letter.headers.clone(),
        key: letter.key.clone(),
        body: letter.body.clone(),
        timestamp_ms: letter.timestamp_ms,
        // The headers say where it was taken from, and why it is here.
        position: Position::default(),
        defect: None,
    };
    Some(capture::line(&message))
}

#[cfg(test)]
mod tests;
