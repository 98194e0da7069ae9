//! Messages that left the stream before they were delivered: its limits or a purge passed the
//! position of the consumer.

use std::mem::replace;
use std::time::Duration;

use async_nats::Message;
use async_nats::jetstream::consumer::{Info, SequenceInfo};
use async_nats::jetstream::stream::{Config, RetentionPolicy};
use tokio::time::Instant;

use super::End;
use super::consumer::{covers, updated};
use super::reader::Reader;
use crate::config::OnOffsetLost;
use crate::transport::nats::message::{MessageInfo, seems_without_body};
use crate::transport::nats::subject::overlap;

/// For streams whose count is not exact.
const CHECK_AGAIN: Duration = Duration::from_secs(30);
/// After a question about a gap that had no answer.
const ASK_AGAIN: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct OffsetLost {
    /// Everything below this sequence is reported and counted.
    reported: u64,
    checked_at: Option<Instant>,
    /// Without an order: consumer and stream sequence of the delivery up to which gaps are told.
    last: (u64, u64),
    unanswered_at: Option<Instant>,
    /// What the consumer had delivered at the last look, or settled when the session began.
    pub(super) delivered_to: Option<u64>,
    /// The first that was not settled at the last look.
    waits: Option<u64>,
}

impl OffsetLost {
    /// Gaps are told from this delivery on, unless they are already.
    pub(super) fn begin(&mut self, delivered: &SequenceInfo) {
        if self.last.0 == 0 {
            self.last = (delivered.consumer_sequence, delivered.stream_sequence);
        }
    }
}

impl Reader {
    /// Without an order: what lies between two deliveries went to others, or left the stream.
    pub(super) async fn check_gap(&mut self, info: MessageInfo) -> Result<(), End> {
        // A repeat is counted by the consumer, and passes nothing.
        if info.delivered > 1 {
            self.offset_lost.last.0 += 1;
            return Ok(());
        }
        let came = (info.consumer_sequence, info.stream_sequence);
        let last = self.offset_lost.last;
        let deliveries = came.0.saturating_sub(last.0);
        let left_out = came.1.saturating_sub(last.1).saturating_sub(deliveries);
        // Deliveries are counted anew where somebody has reset the consumer.
        if deliveries > 0 && left_out > 0 && takes_all(&self.durable.origin.subjects) {
            let unanswered_at = self.offset_lost.unanswered_at;
            if unanswered_at.is_some_and(|at| at.elapsed() < ASK_AGAIN) {
                return Ok(());
            }
            let next = came.1 - left_out;
            match self.check_offset(next, Some(came.1)).await {
                // Told later, with what is missing by then: messages that have come wait for nobody.
                Err(End::Failed(_)) => {
                    self.offset_lost.unanswered_at = Some(Instant::now());
                    return Ok(());
                }
                compared => compared?,
            }
        }
        self.offset_lost.last = came;
        Ok(())
    }

