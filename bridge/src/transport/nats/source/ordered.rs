//! A stream read in order, by sessions that begin with a reset of the consumer.
//!
//! A reset has everything delivered again that is not acknowledged, in order, with consumer sequence 1
//! and delivery count 1 for the first. Whatever is not the next delivery ends the session, and a new
//! one begins. Only the process with the pin reads; it has the pin from its first delivery on.

use std::mem::replace;

use async_nats::Message;
use async_nats::jetstream::consumer::{DeliverPolicy, Info};
use tokio::time::Instant;

use super::super::message::{MessageInfo, PIN_ID};
use super::End;
use super::consumer::{PIN_TIMEOUT, pinned};
use super::reader::{Reader, STAND_BY};
use super::session::Session;

#[derive(Default)]
pub(super) struct OrderedReading {
    /// The server's id for this process while only it may read.
    pin: Option<String>,
    /// Consumer sequence and least stream sequence of the next delivery.
    next: (u64, u64),
    /// At the last look the server had delivered more than had come, or another one had the pin.
    is_behind: bool,
    /// At the last look, the stream sequence up to which acknowledgements were sent.
    acknowledged: u64,
    /// At the last look nobody had the pin: who gets the next message reads.
    is_free: bool,
    /// Where the consumer stood when reading was held.
    held_at: Option<u64>,
}

impl OrderedReading {
    pub(super) fn pin(&self) -> Option<&str> {
        self.pin.as_deref()
    }

    /// Whether it is known who reads, and nothing is missing.
    pub(super) fn is_settled(&self) -> bool {
        (self.pin.is_some() || self.is_free) && !self.is_behind
    }

    fn is_anothers(&self, pinned: Option<&str>) -> bool {
        pinned.is_some_and(|id| self.pin() != Some(id))
    }

    pub(super) fn look(&mut self, pinned: Option<&str>, delivered: u64) -> Result<(), End> {
        let is_anothers = self.is_anothers(pinned);
        // A pin that was had is lost for good.
        if is_anothers && self.pin.is_some() {
            return Err(End::StandBy);
        }
        self.is_free = pinned.is_none();
        let is_behind = is_anothers || delivered >= self.next.0;
        // What is on its way comes before the next look, and may bring the pin.
        match replace(&mut self.is_behind, is_behind) && is_behind {
            false => Ok(()),
            true if is_anothers => Err(End::StandBy),
            true => Err("the last delivery was lost on its way".into()),
        }
    }

    /// What was sent before the last look has come by now.
    pub(super) fn look_at_acks(&mut self, stands_at: u64, acknowledged: u64) -> Result<(), End> {
        match stands_at <= replace(&mut self.acknowledged, acknowledged) {
            true => Err("acknowledgements were lost on their way".into()),
            false => Ok(()),
        }
    }
}

impl Reader {
    pub(super) async fn begin_ordered(&mut self, info: &Info) -> Result<(), End> {
        match pinned(info) {
            Some(id) if self.order.pin() != Some(id) => {
                self.offset_lost.delivered_to = Some(info.delivered.stream_sequence);
                return Err(End::StandBy);
            }
            // Requests of the last session must not be answered any more.
            Some(_) => self.durable.unpin().await?,
            None => {}
        }
        self.order.pin = None;
        self.put_right(info).await?;
        let stands_at = stands_at(info);
        if self.order.held_at.is_some_and(|at| at != stands_at) {
            // An operator has moved the consumer.
            self.pending.start_over();
        }
        // For the server, what was delivered and has left the stream counts as acknowledged.
        let own = self.pending.settled.next.unwrap_or(stands_at);
        if self.order.held_at == Some(stands_at) && own > stands_at {
            // What was under way then is settled, and its acknowledgements came behind a reset: where all
            // before this has left the stream, it is held here.
            self.check_offset(own, None).await?;
        }
        self.check_offset(own.min(stands_at), None).await?;
        self.take_unreadable(stands_at, info).await?;
        let next = self.durable.reset(None).await?;
        let stream = &*self.durable.origin.stream;
        if self.pending.settled.reaches(next) {
            tracing::info!(
                stream,
                next,
                "the server has not all acknowledgements, what it repeats is recognised"
            );
        }
        tracing::debug!(stream, next, "a session begins");
        self.order = OrderedReading {
            next: (1, next),
            ..OrderedReading::default()
        };
        Ok(())
    }

