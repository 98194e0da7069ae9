//! The configuration of a consumer: defaults, and what carries the guarantee.

use std::time::Duration;

use rdkafka::ClientConfig;

use crate::config::OnOffsetLost;
use crate::delivery::window::Capacity;
use crate::transport::kafka::connection::KafkaCluster;
use crate::transport::kafka::settings::SourceSettings;

/// librdkafka's largest `queued.max.messages.kbytes`.
const KILOBYTES_MAX: usize = 2_097_151;
/// librdkafka's largest `queued.min.messages`.
const EVENTS_MAX: usize = 10_000_000;
/// Most bytes of a partition in one fetch; the limits of the queue are checked only before it.
pub(super) const FETCH_MAX: usize = 1 << 20;
const SESSION: Duration = Duration::from_secs(6);

pub(super) fn session(config: &ClientConfig) -> Duration {
    let millis = config.get("session.timeout.ms");
    let millis = millis.and_then(|millis| millis.parse().ok());
    millis.map_or(SESSION, Duration::from_millis)
}

pub(super) fn config(
    cluster: &KafkaCluster,
    settings: &SourceSettings,
    ahead: Capacity,
) -> ClientConfig {
    // A window may be larger than librdkafka's limits.
    let kilobytes = (ahead.bytes / 1000).clamp(1, KILOBYTES_MAX).to_string();
    let events = ahead.events.clamp(1, EVENTS_MAX).to_string();
    let fetch = ahead.bytes.clamp(1, FETCH_MAX).to_string();
    let session = SESSION.as_millis().to_string();
    let mut defaults = vec![
        // A topic that is made later is found within seconds, not minutes.
        ("topic.metadata.refresh.interval.ms", "10000"),
        // Partitions have queues of their own, so these are bounds per partition.
        ("queued.min.messages", &events),
        ("queued.max.messages.kbytes", &kilobytes),
        // It doubles by itself where a batch is larger.
        ("fetch.message.max.bytes", &fetch),
    ];
    // The consumer protocol of KIP-848 assigns on the broker and knows no such property.
    if !cluster.speaks_consumer_protocol() {
        defaults.push(("partition.assignment.strategy", "cooperative-sticky"));
        // So long a killed process keeps its partitions. Heartbeats have a thread, so a busy one lives.
        defaults.push(("session.timeout.ms", &session));
        defaults.push(("heartbeat.interval.ms", "2000"));
    }
    // For offsets that are lost only: each assignment decides where to start.
    let reset = match settings.on_offset_lost {
        OnOffsetLost::Hold => "error",
        OnOffsetLost::Earliest => "earliest",
    };
    let mut owned = vec![
        ("group.id", settings.group.as_str()),
        ("auto.offset.reset", reset),
    ];
    let member = cluster.member(&settings.topic);
    if let Some(member) = &member {
        owned.push(("group.instance.id", member));
    }
    cluster.consumer_config(&defaults, &owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn librdkafka_takes_every_window() {
        let cluster = KafkaCluster::new("b:9092", &[]);
        let settings = SourceSettings::new("zaken", "group");
        for size in [1, EVENTS_MAX, usize::MAX] {
            let window = Capacity {
                events: size,
                bytes: size,
            };
            let config = config(&cluster, &settings, window);
            assert!(config.create_native_config().is_ok(), "{size}");
        }
    }
}
