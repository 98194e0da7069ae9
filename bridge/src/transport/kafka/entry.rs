//! Kafka in the registry of transports.

use std::time::Duration;

use cloudevents_nl_codec::{Binding, KAFKA};
use rdkafka::error::KafkaError;

use super::client::told;
use super::connection::{Cluster, Connection};
use super::settings::{SinkSettings, SourceSettings, member_problem, topic_problem};
use super::sink::{KafkaSink, Pace};
use super::source::KafkaSource;
use super::view::KafkaView;
use crate::transport::registry::{
    self, Address, ConnectionSettings, OpenError, OpenSink, OpenSource, SinkEntry, SinkOpening,
    SourceEntry, SourceOpening, Transport, ViewEntry, ViewSettings, check_connection, read_sink,
    read_source, read_view,
};
use crate::transport::secret::read_secret;
use crate::transport::setting::SettingProblem;
use crate::transport::view::OpenView;
use crate::transport::{Sink, Source};

/// `kafka` in `[route.source]`, `[route.sink]` and `[route.dead_letter]`.
pub const TRANSPORT: Transport = Transport {
    name: "kafka",
    connection: Some(check_connection::<Connection>),
    source: Some(SourceEntry {
        key: "kafka",
        read: read_source::<SourceSettings>,
    }),
    sink: Some(SinkEntry {
        key: "kafka",
        read: read_sink::<SinkSettings>,
    }),
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
    fn view(self, topic: &str) -> Result<Box<dyn OpenView>, Vec<SettingProblem>> {
        if let Some(problem) = topic_problem(topic) {
            return Err(vec![problem]);
        }
        Ok(KafkaView::boxed(&self.prove(read_secret)?, topic))
    }
}

impl registry::SourceSettings for SourceSettings {
    type Connection = Connection;

    fn prove(self, connection: Connection) -> Result<Box<dyn OpenSource>, Vec<SettingProblem>> {
        let cluster = proven(self.problems(), &connection)?;
        if let Some(problem) = member_problem(cluster.member(&self.topic).as_deref()) {
            return Err(vec![problem]);
        }
        KafkaSource::prove(&cluster, &self).map_err(refused)?;
        Ok(Box::new(ProvenSource {
            cluster,
            settings: self,
        }))
    }
}

impl registry::SinkSettings for SinkSettings {
    type Connection = Connection;

    fn prove(self, connection: Connection) -> Result<Box<dyn OpenSink>, Vec<SettingProblem>> {
        let cluster = proven(self.problems(), &connection)?;
        KafkaSink::prove(&cluster, &self).map_err(refused)?;
        Ok(Box::new(ProvenSink {
            cluster,
            settings: self,
        }))
    }
}

/// The cluster, where neither side has a problem; a connection has reported its own.
fn proven(
    problems: Vec<SettingProblem>,
    connection: &Connection,
) -> Result<Cluster, Vec<SettingProblem>> {
    if problems.is_empty() {
        connection.prove(read_secret).map_err(|_| Vec::new())
    } else {
        Err(problems)
    }
}

/// What librdkafka says to the properties of a connection together with what the bridge sets.
fn refused(error: KafkaError) -> Vec<SettingProblem> {
    let what = format!("its properties do not serve here: {}", told(&error));
    let remedy = "change or leave out the property of the connection";
    vec![SettingProblem::new(TRANSPORT.name, what, remedy)]
}

#[derive(Debug)]
struct ProvenSource {
    cluster: Cluster,
    settings: SourceSettings,
}

#[derive(Debug)]
struct ProvenSink {
    cluster: Cluster,
    settings: SinkSettings,
}

pub(super) fn address(cluster: &Cluster, topic: &str) -> Address {
    Address {
        transport: TRANSPORT.name,
        server: cluster.brokers().to_owned(),
        name: topic.to_owned(),
    }
}

impl OpenSource for ProvenSource {
    fn address(&self) -> Address {
        address(&self.cluster, &self.settings.topic)
    }

    fn claim(&self) -> Option<String> {
        let (address, group) = (OpenSource::address(self), &self.settings.group);
        Some(format!("{address} group {group}"))
    }

