//! The sink in the registry of transports.

use cloudevents_nl_codec::{Binding, NATS};

use super::settings::SinkSettings;
use super::{NatsSink, Promise, header_encoding};
use crate::transport::Sink;
use crate::transport::address::Address;
use crate::transport::contract::{Entry, OpenError, OpenSink, SinkOpening};
use crate::transport::nats::TRANSPORT;
use crate::transport::nats::connection::Cluster;
use crate::transport::nats::view::{NatsView, Place};
use crate::transport::view::OpenView;

/// `nats` in `[route.sink]` and `[route.dead_letter]`.
pub(in crate::transport::nats) const ENTRY: Entry<dyn OpenSink> = Entry {
    key: "nats",
    read: |table, connection| {
        let (settings, cluster) = (SinkSettings::read(table), Cluster::read(connection));
        Ok(Box::new(ProvenSink {
            cluster: cluster?,
            settings: settings?,
        }))
    },
};

/// What is written, with the servers it is on.
#[derive(Debug)]
struct ProvenSink {
    cluster: Cluster,
    settings: SinkSettings,
}

impl ProvenSink {
    fn stream(&self) -> Option<&str> {
        match &self.settings.promise {
            Promise::Stored(stream) => Some(stream),
            Promise::HandedOver => None,
        }
    }
}

impl OpenSink for ProvenSink {
    fn address(&self) -> Address {
        Address {
            transport: TRANSPORT.name,
            server: self.cluster.servers().to_owned(),
            name: self.settings.subject.clone(),
        }
    }

    fn store(&self) -> Option<Address> {
        let name = format!("stream {}", self.stream()?);
        Some(Address {
            name,
            ..self.address()
        })
    }

    fn binding(&self) -> &'static Binding {
        &NATS
    }

    fn has_record_key(&self) -> bool {
        false
    }

    fn keeps_dead_letters(&self) -> bool {
        self.stream().is_some() && self.settings.memory_storage.is_none()
    }

    fn message_id_scope(&self) -> Option<&str> {
        self.stream().map(|_| self.settings.subject.as_str())
    }

    fn in_flight_default(&self) -> usize {
        // As many as a window holds: a stream takes them as they come.
        1000
    }

    fn refuses_header(&self, name: &str) -> bool {
        header_encoding::is_reserved(name)
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        let subject = self.settings.subject.clone();
        Some(Box::new(NatsView {
            cluster: self.cluster.clone(),
            place: match self.stream() {
                Some(stream) => Place::Stream {
                    stream: stream.to_owned(),
                    filters: vec![subject],
                },
                None => Place::Subject(subject),
            },
            is_dead_letters: true,
        }))
    }

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        let promise = self.settings.promise.clone();
        let sink = NatsSink::open(&self.cluster, &self.settings, promise, &opening);
        Ok(Box::new(sink))
    }
}
