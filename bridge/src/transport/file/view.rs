//! Looks at a file of dead letters while it is written to; a line that is not whole yet is not
//! there yet. Lines are read on the thread that asks: a local file answers at once.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Take};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cloudevents_nl_codec::{HeaderList, KAFKA};
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::try_unfold;
use tokio::time::sleep;

use super::checkpoints::{FileCheckpoints, another_file, first_line};
use super::journal::is_piece;
use super::lines::Lines;
use super::{FileSettings, LINE_BYTES, TRANSPORT, capture};
use crate::delivery::{Position, Received};
use crate::transport::address::Address;
use crate::transport::contract::OpenSink;
use crate::transport::view::{
    CheckpointStore, OpenView, PartitionOffset, Span, View, ViewError, ViewStart, Viewed,
    plain_name,
};

const LOOK: Duration = Duration::from_millis(200);
const NO_CAPTURE: &str = "line-unreadable";

#[derive(Debug)]
pub(super) struct FileView {
    path: PathBuf,
    /// Tells the file that was opened from another one in its place.
    first_line: OnceLock<Option<String>>,
}

impl FileView {
    pub(super) fn of(path: PathBuf) -> Self {
        Self {
            path,
            first_line: OnceLock::new(),
        }
    }

    /// Fails where another file has taken the place of the one that was opened before.
    fn file(&self) -> io::Result<File> {
        let file = File::open(&self.path)?;
        let first_line = first_line(&file)?;
        if *self.first_line.get_or_init(|| first_line.clone()) != first_line {
            return Err(another_file());
        }
        Ok(file)
    }

    fn begin(&self, span: Span) -> io::Result<LinesView> {
        let file = self.file()?;
        let end = match span.follows {
            true => u64::MAX,
            false => file.metadata()?.len(),
        };
        let reader = BufReader::with_capacity(64 << 10, file.take(end));
        let mut lines = Lines::new(reader, LINE_BYTES);
        // A line has a time of its own only where its message had one: `Time` is the whole file.
        while span.start == ViewStart::End && lines.read()? {}
        Ok(LinesView {
            lines,
            follows: span.follows,
            place: format!("file:{}:", self.path.display()).into(),
        })
    }
}

impl OpenView for FileView {
    fn address(&self) -> Address {
        OpenSink::address(&FileSettings(self.path.clone()))
    }

    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<View, ViewError>> {
        let view = self.begin(span).map_err(|error| failed(&error));
        ready(view.map(|view| {
            let lines = try_unfold(view, |mut view| async move {
                let viewed = view.next().await.map_err(|error| failed(&error))?;
                Ok(viewed.map(|viewed| (viewed, view)))
            });
            View::new(lines, BTreeSet::new())
        }))
        .boxed_local()
    }

    fn checkpoints(
        &self,
        name: &str,
    ) -> LocalBoxFuture<'_, Result<Box<dyn CheckpointStore>, ViewError>> {
        let opened = match self.first_line.get() {
            Some(_) => Ok(()),
            None => self.file().map(drop),
        };
        let notes = opened.map(|()| FileCheckpoints {
            dead_letters: self.path.clone(),
            path: self.path.with_added_extension(plain_name(name, '%')),
            first_line: self.first_line.get().cloned().flatten(),
        });
        let notes = notes.map(|notes| Box::new(notes) as Box<dyn CheckpointStore>);
        ready(notes.map_err(|error| failed(&error))).boxed_local()
    }
}

struct LinesView {
    lines: Lines<BufReader<Take<File>>>,
    follows: bool,
    place: Arc<str>,
}

impl LinesView {
    async fn next(&mut self) -> io::Result<Option<Viewed>> {
        while !self.lines.read()? {
            if !self.follows {
                // Whole all the same, where somebody took its line break away; or no dead letter at all.
                let rest = self.lines.read_or_rest(|_| {})?.then(|| self.viewed());
                let is_piece = self.lines.line().is_some_and(is_piece);
                return Ok(rest.filter(|viewed| viewed.received.defect.is_none() || !is_piece));
            }
            sleep(LOOK).await;
        }
        Ok(Some(self.viewed()))
    }

    fn viewed(&self) -> Viewed {
        let number = self.lines.number();
        let position = Position::numbered(Arc::clone(&self.place), number + 1);
        let line = self.lines.line();
        let received = line.and_then(|line| capture::read(line, position.clone()).ok());
        let received = received.filter(|received| received.defect.is_none());
        let received = received.unwrap_or_else(|| Received {
            binding: &KAFKA,
            headers: HeaderList::default(),
            key: None,
            body: None,
            timestamp_ms: None,
            position,
            defect: Some(NO_CAPTURE),
        });
        Viewed {
            time_ms: received.timestamp_ms,
            received,
            at: PartitionOffset::at(number),
        }
    }
}

pub(super) fn failed(error: &io::Error) -> ViewError {
    ViewError::Failed(format!("{}: {error}", TRANSPORT.name))
}

#[cfg(test)]
mod tests;
