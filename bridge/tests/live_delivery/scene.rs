//! Events on their way from a topic to a receiver: the scene of most tests here.

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::receiver::{Receiver, Script};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;

/// Keys of its events.
pub(crate) const KEYS: usize = 8;

/// A topic with events on their way to a receiver.
pub(crate) struct Scene {
    pub(crate) sent: Vec<Numbered>,
    pub(crate) topic: Topic,
    pub(crate) dead: Topic,
    pub(crate) receiver: Receiver,
    pub(crate) settings: Settings,
}

impl Scene {
    pub(crate) async fn new(events: usize, script: Script, sink: &str) -> Self {
        let broker = brokers::kafka();
        let topic = Topic::create(&broker, "receivers").await;
        let dead = Topic::create(&broker, "dead").await;
        let sent = numbered(events, KEYS);
        topic
            .write(sent.iter().map(|event| event.record(200)))
            .await;
        let receiver = Receiver::start(script);
        let route = Route::to_webhook(&topic, &receiver, &dead).sink(sink);
        Self {
            sent,
            topic,
            dead,
            receiver,
            settings: Settings::new(&broker).route(route),
        }
    }

    pub(crate) async fn all_arrived(&self) {
        self.receiver.gets(&self.sent).await;
    }

    /// Ends the bridge and judges.
    pub(crate) async fn verdict(&self, title: &str, bridge: Bridge) -> Verdict {
        bridge.stop().await;
        self.judge(title).await
    }

    /// Once the bridge has ended.
    pub(crate) async fn judge(&self, title: &str) -> Verdict {
        assert_eq!(self.dead.len().await, 0, "{title}: dead letters");
        assert_eq!(self.topic.lag(&self.topic.name).await, 0, "{title}: lag");
        assert_eq!(
            self.receiver.hurried(),
            0,
            "{title}: sent before a Retry-After was over"
        );
        Verdict::of(title, &self.sent, &self.receiver.accepted(), &[])
    }
}
