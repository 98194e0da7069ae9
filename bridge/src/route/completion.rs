//! Pure: from the outcome of an exchange to the next step of its events and of the endpoint.

use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_codec::HTTP;

use super::breaker::{Circuit, FailedAttempt};
use super::dead_letter::{Kind, move_timestamp_to_header};
use super::item::{Item, Stage};
use super::lanes::{InFlight, Requeue};
use super::steps::OnError;
use super::{Endpoint, Now, Route};
use crate::delivery::{Refusal, Verdict};
use crate::outcome::{Next, Outcome, RefusedReason};

impl Route {
    pub fn complete(&mut self, sent: InFlight, outcome: &Outcome, now: Now) {
        let took = now.elapsed.saturating_sub(sent.started);
        self.tally.attempt(sent.stage, outcome, took);
        let next = match sent.stage {
            Stage::DeadLetter => outcome.next(),
            Stage::Sink => outcome.next_on(&self.config.outcomes),
        };
        if self.config.logs_deliveries || self.config.traces.is_some() {
            self.tell_attempt(&sent, outcome, next, took, now);
        }
        let endpoint = self.endpoint(sent.stage);
        endpoint.under_way -= 1;
        if sent.is_probe {
            endpoint.breaker.probe_ends(sent.started);
        }
        match sent.stage {
            Stage::DeadLetter => self.complete_dead_letter(&sent, outcome, now),
            Stage::Sink => self.complete_delivery(&sent, outcome, next, now),
        }
        self.endpoint(sent.stage).announce(outcome, next, now);
        self.release_if_retired(now);
    }

    /// In the log and the span of each event of the exchange.
    fn tell_attempt(
        &mut self,
        sent: &InFlight,
        outcome: &Outcome,
        next: Next,
        took: Duration,
        now: Now,
    ) {
        let (config, status) = (&self.config, outcome.status());
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let dead_letter = sent.stage == Stage::DeadLetter;
        let has_failed = next != Next::Delivered;
        self.lanes.each(sent, |item| {
            if config.logs_deliveries {
                let received = &item.delivery.received;
                let position = &received.position;
                let [id, ..] = received.identity(&config.decoder);
                tracing::info!(id, %position, dead_letter, status, ms, "attempt");
            }
            if let Some(span) = &mut item.span {
                let more = span.attempt(outcome, has_failed, dead_letter, took, now.wall);
                item.delivery.grow(more);
            }
        });
    }

    fn complete_delivery(&mut self, sent: &InFlight, outcome: &Outcome, next: Next, now: Now) {
        let is_gone = next == Next::Gone && {
            let was_gone = self.lanes.items(sent).any(|item| item.is_gone);
            // It may come again from its sender, or through another window.
            let first = self.lanes.items(sent).next();
            let before = first.and_then(|item| self.gone.replace(Rc::clone(&item.outgoing)));
            let comes_again = first
                .zip(before)
                .is_some_and(|(item, before)| item.outgoing.is_same_message(&before));
            let is_same = was_gone || comes_again;
            self.sink.breaker.confirms_gone(is_same, now.elapsed)
        };
        match next {
            Next::Delivered => {
                self.sink.limit.grow(self.sink.under_way + 1);
                for item in self.lanes.items(sent) {
                    let bytes = item.outgoing.byte_len();
                    self.tally.deliver(&item.delivery, bytes, now.wall);
                }
                self.settle(sent, Verdict::Delivered, now);
                self.answered(sent, true, now);
            }
            Next::DeadLetter => self.refused(sent, outcome, now),
            // A waiting sender hears it at once.
            Next::Refused | Next::Gone if self.config.on_error == OnError::Refuse => {
                self.refused(sent, outcome, now);
            }
            Next::Gone if is_gone => {
                self.lanes
                    .put_back(sent, Requeue::Ready, |item| item.fail(outcome, now));
            }
            Next::Retry | Next::Unavailable | Next::Refused | Next::Gone => {
                self.failed(sent, outcome, next, now);
            }
        }
        if is_gone {
            self.sink.breaker.retire();
        }
    }

    pub(super) fn endpoint(&mut self, stage: Stage) -> &mut Endpoint {
        match stage {
            Stage::DeadLetter => &mut self.dead_letters,
            Stage::Sink => &mut self.sink,
        }
    }

    fn settle(&mut self, sent: &InFlight, verdict: Verdict, now: Now) {
        let (config, tally) = (&self.config, &mut self.tally);
        self.lanes.settle(sent, |mut item| {
            config.end_span(&mut item, verdict.word(), now);
            tally.settle(item.delivery, verdict);
        });
    }

