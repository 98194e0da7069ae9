use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal, StdoutLock, Write, stderr};
use std::mem::take;
use std::pin::pin;
use std::time::Duration;

use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;
use jiff::Timestamp;
use tokio::signal::ctrl_c;
use tokio::time::Instant;

use super::super::is_taken;
use super::super::ledger::Ledger;
use super::super::shown::{MessageLine, line, reasons};
use super::states::EventStates;
use super::{Show, TailOptions, ToolError};
use crate::delivery::Received;
use crate::route::dead_letter::restore;
use crate::transport::file::capture;
use crate::transport::view::{PartitionOffset, View, ViewError, Viewed};

/// How often the terminal shows how much was read.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

pub(super) struct Printer<'o> {
    options: &'o TailOptions,
    decoder: Decoder,
    out: StdoutLock<'static>,
    /// What was replayed and dismissed of the dead letters that are shown.
    pub(super) ledger: Option<Ledger>,
    pub(super) states: Option<EventStates>,
    /// With --last, what is written at the end: the newest lines by time. Those of one partition stay in its order,
    /// whatever their times are.
    newest: BTreeMap<(i64, PartitionOffset), Vec<u8>>,
    /// The latest time in each, and how many lines there were.
    partitions: BTreeMap<i32, (i64, u64)>,
    shortened: BTreeSet<i32>,
    pub(super) read: u64,
    pub(super) shown: u64,
    /// When the line on the terminal was last written; `None` without a terminal.
    progress: Option<Instant>,
}

impl<'o> Printer<'o> {
    pub(super) fn new(options: &'o TailOptions, decoder: Decoder) -> Self {
        Self {
            options,
            decoder,
            out: io::stdout().lock(),
            ledger: None,
            states: None,
            newest: BTreeMap::new(),
            partitions: BTreeMap::new(),
            shortened: BTreeSet::new(),
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
        self.newest.clear();
        self.partitions.clear();
        (self.read, self.shown) = (0, 0);
        self.shortened = take(&mut view.shortened);
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
            let shown = self.show(viewed);
            if !is_taken(shown)? {
                break;
            }
            let read = self.read;
            self.progress(PROGRESS_INTERVAL, &format!("{read} messages read"));
        }
        self.progress(Duration::ZERO, "");
        Ok(is_interrupted)
    }

    /// As many of each partition as are asked for in all, or all that it has: those of the others may
    /// be older.
    pub(super) fn has_enough(&self) -> bool {
        let count = |it| self.partitions.get(it).map_or(0, |(_, count)| *count);
        let last = self.options.last();
        last.is_none_or(|last| self.shortened.iter().all(|it| count(it) >= last))
    }

    /// Writes what was kept for the end, and the dead letters of what is no longer there.
    pub(super) fn finish(&mut self) -> Result<(), ToolError> {
        let mut lines: Vec<_> = take(&mut self.newest).into_values().collect();
        if self.shown == 0 {
            lines.extend(self.states.take().into_iter().flat_map(EventStates::rest));
            self.shown = lines.len() as u64;
        }
        is_taken(self.out.write_all(&lines.concat()))?;
        Ok(())
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
            received,
            at,
            time_ms,
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
        let shown = MessageLine::of(&content, &self.decoder);
        if (died.is_some() && time_ms < since) || !options.wants(&shown) {
            return Ok(());
        }
        self.shown += 1;
        let said = match (&explanation, &mut self.states) {
            (Some(why), _) => reasons(why, self.ledger.as_ref().map(|ledger| ledger.state(at))),
            (None, Some(states)) => states.of(&received, at),
            (None, None) => String::new(),
        };
        let line = match options.show {
            Show::Line => line(time_ms, &content, &said, &shown).into_bytes(),
            Show::Capture => capture::line(&Received {
                binding: content.binding,
                ..received
            }),
        };
        if let Some(last) = options.last() {
            let (latest, count) = self.partitions.entry(at.partition).or_default();
            *latest = time_ms.unwrap_or_default().max(*latest);
            *count += 1;
            self.newest.insert((*latest, at), line);
            if self.newest.len() as u64 > last {
                self.newest.pop_first();
            }
            return Ok(());
        }
        self.progress(Duration::ZERO, "");
        self.out.write_all(&line)
    }
}
