//! From a view to lines.

use std::io::{self, BufWriter, Write};
use std::pin::pin;

use cloudevents_nl_codec::Decoder;
use futures_util::FutureExt;
use jiff::Timestamp;
use tokio::signal::ctrl_c;

use super::{Options, Show, Tailed};
use crate::capture::Line;
use crate::delivery::Received;
use crate::progress::Progress;
use crate::route::dead_letter::{Explanation, restore};
use crate::shown::{Shown, moment};
use crate::transport::address::Address;
use crate::transport::view::{View, ViewError, Viewed};

#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    View(#[from] ViewError),
    #[error(transparent)]
    Output(#[from] io::Error),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// At the end, or after as many as were asked for.
    Done,
    Interrupted,
}

pub(super) struct Reader<'o, W: Write> {
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

impl<'o, W: Write> Reader<'o, W> {
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
    pub(super) async fn read(&mut self, view: &mut dyn View) -> Result<Ended, ReadError> {
        let mut interrupted = pin!(ctrl_c());
        let ended = loop {
            let left = view.left();
            let mut next = pin!(view.next());
            let ready = next.as_mut().now_or_never();
            if ready.is_none() {
                // Nobody waits for a line that was read.
                self.out.flush()?;
            }
            if interrupted.as_mut().now_or_never().is_some() {
                break Ended::Interrupted;
            }
            let viewed = match ready {
                Some(viewed) => viewed?,
                None => tokio::select! {
                    _ = interrupted.as_mut() => break Ended::Interrupted,
                    viewed = next => viewed?,
                },
            };
            let Some(viewed) = viewed else {
                break Ended::Done;
            };
            self.progress.read(left);
            self.show(viewed)?;
            if self
                .options
                .count
                .is_some_and(|most| self.shown >= most.get())
            {
                break Ended::Done;
            }
        };
        self.progress.clear();
        self.out.flush()?;
        Ok(ended)
    }

    /// What was seen. What is left in the buffer has no reader, so it is dropped unwritten.
    pub(super) fn tailed(self, place: Address, is_interrupted: bool) -> Tailed {
        let (_, _) = self.out.into_parts();
        Tailed {
            place,
            shown: self.shown,
            read: self.progress.count(),
            is_interrupted,
        }
    }

    fn show(&mut self, viewed: Viewed) -> io::Result<()> {
        let Some(found) = self.found(viewed) else {
            return Ok(());
        };
        let show = self.options.show;
        // Captures need no decoding, unless an id is looked for.
        let shown = (show == Show::Line || self.options.id.is_some())
            .then(|| Shown::of(&found.content, &self.decoder));
        let is_other = |asked: &Option<String>, there: fn(&Shown) -> Option<&str>| {
            asked.is_some() && asked.as_deref() != shown.as_ref().and_then(there)
        };
        if is_other(&self.options.id, Shown::id) || is_other(&self.options.source, Shown::source) {
            return Ok(());
        }
        self.line.clear();
        match (show, shown) {
            (Show::Line, Some(shown)) => write_line(&found, &shown, &mut self.line)?,
            _ => write_capture(&found, &mut self.line),
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
