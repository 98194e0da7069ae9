//! The daemon: carries CloudEvents between Kafka topics, NATS streams and webhooks without losing one.
//!
//! ```text
//! source ─▶ window ─▶ decode ─▶ filter ─▶ encode ─▶ lane by key ─▶ pace ─▶ sink
//!    ▲        │                                                            │
//!    └─ watermark ◀────────── verdict ◀── retry · dead letter · hold ◀── outcome
//! ```

#![forbid(unsafe_code)]

pub mod admin;
mod capture;
pub mod cli;
pub mod config;
pub mod convert;
pub mod delivery;
pub mod demo;
pub mod outcome;
pub mod plan;
mod progress;
pub mod replay;
pub mod route;
pub mod runtime;
mod server;
mod shown;
pub mod tail;
pub mod telemetry;
#[cfg(test)]
mod tests;
pub mod transport;
