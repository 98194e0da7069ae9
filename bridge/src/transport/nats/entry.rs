//! NATS in the registry of transports.

use std::collections::BTreeMap;
use std::future::ready;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::check;
use super::connection::NatsCluster;
use super::core::CoreSource;
use super::settings::NatsOrigin;
use super::sink::NatsSinkSettings;
use super::source::JetStreamSource;
use super::subject;
use super::view::{NatsView, ack_floor};
use crate::transport::Source;
use crate::transport::address::Address;
use crate::transport::contract::{
    CheckAnswers, Entry, OpenError, OpenSource, SourceOpening, Transport,
};
use crate::transport::view::{OpenView, ViewError};

pub const TRANSPORT: Transport = Transport {
    name: "nats",
    tables: &[("nats", |table| NatsCluster::read(table).map(|_| None))],
    source: Some(Entry {
        key: "nats",
        read: |table, connection| {
            let (origin, cluster) = (NatsOrigin::read(table), NatsCluster::read(connection));
            let (origin, cluster) = (origin?, cluster?);
            Ok(Box::new(NatsSourceSettings { cluster, origin }))
        },
    }),
    sink: Some(Entry {
        key: "nats",
        read: |table, connection| {
            let settings = NatsSinkSettings::read(table, NatsCluster::read(connection))?;
            Ok(Box::new(settings))
        },
    }),
    view: Some(|connection, subject| {
        let cluster = NatsCluster::read(connection)?;
        subject::is_filter(subject).map_err(|fault| connection.fault(&["subject"], fault))?;
        Ok(Box::new(NatsView {
            cluster,
            stream: None,
            subjects: vec![subject.to_owned()],
            is_dead_letters: false,
        }))
    }),
};

#[derive(Debug)]
struct NatsSourceSettings {
    cluster: NatsCluster,
    origin: NatsOrigin,
}

impl OpenSource for NatsSourceSettings {
    fn address(&self) -> Address {
        self.cluster.address(match &self.origin {
            NatsOrigin::Stream(origin) => format!("stream {}", origin.stream),
            NatsOrigin::Subject { subject, .. } => subject.clone(),
        })
    }

    fn claim(&self) -> Option<String> {
        let address = OpenSource::address(self);
        match &self.origin {
            NatsOrigin::Stream(origin) => Some(format!("{address} durable {}", origin.durable)),
            // Without a queue each subscription gets every message.
            NatsOrigin::Subject { queue, .. } => {
                Some(format!("{address} queue {}", queue.as_ref()?))
            }
        }
    }

    fn repeats(&self) -> bool {
        matches!(self.origin, NatsOrigin::Stream(_))
    }

    fn reads(&self, place: &Address) -> bool {
        // A subject has no space; the name of a stream's address has one.
        let comes_through =
            |filter: &String| !place.name.contains(' ') && subject::matches(filter, &place.name);
        let address = OpenSource::address(self);
        address.shares_server(place)
            && match &self.origin {
                NatsOrigin::Stream(origin) if origin.subjects.is_empty() => {
                    address.name == place.name
                }
                NatsOrigin::Stream(origin) => origin.subjects.iter().any(comes_through),
                NatsOrigin::Subject { subject, .. } => comes_through(subject),
            }
    }

    fn tells_part(&self, keeps_order: bool) -> bool {
        keeps_order && matches!(self.origin, NatsOrigin::Stream(_))
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        let (stream, subjects) = match self.origin.clone() {
            NatsOrigin::Stream(origin) => (Some(origin.stream), origin.subjects),
            NatsOrigin::Subject { subject, .. } => (None, vec![subject]),
        };
        Some(Box::new(NatsView {
            cluster: self.cluster.clone(),
            stream,
            subjects,
            is_dead_letters: false,
        }))
    }

    fn committed(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, u64>, ViewError>> {
        match &self.origin {
            NatsOrigin::Stream(origin) => ack_floor(&self.cluster, origin).boxed_local(),
            NatsOrigin::Subject { subject, .. } => {
                let what = format!("nobody keeps a position in the core subject {subject}");
                ready(Err(ViewError::Failed(what))).boxed_local()
            }
        }
    }

    fn check(&self, keeps_order: bool) -> LocalBoxFuture<'_, CheckAnswers> {
        check::source(&self.cluster, &self.origin, keeps_order).boxed_local()
    }

    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        let cluster = self.cluster.clone();
        Ok(match self.origin.clone() {
            NatsOrigin::Stream(origin) => Box::new(JetStreamSource {
                cluster,
                origin,
                opening,
            }),
            NatsOrigin::Subject { subject, queue } => Box::new(CoreSource {
                cluster,
                subject,
                queue,
                opening,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::config::tests::read;

    fn source(json: &str) -> NatsSourceSettings {
        NatsSourceSettings {
            cluster: read(r#"{ "servers": "127.0.0.1:4222" }"#, NatsCluster::read).unwrap(),
            origin: read(json, NatsOrigin::read).unwrap(),
        }
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
    fn who_reads_a_stream_in_order_reads_all_of_it() {
        let stream = source(r#"{ "stream": "S", "durable": "d" }"#);
        assert!(stream.tells_part(true) && !stream.tells_part(false));
        let subject = source(r#"{ "subject": "a", "queue": "q", "delivery": "at-most-once" }"#);
        assert!(!subject.tells_part(true));
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
