//! A transport with the shape of a real one, which is never opened.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::config::{Fault, Reported, Table};
use crate::transport::address::Address;
use crate::transport::contract::{
    Entry, OpenError, OpenSink, OpenSource, SinkOpening, SourceOpening, Transport,
};
use crate::transport::{Sink, Source};
use cloudevents_nl_codec::{Binding, KAFKA};

pub(super) const TRANSPORTS: &[Transport] = &[Transport {
    name: "log_file",
    tables: &[("log_file", |table| Connection::read(table).map(|_| None))],
    source: Some(Entry {
        key: "log_file",
        read: |table, connection| Ok(Box::new(Proven::read(table, connection)?)),
    }),
    sink: Some(Entry {
        key: "log_file",
        read: |table, connection| Ok(Box::new(Proven::read(table, connection)?)),
    }),
    view: None,
}];

#[derive(Debug)]
#[allow(dead_code, reason = "tests look at it through Debug")]
struct Connection {
    directory: String,
    flush: Duration,
    properties: BTreeMap<String, String>,
}

impl Connection {
    fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let directory = table.key("directory", "").required();
        let flush = table.key("flush", "").or("1s");
        let properties: Result<Option<_>, _> = table.key("properties", "").optional("none");
        Ok(Self {
            directory: directory?,
            flush: flush?,
            properties: properties?.unwrap_or_default(),
        })
    }
}

/// What was proven, whole, so that tests can look at it.
#[derive(Debug)]
struct Proven(Connection, String);

impl Proven {
    fn read(table: &Table<'_>, connection: &Table<'_>) -> Result<Self, Reported> {
        let topic = table.key("topic", "").must(has_no_space).required();
        Ok(Self(Connection::read(connection)?, topic?))
    }

    fn place(&self) -> Address {
        Address {
            transport: "log_file",
            server: self.0.directory.clone(),
            name: self.1.clone(),
        }
    }
}

fn has_no_space(topic: &str) -> Result<(), Fault> {
    Fault::unless(!topic.contains(' '), "holds a space", "take it out")
}

impl OpenSource for Proven {
    fn address(&self) -> Address {
        self.place()
    }
    fn claim(&self) -> Option<String> {
        Some(self.place().to_string())
    }
    fn has_waiting_sender(&self) -> bool {
        self.1 == "request"
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
    fn keeps_dead_letters(&self) -> bool {
        self.1 != "forgetful"
    }
    fn takes_events(&self) -> bool {
        self.1 != "dead-letters-only"
    }
    fn open(&self, _: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        unreachable!("a plan opens nothing")
    }
}
