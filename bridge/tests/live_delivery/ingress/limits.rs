//! Batches with an event that is too large for its destination.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{BATCHED, STRUCTURED};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::kafka::Topic;
use crate::support::settings::{Route, Settings, free_address};
use crate::support::streams::Stream;

/// Posts batches of a small event and one of about `limit` bytes, which is what the destination takes:
/// the largest that it takes of an event alone is the largest that it is sent of a batch.
async fn a_batch_is_sent_whole_or_not_at_all(
    ingress: std::net::SocketAddr,
    limit: usize,
    stored: impl AsyncFn() -> usize,
) {
    let client = Client::new(ingress);
    let post = async |content_type: &str, body: String| {
        let headers = [("content-type", content_type)];
        let reply = client.post("/events", &headers, body).await.unwrap();
        reply.status.as_u16()
    };
    // Ids of one length, and different ones: a stream drops repeats.
    static NEXT: AtomicUsize = AtomicUsize::new(100_000);
    let event = |padding: usize| {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let padding = "x".repeat(padding);
        format!(
            r#"{{"specversion":"1.0","id":"{id}","source":"urn:s","type":"t","partitionkey":"é","data":"{padding}"}}"#
        )
    };
    let (mut fits, mut too_large) = (1, limit);
    while too_large - fits > 1 {
        let padding = fits.midpoint(too_large);
        match post(STRUCTURED, event(padding)).await {
            202 => fits = padding,
            413 => too_large = padding,
            other => panic!("{other}"),
        }
    }
    for (padding, status, more) in [(fits, 202, 3), (too_large, 413, 0), (2 * limit, 413, 0)] {
        let before = stored().await;
        let batch = format!("[{},{},{}]", event(1), event(padding), event(1));
        assert_eq!(post(BATCHED, batch).await, status, "{padding}");
        assert_eq!(stored().await, before + more, "{padding}");
    }
}

#[tokio::test]
async fn a_batch_too_large_for_its_topic_is_not_sent_in_part() {
    let (broker, ingress) = (brokers::kafka(), free_address());
    let topic = Topic::create(&broker, "small").await;
    topic.limit_records(4_000).await;
    for mode in ["binary", "structured"] {
        let route = Route::to_topic("/events", &topic).sink(&format!("mode = \"{mode}\""));
        let settings = Settings::new(&broker).listen(ingress).route(route);
        let bridge = Bridge::start(&settings).await;
        a_batch_is_sent_whole_or_not_at_all(ingress, 4_000, async || topic.len().await).await;
        bridge.stop().await;
    }
}

#[tokio::test]
async fn a_batch_too_large_for_its_stream_is_not_sent_in_part() {
    let (broker, server, ingress) = (brokers::kafka(), brokers::nats(), free_address());
    let stream = Stream::named(&server, "small").await;
    let config = async_nats::jetstream::stream::Config {
        max_message_size: 4_000,
        ..Default::default()
    };
    stream.make(config).await;
    for mode in ["binary", "structured"] {
        let sink = format!(
            "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\nmode = \"{mode}\"\n",
            stream.subject, stream.name
        );
        let settings = Settings::new(&broker)
            .nats(&server, "")
            .listen(ingress)
            .route(Route::from_webhook("/events", &sink));
        let bridge = Bridge::start(&settings).await;
        a_batch_is_sent_whole_or_not_at_all(ingress, 4_000, async || stream.len().await).await;
        bridge.stop().await;
    }
}

/// The limit of a topic is one of compressed bytes, which nobody knows beforehand.
#[tokio::test]
async fn where_the_client_compresses_the_topic_judges_alone() {
    let (broker, ingress) = (brokers::kafka(), free_address());
    let topic = Topic::create(&broker, "small").await;
    topic.limit_records(4_000).await;
    let properties = "\"compression.type\" = \"lz4\"\n";
    let settings = Settings::over(&broker.plaintext(), properties)
        .listen(ingress)
        .route(Route::to_topic("/events", &topic));
    let bridge = Bridge::start(&settings).await;
    let data = "x".repeat(20_000);
    let events = ["1", "2"].map(|id| {
        format!(
            r#"{{"specversion":"1.0","id":"{id}","source":"urn:s","type":"t","data":"{data}"}}"#
        )
    });
    let headers = [("content-type", BATCHED)];
    let batch = format!("[{}]", events.join(","));
    let reply = Client::new(ingress).post("/events", &headers, batch).await;
    assert_eq!(reply.unwrap().status, 202);
    assert_eq!(topic.len().await, 2);
    bridge.stop().await;
}
