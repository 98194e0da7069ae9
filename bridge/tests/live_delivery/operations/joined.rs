//! Whether a Kafka source has joined, with the group protocol that members keep and with that of KIP-848.

use crate::support::bridge::Bridge;
use crate::support::brokers::{self, Broker};
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;

use super::shows;

fn settings(broker: &Broker, protocol: &str) -> Settings {
    let properties = format!("[kafka.main.properties]\n\"group.protocol\" = \"{protocol}\"\n");
    Settings::with_defaults(broker).connection(&properties)
}

/// The broker is stopped, so it is of one test alone.
async fn has_not_joined_without_its_group_or_its_topic(protocol: &str) {
    let broker = brokers::private(&format!("joined-{protocol}"));
    let (topic, dead) = (
        Topic::create(&broker, "events").await,
        Topic::create(&broker, "dead").await,
    );
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let mut bridge = Bridge::start(&settings(&broker, protocol).route(route)).await;
    let sent = numbered(40, 4);
    let (before, after) = sent.split_at(20);
    topic.write(before.iter().map(|it| it.record(20))).await;
    receiver.gets(before).await;
    shows(&bridge, "cenl_source_lag_messages", 0.0).await;
    broker.stop();
    shows(&bridge, "cenl_source_joined", 0.0).await;
    assert_eq!(bridge.metric("cenl_source_lag_messages").await, None);
    assert!(!bridge.is_ready().await);
    broker.start();
    bridge.ready().await;
    topic.write(after.iter().map(|it| it.record(20))).await;
    receiver.gets(&sent).await;
    topic.delete().await;
    bridge.says(&["WARN", "the topic does not exist"]).await;
    shows(&bridge, "cenl_source_joined", 0.0).await;
    assert_eq!(bridge.metric("cenl_source_lag_messages").await, None);
    bridge.stop().await;
    Verdict::of("joined", &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn a_source_that_lost_its_group_or_its_topic_has_not_joined() {
    has_not_joined_without_its_group_or_its_topic("classic").await;
}

#[tokio::test]
async fn one_of_kip_848_that_lost_its_group_or_its_topic_has_not_joined() {
    has_not_joined_without_its_group_or_its_topic("consumer").await;
}

#[tokio::test]
async fn a_process_that_gets_no_partition_has_joined() {
    let broker = brokers::kafka();
    for protocol in ["classic", "consumer"] {
        let topic = Topic::create_wide(broker.plaintext(), "narrow", 1).await;
        let dead = Topic::create(&broker, "dead").await;
        let receiver = Receiver::start(always(Answer::Status(204)));
        let route = Route::to_webhook(&topic, &receiver, &dead);
        let settings = settings(&broker, protocol).route(route);
        let one = Bridge::start(&settings).await;
        let other = Bridge::start(&settings.another()).await;
        for bridge in [one, other] {
            shows(&bridge, "cenl_source_lag_messages", 0.0).await;
            bridge.stop().await;
        }
    }
}
