//! Events that keep coming while a test disturbs the bridge.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{interval, sleep};

use super::client::Client;
use super::events::{Numbered, numbered};
use super::kafka::Topic;

/// Writes events to a topic, a thousand per second.
#[derive(Debug)]
pub(crate) struct Feeder {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Vec<Numbered>>,
}

impl Feeder {
    pub(crate) fn start(topic: &Topic, keys: usize) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let mut writer = topic.writer();
        let task = tokio::spawn(async move {
            let mut written = 0;
            let mut tick = interval(Duration::from_millis(20));
            loop {
                tokio::select! {
                    _ = tick.tick() => for _ in 0..20 {
                        writer.push(&Numbered::nth(written, keys).record(200));
                        written += 1;
                    },
                    _ = &mut stopped => break,
                }
            }
            writer.finish().await;
            numbered(written, keys)
        });
        Self { stop, task }
    }

    /// Stops, waits until the broker has all, and tells what was written.
    pub(crate) async fn finish(self) -> Vec<Numbered> {
        drop(self.stop);
        self.task.await.unwrap()
    }
}

/// Senders that post events over HTTP, one after another, each until it is answered with 2xx.
#[derive(Debug)]
pub(crate) struct Senders {
    stop: Arc<AtomicBool>,
    accepted: Arc<AtomicUsize>,
    unavailable: Arc<AtomicUsize>,
    tasks: Vec<JoinHandle<Posted>>,
}

/// What senders posted.
#[derive(Debug, Default)]
pub(crate) struct Posted {
    /// Every one was answered with 2xx in the end.
    pub(crate) events: Vec<Numbered>,
    /// Ids posted more than once, because an answer was missing or 503.
    pub(crate) repeated: BTreeSet<String>,
}

impl Senders {
    /// Starts `count` senders, each with a key of its own.
    pub(crate) fn start(client: &Client, path: &'static str, count: usize) -> Self {
        let mut senders = Self {
            stop: Arc::default(),
            accepted: Arc::default(),
            unavailable: Arc::default(),
            tasks: Vec::new(),
        };
        for sender in 0..count {
            let (client, stop) = (client.clone(), Arc::clone(&senders.stop));
            let (accepted, unavailable) = (
                Arc::clone(&senders.accepted),
                Arc::clone(&senders.unavailable),
            );
            senders.tasks.push(tokio::spawn(async move {
                let mut posted = Posted::default();
                while !stop.load(Ordering::Relaxed) {
                    let event = Numbered {
                        key: format!("s{sender}"),
                        number: posted.events.len(),
                    };
                    while !accepts(&client, path, &event, &unavailable).await {
                        posted.repeated.insert(event.id());
                        sleep(Duration::from_millis(20)).await;
                    }
                    accepted.fetch_add(1, Ordering::Relaxed);
                    posted.events.push(event);
                }
                posted
            }));
        }
        senders
    }

    /// Events answered with 2xx so far.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Answers 503 so far.
    pub(crate) fn unavailable(&self) -> usize {
        self.unavailable.load(Ordering::Relaxed)
    }

    /// Lets each sender finish its event.
    pub(crate) async fn finish(self) -> Posted {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Posted::default();
        for task in self.tasks {
            let posted = task.await.unwrap();
            all.events.extend(posted.events);
            all.repeated.extend(posted.repeated);
        }
        all
    }
}

async fn accepts(client: &Client, path: &str, event: &Numbered, unavailable: &AtomicUsize) -> bool {
    let headers = [("content-type", "application/cloudevents+json")];
    let Some(reply) = client.post(path, &headers, event.json(200)).await else {
        return false;
    };
    if reply.status == 503 {
        unavailable.fetch_add(1, Ordering::Relaxed);
        let wait = reply
            .header("retry-after")
            .expect("503 comes with Retry-After");
        assert!(wait.parse::<u64>().unwrap() > 0);
        return false;
    }
    assert!(
        reply.status.is_success(),
        "{}: {}",
        reply.status,
        reply.text()
    );
    true
}
