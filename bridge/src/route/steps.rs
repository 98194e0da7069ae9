//! Pure: the steps of the intake, once per message: decode, filter, encode.

use std::collections::BTreeMap;

use bytes::Bytes;
use cloudevents_nl_codec::{
    ContentMode, DecodeError, Decoded, Decoder, EncodeError, Event, Header, Message,
};

use super::dead_letter::Kind;
use super::filter::Filter;
use super::in_flight::BatchLimits;
use super::retry::RetryPolicy;
use super::target::{Order, Target, order_key};
use crate::delivery::{Received, Refusal};
use crate::outcome::{Next, Outcome, RefusedReason};
use crate::transport::Outgoing;

/// What happens to an event that can never be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// It goes to the dead letters.
    DeadLetter,
    /// It is dropped and counted, because the user said so.
    Discard,
    /// Its lane waits for an operator.
    Hold,
}

/// What a route is told to do.
#[derive(Debug)]
pub struct Instructions {
    /// Name of the route.
    pub name: String,
    /// Reads messages.
    pub decoder: Decoder,
    /// Which events it wants; `None` wants all.
    pub filter: Option<Filter>,
    /// How it writes them.
    pub target: Target,
    /// Which events keep their order.
    pub order: Order,
    /// Whether a sender waits for the answer, and hears of refusals where others get dead letters.
    pub has_waiting_sender: bool,
    /// How it retries.
    pub retry: RetryPolicy,
    /// What it reads statuses as, where the table says otherwise.
    pub outcomes: BTreeMap<u16, Next>,
    /// What becomes of events that can never be delivered.
    pub on_error: OnError,
    /// Most exchanges under way at once.
    pub in_flight_max: usize,
    /// How large a batch may get; one event unless the mode is batched.
    pub batch: BatchLimits,
}

/// Why a message cannot become what the destination takes.
#[derive(Debug)]
pub(super) enum Rejection {
    /// It holds no event.
    Undecodable(DecodeError),
    /// The transport could not read all of it.
    Unreadable(&'static str),
    /// The mode of the destination cannot carry the event, which keeps its order under this key.
    Unwritable(EncodeError, Option<Bytes>),
}

/// An event on its way.
pub(super) struct Prepared {
    pub(super) outgoing: Outgoing,
    /// Under which it keeps its order.
    pub(super) key: Option<Bytes>,
    /// The attributes that have not the form of their type.
    pub(super) irregular: Vec<Box<str>>,
}

impl Instructions {
    /// Decodes, filters and encodes a message; `None` is an event that the filter does not want.
    pub(super) fn prepare(&self, received: &Received) -> Result<Option<Prepared>, Rejection> {
        if let Some(defect) = received.defect {
            return Err(Rejection::Unreadable(defect));
        }
        let headers: Vec<Header<'_>> = received.headers.iter().collect();
        let message = Message {
            headers: &headers,
            body: received.body.as_deref(),
        };
        let decoded = self.decoder.decode(received.binding, &message);
        match decoded.map_err(Rejection::Undecodable)? {
            Decoded::Structured(event) => self.write(&event, received, ContentMode::Structured),
            Decoded::Binary(mut event) => {
                if !self.target.writes_binary(&event, ContentMode::Binary) {
                    let judged = self.decoder.judge_data(&mut event);
                    judged.map_err(Rejection::Undecodable)?;
                }
                self.write(&event, received, ContentMode::Binary)
            }
            Decoded::Batch(_) => Err(Rejection::Unreadable("batch")),
        }
    }

    /// Names an event behind which a window is full.
    pub(super) fn tell_of_full_window(&self, received: &Received, attempts: u32) {
        let headers: Vec<Header<'_>> = received.headers.iter().collect();
        let message = Message {
            headers: &headers,
            body: received.body.as_deref(),
        };
        let decoded = self.decoder.decode(received.binding, &message);
        if let Ok(Decoded::Structured(event) | Decoded::Binary(event)) = decoded {
            let (route, id, source) = (&self.name, event.id(), event.source());
            let (r#type, position) = (event.ty(), &received.position);
            tracing::warn!(
                route, id, source, r#type, %position, attempts,
                "window is full behind one event that fails, nothing more is read from its partition"
            );
        }
    }

    fn write(
        &self,
        event: &Event<'_>,
        received: &Received,
        came_as: ContentMode,
    ) -> Result<Option<Prepared>, Rejection> {
        if self
            .filter
            .as_ref()
            .is_some_and(|filter| !filter.matches(event))
        {
            return Ok(None);
        }
        let key = (self.order == Order::Key)
            .then(|| order_key(event, received))
            .flatten();
        match self.target.write(event, received, came_as) {
            Ok(outgoing) => Ok(Some(Prepared {
                outgoing,
                key,
                irregular: self.decoder.irregular(event).map(Into::into).collect(),
            })),
            Err(error) => Err(Rejection::Unwritable(error, key)),
        }
    }
}

impl Rejection {
    /// The kind of dead letter it makes.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Undecodable(_) | Self::Unreadable(_) => Kind::Undecodable,
            Self::Unwritable(..) => Kind::Unwritable,
        }
    }

    /// What is wrong, and where; never any of the content.
    pub(super) fn status(&self) -> String {
        match self {
            Self::Undecodable(error) => error.to_string(),
            Self::Unreadable(defect) => (*defect).to_owned(),
            Self::Unwritable(error, _) => error.to_string(),
        }
    }

    /// What a waiting sender is told.
    pub(super) fn into_refusal(self) -> Refusal {
        match self {
            Self::Undecodable(error) => Refusal::Undecodable(error),
            Self::Unwritable(error, _) => Refusal::Unwritable(error),
            Self::Unreadable(defect) => {
                Refusal::ByDestination(Outcome::Refused(RefusedReason::Other(defect)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
