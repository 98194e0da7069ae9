//! What a transport says of itself, and what its source or sink can be asked before it is opened.

use std::collections::BTreeMap;
use std::fmt;
use std::future::ready;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use cloudevents_nl_codec::{Binding, Decoder, KAFKA};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::address::Address;
use super::view::{OpenView, ViewError};
use super::{Sink, Source, SourceStatus};
use crate::config::{Fault, Reported, Table};
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;

/// A source or sink that is `None` does not exist for this transport.
#[derive(Debug)]
pub struct Transport {
    pub name: &'static str,
    /// Kinds of tables that routes name, connections of its own name among them: `kafka` for `[kafka.NAME]`.
    pub tables: &'static [(&'static str, CheckTable)],
    pub source: Option<Entry<dyn OpenSource>>,
    pub sink: Option<Entry<dyn OpenSink>>,
    /// For topics or subjects that no route names.
    pub view: Option<ReadView>,
}

/// Says where it listens, by its key `listen`.
pub type CheckTable = fn(&Table<'_>) -> Result<Option<SocketAddr>, Reported>;

/// Reads a connection, and checks that the topic or subject of that name can be looked at.
pub type ReadView = fn(&Table<'_>, &str) -> Result<Box<dyn OpenView>, Reported>;

#[derive(Debug)]
pub struct Entry<T: ?Sized> {
    /// The key of `[route.source]` or `[route.sink]` that chooses this transport.
    pub key: &'static str,
    /// From the table of the route, and that of the connection it names.
    pub read: fn(&Table<'_>, &Table<'_>) -> Result<Box<T>, Reported>,
}

/// What was asked, and the answer; a fault says what to do.
pub type CheckAnswers = Vec<(&'static str, Result<String, Fault>)>;

pub trait OpenSource: fmt::Debug + Send + Sync {
    fn address(&self) -> Address;

    /// What only one route may hold, such as a path of a listener.
    fn claim(&self) -> Option<String>;

    /// Whether what is not settled comes again after the next start.
    fn repeats(&self) -> bool {
        true
    }

    /// Whether what is written to `place` comes back here.
    fn reads(&self, place: &Address) -> bool {
        let address = self.address();
        address.name == place.name && address.shares_server(place)
    }

    /// The time-out of a drain when a part of it moves to another process.
    fn drain(&self) -> Option<Duration> {
        None
    }

    /// Whether it tells its status which part of it this process reads.
    fn tells_part(&self, _keeps_order: bool) -> bool {
        false
    }

    /// A sender that waits repeats by itself, so there are no dead letters and no limit to retries.
    fn has_waiting_sender(&self) -> bool {
        false
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        None
    }

    /// Per partition the first position that is not settled.
    fn committed(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, u64>, ViewError>> {
        let what = format!("{} keeps no position", self.address());
        ready(Err(ViewError::Failed(what))).boxed_local()
    }

    /// Asks whether it can be read, and takes part in nothing.
    fn check(&self, _keeps_order: bool) -> LocalBoxFuture<'_, CheckAnswers> {
        ready(Vec::new()).boxed_local()
    }

    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError>;
}

pub trait OpenSink: fmt::Debug + Send + Sync {
    fn address(&self) -> Address;

    /// Where its messages are stored, if that has a name of its own and can be read by it.
    fn store(&self) -> Option<Address> {
        None
    }

    fn exchange_timeout(&self) -> Option<Duration> {
        None
    }

    fn binding(&self) -> &'static Binding;

    fn has_record_key(&self) -> bool {
        *self.binding() == KAFKA
    }

    /// Enough to keep the destination busy, and no more than one that waits for each answer can bear.
    fn in_flight_default(&self) -> usize {
        64
    }

    /// Needs durable storage, and room for a dead letter as a whole.
    fn keeps_dead_letters(&self) -> bool;

    /// False for a sink of dead letters alone.
    fn takes_events(&self) -> bool {
        true
    }

    /// The scope within which the destination drops repeats: a [`MessageId`](super::MessageId) is of it.
    fn message_id_scope(&self) -> Option<&str> {
        None
    }

    /// Whether the protocol or the sink writes this header, given in lower case.
    fn refuses_header(&self, _: &str) -> bool {
        false
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        None
    }

    /// Asks whether it can be written, and writes nothing.
    fn check(&self, _keeps_dead_letters: bool) -> LocalBoxFuture<'_, CheckAnswers> {
        ready(Vec::new()).boxed_local()
    }

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError>;
}

#[derive(Clone, Debug)]
pub struct SourceOpening {
    pub window: Capacity,
    pub share: Rc<Share>,
    pub keeps_order: bool,
    pub decoder: Decoder,
    pub status: SourceStatus,
}

#[derive(Clone, Debug)]
pub struct SinkOpening {
    /// Whether it gets dead letters, and not the events of the route.
    pub keeps_dead_letters: bool,
    /// Then time counts more than batching.
    pub has_waiting_sender: bool,
    pub is_batched: bool,
    /// Of a refusal, for the dead letter.
    pub keeps_error_body: bool,
    pub in_flight_max: usize,
    /// What must outlive the process may be kept there.
    pub kept_at: Option<Arc<dyn OpenView>>,
    /// Whether a route runs with it, not a replay beside: then it may listen, and has a part of the rate.
    pub serves_route: bool,
    pub route: Arc<str>,
    /// The longest back-off of the route.
    pub retry_max: Duration,
    pub event_bytes_max: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {detail}")]
pub struct OpenError {
    pub reason: &'static str,
    /// Never holds secrets.
    pub detail: String,
}
