//! `replay` where a note would change what is kept.

use async_nats::jetstream;
use async_nats::jetstream::stream::{Config, RetentionPolicy};

use crate::support::brokers;
use crate::support::command::run;
use crate::support::kafka::Topic;
use crate::support::receiver::{Receiver, first};
use crate::support::settings::{Route, Settings};
use crate::support::streams::{Stream, connection};

#[tokio::test]
async fn a_stream_that_its_consumers_empty_keeps_no_notes() {
    let (server, broker) = (brokers::nats(), brokers::kafka());
    let topic = Topic::create(&broker, "unsuited").await;
    let receiver = Receiver::start(first([]));
    for retention in [RetentionPolicy::WorkQueue, RetentionPolicy::Interest] {
        let stream = Stream::named(&server, "unsuited").await;
        let config = Config {
            retention,
            ..Config::default()
        };
        stream.make(config).await;
        let (subject, name) = (&stream.subject, &stream.name);
        let dead = format!("nats = \"main\"\nsubject = \"{subject}\"\nstream = \"{name}\"\n");
        let sink = format!("url = \"{}\"\n", receiver.url());
        let settings = Settings::new(&broker)
            .connection(&connection(&server))
            .route(Route::from_topic(&topic, &sink, &dead).named("out"));
        let said = run("replay", &settings, &["--route", "out", "--all"]).await;
        let said = said.ends_with(64);
        let words = [name.as_str(), "can keep no notes", "retention"];
        for word in words {
            assert!(said.errors.contains(word), "{}", said.errors);
        }
        let context = jetstream::new(stream.client.clone());
        let info = context.get_stream(name).await.unwrap();
        assert_eq!(info.cached_info().state.consumer_count, 0);
    }
}
