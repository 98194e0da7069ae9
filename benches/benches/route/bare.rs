//! The bare pipes: the same clients as the bridge's, acknowledgement carried through, and no
//! CloudEvents work at all. Each is this program in another role, so that it is a process of its own.
//!
//! They keep order per key where several exchanges are under way, and acknowledge to the source only
//! what the destination has taken, as any pipe must that may be compared with one that promises this.
//! They decode, check, retry and report nothing.

mod jetstream;
mod jetstream_to_kafka;
mod jetstream_to_webhook;
mod kafka;
mod kafka_to_jetstream;
mod kafka_to_webhook;
mod lanes;
mod posts;
mod webhook_to_kafka;

use crate::path::Path;

/// The first argument of this program when it is a bare pipe; then the name of the path, and what
/// its two ends need.
pub(crate) const ROLE: &str = "--bare";

/// Events taken and not yet delivered, those that wait for their key included.
const WINDOW: usize = 1000;

pub(crate) fn main(arguments: &[String]) {
    let (path, ends) = arguments.split_first().expect("the name of a path");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let pipe = tokio::task::LocalSet::new();
    runtime.expect("a runtime").block_on(pipe.run_until(async {
        match Path::named(path) {
            Path::KafkaToWebhook => kafka_to_webhook::run(ends).await,
            Path::WebhookToKafka => webhook_to_kafka::run(ends).await,
            Path::KafkaToJetStream => kafka_to_jetstream::run(ends).await,
            Path::JetStreamToKafka => jetstream_to_kafka::run(ends).await,
            Path::JetStreamToWebhook => jetstream_to_webhook::run(ends).await,
        }
    }));
}

/// The arguments of a pipe, as many as it needs.
fn ends<const N: usize>(arguments: &[String]) -> [&str; N] {
    let all: Vec<_> = arguments.iter().map(String::as_str).collect();
    all.try_into().expect("what both ends of the path need")
}
