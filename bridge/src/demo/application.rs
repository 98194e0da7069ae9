//! The application of the demo: writes its events to the topic at an even pace, each one
//! acknowledged by the broker.

use std::time::Duration;

use futures_util::future::try_join_all;
use rdkafka::ClientConfig;
use rdkafka::error::KafkaError;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use tokio::time::{MissedTickBehavior, interval};

use super::events::Planned;

/// Events that are written together, and how often.
const BURST: usize = 8;
const BURST_EVERY: Duration = Duration::from_millis(50);

/// Writes all events in order and tells `written` how many there are so far.
pub(super) async fn publish(
    brokers: &str,
    topic: &str,
    events: &[Planned],
    written: impl Fn(usize),
) -> Result<(), KafkaError> {
    let producer: FutureProducer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("client.id", "cenl-demo")
        .set("enable.idempotence", "true")
        .set("partitioner", "murmur2_random")
        .set("linger.ms", "1")
        .set("reconnect.backoff.max.ms", "500")
        .create()?;
    let mut pace = interval(BURST_EVERY);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for (number, burst) in events.chunks(BURST).enumerate() {
        pace.tick().await;
        let reports = burst.iter().map(|planned| {
            let record = FutureRecord::to(topic)
                .key(&planned.key)
                .headers(headers(planned))
                .payload(planned.body.as_ref());
            producer.send_result(record).map_err(|(error, _)| error)
        });
        let reports = reports.collect::<Result<Vec<_>, _>>()?;
        for report in try_join_all(reports)
            .await
            .map_err(|_| KafkaError::Canceled)?
        {
            report.map_err(|(error, _)| error)?;
        }
        written(number * BURST + burst.len());
    }
    Ok(())
}

fn headers(planned: &Planned) -> OwnedHeaders {
    planned
        .headers
        .iter()
        .fold(OwnedHeaders::new(), |headers, header| {
            headers.insert(Header {
                key: header.name,
                value: header.value,
            })
        })
}