    /// A delivery, or the refusal of an event for what it is.
    fn answered(&mut self, sent: &InFlight, is_delivery: bool, now: Now) {
        let breaker = &mut self.endpoint(sent.stage).breaker;
        if breaker.answered(sent.started, now.elapsed, is_delivery) {
            for failed in self.lanes.close(sent.stage) {
                self.classify_alone(&failed, sent, is_delivery, now);
            }
        }
    }

    fn break_circuit(
        &mut self,
        sent: &InFlight,
        retry_after: Option<Duration>,
        may_be_the_event: bool,
        now: Now,
    ) {
        let failure = FailedAttempt {
            started: sent.started,
            is_probe: sent.is_probe,
            may_be_the_event,
            retry_after,
        };
        let (policy, random) = (self.config.retry.clone(), self.random.f64());
        let breaker = &mut self.endpoint(sent.stage).breaker;
        breaker.failed(failure, now.elapsed, &policy, random);
    }

    /// The circuit closes behind an event that failed. If `proof` was sent later and delivered, the failure
    /// was the event's own; the first such may have been the end of an outage, later ones start its back-off.
    fn classify_alone(&mut self, failed: &InFlight, proof: &InFlight, is_delivery: bool, now: Now) {
        let random = self.random.f64();
        let mut then = Requeue::Ready;
        if let Some(item) = self.lanes.first(failed)
            && let (Some(at), Some(outcome)) = (item.suspected.take(), item.last_answer.clone())
            && is_delivery
            && at <= proof.started
        {
            let policy = &self.config.retry;
            let next = outcome.next_on(&self.config.outcomes);
            item.failed_alone = item.failed_alone.saturating_add(1);
            item.refused_alone += u32::from(matches!(next, Next::Refused | Next::Gone));
            if item.refused_alone >= policy.refused_alone_max {
                return self.dispose(failed, Kind::RefusedAlone, &outcome, now);
            }
            if item.own_failures > 0 {
                // An event that blocks the endpoint each time leaves others as long between.
                let asked = outcome.retry_after().unwrap_or_default();
                let delay = policy.delay(item.own_failures, random);
                then = Requeue::After(now.elapsed + delay.max(asked.min(policy.retry_after_max)));
            }
            item.own_failures = item.own_failures.saturating_add(1);
        }
        self.lanes.put_back(failed, then, |_| ());
    }

    fn failed(&mut self, sent: &InFlight, outcome: &Outcome, next: Next, now: Now) {
        let policy = &self.config.retry.clone();
        let is_alone = sent.events == 1;
        let retry_after = outcome.retry_after();
        // Others were delivered after its failures, so this one is the event's.
        let is_known = is_alone
            && next == Next::Unavailable
            && retry_after.is_none()
            && self.lanes.items(sent).any(|item| item.failed_alone > 1);
        let next = if is_known { Next::Retry } else { next };
        let may_be_the_event = next == Next::Retry && retry_after.is_none();
        self.break_circuit(sent, retry_after, may_be_the_event, now);
        // While the circuit is open the next delivery tells whose fault it was.
        let is_closed = self.sink.breaker.circuit() == Circuit::Closed;
        let is_own = next == Next::Retry && (is_closed || is_known);
        if next == Next::Unavailable && !sent.is_probe {
            self.sink.limit.halve(sent.started, now.elapsed);
        }
        let exhausted =
            |item: &Item| policy.is_exhausted(item.attempts.saturating_add(1), item.age(now));
        if is_alone && self.lanes.items(sent).any(exhausted) {
            return self.dispose(sent, Kind::Exhausted, outcome, now);
        }
        // A batch is halved until the event at fault stands alone, unless the failure cannot be an event's.
        let may_be_one = next != Next::Unavailable || matches!(outcome, Outcome::Unanswered(_));
        let is_split = may_be_one && self.lanes.items(sent).any(|item| item.attempts > 0);
        // What clients of brokers call unreachable may be the event's: a partition without a leader.
        let is_unsent = match outcome {
            Outcome::Unreachable(_) => *self.config.target.binding == HTTP,
            outcome => matches!(outcome, Outcome::NoToken(_) | Outcome::NoConsent(_)),
        };
        let may_be_its_own = is_alone && !is_own && !is_unsent;
        let own = self.lanes.items(sent).filter(|_| is_alone);
        let failures = own.map(|item| item.own_failures).sum::<u32>() + 1;
        let then = match is_own {
            true => Requeue::After(now.elapsed + policy.delay(failures, self.random.f64())),
            false => Requeue::Circuit,
        };
        self.lanes.put_back(sent, then, |item| {
            // An event is given up only for a failure of its own.
            if exhausted(item) {
                item.batch_max = 1;
            } else if is_split && !is_alone {
                item.batch_max = sent.events / 2;
            }
            item.fail(outcome, now);
            item.own_failures += u32::from(is_own && is_alone);
            item.suspected = may_be_its_own.then_some(now.elapsed);
            item.is_gone |= next == Next::Gone;
        });
    }

