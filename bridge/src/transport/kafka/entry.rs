//! Kafka in the registry of transports.

use cloudevents_nl_codec::{Binding, KAFKA};

use super::client::told;
use super::connection::{Cluster, Connection};
use super::secret::read_secret;
use super::settings::{SinkSettings, SourceSettings};
use super::sink::{KafkaSink, Pace};
use super::source::KafkaSource;
use crate::transport::registry::{
    self, Address, ConnectionSettings, OpenError, OpenSink, OpenSource, SinkEntry, SinkOpening,
    SourceEntry, SourceOpening, Transport, check_connection, read_sink, read_source,
};
use crate::transport::setting::SettingProblem;
use crate::transport::{Sink, Source};

/// `kafka` in `[route.source]`, `[route.sink]` and `[route.dead_letter]`.
pub const TRANSPORT: Transport = Transport {
    name: "kafka",
    connection: check_connection::<Connection>,
    source: Some(SourceEntry {
        key: "kafka",
        read: read_source::<SourceSettings>,
    }),
    sink: Some(SinkEntry {
        key: "kafka",
        keeps_dead_letters: true,
        read: read_sink::<SinkSettings>,
    }),
};

impl ConnectionSettings for Connection {
    fn problems(&self) -> Vec<SettingProblem> {
        self.prove(read_secret).err().unwrap_or_default()
    }
}

impl registry::SourceSettings for SourceSettings {
    type Connection = Connection;

    fn prove(self, connection: Connection) -> Result<Box<dyn OpenSource>, Vec<SettingProblem>> {
        let cluster = proven(self.problems(), &connection)?;
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

fn address(cluster: &Cluster, topic: &str) -> Address {
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

    fn claim(&self) -> String {
        format!(
            "{} group {}",
            OpenSource::address(self),
            self.settings.group
        )
    }

    fn has_waiting_sender(&self) -> bool {
        false
    }

    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        let SourceOpening { window, status, .. } = opening;
        Ok(Box::new(KafkaSource::new(
            &self.cluster,
            self.settings.clone(),
            window,
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
    use super::*;

    #[test]
    fn dead_letters_have_a_pace_of_their_own() {
        let opening = |keeps_dead_letters, has_waiting_sender| SinkOpening {
            keeps_dead_letters,
            has_waiting_sender,
            is_batched: false,
            in_flight_max: 64,
        };
        assert_eq!(pace(&opening(true, false)), Pace::DeadLetters);
        assert_eq!(pace(&opening(false, false)), Pace::Streaming);
        assert_eq!(pace(&opening(false, true)), Pace::Answering);
    }
}
