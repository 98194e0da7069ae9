//! CloudEvents 1.0 between JSON, HTTP, Kafka and NATS, without changing a byte of `data`.
//!
//! This crate never opens a socket, reads a file, looks at a clock or starts a task. It turns a
//! [`Message`] (headers and a body, whoever carried them) into an [`Event`] and back.
//!
//! Read an event; everything that needs no unescaping is borrowed from the buffer:
//!
//! ```
//! use cloudevents_nl_codec::Decoder;
//!
//! let text = br#"{"specversion":"1.0","id":"doc1","source":"/registry","type":"nl.brp.verhuisd"}"#;
//! let event = Decoder::default().decode_structured(text)?;
//! assert_eq!((event.id(), event.ty()), ("doc1", "nl.brp.verhuisd"));
//! # Ok::<(), cloudevents_nl_codec::DecodeError>(())
//! ```
//!
//! Build one and write it; there is no invalid [`Event`]:
//!
//! ```
//! use cloudevents_nl_codec::{Event, encode_structured};
//!
//! let event = Event::new("doc1", "/registry", "nl.brp.verhuisd")?.with_attribute("subject", "7")?;
//! let mut text = Vec::new();
//! encode_structured(&event, &mut text)?;
//! assert!(text.ends_with(br#""subject":"7"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Translate from one protocol to another; numbers and spaces in `data` stay as they were written:
//!
//! ```
//! # use cloudevents_nl_codec::{Decoder, HeaderList, NATS, encode_binary};
//! let text = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b","data":{"n": 1.50}}"#;
//! let event = Decoder::default().decode_structured(text)?;
//! let mut headers = HeaderList::default();
//! let body = encode_binary(&event, &NATS, &mut headers)?;
//! assert_eq!(body.as_deref(), Some(&br#"{"n": 1.50}"#[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/translate.rs` is the same as a program.

#![deny(clippy::exhaustive_enums)]

mod decoder;
mod encoder;
mod error;
mod event;
mod json;
mod lanes;
mod limits;
mod payload;
mod vector;
mod wire;

pub use decoder::{BatchElement, Decoded, Decoder};
pub use encoder::{
    BATCHED_JSON, STRUCTURED_JSON, encode_batch, encode_binary, encode_structured, wire_size,
};
pub use error::{AttributeFault, DecodeError, DecodeErrorKind, EncodeError, EventError, Place};
pub use event::attribute::{AttributeType, Register};
pub use event::data::Data;
pub use event::media_type::is_json;
pub use event::value::Value;
pub use event::{Event, Extension};
pub use json::text::{JsonError, JsonFault, JsonText};
pub use limits::Limits;
pub use payload::PayloadError;
#[doc(hidden)]
pub use vector::forbid_vectors;
pub use wire::binding::{Binding, HTTP, KAFKA, NATS};
pub use wire::media_type::ContentMode;
pub use wire::message::{Header, HeaderList, HeaderSink, Message};

/// The snippet of the README, run as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
