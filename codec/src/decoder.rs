//! Reads messages: picks the mode, applies limits, hands out events.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::error::{AttributeFault, DecodeErrorKind, Place};
use crate::event::attribute::CoreAttribute;
use crate::json::scan::expect_end;
use crate::json::utf8::utf8;
use crate::tokens::{byte_at, skip_space};
use crate::vector::{VectorLoops, prefetch};
use crate::wire::binary_reader::{self, HeaderSummary, attribute_names};
use crate::wire::body::read_body;
use crate::wire::{ReadOptions, json_batch, json_reader};
use crate::{
    BatchElement, Binding, ContentMode, Data, DecodeError, Event, Header, Leniency, Limits,
    Register,
};

/// What a message held, by content mode (CloudEvents 1.0.2, "Message"), as [`Decoder::decode_any`] tells and shows it.
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
    /// A batch, possibly empty (HTTP binding 1.0.2, section 3.3.2).
    Batch(Vec<BatchElement<'a>>),
}

/// What the headers of a message borrow, in a list without an allocation for usual events.
type HeaderViews<'a> = SmallVec<[Header<'a>; 24]>;

impl<'a> Decoded<'a> {
    /// The events, whatever the mode: one, or as many as a batch has.
    pub fn into_events(self) -> impl Iterator<Item = Event<'a>> {
        let (one, batch) = match self {
            Self::Structured(event) | Self::Binary(event) => (Some(event), Vec::new()),
            Self::Batch(elements) => (None, elements),
        };
        one.into_iter()
            .chain(batch.into_iter().map(|element| element.event))
    }
}

/// Reads events under [`Limits`], with a [`Register`] of extension types.
///
/// It keeps nothing between two events; make one and share it.
///
/// ```
/// use cloudevents_nl_codec::{AttributeType, Decoder, Limits, Register, Value};
///
/// let decoder = Decoder::new(Limits::default(), Register::default().with("retries", AttributeType::Integer));
/// assert_eq!(decoder.limits(), &Limits::default());
/// let text = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b","retries":"3"}"#;
/// assert_eq!(decoder.decode_structured(text)?.attribute("retries"), Some(Value::Integer(3)));
/// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoder {
    options: ReadOptions,
}

impl Decoder {
    /// A decoder with its own limits and register. [`Decoder::default`] has the defaults of both.
    #[must_use]
    pub fn new(limits: Limits, register: Register) -> Self {
        let options = ReadOptions {
            limits,
            register,
            leniency: Leniency::STRICT,
            loops: VectorLoops::detect(),
        };
        Self { options }
    }

    /// This decoder by each way that the processor has to read long texts, with its name: the fastest
    /// first, the one that every processor has last. For tests and benchmarks; all give the same answers.
    #[doc(hidden)]
    pub fn each_path(self) -> impl Iterator<Item = (&'static str, Self)> {
        VectorLoops::each().map(move |(name, loops)| {
            let mut decoder = self.clone();
            decoder.options.loops = loops;
            (name, decoder)
        })
    }

    /// The bounds on what it reads.
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The same decoder, which takes that much of what the specifications refuse; [`Leniency`] shows it.
    #[must_use]
    pub fn with_leniency(mut self, leniency: Leniency) -> Self {
        self.options.leniency = leniency;
        self
    }

