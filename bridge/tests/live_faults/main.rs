//! Live: the bridge is killed, stopped and joined, and brokers go away, while events flow. Each test
//! checks every id at the far end, and runs alone. They need the brokers of `scripts/brokers up`.

#![allow(clippy::unwrap_used, reason = "tests")]

mod broker;
mod crash;
mod group;
mod instance;
mod shutdown;

#[path = "../live/support.rs"]
#[allow(dead_code, reason = "each binary of live tests uses its part")]
mod support;
