//! What a consumer is told: defaults, and what carries the guarantee.

use std::time::Duration;

use rdkafka::ClientConfig;

use crate::config::OnOffsetLost;
use crate::delivery::window::Capacity;
use crate::transport::kafka::connection::Cluster;
use crate::transport::kafka::settings::SourceSettings;
use crate::transport::kafka::watchdog;

/// Most kilobytes of a partition that librdkafka takes to be fetched ahead.
const MOST_KILOBYTES: usize = 2_097_151;
/// Most records of a partition that librdkafka takes to be fetched ahead.
pub(super) const MOST_EVENTS: usize = 10_000_000;
/// Most bytes of a partition in one answer; the queue is looked at before, and not after.
pub(super) const MOST_FETCHED: usize = 1 << 20;
/// How long a consumer may be silent before its group goes on without it, unless an operator says.
const SESSION: Duration = Duration::from_secs(6);

/// How long a consumer of this configuration may be silent.
pub(super) fn session(config: &ClientConfig) -> Duration {
    let millis = config.get("session.timeout.ms");
    let millis = millis.and_then(|millis| millis.parse().ok());
    millis.map_or(SESSION, Duration::from_millis)
}

/// The configuration of a consumer that fetches so much ahead in each partition.
pub(super) fn config(
    cluster: &Cluster,
    settings: &SourceSettings,
    ahead: Capacity,
) -> ClientConfig {
    // A window may be larger than librdkafka's limits.
    let kilobytes = (ahead.bytes / 1000).clamp(1, MOST_KILOBYTES).to_string();
    let events = ahead.events.clamp(1, MOST_EVENTS).to_string();
    let fetch = ahead.bytes.clamp(1, MOST_FETCHED).to_string();
    let interval = settings.commit_interval.as_millis().to_string();
    let session = SESSION.as_millis().to_string();
    let mut defaults = vec![
        ("check.crcs", "true"),
        ("isolation.level", "read_committed"),
        ("fetch.wait.max.ms", "100"),
        // A topic that is made later is found within seconds, not minutes.
        ("topic.metadata.refresh.interval.ms", "10000"),
        // The default of a second stops a partition whose queue was full for that long.
        ("fetch.queue.backoff.ms", "5"),
        // Partitions have queues of their own, so these are bounds per partition.
        ("queued.min.messages", &events),
        ("queued.max.messages.kbytes", &kilobytes),
        // It doubles by itself where a batch is larger.
        ("fetch.message.max.bytes", &fetch),
    ];
    // The consumer protocol of KIP-848 assigns on the broker and knows no such property.
    let protocol = cluster.property("group.protocol").unwrap_or_default();
    if !protocol.eq_ignore_ascii_case("consumer") {
        defaults.push(("partition.assignment.strategy", "cooperative-sticky"));
        // A process that was killed is missed after that time, and its partitions stand still until
        // then. Heartbeats have a thread of their own, so a busy route does not look dead.
        defaults.push(("session.timeout.ms", &session));
        defaults.push(("heartbeat.interval.ms", "2000"));
    }
    // Where to start is decided at each assignment, so this is for offsets that are lost. A
    // partition that stopped with the error can be read on only after another assignment.
    let reset = match settings.on_offset_lost {
        OnOffsetLost::Hold => "error",
        OnOffsetLost::Earliest => "earliest",
    };
    let mut owned = vec![
        ("group.id", settings.group.as_str()),
        ("enable.auto.commit", "true"),
        ("enable.auto.offset.store", "false"),
        ("auto.commit.interval.ms", &interval),
        ("auto.offset.reset", reset),
        watchdog::STATISTICS,
    ];
    let member = cluster.member(&settings.topic);
    owned.extend(
        member
            .as_deref()
            .map(|member| ("group.instance.id", member)),
    );
    cluster.client_config(&defaults, &owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn librdkafka_takes_every_window() {
        let cluster = Cluster::new("b:9092", &[]);
        let settings = SourceSettings::new("zaken", "group");
        for size in [1, MOST_EVENTS, usize::MAX] {
            let window = Capacity {
                events: size,
                bytes: size,
            };
            let config = config(&cluster, &settings, window);
            assert!(config.create_native_config().is_ok(), "{size}");
        }
    }
}
