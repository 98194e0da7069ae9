//! Strategies for [proptest](https://docs.rs/proptest): valid events, nearly valid ones, and the
//! messages that carry them. Behind feature `generate`.
//!
//! [`event`] and [`message`] make what a codec has to read. [`near_valid`] makes what it has to judge:
//! a message with exactly one [`Defect`], which names the rules that it breaks. Below them are the
//! texts of which they are made, and bodies and headers that are anything.
//!
//! ```
//! use cloudevents_nl_conformance::{Mode, Protocol, generate};
//! use proptest::prelude::*;
//!
//! /// Stands for the codec that you test.
//! fn reads(body: &[u8]) -> bool {
//!     cloudevents_nl_codec::Decoder::default().decode_structured(body).is_ok()
//! }
//!
//! proptest!(|(message in generate::message(Protocol::Kafka, Mode::Structured))| {
//!     prop_assert!(reads(message.body()));
//! });
//! proptest!(|(case in generate::near_valid(Protocol::Kafka, Mode::Structured))| {
//!     let is_right = !case.defect.must_be_refused() || !reads(case.message.body());
//!     prop_assert!(is_right, "{}", case.defect.name);
//! });
//! ```

mod defect;
mod defects;
mod event;
mod text;

use proptest::prelude::*;

use crate::capture::{Capture, Protocol};
use crate::codec::{Codec, Ours};
use crate::reading::Mode;

pub use defect::{Defect, NearValid};
pub use defects::defects;
pub(crate) use event::typed;
pub use event::{DataShape, ExtensionShape, Shape, compliant, event, shape};
pub use text::{header, json, mutated, object, text};

/// Every way in which an event can travel.
pub const WAYS: [(Protocol, Mode); 8] = [
    (Protocol::File, Mode::Structured),
    (Protocol::Http, Mode::Structured),
    (Protocol::Http, Mode::Binary),
    (Protocol::Http, Mode::Batched),
    (Protocol::Kafka, Mode::Structured),
    (Protocol::Kafka, Mode::Binary),
    (Protocol::Nats, Mode::Structured),
    (Protocol::Nats, Mode::Binary),
];

/// Valid messages of a protocol in a content mode: those of [`WAYS`], each with one [`event`].
///
/// # Panics
/// When the protocol does not have the mode.
pub fn message(protocol: Protocol, mode: Mode) -> impl Strategy<Value = Capture> {
    event().prop_map(move |event| written(&event, protocol, mode))
}

/// Messages with one defect each, which has nothing to do with the next: any of [`defects`] that a
/// message of this protocol and mode can have.
///
/// # Panics
/// When the protocol does not have the mode.
pub fn near_valid(protocol: Protocol, mode: Mode) -> impl Strategy<Value = NearValid> {
    let defects = defects().filter(|defect| defect.applies_to(protocol, mode));
    prop::sample::select(defects.collect::<Vec<_>>())
        .prop_flat_map(move |defect| defect.messages(protocol, mode))
}

pub(crate) fn written(
    event: &cloudevents_nl_codec::Event<'static>,
    protocol: Protocol,
    mode: Mode,
) -> Capture {
    match Ours.encode(event, protocol, mode) {
        Ok(capture) => capture,
        Err(refusal) => panic!("{mode:?} on {}: {refusal}", protocol.name()),
    }
}
