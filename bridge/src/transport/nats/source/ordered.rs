//! A stream read in order, by sessions that begin with a reset of the consumer.
//!
//! A reset has everything delivered again that is not acknowledged, in order, with consumer sequence 1
//! and delivery count 1 for the first. Whatever is not the next delivery ends the session, and a new
//! one begins. Only the process with the pin reads; it has the pin from its first delivery on.

mod begin;
mod unreadable;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Message;
use async_nats::jetstream::consumer::Info;
use tokio::time::{Instant, sleep, timeout};

use super::super::message::{self, PIN_ID};
use super::consumer::pinned;
use super::pending_acks::PendingAcks;
use super::reader::{Common, Reader};
use super::server_status::PIN_LOST;
use super::session::{Delivered, Session};
use super::{BUSY, End, LOOK};
use crate::delivery::share::Share;
use crate::delivery::{Delivery, Position, Window};
use crate::transport::SourceError;

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
    common: Common,
    acks: PendingAcks,
    expected: Expected,
    looked: Instant,
    /// What the server calls this process while only it may read.
    pin: Option<String>,
    /// Nobody else is known to have read since this process did.
    is_alone: bool,
    /// Where the consumer stood when reading was held: somebody moves it.
    held_at: Option<u64>,
}

/// The delivery that must come next.
#[derive(Clone, Copy, Default)]
struct Expected {
    consumer_sequence: u64,
    /// No message of the consumer is before it.
    stream_sequence: u64,
}

impl Reader for OrderedReader {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }

    fn window(&self) -> Rc<Window> {
        Rc::clone(&self.acks.window)
    }

    async fn begin(&mut self) -> Result<Session, End> {
        self.take_over().await
    }

    /// Takes the next delivery, and no other; nothing comes of it where it was settled before.
    async fn take(
        &mut self,
        session: &mut Session,
        (message, info, reply): Delivered,
    ) -> Result<Option<Delivery>, End> {
        let expected = self.expected;
        // Numbers fall on a connection that stands where somebody has reset the consumer, and wants the
        // messages again.
        let fell = info.consumer_sequence < expected.consumer_sequence
            || info.stream_sequence < expected.stream_sequence;
        let is_next = info.consumer_sequence == expected.consumer_sequence && !fell;
        if !is_next || info.delivered != 1 {
            if fell && session.is_broken(&self.common.link).is_none() {
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
        self.expected = Expected {
            consumer_sequence: info.consumer_sequence + 1,
            stream_sequence: info.stream_sequence + 1,
        };
        self.looked = Instant::now();
        self.acks.window.go_on();
        let position = Position::numbered(
            Arc::clone(&self.common.binding.durable.place),
            info.stream_sequence,
        );
        let received = message::received(message, position);
        Ok(self.acks.admit(received, info, Some(reply)))
    }

    fn flush(&mut self) -> bool {
        self.acks.flush()
    }

    async fn verdicts(&mut self) {
        self.acks.window.changes().await;
    }

    /// Where nothing has come for a while another process may have the pin, or somebody paused the
    /// consumer.
    async fn look(&mut self, session: &Session) -> Result<(), End> {
        let is_pinned = session.pin.is_some();
        if self.looked.elapsed() < if is_pinned { LOOK_AGAIN } else { STAND_BY } {
            return Ok(());
        }
        self.looked = Instant::now();
        let info = self.found().await?;
        if pinned(&info).is_some_and(|id| session.pin.as_deref() != Some(id)) {
            return Err(End::StandBy);
        }
        if info.paused {
            self.acks.window.hold(PAUSED);
            let stream = &self.common.binding.durable.stream;
            self.common.backoff.log(stream, "the consumer is paused");
        } else {
            self.acks.window.go_on();
        }
        Ok(())
    }

    async fn ended(&mut self, end: End, began: Instant) -> Result<Duration, SourceError> {
        if matches!(end, End::Held) {
            // What was taken goes on: the stream may not have it any more.
            self.acks.window.hold(OFFSET_LOST);
            while !self.acks.window.is_empty() {
                self.acks.flush();
                drop(timeout(LOOK, self.acks.window.changes()).await);
            }
        }
        // Who has lost the pin has lost what it held with it.
        let has_lost_pin = matches!(&end, End::Because(cause) if cause == PIN_LOST);
        self.is_alone &= !has_lost_pin && !matches!(end, End::StandBy);
        let patience = if has_lost_pin { Duration::ZERO } else { FENCE };
        self.acks.fence(patience).await;
        match end {
            End::Fatal(error) => Err(error),
            End::StandBy => Ok(STAND_BY),
            End::Held => {
                self.acks.window.hold(OFFSET_LOST);
                Ok(LOOK_AGAIN)
            }
            End::Because(cause) => {
                let Common {
                    binding, backoff, ..
                } = &mut self.common;
                backoff.log(&binding.durable.stream, &cause);
                Ok(backoff.ended(&cause, began))
            }
        }
    }

    async fn release(&mut self) {
        while !self.acks.flush() {
            sleep(BUSY).await;
        }
        // The answer comes behind the acknowledgements. Who took over meanwhile keeps the pin.
        let durable = &self.common.binding.durable;
        if let Ok(Some(info)) = durable.info().await
            && let Some(id) = pinned(&info)
            && self.pin.as_deref() == Some(id)
            && let Err(error) = durable.unpin().await
        {
            tracing::debug!(%error, "the pin was not given up, it is lost in a moment");
        }
    }
}

impl OrderedReader {
    pub(super) fn new(common: Common, share: &Rc<Share>) -> Self {
        let (binding, status) = (&common.binding, common.status.clone());
        let (durable, capacity) = (binding.durable.clone(), binding.capacity);
        Self {
            acks: PendingAcks::new(durable, capacity, Rc::clone(share), status),
            common,
            expected: Expected::default(),
            looked: Instant::now(),
            pin: None,
            is_alone: false,
            held_at: None,
        }
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
        let stream = &*self.common.binding.durable.stream;
        tracing::info!(stream, "this process reads the stream");
        Ok(())
    }

    /// Ends the session where messages left the stream before `next` could be delivered, and that holds
    /// it.
    async fn check_offset(&mut self, next: u64) -> Result<(), End> {
        let Common {
            link,
            binding,
            offset_lost,
            ..
        } = &mut self.common;
        match offset_lost.check(link, &binding.durable, next).await? {
            true => Err(End::Held),
            false => Ok(()),
        }
    }

    /// The consumer as it is. Another one has delivered nothing of what this process has settled.
    async fn found(&mut self) -> Result<Info, End> {
        let (info, is_another) = self.common.binding.found().await?;
        if is_another {
            self.start_over();
        }
        Ok(info)
    }

    /// Forgets what was settled: the same sequences may be other messages, or are wanted again.
    fn start_over(&mut self) {
        let stream = &*self.common.binding.durable.stream;
        tracing::warn!(
            stream,
            "the consumer was made anew or counts anew, and is read from where it stands"
        );
        self.acks.settled.forget();
    }
}
