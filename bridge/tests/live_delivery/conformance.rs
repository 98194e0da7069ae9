//! The bridge, tried as an intermediary while something fails: the receiver, or the bridge itself.
//! That all goes well in every pair is in `all_pairs`.

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::kafka::Topic;
use crate::support::settings::{Route, Settings, free_address};
use crate::support::tried::{Operated, Tried};

#[tokio::test]
async fn kafka_to_a_webhook_that_fails() {
    let broker = brokers::kafka();
    let (far, topic) = (free_address(), Topic::create(&broker, "tried").await);
    let dead = Topic::create(&broker, "dead").await;
    let sink = format!("url = \"http://{far}/hook\"\n");
    let dead_letter = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    let route = Route::from_topic(&topic, &sink, &dead_letter);
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    let near = format!("kafka://{}/{}", broker.plaintext(), topic.name);
    let fails = ["--receiver-fails", "503,closed,429"];
    let tried = Tried::between(&near, &format!("http://{far}/hook"), &fails).await;
    tried.is_good(&[
        "SIZE-1",
        "CE-INT-1",
        "KAFKA-MODE-4",
        "KAFKA-KEY-5",
        "HTTP-BATCH-1",
    ]);
    assert_eq!(dead.len().await, 0, "nothing may end there");
    bridge.stop().await;
}

/// Across a kill in the middle of the load, with the commands of an operator.
#[tokio::test]
async fn http_to_kafka_across_a_kill() {
    let broker = brokers::kafka();
    let (listen, topic) = (free_address(), Topic::create(&broker, "tried").await);
    let route = Route::to_topic("/in", &topic);
    let settings = Settings::new(&broker).listen(listen).route(route);
    let bridge = Operated::start(&settings);
    let far = format!("kafka://{}/{}", broker.plaintext(), topic.name);
    let near = format!("http://{listen}/in");
    let (kill, start) = (&*bridge.kill, &*bridge.start);
    let commands = ["--rate", "100", "--kill", kill, "--restart", start];
    let tried = Tried::between(&near, &far, &commands).await;
    assert!(
        tried.said().contains("killed\nrestarted\n"),
        "{}",
        tried.said()
    );
    tried.is_good(&["SIZE-1", "CE-INT-1"]);
}
