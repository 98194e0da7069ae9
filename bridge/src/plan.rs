//! The settings, resolved and proven: what a [`Plan`] says can be started.
//!
//! Every rule between settings is here; the rules inside one transport's table are the transport's.

mod connections;
mod describe;
mod route;
mod rules;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cloudevents_nl_codec::{AttributeType, Decoder, Leniency, Limits, Register};
use serde::Deserialize;

use crate::config::{Admin, Document, Log, Problems, Table, list, nearest};
use crate::delivery::window::Capacity;
use crate::outcome::Next;
use crate::route::filter::Filter;
use crate::route::in_flight::BatchLimits;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::route::target::{Order, RecordKey, WriteMode};
use crate::transport::registry::{OpenSink, OpenSource, Transport};
use connections::Connections;
pub use view::{NoView, view};

/// All that the runtime needs to know.
#[derive(Debug)]
#[non_exhaustive]
pub struct Plan {
    /// Where health and metrics are served.
    pub admin: Admin,
    /// What is logged.
    pub log: Log,
    /// Most bytes of memory for events of all routes together.
    pub buffered_bytes: usize,
    /// Longest wait for what is in flight when the bridge stops.
    pub shutdown_deadline: Duration,
    /// Reads every message, within bounds: leniently, because the bridge carries events and does not judge them. The
    /// steps of a route look at the data of what does not go on as it came.
    pub decoder: Decoder,
    /// The routes, at least one.
    pub routes: Vec<RoutePlan>,
}

/// One route.
#[derive(Debug)]
#[non_exhaustive]
pub struct RoutePlan {
    /// Its name, unlike every other's.
    pub name: Arc<str>,
    /// Where events come from.
    pub source: Box<dyn OpenSource>,
    /// Where they go.
    pub sink: Box<dyn OpenSink>,
    /// Where dead letters go: there exactly when `on_error` says so.
    pub dead_letter: Option<Box<dyn OpenSink>>,
    /// What becomes of events that can never be delivered. Without meaning where a sender waits.
    pub on_error: OnError,
    /// Which events keep their order.
    pub order: Order,
    /// Which events it wants.
    pub filter: Option<Filter>,
    /// How it retries.
    pub retry: RetryPolicy,
    /// What it reads statuses as, where the table of outcomes says otherwise.
    pub outcomes: BTreeMap<u16, Next>,
    /// Bounds of each window.
    pub window: Capacity,
    /// Most exchanges under way.
    pub in_flight_max: usize,
    /// The mode it writes.
    pub mode: WriteMode,
    /// The record key it writes.
    pub record_key: RecordKey,
    /// Foreign headers that go along, in lower case.
    pub forward_headers: Vec<Box<str>>,
    /// How large a batch may get; one event unless the mode is batched.
    pub batch: BatchLimits,
    /// What is sound, and yet worth a second look.
    pub warnings: Vec<String>,
}

impl RoutePlan {
    /// Where settings go badly together.
    fn warn(&mut self, shutdown_deadline: Duration) {
        if self.shares_size_limit() {
            let what = "what is too large for the server is too large as a dead letter too, and its \
                        key stands still: send dead letters to a file or to Kafka";
            self.warnings.push(what.to_owned());
        }
        let exchange = self.sink.exchange_timeout().unwrap_or_default();
        let (drain, deadline) = (self.source.drain(), Some(shutdown_deadline));
        for (key, wait) in [("drain", drain), ("[limits] shutdown_deadline", deadline)] {
            if let Some(wait) = wait.filter(|wait| *wait < exchange) {
                self.warnings.push(format!(
                    "{key} = {wait:?} is below exchange_timeout = {exchange:?}: what the receiver takes \
                     later than that is sent again: make one longer, or the other shorter"
                ));
            }
        }
    }

    /// Whether dead letters go to a server that refuses them for their size as it refuses events: one
    /// that is too large then stands still.
    #[must_use]
    pub fn shares_size_limit(&self) -> bool {
        let (events, Some(dead_letters)) = (self.sink.address(), &self.dead_letter) else {
            return false;
        };
        let place = dead_letters.address();
        dead_letters.has_one_size_limit()
            && (events.transport, events.server) == (place.transport, place.server)
    }
}

impl Plan {
    /// Proves the settings against the transports there are.
    ///
    /// # Errors
    /// Every problem, in the order of the file.
    pub fn prove(document: &Document, transports: &[Transport]) -> Result<Self, Problems> {
        let findings = document.findings();
        let plan = Self::read(&document.table(&findings), transports);
        match (plan, findings.into_problems()) {
            (Some(plan), None) => Ok(plan),
            (_, Some(problems)) => Err(problems),
            (None, None) => unreachable!("what cannot be read is reported"),
        }
    }

