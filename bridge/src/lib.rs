//! The daemon: carries CloudEvents between Kafka topics, NATS streams and webhooks without losing one.
//!
//! ```text
//! source ─▶ window ─▶ decode ─▶ check ─▶ filter ─▶ encode ─▶ lane by key ─▶ circuit ─▶ sink
//!    ▲        │                                                                        │
//!    └─ watermark ◀──────────────────── verdict ◀── retry · dead letter · probe ◀── outcome
//! ```

#![forbid(unsafe_code)]

pub mod admin;
pub mod cli;
pub mod config;
mod credentials;
pub mod delivery;
mod fetch;
mod jwt;
mod logging;
pub mod outcome;
pub mod plan;
pub mod route;
pub mod runtime;
mod server;
mod shared;
pub mod telemetry;
#[cfg(test)]
mod tests;
mod tls;
mod tools;
pub mod traces;
pub mod transport;
