//! The sink in the registry of transports.

use cloudevents_nl_codec::{Binding, NATS};

use super::settings::SinkSettings;
use super::{NatsSink, Promise, header_encoding};
use crate::transport::Sink;
use crate::transport::nats::TRANSPORT;
use crate::transport::nats::connection::{Cluster, Connection};
use crate::transport::nats::view::{NatsView, Place};
use crate::transport::registry::{
    self, Address, OpenError, OpenSink, SinkEntry, SinkOpening, read_sink,
};
use crate::transport::secret::read_secret;
use crate::transport::setting::SettingProblem;
use crate::transport::view::OpenView;

/// `nats` in `[route.sink]` and `[route.dead_letter]`.
pub(in crate::transport::nats) const ENTRY: SinkEntry = SinkEntry {
    key: "nats",
    read: read_sink::<SinkSettings>,
};

impl registry::SinkSettings for SinkSettings {
    type Connection = Connection;

    fn prove(self, connection: Connection) -> Result<Box<dyn OpenSink>, Vec<SettingProblem>> {
        let promise = self.promise()?;
        // A connection with problems of its own has reported them.
        let cluster = connection.prove(read_secret).map_err(|_| Vec::new())?;
        Ok(Box::new(ProvenSink {
            cluster,
            promise,
            settings: self,
        }))
    }
}

#[derive(Debug)]
struct ProvenSink {
    cluster: Cluster,
    promise: Promise,
    settings: SinkSettings,
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
        let name = format!("stream {}", self.settings.stream.as_ref()?);
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
        matches!(self.promise, Promise::Stored(_)) && self.settings.memory_storage.is_none()
    }

    fn has_one_size_limit(&self) -> bool {
        true
    }

    fn message_id_scope(&self) -> Option<&str> {
        matches!(self.promise, Promise::Stored(_)).then_some(self.settings.subject.as_str())
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
            place: match &self.promise {
                Promise::Stored(stream) => Place::Stream {
                    stream: stream.clone(),
                    filters: vec![subject],
                },
                Promise::HandedOver => Place::Subject(subject),
            },
            is_dead_letters: true,
        }))
    }

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        let promise = self.promise.clone();
        let sink = NatsSink::open(&self.cluster, &self.settings, promise, &opening);
        Ok(Box::new(sink))
    }
}
