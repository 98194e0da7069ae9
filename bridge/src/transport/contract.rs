//! What a transport says of itself, and what a source or sink of it can be asked before it is opened.
//!
//! A transport is one module with a `pub const TRANSPORT: Transport` and one name in the
//! [registry](super::registry). Its settings are read key by key, and proven without a socket.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use cloudevents_nl_codec::{Binding, Decoder};

use super::address::Address;
use super::view::OpenView;
use super::{Sink, Source, SourceStatus};
use crate::config::{Reported, Table};
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;

/// One transport: its connection table, and how it reads its source and its sink.
#[derive(Debug)]
pub struct Transport {
    /// Name of its connection tables: `kafka` for `[kafka.NAME]`.
    pub name: &'static str,
    /// Proves a connection, used or not. A transport without has no tables of its name.
    pub connection: Option<CheckConnection>,
    /// How it is read from, if it can be.
    pub source: Option<Entry<dyn OpenSource>>,
    /// How it is written to, if it can be.
    pub sink: Option<Entry<dyn OpenSink>>,
    /// How the topic or subject of a connection is looked at that no route names, if it can be.
    pub view: Option<ReadView>,
}

/// Proves the table of a connection.
pub type CheckConnection = fn(&Table<'_>) -> Result<(), Reported>;

/// Reads a connection, and proves that the topic or subject of that name can be looked at.
pub type ReadView = fn(&Table<'_>, &str) -> Result<Box<dyn OpenView>, Reported>;

/// How the settings of a source or a sink become something to open.
#[derive(Debug)]
pub struct Entry<T: ?Sized> {
    /// The key of `[route.source]` or `[route.sink]` that chooses it, such as `kafka` or `url`.
    pub key: &'static str,
    /// Reads and proves the table of the route, and that of the connection it names.
    pub read: fn(&Table<'_>, &Table<'_>) -> Result<Box<T>, Reported>,
}

/// A source that was proven and can be opened.
pub trait OpenSource: fmt::Debug + Send + Sync {
    fn address(&self) -> Address;

    /// What only one route may hold, such as a path of a listener, or a topic for one group; none
    /// where any number of routes may read the same.
    fn claim(&self) -> Option<String>;

    /// Whether what is written to `place` would come back here.
    fn reads(&self, place: &Address) -> bool {
        let address = self.address();
        address.name == place.name && address.shares_server(place)
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
    fn address(&self) -> Address;

    /// What keeps them there, if it has a name of its own and can be read by that.
    fn store(&self) -> Option<Address> {
        None
    }

    /// The longest wait for one exchange, if the operator may set it under this name.
    fn exchange_timeout(&self) -> Option<Duration> {
        None
    }

    fn binding(&self) -> &'static Binding;

    fn has_record_key(&self) -> bool;

    /// Most exchanges under way where a route says nothing: enough to keep the destination busy, and
    /// no more than one that waits for each answer can bear.
    fn in_flight_default(&self) -> usize {
        64
    }

    /// Whether it can keep dead letters: what it acknowledges is stored durably, and a dead letter
    /// goes in whole.
    fn keeps_dead_letters(&self) -> bool;

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
    /// Whether parcels are batches.
    pub is_batched: bool,
    pub in_flight_max: usize,
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
    pub reason: &'static str,
    /// What the system or the client said; never holds secrets.
    pub detail: String,
}
