//! The dead letters of a route as its source.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::rc::Rc;
use std::time::Duration;

use futures_util::{FutureExt, TryStreamExt};
use tokio::task::consume_budget;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use super::super::answer;
use super::ANSWER_MIN;
use super::report::{Ending, ReplayStatus, Summary};
use super::selection::{Chooser, DeadLetter};
use super::sinks::RecordedOutcomes;
use crate::delivery::{Verdict, Window};
use crate::transport::Intake;
use crate::transport::view::{CheckpointStore, View, Viewed};

/// A crash repeats what was delivered since.
const CHECKPOINT_INTERVAL: Duration = Duration::from_millis(100);
/// For what is under way when the destination takes nothing more.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// For the last checkpoint of a replay that has ended early.
const LAST_CHECKPOINT: Duration = Duration::from_secs(3);

pub(super) struct DeadLetters {
    pub(super) chooser: RefCell<Chooser>,
    pub(super) checkpoints: Box<dyn CheckpointStore>,
    pub(super) window: Rc<Window>,
    /// By sequence in the window.
    pub(super) open: RefCell<HashMap<u64, DeadLetter>>,
    pub(super) answers: Rc<RecordedOutcomes>,
    pub(super) timeout: Duration,
}

impl DeadLetters {
    /// Until everything is settled, nothing moves any more, or `stop` gives a deadline.
    pub(super) async fn run(
        self,
        view: View,
        intake: Intake,
        stop: impl Future<Output = Instant>,
    ) -> Summary {
        let answer_max = self.timeout.max(ANSWER_MIN);
        let (ending, deadline) = tokio::select! {
            deadline = stop => (Ending::Interrupted, deadline),
            ending = self.send_all(view, &intake) => (ending, Instant::now() + LAST_ANSWERS),
            ending = self.settle_all() => (ending, Instant::now() + LAST_ANSWERS),
            never = self.note_all(answer_max) => match never {},
        };
        self.window.drain(deadline);
        timeout_at(deadline, self.window.finished()).await.ok();
        self.window.abandon();
        self.settle_given();
        self.checkpoint(match ending {
            Ending::Complete => answer_max,
            Ending::Interrupted | Ending::Stopped(_) => LAST_CHECKPOINT,
        })
        .await;
        let Chooser {
            ledger, mut report, ..
        } = self.chooser.into_inner();
        report.summary.unnoted = ledger.unnoted();
        for letter in self.open.into_inner().into_values() {
            report.record(ReplayStatus::CutOff, &letter, None);
        }
        report.summary.ending = ending;
        report.summary
    }

    /// Returns when all of it is settled.
    async fn send_all(&self, mut view: View, intake: &Intake) -> Ending {
        let ending = loop {
            // Dead letters of other routes must not starve this one.
            consume_budget().await;
            match view.try_next().await {
                Ok(Some(viewed)) => {
                    if let Err(ending) = self.send(viewed, intake).await {
                        return ending;
                    }
                }
                Ok(None) => break Ending::Complete,
                Err(error) => {
                    let what = format!("the dead letters cannot be read to their end: {error}");
                    break Ending::Stopped(what);
                }
            }
        };
        self.window.finished().await;
        ending
    }

    async fn send(&self, viewed: Viewed, intake: &Intake) -> Result<(), Ending> {
        let chosen = self.chooser.borrow_mut().choose(viewed);
        let Some((received, letter)) = chosen else {
            return Ok(());
        };
        let has_no_room = || self.chooser.borrow().ledger.has_no_room(letter.at);
        if has_no_room() {
            self.window.finished().await;
            self.settle_given();
            if has_no_room() {
                return Err(Ending::Stopped(
                    "more of them are not delivered than can be remembered one by one: correct the \
                     destination or the filter first; the rest was not tried"
                        .to_owned(),
                ));
            }
        }
        self.window.room().await;
        let delivery = self.window.admit(received);
        self.open.borrow_mut().insert(delivery.sequence(), letter);
        let pushed = intake.push(vec![delivery]).await;
        pushed.map_err(|_| Ending::Interrupted)
    }

    /// Until the destination takes nothing more.
    async fn settle_all(&self) -> Ending {
        let mut tick = interval(CHECKPOINT_INTERVAL);
        let mut delivered = Instant::now();
        loop {
            tokio::select! {
                verdicts = self.window.verdicts() => {
                    if verdicts.iter().any(|(_, verdict)| *verdict == Verdict::Delivered) {
                        delivered = Instant::now();
                    }
                    self.settle(verdicts);
                    continue;
                }
                _ = tick.tick() => {}
            }
            let failure = self.answers.failure.borrow().clone();
            if let Some((status, true)) = failure {
                return Ending::Stopped(format!(
                    "the destination refuses the bridge, whatever the event ({status}): correct \
                     its address, credentials or rights; the rest was not tried"
                ));
            }
            if self.open.borrow().is_empty() {
                delivered = Instant::now();
            } else if delivered.elapsed() > self.timeout {
                let status = failure.map_or_else(|| "no answer".to_owned(), |(status, _)| status);
                return Ending::Stopped(format!(
                    "the destination took nothing for the time of --deadline ({status}): the rest \
                     was not tried"
                ));
            }
        }
    }

    fn settle_given(&self) {
        self.settle(self.window.verdicts().now_or_never().unwrap_or_default());
    }

    /// What fails stays a dead letter, and so does what the filter refuses: another filter may not.
    fn settle(&self, verdicts: Vec<(u64, Verdict)>) {
        let Chooser { ledger, report, .. } = &mut *self.chooser.borrow_mut();
        for (sequence, verdict) in verdicts {
            let Some(letter) = self.open.borrow_mut().remove(&sequence) else {
                continue;
            };
            match verdict {
                Verdict::Delivered => {
                    ledger.finish(letter.at);
                    report.record(ReplayStatus::Delivered, &letter, None);
                }
                Verdict::Filtered => report.record(ReplayStatus::Filtered, &letter, None),
                Verdict::DeadLettered | Verdict::Discarded => {
                    let mut reasons = self.answers.reasons.borrow_mut();
                    let reason = reasons.remove(&letter.position.to_string());
                    report.record(ReplayStatus::Failed, &letter, reason.as_ref());
                }
            }
        }
    }

    /// Beside what settles: the place of the dead letters may hang.
    async fn note_all(&self, answer_max: Duration) -> Infallible {
        let mut tick = interval(CHECKPOINT_INTERVAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            self.checkpoint(answer_max).await;
        }
    }

    async fn checkpoint(&self, answer_max: Duration) {
        let checkpoints = self.chooser.borrow().ledger.changes();
        if checkpoints.is_empty() {
            return;
        }
        let written = self.checkpoints.write(checkpoints.clone());
        let written = answer(answer_max, written).await;
        let mut chooser = self.chooser.borrow_mut();
        if written.is_ok() {
            chooser.ledger.is_changed = chooser.ledger.changes() != checkpoints;
        }
        chooser.report.summary.not_saved = written.err();
    }
}

#[cfg(test)]
mod tests;
