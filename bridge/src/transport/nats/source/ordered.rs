//! A stream read in order, by sessions that begin with a reset of the consumer.
//!
//! A reset has everything delivered again that is not acknowledged, in order, with consumer sequence 1
//! and delivery count 1 for the first. Whatever is not the next delivery ends the session, and a new
//! one begins. Only the process with the pin reads; it has the pin from its first delivery on.

mod begin;
mod unreadable;

use std::rc::Rc;
use std::time::Duration;

use async_nats::Message;
use async_nats::jetstream::consumer::Info;
use tokio::time::{Instant, sleep, timeout};

use super::super::link::Link;
use super::super::message::{self, PIN_ID};
use super::backoff::Backoff;
use super::binding::Binding;
use super::consumer::pinned;
use super::offset_lost::OffsetLost;
use super::pending_acks::PendingAcks;
use super::server_status::PIN_LOST;
use super::session::{Delivered, Session};
use super::{BUSY, End, LOOK, MOST, Pushing, Reader, finish, push, pushed};
use crate::delivery::{Delivery, Window};
use crate::transport::{Intake, SourceError, SourceStatus};

/// How long what was started may go on when its session has ended. Where the connection broke another
/// process begins later: the pin lives longer.
const FENCE: Duration = Duration::from_secs(3);
/// How often it is looked at who reads, and what the consumer is like while nothing comes.
const STAND_BY: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_secs(10);
/// Why a window is held.
const OFFSET_LOST: &str = "offset-lost";
const PAUSED: &str = "consumer-paused";

/// See the module.
pub(super) struct OrderedReader {
    pub(super) link: Link,
    pub(super) binding: Binding,
    pub(super) backoff: Backoff,
    pub(super) offset_lost: OffsetLost,
    pub(super) status: SourceStatus,
    pub(super) intake: Intake,
    pub(super) acks: PendingAcks,
    /// What the server calls this process while only it may read.
    pub(super) pin: Option<String>,
    /// Nobody else is known to have read since this process did.
    pub(super) is_alone: bool,
}

/// The delivery that must come next.
struct Expected {
    consumer_sequence: u64,
    /// No message of the consumer is before it.
    stream_sequence: u64,
}

impl Reader for OrderedReader {
    fn window(&self) -> Rc<Window> {
        Rc::clone(&self.acks.window)
    }

    async fn read(&mut self, session: &mut Option<Session>) -> SourceError {
        loop {
            let began = Instant::now();
            let end = match self.begin().await {
                Ok((begun, expected)) => self.follow(session.insert(begun), expected).await,
                Err(end) => end,
            };
            *session = None;
            // Who has lost the pin has lost what it held with it.
            let has_lost_pin = matches!(&end, End::Because(cause) if cause == PIN_LOST);
            self.is_alone &= !has_lost_pin && !matches!(end, End::StandBy);
            let patience = if has_lost_pin { Duration::ZERO } else { FENCE };
            self.acks.fence(patience).await;
            let pause = match end {
                End::Fatal(error) => return error,
                End::StandBy => STAND_BY,
                End::Held => {
                    self.acks.window.hold(OFFSET_LOST);
                    LOOK_AGAIN
                }
                End::Because(cause) => {
                    self.backoff.tell(&self.binding.durable.stream, &cause);
                    self.backoff.ended(&cause, began)
                }
            };
            sleep(pause).await;
        }
    }

    /// Keeps the pin: another process would repeat what is under way.
    async fn wait(&mut self, session: Option<&mut Session>) {
        self.acks.flush();
        if let Some(session) = session {
            session.ask(&self.acks.window);
        }
        drop(timeout(LOOK, self.acks.window.changes()).await);
    }

    async fn release(&mut self) {
        while !self.acks.flush() {
            sleep(BUSY).await;
        }
        // The answer comes behind the acknowledgements. Who took over meanwhile keeps the pin.
        if let Ok(Some(info)) = self.binding.durable.info().await
            && let Some(id) = pinned(&info)
            && self.pin.as_deref() == Some(id)
            && let Err(error) = self.binding.durable.unpin().await
        {
            tracing::debug!(%error, "the pin was not given up, it is lost in a moment");
        }
    }
}

