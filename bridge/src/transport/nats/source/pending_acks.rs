//! Messages that were taken and not acknowledged: with an order everything up to the watermark is
//! acknowledged, without one each message when it is settled.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::rc::Rc;

use async_nats::Subject;
use async_nats::jetstream::AckKind;
use futures_util::FutureExt;
use tokio::time::{Instant, timeout_at};

use super::super::message::MessageInfo;
use super::durable::Durable;
use super::settled::Settled;
use crate::delivery::{Delivery, Received, Verdict, Window};
use crate::transport::contract::SourceOpening;

pub(super) struct PendingAcks {
    opening: SourceOpening,
    /// With an order a new one for each session, so that a late verdict moves no watermark.
    pub(super) window: Rc<Window>,
    /// By their sequence in the window.
    taken: BTreeMap<u64, Taken>,
    /// Stream sequences, where one may be delivered twice.
    sequences: HashSet<u64>,
    /// Without an order: what the server gave to others, or over a connection that was lost.
    pub(super) ack_pending_elsewhere: u64,
    pub(super) queue: VecDeque<(Subject, AckKind)>,
    acknowledged: u64,
    progress_sent: Instant,
    /// With an order, what was settled in earlier sessions.
    pub(super) settled: Settled,
}

struct Taken {
    info: MessageInfo,
    reply: Subject,
    is_settled: bool,
}

impl PendingAcks {
    pub(super) fn new(opening: SourceOpening) -> Self {
        Self {
            window: opened(&opening),
            opening,
            taken: BTreeMap::new(),
            sequences: HashSet::new(),
            ack_pending_elsewhere: 0,
            queue: VecDeque::new(),
            acknowledged: 0,
            progress_sent: Instant::now(),
            settled: Settled::default(),
        }
    }

    pub(super) fn holds(&self, sequence: u64) -> bool {
        self.sequences.contains(&sequence)
    }

    /// What the consumer says of itself. With an order a reset has all that was given out come again.
    pub(super) fn count(&mut self, num_pending: u64, num_ack_pending: usize) {
        self.ack_pending_elsewhere = match self.opening.keeps_order {
            true => 0,
            false => num_ack_pending.saturating_sub(self.taken.len()) as u64,
        };
        self.opening
            .status
            .set_behind(num_pending + self.ack_pending_elsewhere);
    }

    /// Nothing comes of a message that was settled in an earlier session.
    pub(super) fn admit(
        &mut self,
        received: Received,
        info: MessageInfo,
        reply: Subject,
    ) -> Option<Delivery> {
        if info.delivered > 1 {
            self.ack_pending_elsewhere = self.ack_pending_elsewhere.saturating_sub(1);
        }
        self.opening
            .status
            .set_behind(info.pending + self.ack_pending_elsewhere);
        let written_ms = Some(info.published / 1_000_000);
        let delivery = self.window.admit_written(received, written_ms);
        if !self.opening.keeps_order {
            self.sequences.insert(info.stream_sequence);
        }
        let taken = Taken {
            info,
            reply,
            is_settled: false,
        };
        self.taken.insert(delivery.sequence(), taken);
        if self.settled.contains(info.stream_sequence, info.published) {
            delivery.settle(Verdict::Delivered);
            return None;
        }
        Some(delivery)
    }

    pub(super) async fn verdicts(&mut self) {
        let verdicts = self.window.verdicts().await;
        self.settle(verdicts);
    }

    fn settle(&mut self, verdicts: Vec<(u64, Verdict)>) {
        for (number, _) in verdicts {
            if self.opening.keeps_order {
                if let Some(taken) = self.taken.get_mut(&number) {
                    taken.is_settled = true;
                }
            } else if let Some(Taken { info, reply, .. }) = self.taken.remove(&number) {
                self.sequences.remove(&info.stream_sequence);
                self.queue.push_back((reply, AckKind::Ack));
            }
        }
        while let Some(first) = self.taken.first_entry()
            && first.get().is_settled
        {
            let Taken { info, reply, .. } = first.remove();
            self.settled.up_to(info.stream_sequence, info.published);
            self.acknowledged = info.stream_sequence;
            self.queue.push_back((reply, AckKind::Ack));
        }
    }

    /// When the server is to hear next of what is in progress.
    pub(super) fn progress_due(&self, durable: &Durable) -> Option<Instant> {
        let is_told = !self.opening.keeps_order && !self.taken.is_empty();
        is_told.then(|| self.progress_sent + durable.origin.ack_wait / 3)
    }

