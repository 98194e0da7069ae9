//! The list of transports, and what one says of itself.
//!
//! A transport is one module with a `pub const TRANSPORT: Transport` and one name in
//! [`TRANSPORTS`]. Its settings are serde structs without `flatten`; what they mean together is
//! proven by [`SourceSettings::prove`] and [`SinkSettings::prove`], without a socket.

use cloudevents_nl_codec::{Binding, Decoder};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::setting::SettingProblem;
use super::view::OpenView;
use super::{Sink, Source, SourceStatus, file, http, kafka, nats};
use crate::config::Table;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;

/// Every transport there is.
pub const TRANSPORTS: &[Transport] = &[
    kafka::TRANSPORT,
    http::TRANSPORT,
    nats::TRANSPORT,
    file::TRANSPORT,
];

/// One transport: its connection table, and how it reads its source and its sink.
#[derive(Clone, Copy, Debug)]
pub struct Transport {
    /// Name of its connection tables: `kafka` for `[kafka.NAME]`.
    pub name: &'static str,
    /// Checks a connection, used or not: `check_connection::<Connection>`. A transport without has no
    /// tables of its name.
    pub connection: Option<fn(&Table<'_>)>,
    /// How it is read from, if it can be.
    pub source: Option<SourceEntry>,
    /// How it is written to, if it can be.
    pub sink: Option<SinkEntry>,
    /// How one of its places is looked at that no route names, if it can be.
    pub view: Option<ViewEntry>,
}

/// Names of the tables that connections stand in.
pub fn connection_names(transports: &[Transport]) -> impl Iterator<Item = &'static str> {
    let has_table = |transport: &&Transport| transport.connection.is_some();
    transports
        .iter()
        .filter(has_table)
        .map(|transport| transport.name)
}

/// How the settings of a source become something to open.
#[derive(Clone, Copy, Debug)]
pub struct SourceEntry {
    /// The key of `[route.source]` that chooses it, such as `kafka`.
    pub key: &'static str,
    /// `read_source::<Settings>`
    pub read: fn(&Table<'_>, &Table<'_>) -> Option<Box<dyn OpenSource>>,
}

/// How the settings of a sink become something to open.
#[derive(Clone, Copy, Debug)]
pub struct SinkEntry {
    /// The key of `[route.sink]` that chooses it, such as `url`.
    pub key: &'static str,
    /// `read_sink::<Settings>`
    pub read: fn(&Table<'_>, &Table<'_>) -> Option<Box<dyn OpenSink>>,
}

/// How a connection and the name of a topic or subject become something to look at.
#[derive(Clone, Copy, Debug)]
pub struct ViewEntry {
    /// `read_view::<Connection>`
    pub read: fn(&Table<'_>, &str) -> Option<Box<dyn OpenView>>,
}

/// The settings of a connection: the keys of `[kafka.NAME]` and the like.
pub trait ConnectionSettings: DeserializeOwned {
    /// What is wrong with them, without touching the network.
    fn problems(&self) -> Vec<SettingProblem>;
}

/// The settings of a source: the keys of `[route.source]` that are its own.
pub trait SourceSettings: DeserializeOwned {
    /// The connection they refer to.
    type Connection: ConnectionSettings;

    /// Proves that the two make sense, without touching the network.
    ///
    /// # Errors
    /// Every problem there is, but for those of the connection alone.
    fn prove(
        self,
        connection: Self::Connection,
    ) -> Result<Box<dyn OpenSource>, Vec<SettingProblem>>;
}

/// The settings of a sink: the keys of `[route.sink]` that are its own.
pub trait SinkSettings: DeserializeOwned {
    /// The connection they refer to. Where a route may name none, every key has a default.
    type Connection: ConnectionSettings;

