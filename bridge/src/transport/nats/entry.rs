//! NATS in the registry of transports.

use super::connection::Connection;
use super::sink;
use crate::transport::registry::{ConnectionSettings, Transport, check_connection};
use crate::transport::secret::read_secret;
use crate::transport::setting::SettingProblem;

/// `nats` in `[route.source]`, `[route.sink]` and `[route.dead_letter]`.
pub const TRANSPORT: Transport = Transport {
    name: "nats",
    connection: Some(check_connection::<Connection>),
    source: None,
    sink: Some(sink::ENTRY),
    view: None,
};

impl ConnectionSettings for Connection {
    fn problems(&self) -> Vec<SettingProblem> {
        self.prove(read_secret).err().unwrap_or_default()
    }
}
