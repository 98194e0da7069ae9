//! What a session has taken and not acknowledged, and what of it is settled.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use async_nats::Subject;

use tokio::time::{Instant, timeout_at};

use super::super::message::MessageInfo;
use super::ACK;
use super::durable::Durable;
use super::settled::Settled;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Received, Verdict, Window};
use crate::transport::SourceStatus;

/// See the module.
pub(super) struct PendingAcks {
    durable: Durable,
    capacity: Capacity,
    share: Rc<Share>,
    status: SourceStatus,
    /// Another one for each session, so that a late verdict moves nobody's watermark.
    pub(super) window: Rc<Window>,
    /// Messages above the watermark, in order, and what acknowledges each.
    taken: VecDeque<(MessageInfo, Option<Subject>)>,
    acks: VecDeque<Subject>,
    pub(super) settled: Settled,
}

impl PendingAcks {
    pub(super) fn new(
        durable: Durable,
        capacity: Capacity,
        share: Rc<Share>,
        status: SourceStatus,
    ) -> Self {
        let window = Window::partition(capacity, &share);
        status.open(&window);
        Self {
            durable,
            capacity,
            share,
            status,
            window,
            taken: VecDeque::new(),
            acks: VecDeque::new(),
            settled: Settled::default(),
        }
    }

    /// The most that may be asked for.
    pub(super) fn ahead(&self) -> Capacity {
        let bytes = self.capacity.bytes.min(self.share.ahead());
        Capacity {
            bytes,
            ..self.capacity
        }
    }

    /// Takes a message in. Nothing is to be done with one that was settled in an earlier session.
    pub(super) fn admit(
        &mut self,
        received: Received,
        info: MessageInfo,
        reply: Option<Subject>,
    ) -> Option<Delivery> {
        let delivery = self.window.admit(received);
        self.taken.push_back((info, reply));
        if self.settled.contains(info.stream_sequence, info.published) {
            delivery.settle(Verdict::Delivered);
            return None;
        }
        Some(delivery)
    }

    /// Acknowledges everything up to the watermark, each message by itself. Nothing here waits: what
    /// the client cannot take now, it is told the next time. Says whether all is told.
    pub(super) fn flush(&mut self) -> bool {
        if let Some(sequence) = self.window.watermark().and_then(|last| last.number) {
            while let Some((info, reply)) =
                (self.taken).pop_front_if(|(info, _)| info.stream_sequence <= sequence)
            {
                self.settled.up_to(info.stream_sequence, info.published);
                self.acks.extend(reply);
            }
        }
        while let Some(reply) = self.acks.front() {
            if !self.durable.say(reply, ACK) {
                return false;
            }
            self.acks.pop_front();
        }
        true
    }

    /// Ends a session: what was started may end within `patience`, and then counts where the next
    /// session meets the same message. The rest is fenced: whatever becomes of it moves nothing.
    pub(super) async fn fence(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        self.window.drain(deadline);
        drop(timeout_at(deadline, self.window.finished()).await);
        self.window.abandon();
        self.flush();
        let settled = self.window.settled().into_iter();
        let settled: HashSet<_> = settled.filter_map(|position| position.number).collect();
        for (info, _) in self.taken.drain(..) {
            if settled.contains(&info.stream_sequence) {
                self.settled.above(info.stream_sequence, info.published);
            }
        }
        self.acks.clear();
        self.status.close(&self.window);
        self.window = Window::partition(self.capacity, &self.share);
        self.status.open(&self.window);
    }
}
