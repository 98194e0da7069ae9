//! Reads messages: picks the mode, applies limits, hands out events.

use crate::error::{DecodeErrorKind, Place};
use crate::json::scan::{byte_at, skip_space};
use crate::json::utf8;
use crate::wire::binary_reader::{self, Survey};
use crate::wire::media_type::{Announced, announced};
use crate::wire::{json_batch, json_reader};
use crate::{Binding, ContentMode, DecodeError, Event, Limits, Message, Register};

/// One element of a batch: its event, and its JSON text to be forwarded untouched.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatchElement<'a> {
    /// The text of the element in the batch, from `{` to `}`.
    pub text: &'a [u8],
    /// The event read from it.
    pub event: Event<'a>,
}

/// What a message held.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    clippy::large_enum_variant,
    reason = "one variant per content mode; boxing would allocate per event"
)]
pub enum Decoded<'a> {
    /// One event in structured mode; the body is its text.
    Structured(Event<'a>),
    /// One event in binary mode.
    Binary(Event<'a>),
    /// A batch, possibly empty.
    Batch(Vec<BatchElement<'a>>),
}

/// Reads events under [`Limits`], with a [`Register`] of extension types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoder {
    limits: Limits,
    register: Register,
}

impl Decoder {
    /// A decoder with its own limits and register.
    #[must_use]
    pub fn new(limits: Limits, register: Register) -> Self {
        Self { limits, register }
    }

    /// The mode that a message announces, without reading it further.
    ///
    /// A NATS message without any event header is taken for a structured one, which is what senders
    /// of the bindings before 1.0.3 produce.
    #[must_use]
    pub fn mode(binding: &Binding, message: &Message<'_>) -> ContentMode {
        announced_mode(binding, message, &Survey::of(binding, message.headers)).mode
    }

    /// Reads a message of any mode.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Decoded, Decoder, Header, KAFKA, Message};
    ///
    /// let header = |name, value: &'static str| Header { name, value: Some(value.as_bytes()) };
    /// let headers = [
    ///     header("ce_specversion", "1.0"),
    ///     header("ce_id", "doc1"),
    ///     header("ce_source", "/registry"),
    ///     header("ce_type", "nl.brp.verhuisd"),
    ///     header("content-type", "application/json"),
    /// ];
    /// let message = Message { headers: &headers, body: Some(b"{}") };
    /// let Decoded::Binary(event) = Decoder::default().decode(&KAFKA, &message)? else { panic!() };
    /// assert_eq!(event.id(), "doc1");
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// Says what is wrong and where. [`DecodeErrorKind::NotACloudEvent`] when nothing in the message
    /// claims to be one, [`DecodeErrorKind::UnsupportedFormat`] for formats other than JSON and for a
    /// batch where the protocol has none, [`DecodeErrorKind::TooLarge`] beyond [`Limits`].
    pub fn decode<'a>(
        &self,
        binding: &Binding,
        message: &Message<'a>,
    ) -> Result<Decoded<'a>, DecodeError> {
        if let Some(header) = message.headers.get(self.limits.headers) {
            return Err(DecodeError::header(DecodeErrorKind::TooLarge, header.name));
        }
        let survey = Survey::of(binding, message.headers);
        survey.refuse_repeats()?;
        let Announced { mode, is_json } = announced_mode(binding, message, &survey);
        if mode != ContentMode::Binary
            && (!is_json || mode == ContentMode::Batched && !binding.has_batch)
        {
            return Err(whole(DecodeErrorKind::UnsupportedFormat));
        }
        let limit = match mode {
            ContentMode::Batched => self.limits.batch_bytes,
            ContentMode::Structured | ContentMode::Binary => self.limits.event_bytes,
        };
        within(message_bytes(message), limit)?;
        let body = message.body.unwrap_or_default();
        match mode {
            ContentMode::Batched => self.decode_batch(body).map(Decoded::Batch),
            ContentMode::Structured => {
                let is_bare = survey
                    .content_type
                    .is_none_or(|text| announced(text).mode == ContentMode::Binary);
                if is_bare && byte_at(body, skip_space(body, 0)) != b'{' {
                    return Err(whole(DecodeErrorKind::NotACloudEvent));
                }
                self.decode_structured(body).map(Decoded::Structured)
            }
            ContentMode::Binary if !binary_reader::has_required(binding, message.headers) => {
                Err(whole(DecodeErrorKind::NotACloudEvent))
            }
            ContentMode::Binary => {
                let mut event = Event::blank();
                let (limits, register) = (&self.limits, &self.register);
                binary_reader::read_event(binding, message, limits, register, &mut event)?;
                Ok(Decoded::Binary(event))
            }
        }
    }

    /// Reads one JSON event.
    ///
    /// # Errors
    /// Says what is wrong and where.
    // Where this is inlined, the compiler sees that the event need not be moved.
    #[inline(always)]
    pub fn decode_structured<'a>(&self, text: &'a [u8]) -> Result<Event<'a>, DecodeError> {
        let mut event = Event::blank();
        self.read_structured(text, &mut event)?;
        Ok(event)
    }

    #[inline(never)]
    fn read_structured<'a>(
        &self,
        text: &'a [u8],
        event: &mut Event<'a>,
    ) -> Result<(), DecodeError> {
        within(text.len(), self.limits.event_bytes)?;
        let text = utf8(text)?;
        let start = skip_space(text.as_bytes(), 0);
        let end = json_reader::read_event(text, start, &self.limits, &self.register, event)?;
        json_reader::expect_end(text, end)
    }

    /// Reads a JSON batch. Places in errors count from the beginning of the whole text.
    ///
    /// # Errors
    /// Says what is wrong, in which element and where.
    pub fn decode_batch<'a>(&self, text: &'a [u8]) -> Result<Vec<BatchElement<'a>>, DecodeError> {
        within(text.len(), self.limits.batch_bytes)?;
        json_batch::read_batch(utf8(text)?, &self.limits, &self.register)
    }
}

/// What the content type announces, or a bare message that only the JSON format can explain.
fn announced_mode(binding: &Binding, message: &Message<'_>, survey: &Survey<'_>) -> Announced {
    let announced = announced(survey.content_type.unwrap_or_default());
    if announced.mode == ContentMode::Binary
        && binding.may_be_bare
        && !binary_reader::has_attribute(binding, message.headers)
    {
        return Announced {
            mode: ContentMode::Structured,
            is_json: true,
        };
    }
    announced
}

/// Bytes of names, values and body.
fn message_bytes(message: &Message<'_>) -> usize {
    let header =
        |header: &crate::Header<'_>| header.name.len() + header.value.map_or(0, <[u8]>::len);
    message.headers.iter().map(header).sum::<usize>() + message.body.map_or(0, <[u8]>::len)
}

fn within(bytes: usize, limit: usize) -> Result<(), DecodeError> {
    if bytes <= limit {
        Ok(())
    } else {
        Err(whole(DecodeErrorKind::TooLarge))
    }
}

#[cold]
fn whole(kind: DecodeErrorKind) -> DecodeError {
    DecodeError::new(kind, Place::Message)
}

#[cfg(test)]
mod tests;
