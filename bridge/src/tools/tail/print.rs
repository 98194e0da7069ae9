use std::io::{self, ErrorKind, IsTerminal, Write, stderr};
use std::pin::pin;
use std::time::Duration;

use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;
use jiff::Timestamp;
use tokio::signal::ctrl_c;
use tokio::time::Instant;

use super::super::shown::{Cause, MessageLine, Text, moment};
use super::{Show, TailOptions, ToolError};
use crate::delivery::Received;
use crate::route::dead_letter::{Explanation, restore};
use crate::transport::file::capture::Line;
use crate::transport::view::{View, ViewError, Viewed};

/// How often the terminal shows how much was read.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

pub(super) struct Printer<'o, W: Write> {
    options: &'o TailOptions,
    decoder: Decoder,
    out: W,
    pub(super) read: u64,
    pub(super) shown: u64,
    /// When the line on the terminal was last written; `None` without a terminal.
    progress: Option<Instant>,
}

impl<'o, W: Write> Printer<'o, W> {
    pub(super) fn new(options: &'o TailOptions, decoder: Decoder, out: W) -> Self {
        Self {
            options,
            decoder,
            out,
            read: 0,
            shown: 0,
            progress: stderr().is_terminal().then(Instant::now),
        }
    }

    /// To the end, the count or ctrl-c; true when it was ctrl-c.
    pub(super) async fn read(
        &mut self,
        mut view: View,
        unreadable: impl Fn(ViewError) -> ToolError,
    ) -> Result<bool, ToolError> {
        let mut interrupted = pin!(ctrl_c());
        let most = self.options.count.map_or(u64::MAX, u64::from);
        let mut is_interrupted = false;
        while self.shown < most {
            let viewed = tokio::select! {
                biased;
                _ = &mut interrupted => {
                    is_interrupted = true;
                    break;
                }
                viewed = view.try_next() => viewed.map_err(&unreadable)?,
            };
            let Some(viewed) = viewed else {
                break;
            };
            self.read += 1;
            match self.show(viewed) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                Err(error) => {
                    let what = format!("the output cannot be written: {error}");
                    return Err(ToolError::Failed(what));
                }
                Ok(()) => {}
            }
            let read = self.read;
            self.progress(PROGRESS_INTERVAL, &format!("{read} messages read"));
        }
        self.progress(Duration::ZERO, "");
        Ok(is_interrupted)
    }

    fn progress(&mut self, age: Duration, text: &str) {
        if self
            .progress
            .is_some_and(|written| written.elapsed() >= age)
        {
            self.progress = Some(Instant::now());
            write!(stderr(), "\r\x1b[K{text}").ok();
        }
    }

    fn show(&mut self, viewed: Viewed) -> io::Result<()> {
        let Viewed {
            received, time_ms, ..
        } = viewed;
        let options = self.options;
        let (content, explanation) = match &options.place.dead_letters {
            None => (received.clone(), None),
            Some(route) => match restore(&received) {
                Some((content, why)) if why.route == *route => (content, Some(why)),
                _ => return Ok(()),
            },
        };
        let died = (explanation.as_ref()).and_then(|why| why.last_attempt.parse().ok());
        let time_ms = died.map(Timestamp::as_millisecond).or(time_ms);
        let since = options.moment().map(Timestamp::as_millisecond);
        let is_old = died.is_some() && time_ms < since;
        let shown = MessageLine::of(&content, &self.decoder);
        let is_other =
            |asked: &Option<String>, there: &Option<String>| asked.is_some() && asked != there;
        if is_old || is_other(&options.id, &shown.id) || is_other(&options.source, &shown.source) {
            return Ok(());
        }
        self.progress(Duration::ZERO, "");
        self.shown += 1;
        let line = match options.show {
            Show::Line => line(time_ms, &content, explanation.as_ref(), &shown).into_bytes(),
            Show::Capture => capture(&received, &content),
        };
        self.out.write_all(&line)
    }
}

fn line(
    time_ms: Option<i64>,
    content: &Received,
    explanation: Option<&Explanation>,
    shown: &MessageLine,
) -> String {
    let why = explanation.map_or_else(String::new, |why| {
        let (route, from) = (Text(&why.route), Text(&why.source));
        format!("{} route={route} from={from} ", Cause(why))
    });
    let (time, position, size) = (moment(time_ms), &content.position, content.byte_len());
    format!("{time} {position} {why}{shown} size={size}\n")
}

fn capture(received: &Received, content: &Received) -> Vec<u8> {
    let position = received.position.to_string();
    let mut line = Vec::new();
    let body = received.body.as_deref();
    let capture = Line {
        key: received.key.as_deref(),
        timestamp_ms: received.timestamp_ms,
        position: Some(&position),
        defect: received.defect,
        ..Line::of(content.binding, &received.headers, body)
    };
    capture.write(&mut line);
    line
}
