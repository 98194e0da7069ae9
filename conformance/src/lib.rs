//! Checks CloudEvents and the NL GOV profile for CloudEvents.
//!
//! [`Checker`] judges messages as they were on the wire ([`Capture`]) by the rules of a [`Profile`],
//! with a parser of its own. [`rules`] says what a rule is and how to add one; [`Assessment`] takes whole
//! files, [`report`] is what comes out, as data, and [`render`] writes it for people and machines.
//! [`vectors`] holds any codec, and the rules, against cases that are written down as data; [`codec`] says
//! what a codec is.
//!
//! ```
//! use cloudevents_nl_conformance::{Capture, Checker, Profile};
//!
//! let capture = Capture::event(r#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#);
//! for finding in Checker::new(Profile::NlGov11).check(&capture).findings {
//!     println!("{} {}: {}", finding.rule.id, finding.place, finding.rule.title.nl);
//! }
//! ```
//!
//! # Features
//!
//! | feature | default | gives | needs |
//! | --- | --- | --- | --- |
//! | `generate` | no | `generate`: strategies for events, messages and single defects; `properties` and `Trial`: any codec against them | proptest 1 |
//!
//! This crate opens no file but those of [`vectors`], knows no client, and starts no task.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod assessment;
mod capture;
pub mod catalogue;
mod check;
pub mod codec;
#[cfg(feature = "generate")]
pub mod generate;
mod grammar;
mod hashed;
mod input;
pub mod json;
mod language;
mod live;
mod memory;
#[cfg(feature = "generate")]
pub mod properties;
mod reading;
pub mod render;
pub mod report;
mod rule;
pub mod rules;
#[cfg(feature = "generate")]
mod trial;
pub mod vectors;
mod written;

pub use assessment::{Assessment, Options, Selection, Stream};
pub use capture::{Capture, CaptureError, Exchange, Header, Protocol, Purpose};
pub use check::{Checker, StreamChecker};
pub use grammar::rate::is_allowed_rate;
pub use input::{
    Content, Form, InputError, Item, Items, LineFault, Lines, MOST_BYTES, is_like_messages,
};
pub use language::Language;
pub use live::{Evidence, Live, Shown, Why};
pub use reading::{At, Attribute, Event, Mode, Reading, Unreadable, Value};
pub use report::{Checked, Finding, Kind, Part, Place, Position, Severity, Verdict};
pub use rule::{
    About, Applies, Check, Decode, Demand, Example, Found, Level, Levels, Profile, Rule, Sample,
    Scope, Status, StreamFacts, Text, Watch,
};
#[cfg(feature = "generate")]
pub use trial::Trial;
pub use written::{
    Baseline, Config, Declaration, Declarations, FORMS, Fault, ForPath, Known, Overlay, Waiver,
    Waivers, Wrong, nearest,
};

/// The Rust snippet in the README of the repository, run as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}

/// The snippets in the README of this crate, run as doctests; one of them needs feature `generate`.
#[cfg(all(doctest, feature = "generate"))]
#[doc = include_str!("../README.md")]
mod own_readme {}
