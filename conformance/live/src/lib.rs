//! Tries out receivers, senders and intermediaries of CloudEvents.
//!
//! Some rules bind what somebody does, and no message shows whether they are met. A *scenario* tries one
//! out: it is the rule, what it does, and what it makes of the answers. What was exchanged
//! is kept in a record, with what each scenario showed; `cenl-conformance check` reads that, and makes
//! one report of it and of the rules that the messages themselves show.
//!
//! This crate judges no message and renders no report: both are `cloudevents-nl-conformance`'s.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod bench;
pub mod client;
mod command;
mod given;
pub mod intermediary;
pub mod listener;
pub mod receiver;
mod record;
pub mod sender;
mod shown;
mod tls;
