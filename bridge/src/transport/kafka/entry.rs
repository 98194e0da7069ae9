//! Kafka in the registry of transports.

use std::collections::BTreeMap;
use std::time::Duration;

use cloudevents_nl_codec::{Binding, KAFKA};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use rdkafka::error::KafkaError;

use super::check;
use super::client::error_text;
use super::connection::KafkaCluster;
use super::settings::{SinkSettings, SourceSettings, is_member, is_topic};
use super::sink::{KafkaSink, Profile};
use super::source::KafkaSource;
use super::view::KafkaView;
use crate::config::{Fault, Reported, Table};
use crate::transport::address::Address;
use crate::transport::contract::{
    CheckAnswers, Entry, OpenError, OpenSink, OpenSource, SinkOpening, SourceOpening, Transport,
};
use crate::transport::view::{OpenView, ViewError};
use crate::transport::{Sink, Source};

pub const TRANSPORT: Transport = Transport {
    name: "kafka",
    tables: &[("kafka", |table| KafkaCluster::read(table).map(|_| None))],
    source: Some(Entry {
        key: "kafka",
        read: |table, connection| Ok(Box::new(Proven::source(table, connection)?)),
    }),
    sink: Some(Entry {
        key: "kafka",
        read: |table, connection| Ok(Box::new(Proven::sink(table, connection)?)),
    }),
    view: Some(|connection, topic| {
        is_topic(topic).map_err(|fault| connection.fault(&["topic"], fault))?;
        Ok(KafkaView::boxed(&KafkaCluster::read(connection)?, topic))
    }),
};

fn refused(error: &KafkaError) -> Fault {
    let what = format!("its properties do not serve here: {}", error_text(error));
    Fault::new(what, "change or leave out the property of the connection")
}

#[derive(Debug)]
struct Proven<S> {
    cluster: KafkaCluster,
    settings: S,
}

impl Proven<SourceSettings> {
    fn source(table: &Table<'_>, connection: &Table<'_>) -> Result<Self, Reported> {
        let (settings, cluster) = (SourceSettings::read(table), KafkaCluster::read(connection));
        let (settings, cluster) = (settings?, cluster?);
        if let Some(member) = cluster.member(&settings.topic) {
            is_member(&member).map_err(|fault| table.fault(&["topic"], fault))?;
        }
        KafkaSource::prove(&cluster, &settings)
            .map_err(|error| table.fault(&[TRANSPORT.name], refused(&error)))?;
        Ok(Self { cluster, settings })
    }
}

impl Proven<SinkSettings> {
    fn sink(table: &Table<'_>, connection: &Table<'_>) -> Result<Self, Reported> {
        let (settings, cluster) = (SinkSettings::read(table), KafkaCluster::read(connection));
        let (settings, cluster) = (settings?, cluster?);
        KafkaSink::prove(&cluster, &settings)
            .map_err(|error| table.fault(&[TRANSPORT.name], refused(&error)))?;
        Ok(Self { cluster, settings })
    }
}

pub(super) fn address(cluster: &KafkaCluster, topic: &str) -> Address {
    Address {
        transport: TRANSPORT.name,
        server: cluster.brokers().to_owned(),
        name: topic.to_owned(),
    }
}

impl OpenSource for Proven<SourceSettings> {
    fn address(&self) -> Address {
        address(&self.cluster, &self.settings.topic)
    }

    fn claim(&self) -> Option<String> {
        let (address, group) = (OpenSource::address(self), &self.settings.group);
        Some(format!("{address} group {group}"))
    }

    fn drain(&self) -> Option<Duration> {
        Some(self.settings.drain)
    }

    fn tells_part(&self, _: bool) -> bool {
        true
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        Some(KafkaView::boxed(&self.cluster, &self.settings.topic))
    }

    fn committed(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, u64>, ViewError>> {
        let view = KafkaView::boxed(&self.cluster, &self.settings.topic);
        async move {
            let committed = view.checkpoints(&self.settings.group).await?.read().await?;
            let committed = committed.into_iter();
            Ok(committed.map(|(it, offset)| (it, offset.next)).collect())
        }
        .boxed_local()
    }

    fn check(&self, _: bool) -> LocalBoxFuture<'_, CheckAnswers> {
        check::source(&self.cluster, &self.settings).boxed_local()
    }

    fn open(&self, it: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        let settings = self.settings.clone();
        let source = KafkaSource::new(&self.cluster, settings, it.window, it.share, it.status);
        Ok(Box::new(source))
    }
}

impl OpenSink for Proven<SinkSettings> {
    fn address(&self) -> Address {
        address(&self.cluster, &self.settings.topic)
    }

    fn binding(&self) -> &'static Binding {
        &KAFKA
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        Some(KafkaView::boxed(&self.cluster, &self.settings.topic))
    }

    fn in_flight_default(&self) -> usize {
        // As many as a window holds: a broker takes them in batches.
        1000
    }

    fn keeps_dead_letters(&self) -> bool {
        true
    }

    fn check(&self, _: bool) -> LocalBoxFuture<'_, CheckAnswers> {
        check::sink(&self.cluster, &self.settings).boxed_local()
    }

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        let profile = match (opening.keeps_dead_letters, opening.has_waiting_sender) {
            (true, _) => Profile::DeadLetters,
            (false, true) => Profile::LowLatency,
            (false, false) => Profile::Throughput,
        };
        let sink = KafkaSink::new(&self.cluster, &self.settings, profile);
        let sink = sink.map_err(|error| OpenError {
            reason: "kafka",
            detail: error_text(&error),
        })?;
        Ok(Box::new(sink))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::config::tests::read;

    fn cluster(more: &str) -> KafkaCluster {
        let json = format!(r#"{{ "brokers": "b:9092" {more} }}"#);
        read(&json, KafkaCluster::read).unwrap()
    }

    fn with(properties: &str) -> KafkaCluster {
        cluster(&format!(r#", "properties": {properties}"#))
    }

    #[test]
    fn what_a_producer_would_be_refused_for_is_a_problem_of_the_sink() {
        let settings = SinkSettings::new("zaken");
        let proof = |properties: &str| KafkaSink::prove(&with(properties), &settings);
        assert_eq!(proof("{}"), Ok(()));
        assert_eq!(proof(r#"{ "max.in.flight": 5 }"#), Ok(()));
        for (properties, named) in [
            (r#"{ "max.in.flight": 6 }"#, "max.in.flight"),
            (r#"{ "retries": 0 }"#, "retries"),
            (r#"{ "linger.ms": 40000 }"#, "linger.ms"),
            (r#"{ "queuing.strategy": "lifo" }"#, "queuing.strategy"),
        ] {
            let fault = refused(&proof(properties).unwrap_err());
            assert!(fault.what.contains(named), "{fault:?}");
        }
    }

    #[test]
    fn an_instance_and_a_topic_may_be_too_long_together() {
        for (instance, is_too_long) in [(48, false), (49, true)] {
            let instance = format!(r#", "instance": "{}""#, "i".repeat(instance));
            let member = cluster(&instance).member(&"t".repeat(200)).unwrap();
            assert_eq!(is_member(&member).is_err(), is_too_long, "{instance}");
        }
    }

    #[test]
    fn a_source_is_proven_with_what_it_will_ask_for() {
        let settings = SourceSettings::new("zaken", "group");
        for properties in [
            "{}",
            r#"{ "group.protocol": "consumer" }"#,
            r#"{ "group.protocol": "CONSUMER" }"#,
        ] {
            let proof = KafkaSource::prove(&with(properties), &settings);
            assert_eq!(proof, Ok(()), "{properties}");
        }
    }
}