    /// Whether a message is the next one.
    pub(super) async fn expect(&mut self, message: &Message, info: MessageInfo) -> Result<(), End> {
        let (consumer_sequence, stream_sequence) = self.order.next;
        // Sequences fall on an unbroken connection where somebody has reset the consumer.
        let fell =
            info.consumer_sequence < consumer_sequence || info.stream_sequence < stream_sequence;
        if fell && self.durable.is_known() {
            return Err(End::StartOver);
        }
        if fell || info.consumer_sequence > consumer_sequence || info.delivered != 1 {
            return Err("a delivery was left out".into());
        }
        if self.order.pin.is_none() {
            self.order.pin = Some(pin_of(message)?);
            self.pending.settled.begin(stream_sequence);
            self.durable.opening.status.set_part(1.0);
            let stream = &*self.durable.origin.stream;
            tracing::info!(stream, "this process reads the stream");
        }
        if stream_sequence < info.stream_sequence {
            self.check_offset(stream_sequence, None).await?;
        }
        self.order.next = (consumer_sequence + 1, info.stream_sequence + 1);
        self.order.is_behind = false;
        Ok(())
    }

    /// What was taken goes on: the stream may not have it any more. Nothing is requested, which would
    /// move the consumer.
    pub(super) async fn hold(
        &mut self,
        from: u64,
        session: &mut Option<Session>,
    ) -> Result<(), End> {
        if let Some(session) = session.take() {
            session.close().await;
        }
        // What is under way is not acknowledged by the reset.
        let from = from.min(self.pending.open().next().unwrap_or(from));
        if self.order.held_at != Some(from) {
            self.order.held_at = self.stand_at(from).await;
        }
        self.looked_at = Instant::now();
        while !self.pending.window.is_empty() {
            if self.check_pin().await? && self.order.held_at.is_none() {
                self.order.held_at = self.stand_at(from).await;
            }
            self.work().await;
        }
        if self.order.held_at.is_none() {
            self.log("the consumer cannot be reset to where it is held: allow $JS.API.CONSUMER.RESET, or a restart may pass over what was lost");
        }
        Ok(())
    }

    /// Has the consumer stand there, so that a restart holds too, and it shows when somebody moves it. Nothing
    /// where the server does not say where it stands.
    pub(super) async fn stand_at(&self, from: u64) -> Option<u64> {
        self.durable.reset(Some(from)).await.ok();
        // While it delivers, the server may answer and stand where it stood.
        let info = self.durable.ask().await.1.ok()?;
        // One with a policy such as `new` lets nobody reset it to a sequence.
        let is_refused = matches!(
            info.config.deliver_policy,
            DeliverPolicy::New | DeliverPolicy::Last | DeliverPolicy::LastPerSubject
        );
        let stands_at = stands_at(&info);
        (stands_at == from || is_refused).then_some(stands_at)
    }

    /// Without requests the pin is lost, and another process has it from its first delivery on. True where
    /// it was time to ask.
    pub(super) async fn check_pin(&mut self) -> Result<bool, End> {
        if self.quiet_since.elapsed() < STAND_BY {
            return Ok(false);
        }
        self.quiet_since = Instant::now();
        match self.durable.ask().await.1 {
            Ok(info) if self.order.is_anothers(pinned(&info)) => return Err(End::StandBy),
            Ok(_) => self.looked_at = Instant::now(),
            // Nobody knows who has the pin.
            Err(_) if self.looked_at.elapsed() > PIN_TIMEOUT => return Err(End::StandBy),
            Err(_) => {}
        }
        Ok(true)
    }

