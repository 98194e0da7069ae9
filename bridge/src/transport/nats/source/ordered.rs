//! A stream read in order, by sessions that begin with a reset of the consumer.
//!
//! A reset has everything delivered again that is not acknowledged, in order, with consumer sequence 1
//! and delivery count 1 for the first. Whatever is not the next delivery ends the session, and a new
//! one begins. Only the process with the pin reads; it has the pin from its first delivery on.

use std::sync::Arc;
use std::time::Duration;

use async_nats::Message;
use async_nats::jetstream::consumer::Info;
use tokio::time::Instant;

use super::super::message::{self, PIN_ID};
use super::End;
use super::consumer::pinned;
use super::reader::{Common, OFFSET_LOST, Reader};
use super::session::{Delivered, Session};
use crate::delivery::{Delivery, Position};

/// For what is in flight when a session ends. Shorter than the pin lives, so that no other process
/// reads yet.
const FENCE: Duration = Duration::from_secs(3);
/// While nothing comes, and while it is not known who reads.
pub(super) const CHECK_AGAIN: Duration = Duration::from_secs(10);
const STAND_BY: Duration = Duration::from_secs(1);
const PAUSED: &str = "consumer-paused";

pub(super) struct OrderedReader {
    common: Common,
    /// Consumer sequence and least stream sequence of the next delivery.
    next: (u64, u64),
    checked_at: Instant,
    /// At the last check the server had delivered more than had come.
    is_behind: bool,
    /// Where the consumer stood when reading was held.
    held_at: Option<u64>,
}

