//! NATS in the registry of transports.

use super::connection::{Cluster, Connection};
use super::core::CoreSource;
use super::settings::{Origin, SourceSettings};
use super::sink;
use super::source::JetStreamSource;
use super::subject;
use super::view::{NatsView, Place};
use crate::transport::Source;
use crate::transport::registry::{
    self, Address, ConnectionSettings, OpenError, OpenSource, SourceEntry, SourceOpening,
    Transport, ViewEntry, ViewSettings, check_connection, read_source, read_view,
};
use crate::transport::secret::read_secret;
use crate::transport::setting::SettingProblem;
use crate::transport::view::OpenView;

/// Where a server listens that is written without a port.
const PORT: u16 = 4222;

/// `nats` in `[route.source]`, `[route.sink]` and `[route.dead_letter]`.
pub const TRANSPORT: Transport = Transport {
    name: "nats",
    connection: Some(check_connection::<Connection>),
    source: Some(SourceEntry {
        key: "nats",
        read: read_source::<SourceSettings>,
    }),
    sink: Some(sink::ENTRY),
    view: Some(ViewEntry {
        read: read_view::<Connection>,
    }),
};

impl ConnectionSettings for Connection {
    fn problems(&self) -> Vec<SettingProblem> {
        self.prove(read_secret).err().unwrap_or_default()
    }
}

impl ViewSettings for Connection {
    fn view(self, subject: &str) -> Result<Box<dyn OpenView>, Vec<SettingProblem>> {
        let cluster = self.prove(read_secret)?;
        Ok(Box::new(NatsView::of_subject(cluster, subject)?))
    }
}

impl registry::SourceSettings for SourceSettings {
    type Connection = Connection;

    fn prove(self, connection: Connection) -> Result<Box<dyn OpenSource>, Vec<SettingProblem>> {
        let origin = self.origin()?;
        // A connection has reported its own problems.
        let cluster = connection.prove(read_secret).map_err(|_| Vec::new())?;
        Ok(Box::new(ProvenSource { cluster, origin }))
    }
}

#[derive(Debug)]
struct ProvenSource {
    cluster: Cluster,
    origin: Origin,
}

impl OpenSource for ProvenSource {
    fn address(&self) -> Address {
        let name = match &self.origin {
            Origin::Stream(origin) => format!("stream {}", origin.stream),
            Origin::Subject { subject, .. } => subject.clone(),
        };
        Address {
            transport: TRANSPORT.name,
            server: self.cluster.servers().to_owned(),
            name,
        }
    }

    fn claim(&self) -> Option<String> {
        let address = OpenSource::address(self);
        match &self.origin {
            Origin::Stream(origin) => Some(format!("{address} durable {}", origin.durable)),
            Origin::Subject {
                queue: Some(queue), ..
            } => Some(format!("{address} queue {queue}")),
            // Each subscription gets all there is.
            Origin::Subject { queue: None, .. } => None,
        }
    }

    fn reads(&self, place: &Address) -> bool {
        // A stream is no subject; its place has a space in its name.
        let comes_through =
            |filter: &String| !place.name.contains(' ') && subject::matches(filter, &place.name);
        let address = OpenSource::address(self);
        address.shares_server(place, PORT)
            && match &self.origin {
                Origin::Stream(origin) if origin.subjects.is_empty() => address.name == place.name,
                Origin::Stream(origin) => origin.subjects.iter().any(comes_through),
                Origin::Subject { subject, .. } => comes_through(subject),
            }
    }

    fn has_waiting_sender(&self) -> bool {
        false
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        Some(Box::new(NatsView {
            cluster: self.cluster.clone(),
            place: match &self.origin {
                Origin::Stream(origin) => Place::Stream {
                    stream: origin.stream.clone(),
                    filters: origin.subjects.clone(),
                },
                Origin::Subject { subject, .. } => Place::Subject(subject.clone()),
            },
            is_dead_letters: false,
        }))
    }

    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        let SourceOpening {
            window,
            share,
            keeps_order,
            status,
            ..
        } = opening;
        let cluster = self.cluster.clone();
        Ok(match self.origin.clone() {
            Origin::Stream(origin) => Box::new(JetStreamSource {
                cluster,
                origin,
                keeps_order,
                window,
                share,
                status,
            }),
            Origin::Subject { subject, queue } => Box::new(CoreSource {
                cluster,
                subject,
                queue,
                window,
                share,
                status,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use registry::SourceSettings as _;

    use super::*;

    fn source(json: &str) -> Box<dyn OpenSource> {
        let connection = serde_json::from_str(r#"{ "servers": "127.0.0.1:4222" }"#).unwrap();
        let settings: SourceSettings = serde_json::from_str(json).unwrap();
        settings.prove(connection).unwrap()
    }

    #[test]
    fn a_route_that_would_read_what_it_writes_is_seen() {
        let place = |name: &str| Address {
            transport: "nats",
            server: "127.0.0.1:4222".into(),
            name: name.into(),
        };
        let stream = source(r#"{ "stream": "S", "durable": "d", "subjects": ["a.*", "b"] }"#);
        let subject = source(r#"{ "subject": "a.>", "delivery": "at-most-once" }"#);
        for (name, by_stream, by_subject) in [
            ("a.x", true, true),
            ("a.x.y", false, true),
            ("b", true, false),
            ("c", false, false),
        ] {
            assert_eq!(stream.reads(&place(name)), by_stream, "{name}");
            assert_eq!(subject.reads(&place(name)), by_subject, "{name}");
        }
        let elsewhere = Address {
            server: "other:4222".into(),
            ..place("b")
        };
        assert!(!stream.reads(&elsewhere));
    }

    #[test]
    fn a_durable_or_a_queue_is_for_one_route() {
        let claim = |json: &str| source(json).claim();
        let durable = claim(r#"{ "stream": "S", "durable": "d" }"#);
        assert_eq!(
            durable.as_deref(),
            Some("nats 127.0.0.1:4222 stream S durable d")
        );
        let queue = claim(r#"{ "subject": "a", "queue": "q", "delivery": "at-most-once" }"#);
        assert_eq!(queue.as_deref(), Some("nats 127.0.0.1:4222 a queue q"));
        assert_eq!(
            claim(r#"{ "subject": "a", "delivery": "at-most-once" }"#),
            None
        );
    }
}