    /// No other process reads before what is in flight has ended.
    pub(super) async fn fence(&mut self, end: &End, session: Option<&Session>) {
        let until = match (end, session) {
            // With the pin it lost what it holds.
            (End::StandBy, _) | (_, None) => Instant::now(),
            (_, Some(session)) => session.fence(),
        };
        self.pending.fence(&self.durable, until).await;
        self.durable.opening.status.set_part(0.0);
        if matches!(end, End::StandBy) {
            // Who reads says what is held.
            self.pending.window.go_on();
            self.pending.settled.next = None;
            if self.order.pin.take().is_some() {
                let stream = &*self.durable.origin.stream;
                tracing::warn!(stream, "another process may read the stream");
            }
        }
    }
}

/// Where a reset has the consumer go on.
pub(super) fn stands_at(info: &Info) -> u64 {
    info.ack_floor.stream_sequence + 1
}

/// The server appends its header behind those that were stored.
fn pin_of(message: &Message) -> Result<String, End> {
    let headers = message.headers.as_ref();
    let id = headers.and_then(|headers| headers.get_last(PIN_ID));
    let id = id.ok_or("the consumer gives no pin")?;
    Ok(id.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(pin: Option<&str>) -> OrderedReading {
        OrderedReading {
            pin: pin.map(str::to_owned),
            next: (1, 1),
            ..OrderedReading::default()
        }
    }

    /// The pin may be this process's own: it comes with a message that is on its way.
    #[test]
    fn who_has_no_pin_yet_looks_twice_before_it_stands_by() {
        let mut order = order(None);
        assert!(order.look(Some("a"), 1).is_ok());
        assert!(matches!(order.look(Some("a"), 1), Err(End::StandBy)));
    }

    #[test]
    fn who_has_lost_its_pin_stands_by_at_once() {
        let mut order = order(Some("a"));
        assert!(order.look(Some("a"), 0).is_ok());
        assert!(order.look(None, 0).is_ok() && order.is_settled());
        assert!(matches!(order.look(Some("b"), 0), Err(End::StandBy)));
    }

    #[test]
    fn where_nobody_reads_it_is_known_who_will() {
        let mut order = order(None);
        assert!(!order.is_settled());
        assert!(order.look(None, 0).is_ok() && order.is_settled());
        assert!(order.look(Some("a"), 0).is_ok() && !order.is_settled());
    }

    /// Its pin may have ended by the next look.
    #[test]
    fn a_first_delivery_that_was_lost_is_noticed_without_its_pin() {
        let mut order = order(None);
        assert!(order.look(None, 1).is_ok() && !order.is_settled());
        assert!(matches!(order.look(None, 1), Err(End::Failed(_))));
    }

    #[test]
    fn acknowledgements_are_lost_where_two_looks_in_a_row_miss_them() {
        let mut order = order(Some("a"));
        // The last one is on its way.
        assert!(order.look_at_acks(5, 5).is_ok() && order.look_at_acks(6, 6).is_ok());
        // They could not be sent.
        assert!(order.look_at_acks(7, 0).is_ok() && order.look_at_acks(7, 9).is_ok());
        assert!(matches!(order.look_at_acks(9, 9), Err(End::Failed(_))));
    }

    #[test]
    fn a_delivery_is_lost_where_two_looks_in_a_row_miss_it() {
        let mut order = order(Some("a"));
        assert!(order.look(Some("a"), 1).is_ok() && !order.is_settled());
        assert!(order.look(Some("a"), 0).is_ok() && order.is_settled());
        assert!(order.look(Some("a"), 1).is_ok());
        assert!(matches!(order.look(Some("a"), 1), Err(End::Failed(_))));
    }
}