impl Reader for OrderedReader {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }

    async fn begin(&mut self) -> Result<Session, End> {
        let info = self.common.bind().await?;
        let durable = &self.common.durable;
        match pinned(&info) {
            Some(id) if self.common.pin.as_deref() != Some(id) => return Err(End::StandBy),
            // Requests of the last session must not be answered any more.
            Some(_) => durable.unpin().await?,
            None => {}
        }
        self.common.pin = None;
        durable.update(&info).await?;
        let stands_at = stands_at(&info);
        let settled = &mut self.common.pending.settled;
        if self.held_at.is_some_and(|at| at != stands_at) {
            // An operator has moved the consumer.
            settled.clear();
        }
        // For the server, what was delivered and has left the stream counts as acknowledged.
        let own = settled.next().unwrap_or(stands_at);
        self.check_offset(own.min(stands_at)).await?;
        if self.common.may_meet_unreadable() {
            self.common.take_unreadable(stands_at, &info).await?;
        }
        let durable = &self.common.durable;
        let next = durable.reset(None).await?;
        self.held_at = None;
        let stream = &*durable.stream;
        if self.common.pending.settled.reaches(next) {
            tracing::info!(
                stream,
                next,
                "the server has not all acknowledgements, what it repeats is recognised"
            );
        }
        tracing::debug!(stream, next, "a session begins");
        self.next = (1, next);
        self.checked_at = Instant::now();
        self.is_behind = false;
        Session::open(durable).await
    }

    async fn take(&mut self, (message, info, reply): Delivered) -> Result<Option<Delivery>, End> {
        let (consumer_sequence, stream_sequence) = self.next;
        // Sequences fall on an unbroken connection where somebody has reset the consumer.
        let fell =
            info.consumer_sequence < consumer_sequence || info.stream_sequence < stream_sequence;
        if fell && self.common.durable.is_known() {
            return Err(End::StartOver);
        }
        if fell || info.consumer_sequence > consumer_sequence || info.delivered != 1 {
            return Err("a delivery was left out".into());
        }
        if self.common.pin.is_none() {
            self.common.pin = Some(pin_of(&message)?);
            let stream = &*self.common.durable.stream;
            tracing::info!(stream, "this process reads the stream");
        }
        if stream_sequence < info.stream_sequence {
            self.check_offset(stream_sequence).await?;
        }
        self.next = (consumer_sequence + 1, info.stream_sequence + 1);
        self.checked_at = Instant::now();
        self.is_behind = false;
        self.common.pending.window.go_on();
        let position_prefix = Arc::clone(&self.common.durable.position_prefix);
        let position = Position::numbered(position_prefix, info.stream_sequence);
        let received = message::received(message, position);
        Ok(self.common.pending.admit(received, info, reply))
    }

    /// Another process may have the pin, a delivery may be lost, or somebody paused the consumer.
    async fn check_consumer(&mut self) -> Result<(), End> {
        let is_quiet = self.common.pin.is_some() && !self.is_behind;
        if self.checked_at.elapsed() < if is_quiet { CHECK_AGAIN } else { STAND_BY } {
            return Ok(());
        }
        self.checked_at = Instant::now();
        let info = self.common.durable.find().await?;
        self.common.status.set_behind(info.num_pending);
        let pin = self.common.pin.as_deref();
        if pinned(&info).is_some_and(|id| pin != Some(id)) {
            return Err(End::StandBy);
        }
        let is_behind = pin.is_some() && info.delivered.consumer_sequence >= self.next.0;
        // What is on its way comes before the next check.
        if std::mem::replace(&mut self.is_behind, is_behind) && is_behind {
            return Err("the last delivery was lost on its way".into());
        }
        let window = &self.common.pending.window;
        if info.paused {
            window.hold(PAUSED);
            self.common.log("the consumer is paused");
        } else {
            window.go_on();
        }
        Ok(())
    }

    async fn ended(&mut self, end: &End) {
        if matches!(end, End::Held) {
            // What was taken goes on: the stream may not have it any more.
            self.common.pending.window.hold(OFFSET_LOST);
            let is_empty = |common: &Common| common.pending.window.is_empty();
            self.common.work_until(is_empty).await;
        }
        // With the pin it lost what it holds.
        let drain = match end {
            End::StandBy => Duration::ZERO,
            _ => FENCE,
        };
        let Common {
            pending,
            durable,
            pin,
            ..
        } = &mut self.common;
        pending.fence(durable, drain).await;
        match end {
            End::Held => pending.window.hold(OFFSET_LOST),
            // The same sequences may be other messages, or are wanted again.
            End::StartOver => pending.settled.clear(),
            End::StandBy => {
                pending.settled.others_may_read();
                if pin.take().is_some() {
                    let stream = &*durable.stream;
                    tracing::warn!(stream, "another process may read the stream");
                }
            }
            End::Failed(_) | End::ConnectionLost | End::Fatal(_) => {}
        }
    }

    async fn release(&mut self) {
        self.common.flush_all().await;
        // The answer comes behind the acknowledgements. Who took over meanwhile keeps the pin.
        let durable = &self.common.durable;
        if let Some(pin) = self.common.pin.as_deref()
            && let Ok(info) = durable.info().await
            && pinned(&info) == Some(pin)
            && durable.unpin().await.is_err()
        {
            tracing::debug!("the pin was not given up, it is lost in a moment");
        }
    }
}

impl OrderedReader {
    pub(super) fn new(common: Common) -> Self {
        Self {
            common,
            next: (1, 1),
            checked_at: Instant::now(),
            is_behind: false,
            held_at: None,
        }
    }

    async fn check_offset(&mut self, from: u64) -> Result<(), End> {
        let checked = self.common.check_offset(from).await;
        if matches!(checked, Err(End::Held)) {
            // So a restart holds too, and it shows when somebody moves the consumer. A consumer
            // made with the policy `new` refuses it.
            let durable = &self.common.durable;
            let position = async || durable.info().await.ok().map(|info| stands_at(&info));
            // What is under way is not acknowledged by it.
            let from = from.min(self.common.pending.first_open().unwrap_or(from));
            if position().await != Some(from) {
                drop(durable.reset(Some(from)).await);
            }
            self.held_at = position().await.or(self.held_at);
        }
        checked
    }
}

/// Where a reset has the consumer go on.
fn stands_at(info: &Info) -> u64 {
    info.ack_floor.stream_sequence + 1
}

/// The server appends its header behind those that were stored.
fn pin_of(message: &Message) -> Result<String, End> {
    let headers = message.headers.as_ref();
    let id = headers.and_then(|headers| headers.get_last(PIN_ID));
    let id = id.ok_or("the consumer gives no pin")?;
    Ok(id.as_str().to_owned())
}
