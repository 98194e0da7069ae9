//! Processes with a name of their own in their group: each takes the place of the one before.

use std::time::Duration;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::exclusive::alone;
use crate::support::flow::Feeder;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, until};

/// A name, and a session that outlasts every patience: nobody is missed during the test.
const NAMED: &str =
    "instance = \"bridge-0\"\n[kafka.main.properties]\n\"session.timeout.ms\" = 300000\n";

struct Scene {
    topic: Topic,
    receiver: Receiver,
    settings: Settings,
}

impl Scene {
    async fn new(word: &str) -> Self {
        let broker = brokers::kafka();
        let (topic, dead) = (
            Topic::create(&broker, word).await,
            Topic::create(&broker, "dead").await,
        );
        let receiver = Receiver::start(Box::new(|_| Answer::Slow(Duration::from_millis(2))));
        let settings = Settings::with_defaults(&broker)
            .connection(NAMED)
            .route(Route::to_webhook(&topic, &receiver, &dead));
        Self {
            topic,
            receiver,
            settings,
        }
    }

    /// Waits until the process that posts to this path delivers what is new.
    async fn takes_part(&self, path: &str) {
        let goal = self.receiver.requests_to(path) + 200;
        until(&format!("{path} takes part"), SOON, || {
            self.receiver.requests_to(path) >= goal
        })
        .await;
    }
}

#[tokio::test]
async fn a_process_takes_the_place_of_a_dead_one_of_its_name_at_once() {
    let _turn = alone().await;
    let scene = Scene::new("named").await;
    let feeder = Feeder::start(&scene.topic, 100);
    let one = Bridge::start(&scene.settings).await;
    scene.takes_part("/hook").await;
    one.kill();
    // Killed while it starts, at some point of its way into the group.
    for moment in ["running", "partitions assigned"] {
        let starting = Bridge::spawn(&scene.settings.posting_to("/starting"));
        starting.says(&[moment]).await;
        starting.kill();
    }
    let two = Bridge::spawn(&scene.settings.posting_to("/two"));
    scene.takes_part("/two").await;
    // One that ends in order keeps its place as well.
    two.stop().await;
    let three = Bridge::spawn(&scene.settings.posting_to("/three"));
    scene.takes_part("/three").await;
    let sent = feeder.finish().await;
    scene.receiver.gets(&sent).await;
    three.stop().await;
    assert_eq!(scene.topic.lag(&scene.topic.name).await, 0);
    Verdict::of("named", &sent, &scene.receiver.accepted(), &[]).keeps_the_promise();
}

#[tokio::test]
async fn of_two_processes_with_one_name_one_goes_on_and_the_other_says_why() {
    let _turn = alone().await;
    let scene = Scene::new("fenced").await;
    let feeder = Feeder::start(&scene.topic, 100);
    let one = Bridge::start(&scene.settings).await;
    scene.takes_part("/hook").await;
    let two = Bridge::spawn(&scene.settings.posting_to("/two"));
    scene.takes_part("/two").await;
    let why = ["route ended by itself", "kafka-fenced", "`instance`"];
    let (mut ended, goes_on) = tokio::select! {
        () = one.says(&why) => (one, two),
        () = two.says(&why) => (two, one),
    };
    assert_ne!(ended.exit_code(SOON).await, 0);
    let sent = feeder.finish().await;
    scene.receiver.gets(&sent).await;
    goes_on.stop().await;
    assert_eq!(scene.topic.lag(&scene.topic.name).await, 0);
    let accepted = scene.receiver.accepted();
    let ids: std::collections::BTreeSet<_> = accepted.iter().collect();
    assert_eq!(ids.len(), sent.len());
}
