//! The dead letters of a route as the source of that route: each is the message that was first
//! received, and what is settled is noted beside them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_codec::Decoder;
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use tokio::task::consume_budget;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use super::ledger::{Ledger, Letter};
use super::report::{Ending, Report};
use super::sinks::Heard;
use super::sources::Events;
use super::views::Views;
use crate::delivery::{Received, Verdict, Window};
use crate::route::dead_letter::restore;
use crate::shown::Shown;
use crate::transport::view::{Notes, Viewed};
use crate::transport::{Intake, Source, SourceError, Stop};

/// How often what was delivered is noted; a crash repeats what was delivered since.
const NOTE_INTERVAL: Duration = Duration::from_millis(100);
/// What is under way when the destination takes nothing more gets this long.
const FAREWELL: Duration = Duration::from_secs(2);

/// Which dead letters are sent.
#[derive(Debug)]
pub(super) enum Selection {
    /// All that no replay has delivered.
    All,
    /// Those of these events, delivered before or not.
    Events(Events),
}

/// Chooses dead letters, and turns each into the message that was first received.
pub(super) struct Chooser {
    pub(super) route: String,
    pub(super) selection: Selection,
    /// Ids that were not seen yet.
    pub(super) missing: BTreeSet<String>,
    pub(super) decoder: Decoder,
    pub(super) ledger: Ledger,
}

impl Chooser {
    /// The message to send again, if this is one.
    pub(super) fn choose(
        &mut self,
        viewed: Viewed,
        report: &mut Report<'_>,
    ) -> Option<(Received, Letter)> {
        let spot = viewed.spot;
        self.ledger.read(spot);
        let was_done = self.ledger.is_done(spot);
        let Some((content, explanation)) = restore(&viewed.received) else {
            // Whose it is cannot be told, so it stays: somebody must look at it.
            report.unreadable(&viewed.received);
            return None;
        };
        if explanation.route != self.route {
            // Nothing will ever be done about it here; a replay of its own route has its own notes.
            report.summary.elsewhere += 1;
            self.ledger.finish(spot);
            return None;
        }
        let shown = Shown::of(&content, &self.decoder);
        match &self.selection {
            Selection::All if was_done => {
                report.summary.before += 1;
                return None;
            }
            Selection::All => {}
            Selection::Events(events) => {
                let id = shown.id()?;
                let source = events.get(id)?;
                if source.as_deref() != shown.source() {
                    return None;
                }
                self.missing.remove(id);
            }
        }
        let letter = Letter {
            spot,
            position: viewed.received.position,
            shown,
            explanation,
            was_done,
        };
        Some((content, letter))
    }
}

/// See the module.
pub(super) struct DeadLetters<'o> {
    pub(super) views: Views,
    pub(super) notes: Box<dyn Notes>,
    pub(super) chooser: Chooser,
    pub(super) window: Rc<Window>,
    pub(super) heard: Rc<Heard>,
    pub(super) report: Rc<RefCell<Report<'o>>>,
    /// How long the destination may take nothing.
    pub(super) patience: Duration,
    pub(super) settled: Instant,
}

impl Source for DeadLetters<'static> {
    fn run(
        mut self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            let (ending, deadline) = tokio::select! {
                deadline = stop.requested() => (Ending::Interrupted, deadline),
                ending = self.work(&intake) => (ending, Instant::now() + FAREWELL),
            };
            self.window.drain(deadline);
            // What is cut off at the deadline stays a dead letter.
            timeout_at(deadline, self.drain()).await.ok();
            self.window.abandon();
            self.take_verdicts_in();
            self.note().await;
            let mut report = self.report.borrow_mut();
            report.summary.missing = match ending {
                Ending::Complete => self.chooser.missing.into_iter().collect(),
                // Those may lie behind the place where it ended.
                _ => Vec::new(),
            };
            report.summary.ending = ending;
            for letter in self.chooser.ledger.into_open() {
                report.unknown(&letter);
            }
            Ok(())
        }
        .boxed_local()
    }
}

impl DeadLetters<'_> {
    /// Sends what is chosen until everything is settled, or nothing moves any more.
    async fn work(&mut self, intake: &Intake) -> Ending {
        let mut tick = interval(NOTE_INTERVAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut chosen: Option<(Received, Letter)> = None;
        let mut end = None;
        loop {
            let ledger = &self.chooser.ledger;
            let has_no_room = chosen
                .as_ref()
                .is_some_and(|(_, letter)| ledger.has_no_room(letter.spot));
            if ledger.is_idle() {
                match &mut end {
                    _ if has_no_room => return Ending::Full,
                    Some(ending) if chosen.is_none() => return std::mem::take(ending),
                    _ => {}
                }
            }
            tokio::select! {
                verdicts = self.window.verdicts() => self.settle(verdicts),
                () = self.window.room(), if chosen.is_some() && !has_no_room => {
                    if let Some((received, letter)) = chosen.take()
                        && !self.send(received, letter, intake).await
                    {
                        return Ending::Interrupted;
                    }
                }
                viewed = self.views.next(), if chosen.is_none() && end.is_none() => match viewed {
                    Some(Ok(viewed)) => {
                        let report = &mut self.report.borrow_mut();
                        chosen = self.chooser.choose(viewed, report);
                    }
                    None => end = Some(Ending::Complete),
                    Some(Err(error)) => end = Some(Ending::Unreadable(error)),
                },
                _ = tick.tick() => {
                    self.note().await;
                    if let Some(refusal) = self.heard.refusal() {
                        return Ending::Refused(refusal);
                    }
                    if self.chooser.ledger.is_idle() {
                        self.settled = Instant::now();
                    } else if self.settled.elapsed() > self.patience {
                        return Ending::Quiet(self.heard.failure());
                    }
                }
            }
            // A long stretch of others must not keep the rest of the route from moving.
            consume_budget().await;
        }
    }

    /// Hands a message to the route; false when the route has ended.
    async fn send(&mut self, received: Received, letter: Letter, intake: &Intake) -> bool {
        let delivery = self.window.admit(received);
        self.chooser.ledger.send(delivery.sequence(), letter);
        intake.push(vec![delivery]).await.is_ok()
    }

    /// Waits until everything under way is settled or given up.
    async fn drain(&mut self) {
        loop {
            tokio::select! {
                verdicts = self.window.verdicts() => self.settle(verdicts),
                () = self.window.finished() => return,
            }
        }
    }

    fn take_verdicts_in(&mut self) {
        if let Some(verdicts) = self.window.verdicts().now_or_never() {
            self.settle(verdicts);
        }
    }

    fn settle(&mut self, verdicts: Vec<(u64, Verdict)>) {
        let mut report = self.report.borrow_mut();
        for (sequence, verdict) in verdicts {
            let Some(letter) = self.chooser.ledger.settle(sequence, verdict) else {
                continue;
            };
            match verdict {
                Verdict::Delivered => {
                    self.settled = Instant::now();
                    report.delivered(&letter);
                }
                Verdict::Filtered => report.filtered(&letter),
                Verdict::DeadLettered | Verdict::Discarded => {
                    let reason = self.heard.reason(&letter.position.to_string());
                    report.failed(&letter, reason.as_ref());
                }
            }
        }
    }

    /// Notes what was delivered since the last time; whether that could be done is told at the end.
    async fn note(&mut self) {
        let notes = self.chooser.ledger.changed_notes();
        if notes.is_empty() {
            return;
        }
        let written = self.notes.write(notes).await;
        if written.is_ok() {
            self.chooser.ledger.noted();
        }
        self.report.borrow_mut().summary.not_noted = written.err();
    }
}

#[cfg(test)]
mod tests;
