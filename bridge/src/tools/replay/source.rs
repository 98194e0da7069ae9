//! The dead letters of a route as the source of that route: each is the message that was first
//! received, and what is settled is noted beside them.

use std::rc::Rc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use tokio::task::consume_budget;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use super::Views;
use super::ledger::Letter;
use super::report::{Ending, Fate, Report, Summary};
use super::selection::Chooser;
use super::sinks::Answers;
use crate::delivery::{Received, Verdict, Window};
use crate::transport::Intake;
use crate::transport::view::Notes;

/// How often what was delivered is noted; a crash repeats what was delivered since.
const NOTE_INTERVAL: Duration = Duration::from_millis(100);
/// What is under way when the destination takes nothing more gets this long.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// See the module.
pub(super) struct DeadLetters {
    pub(super) views: Views,
    pub(super) notes: Box<dyn Notes>,
    pub(super) chooser: Chooser,
    pub(super) window: Rc<Window>,
    pub(super) answers: Rc<Answers>,
    pub(super) report: Report,
    /// How long the destination may take nothing.
    pub(super) patience: Duration,
    pub(super) settled: Instant,
}

impl DeadLetters {
    /// Sends what is chosen until everything is settled, nothing moves any more, or `stop` gives a
    /// deadline.
    pub(super) async fn run(
        mut self,
        intake: Intake,
        stop: impl Future<Output = Instant>,
    ) -> Summary {
        let (ending, deadline) = tokio::select! {
            deadline = stop => (Ending::Interrupted, deadline),
            ending = self.work(&intake) => (ending, Instant::now() + LAST_ANSWERS),
        };
        self.window.drain(deadline);
        // What is cut off at the deadline stays a dead letter.
        timeout_at(deadline, self.drain()).await.ok();
        self.window.abandon();
        if let Some(verdicts) = self.window.verdicts().now_or_never() {
            self.settle(verdicts);
        }
        self.note().await;
        // Ids that are missing may lie behind the place where it ended.
        if ending == Ending::Complete {
            self.report.summary.missing = self.chooser.missing.into_iter().collect();
        }
        self.report.summary.ending = ending;
        for letter in self.chooser.ledger.into_open() {
            self.report.tell(Fate::CutOff, &letter, None);
        }
        self.report.summary
    }

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
            if ledger.is_idle() && has_no_room {
                return Ending::Full;
            }
            if let Some(ending) = end.take_if(|_| ledger.is_idle() && chosen.is_none()) {
                return ending;
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
                    Some(Ok(viewed)) => chosen = self.chooser.choose(viewed, &mut self.report),
                    None => end = Some(Ending::Complete),
                    Some(Err(error)) => end = Some(Ending::Unreadable(error)),
                },
                _ = tick.tick() => {
                    self.note().await;
                    if let Some(refusal) = self.answers.refusal.take() {
                        return Ending::Refused(refusal);
                    }
                    if self.chooser.ledger.is_idle() {
                        self.settled = Instant::now();
                    } else if self.settled.elapsed() > self.patience {
                        return Ending::Quiet(self.answers.failure.take());
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

    fn settle(&mut self, verdicts: Vec<(u64, Verdict)>) {
        let report = &mut self.report;
        for (sequence, verdict) in verdicts {
            let Some(letter) = self.chooser.ledger.settle(sequence, verdict) else {
                continue;
            };
            match verdict {
                Verdict::Delivered => {
                    self.settled = Instant::now();
                    report.tell(Fate::Delivered, &letter, None);
                }
                Verdict::Filtered => report.tell(Fate::Filtered, &letter, None),
                Verdict::DeadLettered | Verdict::Discarded => {
                    let mut reasons = self.answers.reasons.borrow_mut();
                    let reason = reasons.remove(&letter.position.to_string());
                    report.tell(Fate::Failed, &letter, reason.as_ref());
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
        self.report.summary.not_noted = written.err();
    }
}

#[cfg(test)]
mod tests;
