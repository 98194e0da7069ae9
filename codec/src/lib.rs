//! CloudEvents 1.0 between JSON, HTTP, Kafka and NATS, without changing a byte of `data`.
//!
//! This crate never opens a socket, reads a file, looks at a clock or starts a task. It turns a
//! [`Message`] (headers and a body, whoever carried them) into an [`Event`] and back.

#![deny(clippy::exhaustive_enums)]

mod decoder;
mod encoder;
mod error;
mod event;
mod json;
mod limits;
mod payload;
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
pub use wire::binding::{Binding, HTTP, KAFKA, NATS};
pub use wire::media_type::ContentMode;
pub use wire::message::{Header, HeaderList, HeaderSink, Message};