    /// Proves that the two make sense, without touching the network.
    ///
    /// # Errors
    /// Every problem there is, but for those of the connection alone.
    fn prove(self, connection: Self::Connection) -> Result<Box<dyn OpenSink>, Vec<SettingProblem>>;
}

/// A connection whose places can be looked at without a route.
pub trait ViewSettings: ConnectionSettings {
    /// Proves that a place of this name can be, without touching the network.
    ///
    /// # Errors
    /// Every problem there is.
    fn view(self, place: &str) -> Result<Box<dyn OpenView>, Vec<SettingProblem>>;
}

/// The identity of a place that events come from or go to, equal for two routes that mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The transport.
    pub transport: &'static str,
    /// The server or cluster, without anything secret.
    pub server: String,
    /// Topic, path or subject.
    pub name: String,
}

impl Address {
    /// Whether both name a server in common, however it is written; `port` is that of a server that
    /// is named without one.
    #[must_use]
    pub fn shares_server(&self, other: &Self, port: u16) -> bool {
        let servers = |address: &Self| -> BTreeSet<(String, u16)> {
            let all = address.server.split(',');
            all.map(|text| host_and_port(text, port)).collect()
        };
        self.transport == other.transport && !servers(self).is_disjoint(&servers(other))
    }
}

/// This machine has one name, whichever of its loopback addresses is written.
fn host_and_port(text: &str, port: u16) -> (String, u16) {
    let text = text.trim();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let given = |(host, port): (_, &str)| Some((host, port.parse().ok()?));
    let (host, port) = text
        .rsplit_once(':')
        .and_then(given)
        .unwrap_or((text, port));
    let address = host.trim_matches(['[', ']']).parse();
    let is_here = address.is_ok_and(|ip: IpAddr| ip.is_loopback() || ip.is_unspecified());
    let host = if is_here { "localhost" } else { host };
    (host.to_ascii_lowercase(), port)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.transport, self.server, self.name)
    }
}

/// A source that was proven and can be opened.
pub trait OpenSource: fmt::Debug + Send + Sync {
    /// Where its events come from.
    fn address(&self) -> Address;

    /// What only one route may hold, such as a path of a listener, or a topic for one group; none
    /// where any number of routes may read the same.
    fn claim(&self) -> Option<String>;

    /// Whether what is written to `place` would come back here.
    fn reads(&self, place: &Address) -> bool {
        let address = self.address();
        address.name == place.name && address.shares_server(place, 0)
    }

    /// The longest wait for what is in flight when a part of it moves to another process.
    fn drain(&self) -> Option<Duration> {
        None
    }

    /// Whether a sender waits for the answer: then there is no dead letter and no limit to retries,
    /// because the sender repeats.
    fn has_waiting_sender(&self) -> bool;

    /// How to look at what it reads without taking part; nothing where that cannot be looked at.
    fn view(&self) -> Option<Box<dyn OpenView>> {
        None
    }

    /// Opens it on the thread of its route, inside the runtime.
    ///
    /// # Errors
    /// When a file, port or client cannot be had.
    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError>;
}

/// A sink that was proven and can be opened.
pub trait OpenSink: fmt::Debug + Send + Sync {
    /// Where its events go.
    fn address(&self) -> Address;

    /// What keeps them there, if it has a name of its own and can be read by that.
    fn store(&self) -> Option<Address> {
        None
    }

    /// The longest wait for one exchange, if the operator may set it under this name.
    fn exchange_timeout(&self) -> Option<Duration> {
        None
    }

    /// How its protocol spells events.
    fn binding(&self) -> &'static Binding;

    /// Whether what it writes has a record key.
    fn has_record_key(&self) -> bool;

    /// Most exchanges under way where a route says nothing: enough to keep the destination busy, and
    /// no more than one that waits for each answer can bear.
    fn in_flight_default(&self) -> usize {
        64
    }

    /// Whether it can keep dead letters: what it acknowledges is stored durably, and a dead letter
    /// goes in whole.
    fn keeps_dead_letters(&self) -> bool;

