//! A stream read without an order: processes share the consumer, and each message is acknowledged by
//! itself. While one is held, the server is told that it is in progress.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use async_nats::Subject;
use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout};

use super::super::link::Link;
use super::super::message;
use super::backoff::Backoff;
use super::binding::Binding;
use super::offset_lost::OffsetLost;
use super::session::{Delivered, Session};
use super::{ACK, BUSY, End, LOOK, MOST, Pushing, Reader, finish, push, pushed};
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Received, Verdict, Window};
use crate::transport::{Intake, SourceError, SourceStatus};

const NAK: Bytes = Bytes::from_static(b"-NAK");
const IN_PROGRESS: Bytes = Bytes::from_static(b"+WPI");
/// Most progress told in one turn, so that a large window does not hold up the rest.
const MOST_PROGRESS: usize = 256;
/// Most messages among which one is looked for that the client cannot read.
const MOST_STORED: usize = 10_000;

/// See the module.
pub(super) struct UnorderedReader {
    pub(super) link: Link,
    pub(super) binding: Binding,
    pub(super) backoff: Backoff,
    pub(super) offset_lost: OffsetLost,
    pub(super) share: Rc<Share>,
    pub(super) status: SourceStatus,
    pub(super) intake: Intake,
    pub(super) window: Rc<Window>,
    pub(super) held: Held,
}

/// Messages that are worked on, and what the server is to be told of messages.
#[derive(Default)]
pub(super) struct Held {
    /// By their number in the window.
    messages: BTreeMap<u64, (u64, Subject)>,
    sequences: HashSet<u64>,
    acks: VecDeque<Subject>,
    naks: VecDeque<Subject>,
    progress: VecDeque<Subject>,
    told: Option<Instant>,
}

impl Reader for UnorderedReader {
    fn window(&self) -> Rc<Window> {
        Rc::clone(&self.window)
    }

    async fn read(&mut self, session: &mut Option<Session>) -> SourceError {
        loop {
            let began = Instant::now();
            let end = match self.begin().await {
                Ok(begun) => self.follow(session.insert(begun)).await,
                Err(end) => end,
            };
            *session = None;
            let pause = match end {
                End::Fatal(error) => return error,
                End::Because(cause) => {
                    self.backoff.tell(&self.binding.durable.stream, &cause);
                    self.backoff.ended(&cause, began)
                }
                End::StandBy | End::Held => continue,
            };
            let until = Instant::now() + pause;
            while Instant::now() < until {
                self.tell();
                sleep(BUSY).await;
            }
        }
    }

    async fn wait(&mut self, session: Option<&mut Session>) {
        // What nobody has seen is for others, and need not wait for the rest.
        if let Some(session) = session {
            while let Ok(Some((_, _, reply))) = session.next_now() {
                self.held.naks.push_back(reply);
            }
        }
        self.settle(LOOK).await;
        self.tell();
    }

    /// Gives back what is not settled.
    async fn release(&mut self) {
        self.settle(Duration::ZERO).await;
        let held = std::mem::take(&mut self.held.messages).into_values();
        self.held.naks.extend(held.map(|(_, reply)| reply));
        self.held.progress.clear();
        while !self.tell() {
            sleep(BUSY).await;
        }
        // The answer comes behind all that was said.
        drop(self.binding.durable.info().await);
    }
}

impl UnorderedReader {
    async fn begin(&mut self) -> Result<Session, End> {
        while !self.binding.durable.is_connected() {
            self.status.set_joined(false);
            self.settle(LOOK).await;
        }
        let (info, is_another) = self.binding.found().await?;
        self.binding.change(&info).await?;
        self.status.set_joined(true);
        if is_another {
            // The same sequences may be other messages.
            self.window.abandon();
            self.status.close(&self.window);
            self.window = Window::recorded(self.binding.capacity, &self.share);
            self.status.open(&self.window);
            self.held = Held::default();
        }
        let floor = info.ack_floor.stream_sequence + 1;
        // Others may hold what is missing, so that nothing is sure.
        self.offset_lost.check(&self.binding.durable, floor).await?;
        if self.backoff.is_suspicious() {
            self.take_unreadable(floor, &info).await?;
        }
        let bytes = self.binding.capacity.bytes.min(self.share.ahead());
        let capacity = Capacity {
            bytes,
            ..self.binding.capacity
        };
        Ok(Session::open(&self.link, &self.binding.durable, capacity, false).await?)
    }

