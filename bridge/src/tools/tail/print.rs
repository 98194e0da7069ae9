//! From a view to lines.

use std::future::ready;
use std::io::{self, BufWriter, Write};
use std::pin::pin;

use cloudevents_nl_codec::Decoder;
use jiff::Timestamp;
use tokio::signal::ctrl_c;

use super::super::shown::{Shown, moment};
use super::progress::Progress;
use super::{Options, Show, TailError};
use crate::delivery::Received;
use crate::route::dead_letter::{Explanation, restore};
use crate::transport::address::Address;
use crate::transport::file::capture::Line;
use crate::transport::view::{View, Viewed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// At the end, or after as many as were asked for.
    Done,
    Interrupted,
}

pub(super) struct Printer<'o, W: Write> {
    options: &'o Options,
    since: Option<Timestamp>,
    decoder: Decoder,
    out: BufWriter<W>,
    line: Vec<u8>,
    progress: Progress,
    shown: u64,
}

/// A message, and what makes it a dead letter of the route that was asked for.
struct Found {
    received: Received,
    /// What it holds, in the spelling it came in.
    content: Received,
    explanation: Option<Explanation>,
    time_ms: Option<i64>,
}

impl<'o, W: Write> Printer<'o, W> {
    pub(super) fn new(
        options: &'o Options,
        since: Option<Timestamp>,
        decoder: Decoder,
        out: W,
    ) -> Self {
        Self {
            options,
            since,
            decoder,
            out: BufWriter::with_capacity(64 << 10, out),
            line: Vec::new(),
            progress: Progress::new(),
            shown: 0,
        }
    }

    /// Reads to the end, the count or ctrl-c, whichever comes first.
    pub(super) async fn read(
        &mut self,
        view: &mut dyn View,
        place: &Address,
    ) -> Result<Ended, TailError> {
        let mut interrupted = pin!(ctrl_c());
        let most = self.options.count;
        let unreadable = |error| TailError::View(place.clone(), error);
        let ended = loop {
            let left = view.left();
            let viewed = tokio::select! {
                biased;
                _ = &mut interrupted => break Ended::Interrupted,
                viewed = view.next() => viewed.map_err(unreadable)?,
                // A line that was read does not wait for the next one.
                () = ready(()), if !self.out.buffer().is_empty() => {
                    self.out.flush()?;
                    continue;
                }
            };
            let Some(viewed) = viewed else {
                break Ended::Done;
            };
            self.progress.read(left);
            self.show(viewed)?;
            if most.is_some_and(|most| self.shown >= most.get()) {
                break Ended::Done;
            }
        };
        self.progress.clear();
        self.out.flush()?;
        Ok(ended)
    }

    /// Messages shown and read. What is left in the buffer has no reader, so it is dropped unwritten.
    pub(super) fn counts(self) -> (u64, u64) {
        let (_, _) = self.out.into_parts();
        (self.shown, self.progress.count())
    }

    fn show(&mut self, viewed: Viewed) -> io::Result<()> {
        let Some(found) = self.found(viewed) else {
            return Ok(());
        };
        let shown = Shown::of(&found.content, &self.decoder);
        let is_other =
            |asked: &Option<String>, there: &Option<String>| asked.is_some() && asked != there;
        if is_other(&self.options.id, &shown.id) || is_other(&self.options.source, &shown.source) {
            return Ok(());
        }
        self.line.clear();
        match self.options.show {
            Show::Line => write_line(&found, &shown, &mut self.line)?,
            Show::Capture => write_capture(&found, &mut self.line),
        }
        self.progress.clear();
        self.shown += 1;
        self.out.write_all(&self.line)
    }

    /// The message, if it is one of those that were asked for, whatever its id.
    fn found(&self, viewed: Viewed) -> Option<Found> {
        let Viewed {
            received, time_ms, ..
        } = viewed;
        let Some(route) = &self.options.place.dead_letters else {
            return Some(Found {
                content: received.clone(),
                received,
                explanation: None,
                time_ms,
            });
        };
        let (content, explanation) = restore(&received)?;
        let died = explanation.last_attempt.parse::<Timestamp>().ok();
        let time_ms = died.map(Timestamp::as_millisecond).or(time_ms);
        let is_old = |since: Timestamp| time_ms.is_some_and(|time| time < since.as_millisecond());
        (explanation.route == **route && !self.since.is_some_and(is_old)).then_some(Found {
            received,
            content,
            explanation: Some(explanation),
            time_ms,
        })
    }
}

fn write_line(found: &Found, shown: &Shown, line: &mut Vec<u8>) -> io::Result<()> {
    let (time, position) = (moment(found.time_ms), &found.received.position);
    write!(line, "{time} {position} ")?;
    if let Some(explanation) = &found.explanation {
        write!(line, "{explanation} ")?;
    }
    writeln!(line, "{shown} size={}", found.content.byte_len())
}

fn write_capture(found: &Found, line: &mut Vec<u8>) {
    let received = &found.received;
    let position = received.position.to_string();
    let capture = Line {
        binding: found.content.binding,
        headers: &received.headers,
        body: received.body.as_deref(),
        key: received.key.as_deref(),
        timestamp_ms: received.timestamp_ms,
        position: Some(&position),
        defect: received.defect,
    };
    capture.write(line);
}
