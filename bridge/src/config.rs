//! The shape of the settings, and the way they are read: defaults ← file ← environment.
//!
//! Nothing here decides whether settings make sense together; that is the [plan](crate::plan).

mod environment;
mod fault;
mod origin;
pub(crate) mod path;
mod problem;
mod redact;
pub(crate) mod route;
mod table;
mod value;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path as FilePath;

use figment::providers::{Format, Toml};
use figment::value::{Dict, Value};
use figment::{Figment, Profile};
use serde::Deserialize;

use crate::interval::Interval;
use environment::Environment;
pub(crate) use fault::{list, nearest};
use origin::Origins;
pub(crate) use problem::Findings;
pub use problem::{Problem, Problems};
pub use table::Table;

/// `[admin]`: where health and metrics are served.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct Admin {
    /// Address and port. Default `127.0.0.1:9464`.
    pub listen: SocketAddr,
    /// Says that other machines may read them. Default false: loopback alone is listened on.
    pub outside_loopback: bool,
}

impl Default for Admin {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 9464)),
            outside_loopback: false,
        }
    }
}

/// `[log]`: what is written to standard error.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// Default `text`.
    pub format: LogFormat,
    /// Default `info`.
    pub level: LogLevel,
}

/// How a log line is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line, for collectors.
    Json,
}

/// The least important log line that is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Lost data, or a human is needed.
    Error,
    /// Something failed and is dealt with.
    Warn,
    /// Starts, stops and changes of state.
    #[default]
    Info,
    /// For developers.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// The level as settings and log filters write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

/// `[limits]`: bounds that hold for every route.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest event on the wire, headers and body, in bytes. Default 1 MiB.
    pub event_bytes: usize,
    /// Largest batch on the wire, in bytes. Default 4 MiB.
    pub batch_bytes: usize,
    /// Most events of one batch. Default 1,000.
    pub batch_events: usize,
    /// Most attributes of one event. Default 256.
    pub attributes: usize,
    /// Deepest nesting of a JSON text. Default 127.
    pub depth: usize,
    /// Most bytes of memory for events, taken or fetched ahead, of all routes together. Default
    /// 256 MiB.
    pub buffered_bytes: usize,
    /// Longest wait for what is in flight when the bridge stops. Default 20 s.
    pub shutdown_deadline: Interval,
}

impl Default for Limits {
    fn default() -> Self {
        let codec = cloudevents_nl_codec::Limits::default();
        Self {
            event_bytes: codec.event_bytes,
            batch_bytes: codec.batch_bytes,
            batch_events: codec.batch_events,
            attributes: codec.attributes,
            depth: codec.depth,
            buffered_bytes: 256 << 20,
            shutdown_deadline: Interval::seconds(20),
        }
    }
}

/// The settings as they were found, merged and not yet looked at.
pub struct Document {
    root: Dict,
    origins: Origins,
    refused: Vec<(String, &'static str, &'static str)>,
}

impl Document {
    /// Reads the file and lays the variables over it. `connections` names the tables whose keys
    /// are names of connections.
    ///
    /// # Errors
    /// When the file cannot be read, or is not TOML.
    pub fn load(
        file: &FilePath,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        connections: &[&str],
    ) -> Result<Self, Problems> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            let what = format!("cannot be read: {error}");
            Problems::one(
                file.display().to_string(),
                what,
                "give --config the path of a readable file",
            )
        })?;
        Self::parse(file, &text, variables, connections)
    }

    /// As [`Document::load`], with the text of the file at hand.
    ///
    /// # Errors
    /// When the text is not TOML.
    pub fn parse(
        file: &FilePath,
        text: &str,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        connections: &[&str],
    ) -> Result<Self, Problems> {
        let name = file.display();
        let spans = toml_edit::ImDocument::parse(text).map_err(|error| {
            let line = origin::line_of(text, error.span().map_or(0, |span| span.start));
            let what = format!("is not TOML: {}", error.message().replace('\n', ", "));
            Problems::one(format!("{name}:{line}"), what, "correct the line")
        })?;
        let mut environment = Environment::read(variables, connections);
        let refused = std::mem::take(&mut environment.refused);
        let variables: BTreeMap<_, _> = std::mem::take(&mut environment.variables);
        let merged = Figment::new().merge(Toml::string(text)).merge(environment);
        let mut layers = figment::Provider::data(&merged).map_err(|error| {
            // The first line says where; those below it repeat the text of the file.
            let said = error.to_string();
            let what = format!("is not TOML: {}", said.lines().next().unwrap_or_default());
            Problems::one(name.to_string(), what, "correct the line")
        })?;
        Ok(Self {
            root: layers.remove(&Profile::Default).unwrap_or_default(),
            origins: Origins::new(file, &spans, variables),
            refused,
        })
    }

    pub(crate) fn findings(&self) -> Findings<'_> {
        let findings = Findings::new(&self.root, &self.origins);
        for (variable, what, remedy) in &self.refused {
            findings.report_variable(variable, what, remedy);
        }
        findings
    }

    pub(crate) fn table<'d>(&'d self, findings: &'d Findings<'d>) -> Table<'d> {
        Table::new(findings, path::Path::default(), &self.root)
    }
}

/// No value: which of them are secrets is known only when all keys are.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.root.keys()).finish()
    }
}

/// The values as they were merged, one `key = value` per line, secrets as `***`. For settings that
/// were proven: below a key that is not known it would show a secret.
impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root
            .iter()
            .try_for_each(|(key, value)| write_values(f, &path::Path::default().key(key), value))
    }
}

fn write_values(f: &mut fmt::Formatter<'_>, path: &path::Path, value: &Value) -> fmt::Result {
    match value {
        Value::Dict(_, table) => table
            .iter()
            .try_for_each(|(key, value)| write_values(f, &path.key(key), value)),
        Value::Array(_, list) if list.iter().any(|element| element.as_dict().is_some()) => list
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| write_values(f, &path.index(index), value)),
        _ => match redact::shown(path, value) {
            Some(shown) => writeln!(f, "{path} = {shown}"),
            None => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests;
