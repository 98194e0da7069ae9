//! A stream read without an order: processes share the consumer, and each message is acknowledged by
//! itself. While one is held, the server is told that it is in progress.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Subject;
use async_nats::jetstream::consumer::Info;
use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout};

use super::super::message;
use super::reader::{Common, Reader};
use super::session::{Delivered, Session};
use super::{ACK, BUSY, End, LOOK};
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Position, Received, Verdict, Window};
use crate::transport::SourceError;

const NAK: Bytes = Bytes::from_static(b"-NAK");
const IN_PROGRESS: Bytes = Bytes::from_static(b"+WPI");
/// Most progress told in one turn, so that a large window does not hold up the rest.
const MOST_PROGRESS: usize = 256;
/// Most messages among which one is looked for that the client cannot read.
const MOST_STORED: usize = 10_000;

/// See the module.
pub(super) struct UnorderedReader {
    common: Common,
    share: Rc<Share>,
    window: Rc<Window>,
    held: Held,
}

/// Messages that are worked on, and what the server is to be told of messages.
#[derive(Default)]
struct Held {
    /// By their number in the window.
    messages: BTreeMap<u64, (u64, Subject)>,
    sequences: HashSet<u64>,
    acks: VecDeque<Subject>,
    naks: VecDeque<Subject>,
    progress: VecDeque<Subject>,
    progress_told: Option<Instant>,
}

impl Reader for UnorderedReader {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }

    fn window(&self) -> Rc<Window> {
        Rc::clone(&self.window)
    }

    async fn begin(&mut self) -> Result<Session, End> {
        while !self.common.binding.durable.is_connected() {
            self.common.status.set_joined(false);
            drop(timeout(LOOK, self.verdicts()).await);
        }
        let (info, is_another) = self.common.binding.found().await?;
        self.common.binding.change(&info).await?;
        self.common.status.set_joined(true);
        if is_another {
            // The same sequences may be other messages.
            self.window.abandon();
            self.common.status.close(&self.window);
            self.window = Window::recorded(self.common.binding.capacity, &self.share);
            self.common.status.open(&self.window);
            self.held = Held::default();
        }
        let floor = info.ack_floor.stream_sequence + 1;
        // Others may hold what is missing, so that nothing is sure.
        self.common
            .offset_lost
            .check(&self.common.link, &self.common.binding.durable, floor)
            .await?;
        if self.common.backoff.is_suspicious() {
            self.take_unreadable(floor, &info).await?;
        }
        let bytes = self.common.binding.capacity.bytes.min(self.share.ahead());
        let capacity = Capacity {
            bytes,
            ..self.common.binding.capacity
        };
        Ok(Session::open(
            &self.common.link,
            &self.common.binding.durable,
            capacity,
            false,
        )
        .await?)
    }

    async fn take(
        &mut self,
        _: &mut Session,
        (message, info, reply): Delivered,
    ) -> Result<Option<Delivery>, End> {
        let sequence = info.stream_sequence;
        if self.held.sequences.contains(&sequence) {
            self.held.progress.push_back(reply);
            return Ok(None);
        }
        let position = Position::numbered(Arc::clone(&self.common.binding.durable.place), sequence);
        let received = message::received(message, position);
        Ok(Some(self.admit(received, sequence, reply)))
    }

    fn flush(&mut self) -> bool {
        let binding = &self.common.binding;
        let every = binding.origin.ack_wait / 3;
        let say = |reply: &Subject, word| binding.durable.say(reply, word);
        self.held.flush(every, say)
    }

    async fn verdicts(&mut self) {
        let verdicts = self.window.verdicts().await;
        self.held.settle(verdicts);
    }

    async fn ended(&mut self, end: End, began: Instant) -> Result<Duration, SourceError> {
        match end {
            End::Fatal(error) => Err(error),
            End::StandBy | End::Held => Ok(Duration::ZERO),
            End::Because(cause) => {
                let Common {
                    binding, backoff, ..
                } = &mut self.common;
                backoff.log(&binding.durable.stream, &cause);
                Ok(backoff.ended(&cause, began))
            }
        }
    }

    fn stop(&mut self, session: &mut Session) {
        while let Ok(Some((_, _, reply))) = session.next_now() {
            self.held.naks.push_back(reply);
        }
    }

    /// Gives back what is not settled.
    async fn release(&mut self) {
        drop(timeout(Duration::ZERO, self.verdicts()).await);
        let held = std::mem::take(&mut self.held.messages).into_values();
        self.held.naks.extend(held.map(|(_, reply)| reply));
        self.held.progress.clear();
        while !self.flush() {
            sleep(BUSY).await;
        }
        // The answer comes behind all that was said.
        drop(self.common.binding.durable.info().await);
    }
}

impl UnorderedReader {
    pub(super) fn new(common: Common, share: Rc<Share>) -> Self {
        let window = Window::recorded(common.binding.capacity, &share);
        common.status.open(&window);
        Self {
            common,
            share,
            window,
            held: Held::default(),
        }
    }

    fn admit(&mut self, received: Received, sequence: u64, reply: Subject) -> Delivery {
        let delivery = self.window.admit(received);
        self.held.sequences.insert(sequence);
        (self.held.messages).insert(delivery.sequence(), (sequence, reply));
        delivery
    }

    /// Takes messages that were given out and that the client cannot read, as the stream keeps them.
    async fn take_unreadable(&mut self, from: u64, info: &Info) -> Result<(), End> {
        let durable = self.common.binding.durable.clone();
        let given_out = info.delivered.stream_sequence;
        for sequence in durable.unreadable(from, given_out, MOST_STORED).await? {
            let is_held = self.held.sequences.contains(&sequence);
            let stored = durable.stored_from(sequence).await?;
            let Some(stored) = stored.filter(|stored| !is_held && stored.sequence() == sequence)
            else {
                continue;
            };
            let stream = &*durable.stream;
            tracing::error!(
                stream,
                sequence,
                "a message cannot be read, its stored form is taken"
            );
            let reply = durable.ack_subject(&stored, info.delivered.consumer_sequence);
            let delivery = self.admit(stored.whole(&durable.stream), sequence, reply);
            self.common.push(Some(delivery)).await;
        }
        Ok(())
    }
}

impl Held {
    fn settle(&mut self, verdicts: Vec<(u64, Verdict)>) {
        for (number, _) in verdicts {
            if let Some((sequence, reply)) = self.messages.remove(&number) {
                self.sequences.remove(&sequence);
                self.acks.push_back(reply);
            }
        }
    }

    /// Says acknowledgements, and once in a while that the rest is in progress. What cannot be said
    /// now is said the next time; false then.
    fn flush(&mut self, every: Duration, say: impl Fn(&Subject, Bytes) -> bool) -> bool {
        for (replies, word) in [(&mut self.acks, ACK), (&mut self.naks, NAK)] {
            while let Some(reply) = replies.front() {
                if !say(reply, word.clone()) {
                    return false;
                }
                replies.pop_front();
            }
        }
        let told = *self.progress_told.get_or_insert_with(Instant::now);
        if told.elapsed() >= every {
            self.progress_told = Some(Instant::now());
            let replies = self.messages.values().map(|(_, reply)| reply.clone());
            self.progress = replies.collect();
        }
        for _ in 0..MOST_PROGRESS {
            match self.progress.front() {
                None => return true,
                Some(reply) if say(reply, IN_PROGRESS) => drop(self.progress.pop_front()),
                Some(_) => return false,
            }
        }
        false
    }
}
