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
use crate::route::steps::RouteConfig;
use crate::traces::TraceSettings;
use crate::transport::contract::{OpenSink, OpenSource, Transport};
use connections::Connections;
pub use schema::schema;

#[derive(Debug)]
pub struct Plan {
    pub(crate) admin: AdminSettings,
    pub(crate) log: Log,
    pub(crate) traces: Option<TraceSettings>,
    pub(crate) buffered_bytes: usize,
    pub(crate) shutdown_deadline: Duration,
    pub routes: Vec<RoutePlan>,
    pub warnings: Vec<Problem>,
    /// `key = value` of all that is in effect, defaults among them; secrets as `***`.
    pub(crate) effective: Vec<String>,
}

#[derive(Debug)]
pub struct RoutePlan {
    pub(crate) source: Arc<dyn OpenSource>,
    pub(crate) sink: Arc<dyn OpenSink>,
    /// `Some` exactly where events that fail become dead letters.
    pub(crate) dead_letter: Option<Arc<dyn OpenSink>>,
    pub(crate) keeps_error_body: bool,
    /// Of each window.
    pub(crate) window: Capacity,
    /// But for what the process adds to it: `[log]` and `[traces]`.
    pub config: RouteConfig,
    /// All that it was read from, but for the decoder.
    pub(crate) inputs: Inputs,
}

/// Equal where all that they were read from is, the content of files included, except those that listeners follow.
impl PartialEq for RoutePlan {
    fn eq(&self, other: &Self) -> bool {
        self.inputs == other.inputs && self.config.decoder == other.config.decoder
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
        let inputs = self.routes.iter().map(|route| &route.inputs);
        let files = inputs.flat_map(|it| it.files.iter().chain(&it.followed));
        let files = files.map(|(path, content)| (path.clone(), *content));
        files.collect()
    }

    /// The error says which there are.
    pub fn route(&self, name: &str) -> Result<&RoutePlan, String> {
        let found = self.routes.iter().find(|route| *route.config.name == *name);
        found.ok_or_else(|| {
            let names = || self.routes.iter().map(|route| &*route.config.name);
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
        let decoder = decoder(root, limits.as_ref());
        let connections = Connections { root, transports };
        if !root.has("route") {
            let what = "is missing: there is nothing to carry";
            root.report(&["route"], what, "add a [[route]]");
        }
        let tables = root.list("route");
        let deadline = limits.as_ref().map(|limits| limits.shutdown_deadline);
        let draft = |table| route::Draft::read(table, &connections, &decoder, deadline.ok());
        let drafts: Vec<_> = tables.iter().map(draft).collect();
        rules::between_routes(&tables, &drafts);
        connections.check(admin.as_ref().ok());
        root.finish();
        let limits = limits?;
        let routes = drafts.into_iter().map(|draft| draft.plan);
        Ok(Self {
            admin: admin?,
            log: log?,
            traces: traces?,
            buffered_bytes: limits.buffered_bytes,
            shutdown_deadline: limits.shutdown_deadline,
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

/// Lenient, as nothing is judged; the steps of a route check the data of what does not go on as it came.
fn decoder(root: &Table<'_>, limits: Result<&Limits, &Reported>) -> Result<Decoder, Reported> {
    let register = register(root)?;
    let limits = limits.map_err(|&reported| reported)?;
    let leniency = Leniency::INTERMEDIARY.with_opaque_data(true);
    Ok(Decoder::new(limits.codec, register).with_leniency(leniency))
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
