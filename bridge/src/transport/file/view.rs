//! Looks at a file of dead letters. Whoever writes to it goes on, and a line that is not ended yet is
//! not there yet.
//!
//! Lines are read on the thread that asks: a local file answers at once, and nobody else waits.

mod lines;
mod notes;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cloudevents_nl_codec::{HeaderList, KAFKA};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::sleep;

use super::{FileSettings, TRANSPORT, capture};
use crate::delivery::{Position, Received};
use crate::transport::address::Address;
use crate::transport::contract::OpenSink;
use crate::transport::view::{
    NoNotes, Note, Notes, OpenView, Span, Spot, View, ViewError, ViewStart, Viewed,
};
use lines::{Line, Lines};
use notes::FileNotes;

/// How often a file is looked at for more.
const LOOK: Duration = Duration::from_millis(200);
/// The defect of a line that holds no message.
const NO_CAPTURE: &str = "line-unreadable";

/// A file that can be looked at.
#[derive(Debug)]
pub(super) struct FileView {
    path: PathBuf,
    /// What tells the file that was opened from another one in its place.
    first_line: OnceLock<Option<String>>,
}

impl FileView {
    pub(super) fn of(path: PathBuf) -> Self {
        Self {
            path,
            first_line: OnceLock::new(),
        }
    }

    /// The lines of the file, which is the one that was opened before, if one was.
    fn lines(&self) -> io::Result<Lines> {
        let mut file = File::open(&self.path)?;
        let first_line = lines::first_line(&mut file)?;
        if *self.first_line.get_or_init(|| first_line.clone()) != first_line {
            return Err(notes::another_file());
        }
        Ok(Lines::of(file))
    }
}

impl OpenView for FileView {
    fn address(&self) -> Address {
        OpenSink::address(&FileSettings(self.path.clone()))
    }

    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<Box<dyn View>, ViewError>> {
        let opened = self.lines().and_then(|mut lines| {
            // A line has a time of its own only where its message had one: `Time` is the whole file.
            if span.start == ViewStart::End {
                lines.skip_to_end()?;
            }
            let end = match span.follows {
                true => None,
                false => Some(lines.bytes()?),
            };
            Ok((lines, end))
        });
        let path = self.path.display().to_string();
        let view = opened.map_err(|error| failed(&error)).map(|(lines, end)| {
            let place = format!("file:{path}:").into();
            Box::new(LinesView { lines, end, place }) as Box<dyn View>
        });
        std::future::ready(view).boxed_local()
    }

    fn notes(&self, name: &str) -> LocalBoxFuture<'_, Result<Box<dyn Notes>, NoNotes>> {
        // About the file that was opened, if one was.
        let opened = match self.first_line.get() {
            Some(_) => Ok(()),
            None => self.lines().map(drop),
        };
        let notes = opened.map_err(|error| failed(&error).into()).map(|()| {
            let first_line = self.first_line.get().cloned().flatten();
            let notes = FileNotes::of(&self.path, name, first_line);
            Box::new(notes) as Box<dyn Notes>
        });
        std::future::ready(notes).boxed_local()
    }
}

struct LinesView {
    lines: Lines,
    /// Bytes that were there at the start; nothing where there is no end.
    end: Option<u64>,
    place: Arc<str>,
}

impl View for LinesView {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Viewed>, ViewError>> {
        async move {
            loop {
                if self.end.is_some_and(|end| self.lines.read_bytes() >= end) {
                    return Ok(None);
                }
                let number = self.lines.number();
                let line = self.lines.next().map_err(|error| failed(&error))?;
                match line {
                    Some(line) => return Ok(Some(viewed(&self.place, number, line))),
                    None if self.end.is_some() => return Ok(None),
                    None => sleep(LOOK).await,
                }
            }
        }
        .boxed_local()
    }

    /// Nobody counts the lines of a file before reading them.
    fn left(&self) -> Option<u64> {
        None
    }
}

fn viewed(place: &Arc<str>, number: u64, line: Line<'_>) -> Viewed {
    let position = Position::numbered(Arc::clone(place), number + 1);
    let received = match line {
        Line::Whole(text) => capture::read(text, position.clone()).ok(),
        Line::TooLong => None,
    };
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
        spot: Spot {
            partition: 0,
            number,
        },
    }
}

fn failed(error: &io::Error) -> ViewError {
    ViewError {
        reason: TRANSPORT.name,
        detail: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