    fn refused(&mut self, sent: &InFlight, outcome: &Outcome, now: Now) {
        let is_alone = sent.events == 1;
        let is_lost = matches!(self.config.on_error, OnError::DeadLetter | OnError::Discard);
        let is_held = is_alone && is_lost && self.sink.breaker.refused(self.config.stop_after);
        match outcome.retry_after() {
            retry_after if is_held || retry_after.is_some() => {
                self.break_circuit(sent, retry_after, false, now);
            }
            // It may never have left this process.
            _ if matches!(outcome, Outcome::Refused(_)) => {}
            _ => {
                self.sink.limit.grow(self.sink.under_way + 1);
                self.answered(sent, false, now);
            }
        }
        if is_held {
            self.lanes
                .put_back(sent, Requeue::Circuit, |item| item.fail(outcome, now));
        } else if is_alone {
            self.dispose(sent, Kind::Refused, outcome, now);
        } else {
            // Smaller batches find the event at fault.
            let half = sent.events / 2;
            self.lanes
                .put_back(sent, Requeue::Ready, |item| item.batch_max = half);
        }
    }

    fn dispose(&mut self, sent: &InFlight, kind: Kind, outcome: &Outcome, now: Now) {
        let (config, lanes, tally) = (&self.config, &mut self.lanes, &mut self.tally);
        let status = outcome.status();
        lanes.each(sent, |item| {
            let received = &item.delivery.received;
            self.refused.note(config, received, kind, &status);
            // Its last refusal was counted when it came.
            if kind != Kind::RefusedAlone {
                item.fail(outcome, now);
            }
            item.fail_for_good(config, tally, kind, (&status, outcome.error_body()), now);
        });
        match config.on_error {
            OnError::Refuse => lanes.settle(sent, |mut item| {
                config.end_span(&mut item, "refused", now);
                let refusal = Refusal::ByDestination(outcome.clone());
                item.delivery.refuse(refusal);
            }),
            OnError::Discard => self.settle(sent, Verdict::Discarded, now),
            OnError::DeadLetter | OnError::Hold => lanes.put_back(sent, Requeue::Ready, |_| ()),
        }
    }

    fn complete_dead_letter(&mut self, sent: &InFlight, outcome: &Outcome, now: Now) {
        let has_bad_time = *outcome == Outcome::Refused(RefusedReason::InvalidTimestamp)
            && (self.lanes.items(sent)).any(|item| item.outgoing.timestamp_ms.is_some());
        match outcome.next() {
            Next::Delivered => {
                self.settle(sent, Verdict::DeadLettered, now);
                self.answered(sent, true, now);
            }
            Next::DeadLetter if has_bad_time => self.lanes.put_back(sent, Requeue::Ready, |item| {
                move_timestamp_to_header(Rc::make_mut(&mut item.outgoing));
            }),
            Next::DeadLetter => self.stick(sent, outcome, now),
            // Whatever the reason, it is a failure of the place.
            _ => {
                self.break_circuit(sent, None, false, now);
                self.lanes
                    .put_back(sent, Requeue::Circuit, |item| item.fail(outcome, now));
            }
        }
    }

    /// The dead letter was refused for what it is: somebody must act, and it is tried now and then.
    fn stick(&mut self, sent: &InFlight, outcome: &Outcome, now: Now) {
        let status = outcome.status();
        for item in self.lanes.items(sent).filter(|item| !item.is_stuck) {
            let position = &item.delivery.received.position;
            tracing::error!(
                status, %position,
                "dead letter can never be written as things are, its key stands still: raise the limit of its place, or restart with dead letters in a file or in a Kafka topic that takes larger messages"
            );
        }
        let wait = Requeue::After(now.elapsed + self.config.retry.maximum);
        self.lanes.put_back(sent, wait, |item| {
            item.fail(outcome, now);
            item.is_stuck = true;
        });
    }
}

#[cfg(test)]
mod tests;