    /// Compares the next sequence with the oldest message of the stream, and holds reading where some are
    /// lost, unless the consumer has passed them.
    pub(super) async fn check_offset(
        &mut self,
        next: u64,
        passed_to: Option<u64>,
    ) -> Result<(), End> {
        let (lost, durable) = (&mut self.offset_lost, &self.durable);
        let is_refused = || durable.link.state.refused().stream_info;
        if is_refused() || (lost.checked_at).is_some_and(|at| at.elapsed() < CHECK_AGAIN) {
            return Ok(());
        }
        let info = match durable.api.get_info().await {
            Ok(info) => info,
            Err(_) if is_refused() => {
                tracing::warn!(
                    stream = durable.origin.stream,
                    "this user may not ask what the stream still has, so that it is not known whether messages left it unread: allow $JS.API.STREAM.INFO"
                );
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let (config, subjects) = (&info.config, &durable.origin.subjects);
        if unheard(config, subjects) > 0 && self.throttle.lets_through("listens").is_some() {
            tracing::warn!(
                stream = durable.origin.stream,
                "the stream does not listen on a subject that is taken of it: correct `subject`, or the stream"
            );
        }
        let first = (info.state.first_sequence).min(passed_to.unwrap_or(u64::MAX));
        let is_exact = is_exact(config, subjects);
        lost.checked_at = (!is_exact).then(Instant::now);
        // Then messages leave when they are acknowledged, those of other subjects too.
        let leaves_acknowledged = config.retention != RetentionPolicy::Limits;
        if passed_to.is_some() && !is_exact || leaves_acknowledged && !subjects.is_empty() {
            return Ok(());
        }
        let policy = durable.origin.on_offset_lost;
        let may_hold = passed_to.is_none() && policy == OnOffsetLost::Hold;
        let holds = next < first && is_exact && may_hold;
        if next.max(lost.reported) < first {
            log(&durable.origin.stream, next, first, is_exact, holds);
            if !holds {
                let messages = first - next.max(lost.reported);
                let status = &durable.opening.status;
                status.set_lost(status.lost() + messages);
            }
            lost.reported = first;
        }
        if holds { Err(End::Held(next)) } else { Ok(()) }
    }

    /// Whether it was asked for in the stream: anybody may write the header that tells of a body left out.
    pub(super) async fn check_body(&self, message: &Message, sequence: u64) -> Result<bool, End> {
        if !seems_without_body(message) {
            return Ok(false);
        }
        let stored = self.durable.stored_from(sequence).await?;
        match stored.is_some_and(|it| it.sequence() == sequence && it.has_body()) {
            true => Err("somebody changed the consumer, which leaves bodies out".into()),
            false => Ok(true),
        }
    }

    /// What passed other filters since the last look is told. True where some did, with an order: a reset brings it
    /// back, and none of it may count as settled.
    fn tell_passed(&mut self, info: &Info) -> bool {
        let (last, durable) = (info.delivered.stream_sequence, &self.durable);
        let before = self.offset_lost.delivered_to.replace(last).unwrap_or(last);
        if last <= before || covers(&info.config, &durable.config) {
            return false;
        }
        tracing::error!(
            stream = durable.origin.stream,
            first = before + 1,
            last,
            "somebody changed the subjects of the consumer, some of these may not have been delivered: reset it to the first, and all come again"
        );
        let status = &durable.opening.status;
        status.set_lost(status.lost() + last - before);
        durable.opening.keeps_order
    }

    /// What somebody changed, when a session begins.
    pub(super) async fn put_right(&mut self, info: &Info) -> Result<(), End> {
        if self.tell_passed(info) {
            self.pending.start_over();
        }
        self.durable.update(info).await?;
        self.offset_lost.delivered_to = Some(info.ack_floor.stream_sequence);
        Ok(())
    }

    /// The next session puts right what somebody changed.
    pub(super) fn check_consumer(&mut self, info: &Info) -> Result<(), End> {
        let (mine, mut found) = (&self.durable.config, info.config.clone());
        // A process that was set up anew may want more, which takes nothing from this one.
        if covers(&found, mine) {
            found.filter_subject.clone_from(&mine.filter_subject);
            found.filter_subjects.clone_from(&mine.filter_subjects);
        }
        match updated(mine, &found).map_err(End::Fatal)? {
            _ if self.tell_passed(info) => Err(End::StartOver),
            Some(_) => Err("somebody changed the consumer".into()),
            None => Ok(()),
        }
    }

    /// What waits since the last look may have left the stream.
    pub(super) async fn check_waiting(&mut self) {
        let first = self.pending.open().next();
        if replace(&mut self.offset_lost.waits, first) == first {
            self.check_only_here("a stop loses them").await;
        }
    }

    pub(super) async fn check_only_here(&self, consequence: &str) {
        let durable = &self.durable;
        let may_ask = durable.link.is_up() && !durable.link.state.refused().stream_info;
        if self.pending.open().next().is_none() || !may_ask {
            return;
        }
        let Ok(info) = durable.api.get_info().await else {
            return;
        };
        let oldest = info.state.first_sequence;
        let gone: Vec<_> = self.pending.open().filter(|open| *open < oldest).collect();
        if let (Some(first), Some(last)) = (gone.iter().min(), gone.iter().max())
            && let Some(held_back) = self.throttle.lets_through(consequence)
        {
            tracing::error!(
                stream = durable.origin.stream,
                messages = gone.len(),
                first,
                last,
                held_back,
                consequence,
                "messages that wait have left the stream, and are here alone"
            );
        }
    }
}

/// How many filters no message can pass. Of what comes from other streams nothing is known.
pub(in crate::transport::nats) fn unheard(stream: &Config, filters: &[String]) -> usize {
    let is_unheard = |filter: &&String| !stream.subjects.iter().any(|own| overlap(own, filter));
    let is_fed = stream.mirror.is_some() || stream.sources.is_some();
    match is_fed || stream.subject_transform.is_some() {
        true => 0,
        false => filters.iter().filter(is_unheard).count(),
    }
}

fn log(stream: &str, next: u64, first: u64, is_exact: bool, holds: bool) {
    let consequence = match (is_exact, holds) {
        (true, true) => {
            "it is read no further: reset the consumer to a sequence that is there, or set on_offset_lost = \"earliest\""
        }
        (true, false) => "they are lost",
        (false, _) => "some may not have been delivered",
    };
    tracing::error!(
        stream,
        next,
        first,
        consequence,
        "messages left the stream ahead of the place where it is read"
    );
}

pub(super) fn takes_all(filters: &[String]) -> bool {
    filters.iter().all(|filter| filter == ">")
}

/// Whether every sequence passed was a message for the consumer: it takes the whole stream, from
/// which only limits take anything.
fn is_exact(stream: &Config, filters: &[String]) -> bool {
    takes_all(filters)
        && stream.retention == RetentionPolicy::Limits
        && stream.max_messages_per_subject <= 0
        && !stream.allow_message_ttl
        && !stream.allow_rollup
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_unheard_that_matches_no_subject_of_the_stream() {
        let filters = |filters: &[&str]| Vec::from_iter(filters.iter().map(ToString::to_string));
        let mut stream = Config {
            subjects: filters(&["a.>", "b.*"]),
            ..Config::default()
        };
        for (taken, expected) in [
            (&[][..], 0),
            (&["a.b"], 0),
            (&["*.x"], 0),
            (&["a.b", "z.>"], 1),
        ] {
            assert_eq!(unheard(&stream, &filters(taken)), expected, "{taken:?}");
        }
        stream.mirror = Some(Default::default());
        assert_eq!(unheard(&stream, &filters(&["z.>"])), 0);
    }

    #[test]
    fn the_count_is_exact_where_only_limits_remove_and_all_is_taken() {
        let filters =
            |filters: &[&str]| -> Vec<String> { filters.iter().map(ToString::to_string).collect() };
        let plain = Config::default;
        assert!(is_exact(&plain(), &[]) && is_exact(&plain(), &filters(&[">"])));
        assert!(!is_exact(&plain(), &filters(&["a"])));
        type Change = fn(&mut Config);
        let changes: [Change; 5] = [
            |c| c.retention = RetentionPolicy::WorkQueue,
            |c| c.retention = RetentionPolicy::Interest,
            |c| c.max_messages_per_subject = 1,
            |c| c.allow_message_ttl = true,
            |c| c.allow_rollup = true,
        ];
        for change in changes {
            let mut config = plain();
            change(&mut config);
            assert!(!is_exact(&config, &[]), "{config:?}");
        }
    }
}
