//! A transport with the shape of a real one, which is never opened.

use std::collections::BTreeMap;

use cloudevents_nl_codec::{Binding, KAFKA};
use serde::Deserialize;

use crate::interval::Interval;
use crate::transport::registry::{
    Address, ConnectionSettings, OpenError, OpenSink, OpenSource, SinkEntry, SinkOpening,
    SinkSettings, SourceEntry, SourceOpening, SourceSettings, Transport, check_connection,
    read_sink, read_source,
};
use crate::transport::setting::SettingProblem;
use crate::transport::{Sink, Source};

pub(super) const TRANSPORTS: &[Transport] = &[Transport {
    name: "log_file",
    connection: Some(check_connection::<Connection>),
    source: Some(SourceEntry {
        key: "log_file",
        read: read_source::<Place>,
    }),
    sink: Some(SinkEntry {
        key: "log_file",
        read: read_sink::<Place>,
    }),
    view: None,
}];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "tests look at it through Debug")]
struct Connection {
    directory: String,
    #[serde(default = "second")]
    flush: Interval,
    #[serde(default)]
    properties: BTreeMap<String, String>,
}

impl ConnectionSettings for Connection {
    fn problems(&self) -> Vec<SettingProblem> {
        Vec::new()
    }
}

fn second() -> Interval {
    Interval::seconds(1)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    topic: String,
}

/// What was proven, whole, so that tests can look at it.
#[derive(Debug)]
struct Proven(Connection, Place);

impl Place {
    fn check(self, connection: Connection) -> Result<Proven, Vec<SettingProblem>> {
        if self.topic.contains(' ') {
            return Err(vec![SettingProblem::new(
                "topic",
                "holds a space",
                "take it out",
            )]);
        }
        Ok(Proven(connection, self))
    }
}

impl SourceSettings for Place {
    type Connection = Connection;
    fn prove(self, connection: Connection) -> Result<Box<dyn OpenSource>, Vec<SettingProblem>> {
        Ok(Box::new(self.check(connection)?))
    }
}

impl SinkSettings for Place {
    type Connection = Connection;
    fn prove(self, connection: Connection) -> Result<Box<dyn OpenSink>, Vec<SettingProblem>> {
        Ok(Box::new(self.check(connection)?))
    }
}

impl Proven {
    fn place(&self) -> Address {
        Address {
            transport: "log_file",
            server: self.0.directory.clone(),
            name: self.1.topic.clone(),
        }
    }
}

impl OpenSource for Proven {
    fn address(&self) -> Address {
        self.place()
    }
    fn claim(&self) -> Option<String> {
        Some(self.place().to_string())
    }
    fn has_waiting_sender(&self) -> bool {
        self.1.topic == "request"
    }
    fn open(&self, _: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        unreachable!("a plan opens nothing")
    }
}

impl OpenSink for Proven {
    fn address(&self) -> Address {
        self.place()
    }
    fn binding(&self) -> &'static Binding {
        &KAFKA
    }
    fn has_record_key(&self) -> bool {
        true
    }
    fn keeps_dead_letters(&self) -> bool {
        self.1.topic != "forgetful"
    }
    fn has_one_size_limit(&self) -> bool {
        self.0.directory == "small"
    }
    fn takes_events(&self) -> bool {
        self.1.topic != "dead-letters-only"
    }
    fn open(&self, _: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        unreachable!("a plan opens nothing")
    }
}