    /// Whether its server bounds the size of all messages alike: then what is too large here is too
    /// large at every place of that server.
    fn has_one_size_limit(&self) -> bool {
        false
    }

    /// Whether a route's events can go there. A place for dead letters alone says no.
    fn takes_events(&self) -> bool {
        true
    }

    /// Where an identity of an event must be unique, if the destination drops repeats by one: then
    /// every event it gets has a [`MessageId`](super::MessageId) of this scope.
    fn message_id_scope(&self) -> Option<&str> {
        None
    }

    /// Whether a header of this name, in lower case, cannot go along with an event: the protocol
    /// or the sink writes it.
    fn refuses_header(&self, _: &str) -> bool {
        false
    }

    /// How to look at what it has written; nothing where that cannot be looked at.
    fn view(&self) -> Option<Box<dyn OpenView>> {
        None
    }

    /// Opens it on the thread of its route, inside the runtime.
    ///
    /// # Errors
    /// When a file or client cannot be had.
    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError>;
}

/// What a source is given.
#[derive(Clone, Debug)]
pub struct SourceOpening {
    /// Bounds of each window.
    pub window: Capacity,
    /// What the windows of the route and its client may hold.
    pub share: Rc<Share>,
    /// Whether the route keeps the order of what it reads.
    pub keeps_order: bool,
    /// Reads every message, within bounds.
    pub decoder: Decoder,
    /// What the source shows of itself.
    pub status: SourceStatus,
}

/// What a sink is given.
#[derive(Clone, Debug)]
pub struct SinkOpening {
    /// Whether what it gets is dead letters and not the events of the route.
    pub keeps_dead_letters: bool,
    /// Whether a sender waits for each outcome, so that time counts more than batching.
    pub has_waiting_sender: bool,
    /// Whether batches are batches.
    pub is_batched: bool,
    /// Most exchanges under way at once.
    pub in_flight_max: usize,
    /// Name of the route, for logs.
    pub route: Arc<str>,
    /// The longest wait of the route between two attempts at one event.
    pub retry_max: Duration,
    /// The largest event that the route takes, in bytes.
    pub event_bytes_max: usize,
}

/// Why a source or sink cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {detail}")]
pub struct OpenError {
    /// A constant word.
    pub reason: &'static str,
    /// What the system or the client said; never holds secrets.
    pub detail: String,
}

/// Reads a connection and reports what is wrong with it.
pub fn check_connection<C: ConnectionSettings>(connection: &Table<'_>) {
    if let Some(settings) = connection.read::<C>() {
        report(connection, settings.problems());
    }
}

/// Reads and proves the settings of a source.
pub fn read_source<S: SourceSettings>(
    settings: &Table<'_>,
    connection: &Table<'_>,
) -> Option<Box<dyn OpenSource>> {
    let connection = connection.read();
    let proof = settings.read::<S>()?.prove(connection?);
    proof.map_err(|problems| report(settings, problems)).ok()
}

/// Reads and proves the settings of a sink.
pub fn read_sink<S: SinkSettings>(
    settings: &Table<'_>,
    connection: &Table<'_>,
) -> Option<Box<dyn OpenSink>> {
    let connection = connection.read();
    let proof = settings.read::<S>()?.prove(connection?);
    proof.map_err(|problems| report(settings, problems)).ok()
}

/// Reads a connection and proves that a place of it can be looked at.
pub fn read_view<C: ViewSettings>(
    connection: &Table<'_>,
    place: &str,
) -> Option<Box<dyn OpenView>> {
    let proof = connection.read::<C>()?.view(place);
    proof.map_err(|problems| report(connection, problems)).ok()
}

fn report(table: &Table<'_>, problems: Vec<SettingProblem>) {
    for problem in problems {
        match problem.shows_value {
            true => table.report(&problem.key, problem.what, problem.remedy),
            false => table.report_unshown(&problem.key, problem.what, problem.remedy),
        }
    }
}