    /// The route of that name.
    ///
    /// # Errors
    /// A sentence that says which there are.
    pub fn route(&self, name: &str) -> Result<&RoutePlan, String> {
        let found = self.routes.iter().find(|route| *route.name == *name);
        found.ok_or_else(|| self.no_route(name))
    }

    fn no_route(&self, name: &str) -> String {
        let names: Vec<_> = self.routes.iter().map(|route| &*route.name).collect();
        match nearest(name, names.iter().copied()) {
            Some(other) => format!("there is no route {name:?}; did you mean {other:?}?"),
            None => format!("there is no route {name:?}; there is {}", list(names)),
        }
    }

    /// Reports every problem; what it returns counts only when there was none.
    fn read(root: &Table<'_>, transports: &[Transport]) -> Option<Self> {
        let admin = admin(root);
        let log = section(root, "log");
        let limits: Option<crate::config::Limits> = section(root, "limits");
        let register = register(root);
        let connections = Connections::read(root, transports);
        if !root.has("route") {
            root.report(
                "route",
                "is missing: there is nothing to carry",
                "add a [[route]]",
            );
        }
        let tables = root.list("route");
        let drafts: Vec<_> = tables
            .iter()
            .map(|table| route::prove(table, &connections))
            .collect();
        rules::between_routes(&tables, &drafts);
        root.finish();
        let limits = limits?;
        let decoder = Decoder::new(codec_limits(&limits), register?);
        let routes = drafts.into_iter().map(route::Draft::complete);
        let mut routes = routes.collect::<Option<Vec<_>>>()?;
        let deadline = limits.shutdown_deadline.0;
        routes.iter_mut().for_each(|route| route.warn(deadline));
        Some(Self {
            admin: admin?,
            log: log?,
            buffered_bytes: limits.buffered_bytes,
            shutdown_deadline: deadline,
            decoder: decoder.with_leniency(Leniency::INTERMEDIARY.with_opaque_data(true)),
            routes,
        })
    }
}

/// Whoever reaches the port reads the names of all routes, and how they fare.
fn admin(root: &Table<'_>) -> Option<Admin> {
    let admin: Admin = section(root, "admin")?;
    let is_asked_for = admin.listen.ip().is_loopback() || admin.outside_loopback;
    if let (false, Some(table)) = (is_asked_for, root.table("admin")) {
        let remedy = "listen on loopback, or set outside_loopback = true";
        table.report("listen", "health and metrics leave this machine", remedy);
    }
    Some(admin)
}

/// Reads a table of which every key has a default.
fn section<T: serde::de::DeserializeOwned + Default>(root: &Table<'_>, key: &str) -> Option<T> {
    let Some(table) = root.table(key) else {
        return Some(T::default());
    };
    let section = table.read();
    table.finish();
    section
}

fn codec_limits(settings: &crate::config::Limits) -> Limits {
    let mut limits = Limits::default();
    limits.event_bytes = settings.event_bytes;
    limits.batch_bytes = settings.batch_bytes;
    limits.batch_events = settings.batch_events;
    limits.attributes = settings.attributes;
    limits.depth = settings.depth;
    limits
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TypeSetting {
    Boolean,
    Integer,
    String,
    Binary,
    Uri,
    UriReference,
    Timestamp,
}

fn register(root: &Table<'_>) -> Option<Register> {
    let Some(table) = root.table("extensions") else {
        return Some(Register::default());
    };
    let extensions: BTreeMap<String, TypeSetting> = table.read()?;
    let mut register = Register::default();
    for (name, ty) in extensions {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if !name.bytes().all(is_letter) || name.is_empty() {
            table.report(
                &name,
                "is not a name that an attribute can have",
                "use lower-case letters and digits",
            );
        } else if Register::is_reserved(&name) {
            table.report(
                &name,
                "is not an extension: the core specification types it",
                "remove it",
            );
        }
        register = register.with(
            &name,
            match ty {
                TypeSetting::Boolean => AttributeType::Boolean,
                TypeSetting::Integer => AttributeType::Integer,
                TypeSetting::String => AttributeType::String,
                TypeSetting::Binary => AttributeType::Binary,
                TypeSetting::Uri => AttributeType::Uri,
                TypeSetting::UriReference => AttributeType::UriReference,
                TypeSetting::Timestamp => AttributeType::Timestamp,
            },
        );
    }
    Some(register)
}

#[cfg(test)]
mod tests;
