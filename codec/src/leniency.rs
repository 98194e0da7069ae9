//! What a decoder takes although the specifications refuse it.

/// Deviations of other writers that a [`Decoder`](crate::Decoder) takes. The default takes none.
///
/// It is for intermediaries, who forward events (CloudEvents 1.0.2, "Terminology"): [`Self::INTERMEDIARY`] takes what
/// can be read, written again in any mode that [`Event::is_exact_in`](crate::Event::is_exact_in) allows, and read once
/// more without a change. What an event says is never guessed and never corrected.
///
/// ```
/// use cloudevents_nl_codec::{Decoder, HTTP, KAFKA, Leniency};
///
/// let text = br##"{"specversion":"1.0","id":"1","source":"/a","type":"b","dataschema":"#/x"}"##;
/// assert!(Decoder::default().decode_structured(text).is_err());
///
/// let lenient = Decoder::default().with_leniency(Leniency::INTERMEDIARY);
/// let event = lenient.decode_structured(text)?;
/// assert_eq!(event.dataschema(), Some("#/x"));
/// assert!(event.irregular().eq(["dataschema"]));
/// assert!(event.is_exact_in(&KAFKA) && !event.is_exact_in(&HTTP));
/// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leniency {
    /// `source`, `dataschema` and `time` of another form than RFC 3986 and RFC 3339 give them, and parameters of
    /// `datacontenttype` of another form than RFC 9110 gives them, are carried as text (a [`Value`](crate::Value) of
    /// type String). [`Event::irregular`](crate::Event::irregular) names them, and extensions of another form than the
    /// type in the register, which are text without this too, and not named.
    pub irregular_attributes: bool,
    /// Where the percent-decoded header of a URI or URI-reference is none, and the header as it was sent is one, that
    /// is the value: most writers do not percent-encode (HTTP and NATS bindings, section 3.1.3.2). Extensions of such
    /// a type in the register too: `ce-dataref: /a%20b` is `/a%20b`, and without this the String `/a b`.
    pub plain_uris: bool,
    /// `ce-datacontenttype` on HTTP and `ce_datacontenttype` on Kafka, which the bindings forbid, are left
    /// out beside a content type, and stand in for one that is missing.
    pub datacontenttype_header: bool,
    /// A body of no bytes under a JSON content type is empty data: some writers send it for no data.
    pub empty_json: bool,
    /// The body of binary mode is bytes that nobody looked at ([`Data::Binary`](crate::Data::Binary)), until
    /// [`Decoder::judge_data`](crate::Decoder::judge_data) does; until then [`Event::data_at`](crate::Event::data_at)
    /// finds nothing, though `data_as` reads. For those who write the event in binary mode again. On NATS,
    /// where a `Content-Type` stands in for `ce-datacontenttype`, the body is looked at all the same.
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
}
