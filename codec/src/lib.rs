#![doc = include_str!("../README.md")]
//!
//! # Where to look
//!
//! | you want | look at |
//! | --- | --- |
//! | the event of a message in structured or binary mode | [`Decoder::decode`] |
//! | the events of a message of any mode, batches included | [`Decoder::decode_any`], [`Decoded::into_events`] |
//! | an event from JSON, or a batch | [`Decoder::decode_structured`], [`Decoder::decode_batch`] |
//! | data as a type of your own | [`Event::data_as`], [`JsonText::of_value`] |
//! | some members of data, without reading it all | [`Event::data_at`], [`JsonText::at_each`] |
//! | to build an event | [`Event`], which shows it |
//! | the headers and the body of a message | [`encode`], [`encode_batch`] |
//! | the JSON text alone, into a buffer of your own | [`encode_structured`], [`join_batch`] |
//! | Integer and Boolean extensions after a hop over headers | [`Register`] |
//! | bounds on what senders may send | [`Limits`] |
//! | to carry events of writers that deviate | [`Leniency`] |
//!
//! `examples/` has programs: an axum handler, a consumer and a producer on rdkafka, a batch over HTTP, a responder on
//! async-nats, and a translator for shells.
//!
//! # What is checked, and what is not
//!
//! By default there is one level: what CloudEvents 1.0.2 says an event MUST be. What breaks it is refused, with a
//! place and a remedy; nothing is repaired. Intermediaries may take more of it: [`Leniency`] lists what.
//!
//! | checked, when reading and when building | by |
//! | --- | --- |
//! | `specversion` is `1.0`; `id`, `source` and `type` are there; none is empty | CloudEvents, "REQUIRED Attributes" |
//! | names are lower-case letters and digits, and not `data` | "Attribute Naming Convention" |
//! | no member and no header of an attribute comes twice | RFC 8259, section 4; HTTP binding 3.1.3 |
//! | text holds no control characters, noncharacters and surrogates | "Type System" |
//! | `source` is a URI-reference, `dataschema` an absolute URI | RFC 3986 |
//! | `time` is a date-time, calendar and leap seconds included | RFC 3339 |
//! | `datacontenttype` is a media type and fits the kind of data | RFC 2046; RFC 9110, section 5.6.6; JSON format 3.1.1 |
//! | Integers have 32 bits, and a [`Value`] the form of its type | "Type System" |
//! | a JSON document is valid to its last byte, `data` included | RFC 8259 |
//! | a body under a JSON media type is JSON | CloudEvents, "Event Data" |
//! | `data_base64` is Base64 with padding | RFC 4648, section 4 |
//! | header values are UTF-8, after one round of percent-decoding on HTTP and NATS | HTTP and NATS bindings 3.1.3.2 |
//! | sizes, counts and nesting stay within [`Limits`] | |
//!
//! | not checked | because |
//! | --- | --- |
//! | rules of profiles, such as NL GOV, and everything that is a SHOULD, such as short names | that is judging, not reading |
//! | `data` against `dataschema` | [`Event::data_as`] and your types do that |
//! | whether `source` and `id` came before | a codec has no memory |
//! | repeated members and the range of numbers inside `data` | it is copied, not interpreted |
//! | bytes that you put under a JSON media type | [`Event::with_json`] takes what is proven |
//! | text in a charset other than UTF-8, US-ASCII and ISO-8859-1 | it stays bytes |
//! | whether an extension has the form that a [`Register`] has for its name | it stays a String where it has not |
//! | headers that are not of the event, record keys, subjects | they belong to whoever carries it |

#![deny(missing_docs, clippy::exhaustive_enums)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod decoder;
mod encoder;
mod error;
mod event;
#[cfg(feature = "http")]
mod http_map;
mod json;
mod lanes;
mod leniency;
mod limits;
#[cfg(any(feature = "jiff02", feature = "chrono04"))]
mod moment;
mod payload;
mod serde_impl;
mod tokens;
mod vector;
mod wire;

pub use decoder::{Decoded, Decoder};
pub use encoder::{BATCHED_JSON, STRUCTURED_JSON, encode, encode_batch, join_batch};
pub use error::json::{JsonError, JsonFault};
pub use error::{AttributeFault, DecodeError, DecodeErrorKind, EncodeError, EventError, Place};
pub use event::Event;
pub use event::attribute::{AttributeType, Register};
pub use event::data::Data;
pub use event::extensions::Extension;
pub use event::media_type::is_json;
pub use event::partial::PartialEvent;
pub use event::value::{TypedText, Value};
#[cfg(feature = "http")]
pub use http_map::encode_http;
pub use json::text::JsonText;
pub use leniency::Leniency;
pub use limits::Limits;
pub use payload::{PayloadCause, PayloadError};
pub use wire::binding::{Binding, HTTP, KAFKA, NATS};
pub use wire::content_mode::ContentMode;
pub use wire::json_batch::BatchElement;
pub use wire::json_writer::encode_structured;
pub use wire::message::{Header, HeaderList};
