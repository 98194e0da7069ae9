//! The settings, resolved and proven: the rules between settings. Those inside a transport's table are its own.

mod connections;
mod filter;
pub(crate) mod look;
mod route;
mod rules;
mod schema;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cloudevents_nl_codec::{AttributeType, Decoder, Leniency, Register};

use crate::config::{
    AdminSettings, Document, Files, Inputs, Limits, Log, Problem, Problems, Reported, Table, Words,
    did_you_mean, list,
};
use crate::delivery::window::Capacity;
use crate::outcome::Next;
use crate::route::check::Check;
use crate::route::filter::Filter;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::route::target::{Order, RecordKey, WriteMode};
use crate::traces::TraceSettings;
use crate::transport::contract::{OpenSink, OpenSource, Transport};
use connections::Connections;
use route::DeadLetterSettings;
pub use schema::schema;

#[derive(Debug)]
pub struct Plan {
    pub(crate) admin: AdminSettings,
    pub(crate) log: Log,
    pub(crate) traces: Option<TraceSettings>,
    pub(crate) buffered_bytes: usize,
    pub(crate) shutdown_deadline: Duration,
    /// Lenient, as nothing is judged; the steps of a route check the data of what does not go on as it came.
    pub(crate) decoder: Decoder,
    pub routes: Vec<RoutePlan>,
    pub warnings: Vec<Problem>,
    /// `key = value` of all that is in effect, defaults among them; secrets as `***`.
    pub(crate) effective: Vec<String>,
}

#[derive(Debug)]
pub struct RoutePlan {
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<dyn OpenSource>,
    pub(crate) sink: Arc<dyn OpenSink>,
    /// `Some` exactly with [`OnError::DeadLetter`].
    pub(crate) dead_letter: Option<Arc<dyn OpenSink>>,
    pub(crate) dead_letters: DeadLetterSettings,
    /// Without meaning where a sender waits.
    pub(crate) on_error: OnError,
    pub(crate) order: Order,
    pub(crate) check: Option<Check>,
    pub filter: Option<Filter>,
    pub(crate) retry: RetryPolicy,
    /// Statuses that are read otherwise than the table of outcomes says.
    pub outcomes: BTreeMap<u16, Next>,
    /// Of each window.
    pub(crate) window: Capacity,
    pub(crate) in_flight_max: usize,
    pub(crate) mode: WriteMode,
    pub(crate) record_key: RecordKey,
    /// Foreign headers that go along, in lower case.
    pub(crate) forward_headers: Vec<Box<str>>,
    /// One event unless the mode is batched.
    pub(crate) batch: Capacity,
    /// All that it was read from.
    pub(crate) inputs: Inputs,
}

/// Equal where all that they were read from is, the content of files included.
impl PartialEq for RoutePlan {
    fn eq(&self, other: &Self) -> bool {
        self.inputs == other.inputs
    }
}

impl Plan {
    /// All problems, in the order of the file.
    pub fn prove(document: &Document, transports: &[Transport]) -> Result<Self, Problems> {
        let findings = document.findings();
        let plan = Self::read(&document.table(&findings), transports);
        let effective = findings.effective();
        let (plan, warnings) = findings.conclude(plan)?;
        Ok(Self {
            effective,
            warnings,
            ..plan
        })
    }

    /// With tokens, keys and certificates.
    pub(crate) fn files(&self) -> Files {
        let files = self.routes.iter().flat_map(|route| &route.inputs.files);
        let files = files.map(|(path, content)| (path.clone(), *content));
        files.collect()
    }

    /// The error says which there are.
    pub fn route(&self, name: &str) -> Result<&RoutePlan, String> {
        let found = self.routes.iter().find(|route| *route.name == *name);
        found.ok_or_else(|| {
            let names = || self.routes.iter().map(|route| &*route.name);
            let remedy = did_you_mean(name, names(), || format!("there is {}", list(names())));
            format!("there is no route {name:?}; {remedy}")
        })
    }

    /// What it returns counts only without a problem.
    fn read(root: &Table<'_>, transports: &[Transport]) -> Result<Self, Reported> {
        let admin = root.section("admin", AdminSettings::read);
        let log = root.section("log", Log::read);
        let traces = root.part("traces", TraceSettings::read).transpose();
        let limits = root.section("limits", Limits::read);
        let register = register(root);
        let connections = Connections::read(root, transports);
        if !root.has("route") {
            let what = "is missing: there is nothing to carry";
            root.report(&["route"], what, "add a [[route]]");
        }
        let tables = root.list("route");
        let deadline = limits.as_ref().map(|limits| limits.shutdown_deadline);
        let draft = |table| route::Draft::read(table, &connections, deadline.ok());
        let drafts: Vec<_> = tables.iter().map(draft).collect();
        rules::between_routes(&tables, &drafts);
        connections.check_use(admin.as_ref().ok());
        root.finish();
        let limits = limits?;
        let routes = drafts.into_iter().map(|draft| draft.plan);
        Ok(Self {
            admin: admin?,
            log: log?,
            traces: traces?,
            buffered_bytes: limits.buffered_bytes,
            shutdown_deadline: limits.shutdown_deadline,
            decoder: carrying(limits.codec, register?),
            routes: routes.collect::<Result<_, _>>()?,
            warnings: Vec::new(),
            effective: Vec::new(),
        })
    }
}

/// As `check-config` prints it.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}\n")?;
        }
        let mut effective = self.effective.iter();
        // One paragraph per table at the top, and per route.
        let top = |line: &String| line.split('.').next().map(str::to_owned);
        let mut last = self.effective.first().and_then(top);
        effective.try_for_each(|line| {
            let begins = std::mem::replace(&mut last, top(line)) != last;
            writeln!(f, "{}{line}", if begins { "\n" } else { "" })
        })
    }
}

fn carrying(limits: cloudevents_nl_codec::Limits, register: Register) -> Decoder {
    let leniency = Leniency::INTERMEDIARY.with_opaque_data(true);
    Decoder::new(limits, register).with_leniency(leniency)
}

impl Words for AttributeType {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("string", Self::String),
        ("binary", Self::Binary),
        ("uri", Self::Uri),
        ("uri-reference", Self::UriReference),
        ("timestamp", Self::Timestamp),
    ];
}

fn register(root: &Table<'_>) -> Result<Register, Reported> {
    let meaning = "`NAME = \"TYPE\"` gives an extension attribute its type";
    let extensions = root.key::<BTreeMap<String, AttributeType>>("extensions", meaning);
    let mut register = Register::default();
    for (name, ty) in extensions.optional("none")?.unwrap_or_default() {
        let keys = ["extensions", &name];
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if !name.bytes().all(is_letter) || name.is_empty() {
            let remedy = "use lower-case letters and digits";
            root.report(&keys, "is not a name that an attribute can have", remedy);
        } else if Register::is_reserved(&name) {
            let what = "is not an extension: the core specification types it";
            root.report(&keys, what, "remove it");
        }
        register = register.with(&name, ty);
    }
    Ok(register)
}

#[cfg(test)]
mod tests;