    /// Never waits: what cannot be sent now is sent next time. True where nothing is left.
    pub(super) fn flush(&mut self, durable: &Durable) -> bool {
        while let Some(verdicts) = self.window.verdicts().now_or_never() {
            self.settle(verdicts);
        }
        // After a lost connection they could meet another consumer of this name.
        let may_send = !self.queue.is_empty() && durable.is_known();
        while let Some((reply, ack)) = self.queue.front() {
            if !may_send || !durable.send(reply, *ack) {
                return false;
            }
            self.queue.pop_front();
        }
        let due = self.progress_due(durable);
        if due.is_some_and(|due| due <= Instant::now()) {
            self.progress_sent = Instant::now();
            let told = |taken: &Taken| (taken.reply.clone(), AckKind::Progress);
            self.queue.extend(self.taken.values().map(told));
        }
        self.queue.is_empty()
    }

    /// Ends a session: verdicts until then count when the next session meets the same message, later
    /// ones do not.
    pub(super) async fn fence(&mut self, durable: &Durable, until: Instant) {
        self.window.drain(until);
        drop(timeout_at(until, self.window.finished()).await);
        self.window.abandon();
        self.flush(durable);
        for Taken { info, .. } in self.taken.values().filter(|taken| taken.is_settled) {
            self.settled.above(info.stream_sequence, info.published);
        }
        self.forget_taken();
        self.opening.status.close(&self.window);
        let ended = std::mem::replace(&mut self.window, opened(&self.opening));
        if let Some(reason) = ended.held() {
            self.window.hold(reason);
        }
    }

    /// The stream sequences of messages that are not settled.
    pub(super) fn open(&self) -> impl Iterator<Item = u64> {
        let open = self.taken.values().filter(|taken| !taken.is_settled);
        open.map(|taken| taken.info.stream_sequence)
    }

    /// The last stream sequence of this session whose acknowledgement is sent, with an order; 0 where that is not
    /// known.
    pub(super) fn acknowledged(&self) -> u64 {
        let is_sent = self.queue.is_empty();
        if is_sent { self.acknowledged } else { 0 }
    }

    /// Verdicts of what was taken mean nothing any more: the same sequences may be other messages, or
    /// are wanted again.
    pub(super) fn start_over(&mut self) {
        self.forget_taken();
        self.settled = Settled::default();
    }

    fn forget_taken(&mut self) {
        self.taken.clear();
        self.sequences.clear();
        self.queue.clear();
        self.acknowledged = 0;
    }

    pub(super) fn give_back(&mut self) {
        let taken = std::mem::take(&mut self.taken).into_values();
        let told = |taken: Taken| (taken.reply, AckKind::Nak(None));
        self.queue.extend(taken.map(told));
    }
}

fn opened(opening: &SourceOpening) -> Rc<Window> {
    let window = Window::recorded(opening.window, &opening.share);
    opening.status.open(&window);
    window
}

#[cfg(test)]
mod tests {
    use cloudevents_nl_codec::{Decoder, HeaderList, NATS};

    use super::*;
    use crate::delivery::Position;
    use crate::delivery::share::Share;
    use crate::delivery::window::Capacity;
    use crate::transport::SourceStatus;

    fn opening(keeps_order: bool) -> SourceOpening {
        SourceOpening {
            window: Capacity {
                events: 10,
                bytes: 1 << 20,
            },
            share: Share::unbounded(),
            keeps_order,
            decoder: Decoder::default(),
            status: SourceStatus::default(),
        }
    }

    fn admit(
        acks: &mut PendingAcks,
        stream_sequence: u64,
        delivered: u64,
        pending: u64,
    ) -> Option<Delivery> {
        let info = MessageInfo {
            delivered,
            stream_sequence,
            consumer_sequence: 100,
            published: 1_700_000_000,
            pending,
        };
        let received = Received {
            binding: &NATS,
            headers: HeaderList::default(),
            key: None,
            body: None,
            timestamp_ms: None,
            position: Position::numbered("nats:S/", stream_sequence),
            defect: None,
        };
        acks.admit(received, info, Subject::from("ack".to_owned()))
    }

    #[test]
    fn without_an_order_what_was_ack_pending_elsewhere_and_is_not_here_waits_too() {
        let opening = opening(false);
        let status = opening.status.clone();
        let mut acks = PendingAcks::new(opening);
        acks.count(10, 52);
        assert_eq!(status.lag(), Some(62));
        // A new one, and one that a lost connection took along.
        let mut taken = Vec::new();
        for (sequence, delivered, pending) in [(53, 1, 9), (1, 2, 9)] {
            taken.extend(admit(&mut acks, sequence, delivered, pending));
            assert_eq!(status.lag(), Some(62), "{sequence}");
        }
        acks.count(9, 53);
        assert_eq!(status.lag(), Some(62));
        // Others have settled theirs.
        acks.count(9, 2);
        assert_eq!((status.lag(), taken.len()), (Some(11), 2));
    }

    #[test]
    fn with_an_order_what_was_ack_pending_elsewhere_comes_again() {
        let opening = opening(true);
        let status = opening.status.clone();
        PendingAcks::new(opening).count(10, 52);
        assert_eq!(status.lag(), Some(10));
    }
}