impl OrderedReader {
    /// Takes what comes until the session ends.
    async fn follow(&mut self, session: &mut Session, mut expected: Expected) -> End {
        let mut pushing: Option<Pushing> = None;
        let mut looked = Instant::now();
        let end = loop {
            let is_told = self.acks.flush();
            session.ask(&self.acks.window);
            if let Some(cause) = session.is_broken(&self.link) {
                break End::Because(cause.to_owned());
            }
            let is_pinned = session.pin.is_some();
            if looked.elapsed() > if is_pinned { LOOK_AGAIN } else { STAND_BY } {
                looked = Instant::now();
                if let Err(end) = self.look(session).await {
                    break end;
                }
            }
            let delivered = tokio::select! {
                biased;
                () = pushed(&mut pushing) => continue,
                () = self.acks.window.changes() => continue,
                delivered = session.next(), if pushing.is_none() => delivered,
                () = sleep(if is_told { LOOK } else { BUSY }) => continue,
            };
            let mut taken = Vec::new();
            let end = self.take_all(session, &mut expected, delivered, &mut taken);
            let end = end.await;
            if !taken.is_empty() {
                looked = Instant::now();
            }
            pushing = push(&self.intake, taken);
            if let Err(end) = end {
                break end;
            }
        };
        // What was let in has its slot, and may be settled yet.
        drop(timeout(FENCE, finish(&mut pushing)).await);
        end
    }

    /// Takes a delivery, and those that are there already.
    async fn take_all(
        &mut self,
        session: &mut Session,
        expected: &mut Expected,
        first: Result<Option<Delivered>, String>,
        taken: &mut Vec<Delivery>,
    ) -> Result<(), End> {
        let mut next = first?;
        while let Some(delivered) = next {
            taken.extend(self.take(session, expected, delivered).await?);
            next = match taken.len() < MOST {
                true => session.next_now()?,
                false => None,
            };
        }
        Ok(())
    }

    /// Takes the next delivery, and no other; nothing comes of it where it was settled before.
    async fn take(
        &mut self,
        session: &mut Session,
        expected: &mut Expected,
        (message, info, reply): Delivered,
    ) -> Result<Option<Delivery>, End> {
        let is_next = info.consumer_sequence == expected.consumer_sequence;
        if !is_next || info.delivered != 1 {
            // Numbers fall on a connection that stands where somebody has reset the consumer, and
            // wants the messages again.
            let fell = info.consumer_sequence < expected.consumer_sequence;
            if fell && session.is_broken(&self.link).is_none() {
                self.start_over();
            }
            return Err(End::Because("a delivery was left out".to_owned()));
        }
        if session.pin.is_none() {
            self.gets_pin(session, &message)?;
        }
        if expected.stream_sequence < info.stream_sequence {
            self.check_offset(expected.stream_sequence).await?;
        }
        expected.consumer_sequence += 1;
        expected.stream_sequence = info.stream_sequence + 1;
        self.backoff.delivered();
        self.acks.window.go_on();
        let position = message::position(&self.binding.durable.stream, info.stream_sequence);
        let received = message::received(message, position);
        Ok(self.acks.admit(received, info, Some(reply)))
    }

    /// This process is the one that reads from now on. The server appends its header behind those
    /// that were stored.
    fn gets_pin(&mut self, session: &mut Session, message: &Message) -> Result<(), End> {
        let headers = message.headers.as_ref();
        let id = headers.and_then(|headers| headers.get_last(PIN_ID));
        let id = id.ok_or_else(|| "the consumer gives no pin".to_owned())?;
        session.pin = Some(id.as_str().to_owned());
        self.pin.clone_from(&session.pin);
        self.is_alone = true;
        let stream = &*self.binding.durable.stream;
        tracing::info!(stream, "this process reads the stream");
        Ok(())
    }

    /// Ends the session where messages left the stream before `next` could be delivered, and that holds
    /// it. What was taken goes on: the stream may not have it any more.
    async fn check_offset(&mut self, next: u64) -> Result<(), End> {
        if !self.offset_lost.check(&self.binding.durable, next).await? {
            return Ok(());
        }
        self.acks.window.hold(OFFSET_LOST);
        while !self.acks.window.is_empty() {
            self.acks.flush();
            drop(timeout(LOOK, self.acks.window.changes()).await);
        }
        Err(End::Held)
    }

    /// The consumer as it is. Another one has delivered nothing of what this process has settled.
    async fn found(&mut self) -> Result<Info, End> {
        let (info, is_another) = self.binding.found().await?;
        if is_another {
            self.start_over();
        }
        Ok(info)
    }

    /// Nothing has come for a while: another process may have the pin, or somebody paused the consumer.
    async fn look(&mut self, session: &Session) -> Result<(), End> {
        let info = self.found().await?;
        if pinned(&info).is_some_and(|id| session.pin.as_deref() != Some(id)) {
            return Err(End::StandBy);
        }
        if info.paused {
            self.acks.window.hold(PAUSED);
            let stream = &self.binding.durable.stream;
            self.backoff.tell(stream, "the consumer is paused");
        } else {
            self.acks.window.go_on();
        }
        Ok(())
    }

    /// Forgets what was settled: the same sequences may be other messages, or are wanted again.
    fn start_over(&mut self) {
        let stream = &*self.binding.durable.stream;
        tracing::warn!(
            stream,
            "the consumer was made anew or counts anew, and is read from where it stands"
        );
        self.acks.settled.forget();
    }
}
