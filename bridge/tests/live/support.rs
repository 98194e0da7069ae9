//! What the live tests share: real brokers, the bridge as a process of its own, a receiver with
//! real HTTP, and the judgement over every id. Nothing here uses a line of the bridge.

pub(crate) mod authorization;
pub(crate) mod bridge;
pub(crate) mod brokers;
pub(crate) mod client;
pub(crate) mod collector;
pub(crate) mod command;
pub(crate) mod events;
pub(crate) mod exclusive;
pub(crate) mod flow;
pub(crate) mod kafka;
pub(crate) mod nats;
#[path = "../common/ports.rs"]
pub(crate) mod ports;
pub(crate) mod raw;
pub(crate) mod receiver;
pub(crate) mod settings;
pub(crate) mod specimens;
pub(crate) mod streams;
pub(crate) mod tried;
pub(crate) mod verdict;
pub(crate) mod wait;
pub(crate) mod wire;
