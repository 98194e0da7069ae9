//! Asks a server whether a stream keeps what is written to a subject. Nothing is published.

use async_nats::jetstream::stream::Config;

use super::settings::NatsSinkSettings;
use super::stream::{is_missing, obstacle};
use crate::config::Fault;
use crate::transport::contract::CheckAnswers;
use crate::transport::nats::check::{Asked, no_stream};
use crate::transport::nats::connection::NatsCluster;
use crate::transport::nats::subject;

pub(super) async fn sink(cluster: &NatsCluster, settings: &NatsSinkSettings) -> CheckAnswers {
    let (asked, mut answers) = Asked::connect(cluster).await;
    if let (Some(asked), Some(stream)) = (asked, &settings.stream) {
        let answer = match asked.context.get_stream(stream).await {
            Ok(stream) => keeps(settings, &stream.cached_info().config),
            Err(error) if is_missing(&error) => Err(no_stream()),
            Err(error) => Err(asked.fault(&error)),
        };
        answers.push(("stream", answer));
    }
    answers
}

fn keeps(settings: &NatsSinkSettings, config: &Config) -> Result<String, Fault> {
    if let Some((_, cause)) = obstacle(config, settings.memory_storage.is_some()) {
        return Err(Fault::new(cause, "change the stream so"));
    }
    let takes = |filter: &String| subject::matches(filter, &settings.subject);
    let listens = config.subjects.iter().any(takes);
    let remedy = "add the subject to the stream, or correct `subject`";
    Fault::unless(listens, "does not listen on the subject", remedy)?;
    let replicas = config.num_replicas;
    Ok(format!("keeps what is written, {replicas} replicas"))
}
