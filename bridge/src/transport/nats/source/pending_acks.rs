//! Messages that were taken and not acknowledged: with an order everything up to the watermark is
//! acknowledged, without one each message when it is settled.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use async_nats::Subject;
use bytes::Bytes;
use futures_util::FutureExt;
use tokio::time::{Instant, timeout_at};

use super::super::message::MessageInfo;
use super::durable::Durable;
use super::settled::Settled;
use super::{ACK, JetStreamSource};
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Received, Verdict, Window};
use crate::transport::SourceStatus;

pub(super) const NAK: Bytes = Bytes::from_static(b"-NAK");
pub(super) const IN_PROGRESS: Bytes = Bytes::from_static(b"+WPI");

pub(super) struct PendingAcks {
    keeps_order: bool,
    capacity: Capacity,
    share: Rc<Share>,
    status: SourceStatus,
    /// With an order a new one for each session, so that a late verdict moves no watermark.
    pub(super) window: Rc<Window>,
    /// By their sequence in the window.
    taken: BTreeMap<u64, Taken>,
    /// Stream sequences, where one may be delivered twice.
    sequences: HashSet<u64>,
    queue: VecDeque<(Subject, Bytes)>,
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
    pub(super) fn new(source: &JetStreamSource) -> Self {
        let window = Window::recorded(source.window, &source.share);
        source.status.open(&window);
        Self {
            keeps_order: source.keeps_order,
            capacity: source.window,
            share: Rc::clone(&source.share),
            status: source.status.clone(),
            window,
            taken: BTreeMap::new(),
            sequences: HashSet::new(),
            queue: VecDeque::new(),
            progress_sent: Instant::now(),
            settled: Settled::default(),
        }
    }

    pub(super) fn holds(&self, sequence: u64) -> bool {
        self.sequences.contains(&sequence)
    }

    /// Nothing comes of a message that was settled in an earlier session.
    pub(super) fn admit(
        &mut self,
        received: Received,
        info: MessageInfo,
        reply: Subject,
    ) -> Option<Delivery> {
        self.status.set_behind(info.pending);
        let written_ms = Some(info.published / 1_000_000);
        let delivery = self.window.admit_written(received, written_ms);
        if !self.keeps_order {
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
            if self.keeps_order {
                if let Some(taken) = self.taken.get_mut(&number) {
                    taken.is_settled = true;
                }
            } else if let Some(Taken { info, reply, .. }) = self.taken.remove(&number) {
                self.sequences.remove(&info.stream_sequence);
                self.queue.push_back((reply, ACK));
            }
        }
        while let Some(first) = self.taken.first_entry()
            && first.get().is_settled
        {
            let Taken { info, reply, .. } = first.remove();
            self.settled.up_to(info.stream_sequence, info.published);
            self.queue.push_back((reply, ACK));
        }
    }

    pub(super) fn push(&mut self, reply: Subject, ack: Bytes) {
        self.queue.push_back((reply, ack));
    }

    /// Never waits: what cannot be sent now is sent next time. True where nothing is left.
    pub(super) fn flush(&mut self, durable: &Durable) -> bool {
        while let Some(verdicts) = self.window.verdicts().now_or_never() {
            self.settle(verdicts);
        }
        while let Some((reply, ack)) = self.queue.front() {
            if !durable.send(reply, ack.clone()) {
                return false;
            }
            self.queue.pop_front();
        }
        if !self.keeps_order && self.progress_sent.elapsed() >= durable.origin.ack_wait / 3 {
            self.progress_sent = Instant::now();
            let replies = self.taken.values().map(|taken| taken.reply.clone());
            self.queue.extend(replies.map(|reply| (reply, IN_PROGRESS)));
        }
        self.queue.is_empty()
    }

    /// Ends a session: verdicts within `patience` count when the next session meets the same
    /// message, later ones do not.
    pub(super) async fn fence(&mut self, durable: &Durable, drain: Duration) {
        let deadline = Instant::now() + drain;
        self.window.drain(deadline);
        drop(timeout_at(deadline, self.window.finished()).await);
        self.window.abandon();
        self.flush(durable);
        for Taken { info, .. } in self.taken.values().filter(|taken| taken.is_settled) {
            self.settled.above(info.stream_sequence, info.published);
        }
        self.clear();
        self.status.close(&self.window);
        self.window = Window::recorded(self.capacity, &self.share);
        self.status.open(&self.window);
    }

    /// The stream sequence of the first message that is not settled.
    pub(super) fn first_open(&self) -> Option<u64> {
        let mut open = self.taken.values().filter(|taken| !taken.is_settled);
        open.next().map(|taken| taken.info.stream_sequence)
    }

    pub(super) fn clear(&mut self) {
        self.taken.clear();
        self.sequences.clear();
        self.queue.clear();
    }

    pub(super) fn is_finished(&self) -> bool {
        self.window.finished().now_or_never().is_some()
    }

    pub(super) fn give_back(&mut self, durable: &Durable) {
        self.flush(durable);
        let taken = std::mem::take(&mut self.taken).into_values();
        self.queue.extend(taken.map(|taken| (taken.reply, NAK)));
    }
}