    /// Takes what comes until the session ends.
    async fn follow(&mut self, session: &mut Session) -> End {
        let mut pushing: Option<Pushing> = None;
        let cause = loop {
            let is_told = self.tell();
            session.ask(&self.window);
            if let Some(cause) = session.is_broken(&self.link) {
                break cause.to_owned();
            }
            let delivered = tokio::select! {
                biased;
                () = pushed(&mut pushing) => continue,
                verdicts = self.window.verdicts() => {
                    self.held.settle(verdicts);
                    continue;
                }
                delivered = session.next(), if pushing.is_none() => delivered,
                () = sleep(if is_told { LOOK } else { BUSY }) => continue,
            };
            let mut taken = Vec::new();
            let mut next = delivered;
            while let Ok(Some(delivered)) = next {
                self.backoff.delivered();
                taken.extend(self.take(delivered));
                next = match taken.len() < MOST {
                    true => session.next_now(),
                    false => Ok(None),
                };
            }
            pushing = push(&self.intake, taken);
            if let Err(cause) = next {
                break cause;
            }
        };
        // What was let in has its slot, and nobody else is given it.
        finish(&mut pushing).await;
        End::Because(cause)
    }

    fn take(&mut self, (message, info, reply): Delivered) -> Option<Delivery> {
        let sequence = info.stream_sequence;
        if self.held.sequences.contains(&sequence) {
            self.held.progress.push_back(reply);
            return None;
        }
        let position = message::position(&self.binding.durable.stream, sequence);
        Some(self.admit(message::received(message, position), sequence, reply))
    }

    fn admit(&mut self, received: Received, sequence: u64, reply: Subject) -> Delivery {
        let delivery = self.window.admit(received);
        self.held.sequences.insert(sequence);
        (self.held.messages).insert(delivery.sequence(), (sequence, reply));
        delivery
    }

    /// Takes messages that were given out and that the client cannot read, as the stream keeps them.
    async fn take_unreadable(
        &mut self,
        from: u64,
        info: &async_nats::jetstream::consumer::Info,
    ) -> Result<(), End> {
        let durable = self.binding.durable.clone();
        let mut next = from;
        for _ in 0..MOST_STORED {
            let stored = durable.stored_from(next).await?;
            let given_out = info.delivered.stream_sequence;
            let Some(stored) = stored.filter(|stored| stored.sequence() <= given_out) else {
                break;
            };
            next = stored.sequence() + 1;
            if stored.is_readable() || self.held.sequences.contains(&stored.sequence()) {
                continue;
            }
            let (stream, sequence) = (&*durable.stream, stored.sequence());
            tracing::error!(
                stream,
                sequence,
                "a message cannot be read, its stored form is taken"
            );
            let reply = durable.ack_subject(&stored, info.delivered.consumer_sequence);
            let delivery = self.admit(stored.whole(&durable.stream), sequence, reply);
            finish(&mut push(&self.intake, vec![delivery])).await;
        }
        Ok(())
    }

    /// Tells the server what it is to be told; says whether all is told.
    fn tell(&mut self) -> bool {
        let every = self.binding.origin.ack_wait / 3;
        let durable = &self.binding.durable;
        self.held
            .tell(every, |reply, word| durable.say(reply, word))
    }

    /// Hears verdicts for a while.
    async fn settle(&mut self, time: Duration) {
        if let Ok(verdicts) = timeout(time, self.window.verdicts()).await {
            self.held.settle(verdicts);
        }
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
    fn tell(&mut self, every: Duration, say: impl Fn(&Subject, Bytes) -> bool) -> bool {
        for (replies, word) in [(&mut self.acks, ACK), (&mut self.naks, NAK)] {
            while let Some(reply) = replies.front() {
                if !say(reply, word.clone()) {
                    return false;
                }
                replies.pop_front();
            }
        }
        let told = *self.told.get_or_insert_with(Instant::now);
        if told.elapsed() >= every {
            self.told = Some(Instant::now());
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