    /// The mode that a message announces, without reading it further (section 3 of the HTTP, Kafka
    /// and NATS bindings): whether there is an event is not known yet. [`ContentMode`] shows it.
    ///
    /// A NATS message without any event header is taken for a structured one, which is what senders
    /// of the bindings before 1.0.3 produce.
    #[must_use]
    pub fn mode<'a>(
        binding: &Binding,
        headers: impl IntoIterator<Item = Header<'a>>,
    ) -> ContentMode {
        let headers: HeaderViews<'_> = headers.into_iter().collect();
        HeaderSummary::of(binding, &headers).mode
    }

    /// Reads the one event of a message in structured or binary mode, as its binding says (HTTP and
    /// Kafka bindings 1.0.2, NATS binding 1.0.3-wip, section 3).
    ///
    /// The event borrows from what the headers and the body borrow from, and not from the iterator. A body of `None` is
    /// a Kafka null value (Kafka binding 1.0.3-wip, section 3.2.2); HTTP and NATS have at least an empty one.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Decoder, Header, KAFKA};
    /// let received = [("ce_specversion", "1.0"), ("ce_id", "1"), ("ce_source", "/a"), ("ce_type", "b")];
    /// assert_eq!(Decoder::default().decode(&KAFKA, received.map(Header::from), None)?.id(), "1");
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// The first thing that is wrong, as [`DecodeErrorKind`] lists it, and where. [`DecodeErrorKind::UnexpectedBatch`]
    /// for a batch, but [`DecodeErrorKind::UnsupportedFormat`] where the protocol has none.
    // As with `decode_structured`.
    #[inline(always)]
    pub fn decode<'a>(
        &self,
        binding: &Binding,
        headers: impl IntoIterator<Item = Header<'a>>,
        body: Option<&'a [u8]>,
    ) -> Result<Event<'a>, DecodeError> {
        let mut event = Event::blank();
        match self.read(binding, &self.views(headers), body, &mut event)? {
            ContentMode::Structured | ContentMode::Binary => Ok(event),
            ContentMode::Batched => Err(message_error(DecodeErrorKind::UnexpectedBatch)),
        }
    }

    /// Reads a message of any mode, and tells which it is: [`Self::decode`] for those who take batches
    /// too (HTTP binding 1.0.2, section 3.3), or who send on by mode.
    ///
    /// ```
    /// use cloudevents_nl_codec::{BATCHED_JSON, Decoded, Decoder, HTTP};
    ///
    /// let headers = [("content-type", BATCHED_JSON).into()];
    /// let body = br#"[{"specversion":"1.0","id":"doc1","source":"/registry","type":"a"}]"#;
    /// let decoded = Decoder::default().decode_any(&HTTP, headers, Some(body))?;
    /// assert!(matches!(&decoded, Decoded::Batch(elements) if elements.len() == 1));
    /// assert_eq!(decoded.into_events().next().expect("one event").id(), "doc1");
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::decode`] and, instead of [`DecodeErrorKind::UnexpectedBatch`], as [`Self::decode_batch`].
    // As with `decode_structured`.
    #[inline(always)]
    pub fn decode_any<'a>(
        &self,
        binding: &Binding,
        headers: impl IntoIterator<Item = Header<'a>>,
        body: Option<&'a [u8]>,
    ) -> Result<Decoded<'a>, DecodeError> {
        let mut event = Event::blank();
        match self.read(binding, &self.views(headers), body, &mut event)? {
            ContentMode::Binary => Ok(Decoded::Binary(event)),
            ContentMode::Structured => Ok(Decoded::Structured(event)),
            ContentMode::Batched => {
                let elements = self.decode_batch(body.unwrap_or_default());
                elements.map(Decoded::Batch)
            }
        }
    }

    /// The headers, and one more than the limit where there are too many: they are walked over more than
    /// once, and a client's iterator can be slow.
    #[inline(always)]
    fn views<'a>(&self, headers: impl IntoIterator<Item = Header<'a>>) -> HeaderViews<'a> {
        let most = self.options.limits.headers.saturating_add(1);
        headers.into_iter().take(most).collect()
    }

    /// Reads a message in structured or binary mode into a blank event, and only tells that it is a batch. An
    /// error in binary mode has what could be read of the headers.
    #[inline(never)]
    fn read<'a>(
        &self,
        binding: &Binding,
        headers: &[Header<'a>],
        body: Option<&'a [u8]>,
        event: &mut Event<'a>,
    ) -> Result<ContentMode, DecodeError> {
        let limits = &self.options.limits;
        if let Some(header) = headers.get(limits.headers) {
            return Err(DecodeError::header(DecodeErrorKind::TooLarge, header.name));
        }
        // What is read last is asked for first.
        prefetch::<8>(body.unwrap_or_default());
        let summary = HeaderSummary::of(binding, headers);
        let mode = summary.mode;
        let read = self.read_as(&summary, binding, headers, body, event);
        read.map(|()| mode).map_err(|mut error| {
            if mode == ContentMode::Binary && summary.bytes <= limits.event_bytes {
                error.partial = binary_reader::read_partial(binding, headers, &self.options);
            }
            error
        })
    }

    #[inline(always)]
    fn read_as<'a>(
        &self,
        summary: &HeaderSummary<'a>,
        binding: &Binding,
        headers: &[Header<'a>],
        body: Option<&'a [u8]>,
        event: &mut Event<'a>,
    ) -> Result<(), DecodeError> {
        // Two content types would let two readers see two messages.
        if let Some(name) = summary.repeated {
            let kind = DecodeErrorKind::Attribute(AttributeFault::Repeated);
            return Err(DecodeError::header(kind, name));
        }
        let mode = summary.mode;
        if summary.is_json == Some(false) || mode == ContentMode::Batched && !binding.has_batch {
            return Err(message_error(DecodeErrorKind::UnsupportedFormat));
        }
        let limit = match mode {
            ContentMode::Batched => self.options.limits.batch_bytes,
            ContentMode::Structured | ContentMode::Binary => self.options.limits.event_bytes,
        };
        let text = body.unwrap_or_default();
        check_size(summary.bytes + text.len(), limit)?;
        let is_required =
            |name: Cow<'_, str>| CoreAttribute::of(&name).is_some_and(CoreAttribute::is_required);
        match mode {
            ContentMode::Batched => Ok(()),
            ContentMode::Structured
                if summary.is_json.is_some() || byte_at(text, skip_space(text, 0)) == b'{' =>
            {
                self.read_structured(text, event)
            }
            ContentMode::Binary if attribute_names(binding, headers).any(is_required) => {
                binary_reader::read_event(binding, headers, summary, body, &self.options, event)
            }
            _ => Err(message_error(DecodeErrorKind::NotACloudEvent)),
        }
    }

    /// Reads one JSON event (JSON format 1.0.2): the body of a message in structured mode.
    ///
    /// # Errors
    /// The first thing that is wrong, as [`DecodeErrorKind`] lists it, and where; [`DecodeError`] shows one.
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
        check_size(text.len(), self.options.limits.event_bytes)?;
        let start = skip_space(text, 0);
        match json_reader::read_event(text, start, &self.options, event) {
            Ok(end) if end == text.len() => Ok(()),
            read => read
                .and_then(|end| Ok(expect_end(text, end)?))
                .map_err(|error| DecodeError {
                    partial: json_reader::partial::read_partial(text, start),
                    ..utf8_first(text, error)
                }),
        }
    }

    /// Reads a JSON batch (JSON format 1.0.2, section 4). Places in errors count from the beginning of
    /// the whole text. One element at fault refuses the batch. [`BatchElement`] shows it.
    ///
    /// # Errors
    /// As [`Self::decode_structured`], with the element; [`DecodeErrorKind::NotAnArray`] when the text is none.
    pub fn decode_batch<'a>(&self, text: &'a [u8]) -> Result<Vec<BatchElement<'a>>, DecodeError> {
        check_size(text.len(), self.options.limits.batch_bytes)?;
        json_batch::read_batch(text, &self.options).map_err(|error| utf8_first(text, error))
    }

    /// Looks at the data of an event that was read with [`Leniency::opaque_data`], and at all data that is bytes, as a
    /// reader without it does: a JSON type promises JSON, and is held to it.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Data, Decoder, Event};
    ///
    /// let mut event = Event::new("1", "/a", "b")?.with_bytes("application/json", b"{}")?;
    /// Decoder::default().judge_data(&mut event)?;
    /// assert!(matches!(event.data(), Data::Json(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DecodeErrorKind::Json`] and [`DecodeErrorKind::TooLarge`] as [`Self::decode`].
    pub fn judge_data(&self, event: &mut Event<'_>) -> Result<(), DecodeError> {
        let judging = self.options.leniency.with_opaque_data(false);
        let (ty, limits) = (event.datacontenttype(), &self.options.limits);
        let data = match event.data() {
            Data::Binary(Cow::Borrowed(body)) => read_body(ty, body, limits, judging)?,
            Data::Binary(Cow::Owned(body)) => read_body(ty, body, limits, judging)?.into_owned(),
            _ => return Ok(()),
        };
        event.put_data(data);
        Ok(())
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new(Limits::default(), Register::default())
    }
}

fn check_size(bytes: usize, limit: usize) -> Result<(), DecodeError> {
    let fits = (bytes <= limit).then_some(());
    fits.ok_or_else(|| message_error(DecodeErrorKind::TooLarge))
}

/// Readers look at text as far as they come; a text that is not UTF-8 is told before all else.
#[cold]
fn utf8_first(text: &[u8], error: DecodeError) -> DecodeError {
    utf8(text).err().map_or(error, DecodeError::from)
}

#[cold]
fn message_error(kind: DecodeErrorKind) -> DecodeError {
    DecodeError::new(kind, Place::Message)
}

#[cfg(test)]
mod tests;
