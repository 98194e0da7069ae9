//! What was taken and not acknowledged, and what the server is to be told of it.
//!
//! With an order everything up to the watermark is acknowledged, without one each message when it is
//! settled.

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

/// See the module.
pub(super) struct PendingAcks {
    keeps_order: bool,
    capacity: Capacity,
    share: Rc<Share>,
    status: SourceStatus,
    /// With an order another one for each session, so that a late verdict moves nobody's watermark.
    pub(super) window: Rc<Window>,
    /// By their number in the window.
    taken: BTreeMap<u64, Taken>,
    /// Their sequences, where one may come twice.
    sequences: HashSet<u64>,
    words: VecDeque<(Subject, Bytes)>,
    /// When it was last said that the rest is in progress.
    progress_told: Instant,
    /// With an order, what was settled in sessions before.
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
            words: VecDeque::new(),
            progress_told: Instant::now(),
            settled: Settled::default(),
        }
    }

    /// Whether somebody works on the message of this sequence.
    pub(super) fn holds(&self, sequence: u64) -> bool {
        self.sequences.contains(&sequence)
    }

    /// Takes a message in. Nothing is to be done with one that was settled in an earlier session.
    pub(super) fn admit(
        &mut self,
        received: Received,
        info: MessageInfo,
        reply: Subject,
    ) -> Option<Delivery> {
        let delivery = self.window.admit(received);
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

    /// Waits for verdicts.
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
                self.words.push_back((reply, ACK));
            }
        }
        while let Some(first) = self.taken.first_entry()
            && first.get().is_settled
        {
            let Taken { info, reply, .. } = first.remove();
            self.settled.up_to(info.stream_sequence, info.published);
            self.words.push_back((reply, ACK));
        }
    }

    /// Has the server told something of a message.
    pub(super) fn tell(&mut self, reply: Subject, word: Bytes) {
        self.words.push_back((reply, word));
    }

    /// Tells the server what it is to be told. Nothing here waits: what cannot be said now is said the
    /// next time. Says whether that was all.
    pub(super) fn flush(&mut self, durable: &Durable) -> bool {
        while let Some(verdicts) = self.window.verdicts().now_or_never() {
            self.settle(verdicts);
        }
        while let Some((reply, word)) = self.words.front() {
            if !durable.say(reply, word.clone()) {
                return false;
            }
            self.words.pop_front();
        }
        if !self.keeps_order && self.progress_told.elapsed() >= durable.origin.ack_wait / 3 {
            self.progress_told = Instant::now();
            let replies = self.taken.values().map(|taken| taken.reply.clone());
            self.words.extend(replies.map(|reply| (reply, IN_PROGRESS)));
        }
        self.words.is_empty()
    }

    /// Ends a session: what was started may end within `patience`, and then counts where the next
    /// session meets the same message. The rest is fenced: whatever becomes of it moves nothing.
    pub(super) async fn fence(&mut self, durable: &Durable, patience: Duration) {
        let deadline = Instant::now() + patience;
        self.window.drain(deadline);
        drop(timeout_at(deadline, self.window.finished()).await);
        self.window.abandon();
        self.flush(durable);
        for Taken { info, .. } in self.taken.values().filter(|taken| taken.is_settled) {
            self.settled.above(info.stream_sequence, info.published);
        }
        self.forget();
        self.status.close(&self.window);
        self.window = Window::recorded(self.capacity, &self.share);
        self.status.open(&self.window);
    }

    /// Whatever becomes of what was taken is told to nobody.
    pub(super) fn forget(&mut self) {
        self.taken.clear();
        self.sequences.clear();
        self.words.clear();
    }

    /// Whether nobody works on anything any more.
    pub(super) fn is_finished(&self) -> bool {
        self.window.finished().now_or_never().is_some()
    }

    /// Gives back what is not settled, for others.
    pub(super) fn give_back(&mut self, durable: &Durable) {
        self.flush(durable);
        let taken = std::mem::take(&mut self.taken).into_values();
        self.words.extend(taken.map(|taken| (taken.reply, NAK)));
    }
}