    fn drain(&self) -> Option<Duration> {
        Some(self.settings.drain.0)
    }

    fn has_waiting_sender(&self) -> bool {
        false
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        Some(KafkaView::boxed(&self.cluster, &self.settings.topic))
    }

    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        let SourceOpening {
            window,
            share,
            status,
            ..
        } = opening;
        Ok(Box::new(KafkaSource::new(
            &self.cluster,
            self.settings.clone(),
            window,
            share,
            status,
        )))
    }
}

impl OpenSink for ProvenSink {
    fn address(&self) -> Address {
        address(&self.cluster, &self.settings.topic)
    }

    fn binding(&self) -> &'static Binding {
        &KAFKA
    }

    fn has_record_key(&self) -> bool {
        true
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

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        let sink = KafkaSink::new(&self.cluster, &self.settings, pace(&opening));
        let sink = sink.map_err(|error| OpenError {
            reason: "kafka",
            detail: told(&error),
        })?;
        Ok(Box::new(sink))
    }
}

fn pace(opening: &SinkOpening) -> Pace {
    match (opening.keeps_dead_letters, opening.has_waiting_sender) {
        (true, _) => Pace::DeadLetters,
        (false, true) => Pace::Answering,
        (false, false) => Pace::Streaming,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use registry::{SinkSettings as _, SourceSettings as _};

    use super::*;
    use crate::interval::Interval;

    fn connection(properties: &str) -> Connection {
        let json = format!(r#"{{ "brokers": "b:9092", "properties": {properties} }}"#);
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn what_a_producer_would_be_refused_for_is_a_problem_of_the_sink() {
        let problems = |properties: &str| {
            let sink = SinkSettings::new("zaken").prove(connection(properties));
            sink.err().unwrap_or_default()
        };
        assert_eq!(problems("{}"), []);
        assert_eq!(problems(r#"{ "max.in.flight": 5 }"#), []);
        for (properties, named) in [
            (r#"{ "max.in.flight": 6 }"#, "max.in.flight"),
            (r#"{ "retries": 0 }"#, "retries"),
            (r#"{ "linger.ms": 40000 }"#, "linger.ms"),
            (r#"{ "queuing.strategy": "lifo" }"#, "queuing.strategy"),
        ] {
            assert!(connection(properties).problems().is_empty(), "{properties}");
            let problems = problems(properties);
            assert_eq!(problems.len(), 1, "{properties}");
            assert_eq!(problems[0].key, "kafka");
            assert!(problems[0].what.contains(named), "{problems:?}");
        }
    }

    #[test]
    fn an_instance_and_a_topic_may_be_too_long_together() {
        for (instance, is_too_long) in [(48, false), (49, true)] {
            let mut connection = connection("{}");
            connection.instance = Some("i".repeat(instance));
            assert_eq!(connection.problems(), []);
            let source = SourceSettings::new(&"t".repeat(200), "group").prove(connection);
            let problems = source.err().unwrap_or_default();
            let keys: Vec<_> = problems.iter().map(|problem| &*problem.key).collect();
            assert_eq!(keys, ["topic"][..usize::from(is_too_long)], "{instance}");
        }
    }

    #[test]
    fn a_source_is_proven_with_what_it_will_ask_for() {
        for properties in [
            "{}",
            r#"{ "group.protocol": "consumer" }"#,
            r#"{ "group.protocol": "CONSUMER" }"#,
        ] {
            let source = SourceSettings::new("zaken", "group").prove(connection(properties));
            assert_eq!(source.err(), None, "{properties}");
        }
        let cluster = connection("{}").prove(read_secret).unwrap();
        let mut settings = SourceSettings::new("zaken", "group");
        settings.commit_interval = Interval::seconds(24 * 60 * 60);
        assert_eq!(KafkaSource::prove(&cluster, &settings), Ok(()));
        settings.commit_interval = Interval::seconds(25 * 60 * 60);
        let problems = KafkaSource::prove(&cluster, &settings).map_err(refused);
        let problems = problems.unwrap_err();
        assert_eq!(problems[0].key, "kafka");
        assert!(
            problems[0].what.contains("auto.commit.interval.ms"),
            "{problems:?}"
        );
    }
}
