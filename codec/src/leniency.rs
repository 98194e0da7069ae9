//! What a decoder takes although the specifications refuse it.

use std::borrow::Cow;

use crate::error::AttributeFault;
use crate::event::attribute::Core;
use crate::event::check::check_core;
use crate::event::media_type::is_loose_media_type;
use crate::event::text::is_attribute_text;
use crate::wire::body::read_body;
use crate::{AttributeType, Data, DecodeError, Decoder, Event, Register, Value};

/// Deviations of other writers that a [`Decoder`](crate::Decoder) takes. The default takes none.
///
/// It is for intermediaries, who forward events (CloudEvents 1.0.2, "Terminology"):
/// [`Self::INTERMEDIARY`] takes what can be read, written again in any
/// mode that [`Event::is_exact_in`](crate::Event::is_exact_in) allows, and read once more without a
/// change. What an event says is never guessed and never corrected.
///
/// ```
/// use cloudevents_nl_codec::{Decoder, Leniency};
///
/// let text = br##"{"specversion":"1.0","id":"1","source":"/a","type":"b","dataschema":"#/x"}"##;
/// assert!(Decoder::default().decode_structured(text).is_err());
///
/// let lenient = Decoder::default().with_leniency(Leniency::INTERMEDIARY);
/// let event = lenient.decode_structured(text)?;
/// assert_eq!(event.dataschema(), Some("#/x"));
/// assert!(lenient.irregular(&event).eq(["dataschema"]));
/// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leniency {
    /// `source`, `dataschema` and `time` of another form than RFC 3986 and RFC 3339 give them, parameters of
    /// `datacontenttype` of another form than RFC 9110 gives them, and extensions of another form than the
    /// type in the register, are carried as text
    /// ([`Value::String`](crate::Value::String)). [`Decoder::irregular`](crate::Decoder::irregular)
    /// names them.
    pub irregular_attributes: bool,
    /// Where the percent-decoded header of a URI or URI-reference is none, and the header as it was
    /// sent is one, that is the value: most writers do not percent-encode (HTTP and NATS bindings,
    /// section 3.1.3.2).
    pub plain_uris: bool,
    /// `ce-datacontenttype` on HTTP and `ce_datacontenttype` on Kafka, which the bindings forbid, are left
    /// out beside a content type, and stand in for one that is missing.
    pub datacontenttype_header: bool,
    /// A body of no bytes under a JSON content type is empty data: some writers send it for no data.
    pub empty_json: bool,
    /// The body of binary mode is bytes that nobody looked at ([`Data::Binary`](crate::Data::Binary)),
    /// until [`Decoder::judge_data`](crate::Decoder::judge_data) does. For those who write the event in
    /// binary mode again.
    pub opaque_data: bool,
}

impl Leniency {
    /// None: what CloudEvents 1.0.2 refuses is refused.
    pub const STRICT: Self = Self {
        irregular_attributes: false,
        plain_uris: false,
        datacontenttype_header: false,
        empty_json: false,
        opaque_data: false,
    };

    /// All of it, but data is looked at.
    pub const INTERMEDIARY: Self = Self {
        irregular_attributes: true,
        plain_uris: true,
        datacontenttype_header: true,
        empty_json: true,
        opaque_data: false,
    };

    /// The same, with or without [`Self::opaque_data`].
    #[must_use]
    pub const fn with_opaque_data(mut self, is_opaque: bool) -> Self {
        self.opaque_data = is_opaque;
        self
    }

    /// Whether a core attribute that has this fault is carried as text.
    #[cold]
    pub(crate) fn carries(self, core: Core, text: &str, fault: AttributeFault) -> bool {
        let has_a_form = match fault {
            AttributeFault::Uri | AttributeFault::UriReference | AttributeFault::Timestamp => true,
            AttributeFault::MediaType => is_loose_media_type(text),
            _ => false,
        };
        debug_assert_eq!(check_core(core, text, false), Err(fault));
        self.irregular_attributes && has_a_form && is_attribute_text(text)
    }
}

impl Decoder {
    /// The names of the attributes that have not the form of their type, which only
    /// [`Leniency::irregular_attributes`] lets in; [`Leniency`] shows it.
    pub fn irregular<'e>(&self, event: &'e Event<'_>) -> impl Iterator<Item = &'e str> {
        let attributes = event.is_irregular().then(|| event.attributes());
        let has_another_form = |(name, value): &(&str, Value<'_>)| {
            let is_typed = || self.register.type_of(name) != AttributeType::String;
            event.is_irregular_core(name)
                || !Register::is_reserved(name) && matches!(value, Value::String(_)) && is_typed()
        };
        attributes
            .into_iter()
            .flatten()
            .filter(has_another_form)
            .map(|(name, _)| name)
    }

    /// Looks at the data of an event that was read with [`Leniency::opaque_data`], as a reader without it
    /// does: a JSON type promises JSON, and is held to it.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Data, Decoder, HTTP, Header, Leniency, Message};
    ///
    /// let header = |name, value: &'static str| Header { name, value: Some(value.as_bytes()) };
    /// let headers = [
    ///     header("ce-specversion", "1.0"),
    ///     header("ce-id", "1"),
    ///     header("ce-source", "/a"),
    ///     header("ce-type", "b"),
    ///     header("content-type", "application/json"),
    /// ];
    /// let message = Message { headers: &headers, body: Some(b"{}") };
    /// let opaque = Leniency::INTERMEDIARY.with_opaque_data(true);
    /// let decoder = Decoder::default().with_leniency(opaque);
    /// let mut event = decoder.decode_binary(&HTTP, &message)?;
    /// assert_eq!(event.data(), &Data::Binary(b"{}".into()));
    /// decoder.judge_data(&mut event)?;
    /// assert!(matches!(event.data(), Data::Json(_)));
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// [`DecodeErrorKind::Json`](crate::DecodeErrorKind::Json) and
    /// [`DecodeErrorKind::TooLarge`](crate::DecodeErrorKind::TooLarge) as [`Self::decode`].
    pub fn judge_data(&self, event: &mut Event<'_>) -> Result<(), DecodeError> {
        let judging = self.leniency.with_opaque_data(false);
        let ty = event.datacontenttype();
        let data = match event.data() {
            Data::Binary(Cow::Borrowed(body)) => read_body(ty, body, &self.limits, judging)?,
            Data::Binary(Cow::Owned(body)) => {
                read_body(ty, body, &self.limits, judging)?.into_owned()
            }
            _ => return Ok(()),
        };
        event.put_data(data);
        Ok(())
    }
}
