//! The source: one consumer group member, a window and a reader per partition.
//!
//! A task of its own polls the main queue, so that callbacks, heartbeats and errors are served
//! while windows are full and partitions drain. A consumer that knows no broker any more, or is
//! stuck, is replaced.

mod assignment;
mod beginning;
mod config;
mod lag;
mod reader;

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tracing::{Instrument, Span};

use super::client::{CLOSING, Client, ClientEvents, code, error_text};
use super::connection::KafkaCluster;
use super::settings::SourceSettings;
use super::stuck_consumer;
use super::view;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::transport::{Intake, Source, SourceError, SourceStatus, Stop};
use assignment::Assignment;
use beginning::SettledOffsets;
use config::{FETCH_MAX, config, session};

const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// For another member to begin for a new group.
pub(super) const BEGINNING_TIMEOUT: Duration = Duration::from_secs(20);
/// Consumers fenced in a row, each within a session: another process has the same `instance`.
const FENCED_MAX: u32 = 3;
const CONTESTED: &str = "another process takes part with the same `instance` and goes on instead: give each process that runs one of its own";
const RETRY_PAUSE: Duration = Duration::from_secs(1);
const ACCESS_CHECK_PAUSE: Duration = Duration::from_secs(10);

pub(super) struct KafkaSource {
    cluster: KafkaCluster,
    settings: SourceSettings,
    window: Capacity,
    share: Rc<Share>,
    /// The prefetch limit is divided by them, and they are the whole of which this process has a part.
    partition_count: Cell<i32>,
    status: SourceStatus,
    /// What is refused is to read the topic, not the group.
    is_topic_refused: Cell<bool>,
    settled: SettledOffsets,
}

impl KafkaSource {
    /// Checks that librdkafka takes the configuration, whatever the window. Opens no connection.
    pub(super) fn prove(cluster: &KafkaCluster, settings: &SourceSettings) -> KafkaResult<()> {
        let mut config = config(cluster, settings, Capacity::SINGLE);
        config.remove("bootstrap.servers");
        config.create::<BaseConsumer>().map(drop)
    }

    /// `window` bounds each partition, `share` all of them together.
    pub(super) fn new(
        cluster: &KafkaCluster,
        settings: SourceSettings,
        window: Capacity,
        share: Rc<Share>,
        status: SourceStatus,
    ) -> Self {
        Self {
            cluster: cluster.clone(),
            settings,
            window,
            share,
            partition_count: Cell::default(),
            status,
            is_topic_refused: Cell::default(),
            settled: SettledOffsets::default(),
        }
    }
}

impl Source for KafkaSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            let source = Rc::new(*self);
            source.status.set_part(0.0);
            let mut fenced_in_a_row = 0;
            let session = session(&config(&source.cluster, &source.settings, source.window));
            loop {
                let (began, mut pause) = (Instant::now(), RETRY_PAUSE);
                match source.run_consumer(&intake, &mut stop).await {
                    Ended::Stopped => return Ok(()),
                    Ended::Fatal(error) => return Err(error),
                    Ended::Broken => tracing::error!("kafka consumer is made anew"),
                    Ended::Grown => tracing::info!("partitions were added, joining again"),
                    Ended::Watchdog => {
                        tracing::warn!("kafka consumer will not find back and is made anew");
                    }
                    Ended::Forbidden => pause = ACCESS_CHECK_PAUSE,
                    Ended::Fenced => {
                        fenced_in_a_row = match began.elapsed() < session {
                            true => fenced_in_a_row + 1,
                            false => 0,
                        };
                        if fenced_in_a_row == FENCED_MAX {
                            return Err(SourceError {
                                reason: "kafka-fenced",
                                detail: CONTESTED.to_owned(),
                            });
                        }
                        tracing::warn!("the place in the group was taken, joining again");
                    }
                }
                tokio::select! {
                    _ = stop.requested() => return Ok(()),
                    () = sleep(pause) => {}
                }
            }
        }
        .boxed_local()
    }
}

enum Ended {
    Stopped,
    Fatal(SourceError),
    Broken,
    /// The topic has more partitions than the prefetch limit was divided by.
    Grown,
    Watchdog,
    /// The broker lets this user read nothing, and the client does not retry.
    Forbidden,
    /// Another process has this member's name, or the client missed a session and has forgotten it.
    Fenced,
}

impl KafkaSource {
    /// Logged when that is news. librdkafka retries, and reads on once it may.
    fn is_forbidden(&self, error: &KafkaError) -> bool {
        let code = code(error);
        let is_topic = code == RDKafkaErrorCode::TopicAuthorizationFailed;
        if !is_topic && code != RDKafkaErrorCode::GroupAuthorizationFailed {
            return false;
        }
        self.is_topic_refused.set(is_topic);
        if self.status.set_refused(true) {
            tracing::error!(
                %code,
                "kafka source may not read and is held: give its user READ on the topic and on the group, then it goes on by itself"
            );
        }
        true
    }

    fn allow(&self) {
        self.is_topic_refused.set(false);
        self.status.set_refused(false);
    }

    /// The group is left until it is there.
    fn misses_topic(&self, client: &Client) {
        self.status.set_joined(false);
        if let Some(held_back) = client.context().throttle.lets_through("no topic") {
            let (topic, remedy) = (&*self.settings.topic, "create it, or correct `topic`");
            tracing::warn!(topic, held_back, remedy, "the topic does not exist");
        }
    }

    /// Where a topic is quiet, no record shows that it may be read again.
    async fn check_access(self: Rc<Self>) {
        loop {
            sleep(ACCESS_CHECK_PAUSE).await;
            let asked = view::may_read(&self.cluster, &self.settings.topic, ACCESS_CHECK_PAUSE);
            if self.is_topic_refused.get() && asked.await.is_ok() {
                self.allow();
            }
        }
    }

    async fn poll(self: Rc<Self>, client: Arc<Client>, fault: mpsc::Sender<Ended>) {
        loop {
            let ended = match client.recv().await {
                // A record that is in no partition's queue has no window: a new consumer reads it again.
                Ok(_) => Ended::Broken,
                // A client of KIP-848 gives up where another one retries.
                Err(error) if self.is_forbidden(&error) => match error {
                    KafkaError::MessageConsumptionFatal(_) => Ended::Forbidden,
                    _ => continue,
                },
                Err(error @ KafkaError::MessageConsumptionFatal(_)) => fatal(&error),
                Err(KafkaError::MessageConsumption(RDKafkaErrorCode::UnknownTopicOrPartition)) => {
                    self.misses_topic(&client);
                    continue;
                }
                // The context has logged it, and librdkafka goes on by itself.
                Err(_) => continue,
            };
            if fault.send(ended).await.is_err() {
                return;
            }
        }
    }

    /// A window, and all partitions half of what the route may prefetch: a fetch comes on top.
    fn ahead(&self) -> Capacity {
        let partitions = self.partition_count.get().max(1);
        let partitions = usize::try_from(partitions).unwrap_or(1);
        Capacity {
            bytes: (self.window.bytes).min(self.share.ahead() / 2 / partitions),
            ..self.window
        }
    }

    /// How many partitions may fetch at once where each fetches a whole batch.
    fn turns(&self) -> usize {
        (self.share.ahead() / FETCH_MAX).clamp(1, Semaphore::MAX_PERMITS)
    }

    async fn run_consumer(self: &Rc<Self>, intake: &Intake, stop: &mut Stop) -> Ended {
        let (sender, mut rebalances) = mpsc::channel(8);
        let events = ClientEvents {
            rebalances: Some(sender),
            ..ClientEvents::new(Span::current(), self.cluster.token.clone())
        };
        let watchdog = events.watchdog.clone();
        self.status
            .watch_connection(move || watchdog.state().connected);
        let asked = view::partitions(&self.cluster, &self.settings.topic);
        tokio::select! {
            _ = stop.requested() => return Ended::Stopped,
            // Where nobody answers, the first assignment does.
            asked = asked => {
                let count = asked.unwrap_or(0).max(self.partition_count.get());
                self.partition_count.set(count);
            }
        }
        let ahead = self.ahead();
        let config = config(&self.cluster, &self.settings, ahead);
        let client: Arc<Client> = match config.create_with_context(events) {
            Ok(client) => Arc::new(client),
            Err(error) => return fatal(&error),
        };
        if let Err(error) = client.subscribe(&[&self.settings.topic]) {
            return fatal(&error);
        }
        let (fault, mut faults) = mpsc::channel(1);
        let assignment = Rc::new(Assignment {
            source: Rc::clone(self),
            client: Arc::clone(&client),
            topic: self.settings.topic.as_str().into(),
            intake: intake.clone(),
            fault: fault.clone(),
            ahead: ahead.bytes.max(1),
            turns: (ahead.bytes < FETCH_MAX).then(|| Semaphore::new(self.turns())),
            open: RefCell::default(),
            commit_due: Notify::default(),
            committing: Arc::default(),
            asking: Arc::default(),
        });
        let readers = Readers(Rc::clone(&assignment));
        let mut tasks = JoinSet::new();
        let poll = Rc::clone(self).poll(Arc::clone(&client), fault.clone());
        tasks.spawn_local(supervise("poll", fault.clone(), poll).in_current_span());
        let commit = Rc::clone(&assignment).commit_for_ever();
        tasks.spawn_local(supervise("commit", fault, commit).in_current_span());
        tasks.spawn_local(Rc::clone(self).check_access().in_current_span());
        let (reads, topic) = (Arc::downgrade(&client), Arc::clone(&assignment.topic));
        let status = self.status.clone();
        let may_read = move || !status.refused();
        let watch = stuck_consumer::watch(reads, topic, may_read);
        tasks.spawn_local(watch.in_current_span());
        let (ended, deadline) = tokio::select! {
            biased;
            deadline = stop.requested() => (Ended::Stopped, deadline),
            Some(ended) = faults.recv() => (ended, Instant::now()),
            () = client.context().watchdog.triggered() => (Ended::Watchdog, Instant::now()),
            () = assignment.follow(&mut rebalances) => (Ended::Broken, Instant::now()),
        };
        self.status.set_joined(false);
        self.status.watch_connection(|| Some(false));
        let deadline = match ended {
            // Nothing failed: what is in flight is waited for, as in a rebalance.
            Ended::Grown => Instant::now() + self.settings.drain,
            _ => deadline,
        };
        let may_commit = !matches!(ended, Ended::Watchdog | Ended::Fenced);
        assignment.release_all(deadline, may_commit).await;
        tasks.shutdown().await;
        // From here on the callback carries rebalances out.
        rebalances.close();
        assignment.end_rebalance();
        let asking = Arc::clone(&assignment.asking);
        drop((readers, assignment));
        let closed = async {
            // Who still asks a broker closes the client, should that take longer.
            drop(asking.write().await);
            CLOSING.spawn_blocking(move || drop(client)).await
        };
        if timeout(CLOSE_TIMEOUT, closed).await.is_err() {
            tracing::warn!("the group was not left in time");
        }
        ended
    }
}

/// A part that panics ends the consumer: else nothing is committed, or a partition stands still.
async fn supervise(part: &'static str, fault: mpsc::Sender<Ended>, work: impl Future<Output = ()>) {
    if AssertUnwindSafe(work).catch_unwind().await.is_err() {
        tracing::error!(part, "part of a kafka consumer panicked");
        drop(fault.send(Ended::Broken).await);
    }
}

fn fatal(error: &KafkaError) -> Ended {
    if code(error) == RDKafkaErrorCode::FencedInstanceId {
        return Ended::Fenced;
    }
    let detail = error_text(error);
    tracing::error!(code = %code(error), detail, "kafka consumer cannot go on");
    Ended::Fatal(SourceError {
        reason: "kafka-fatal",
        detail,
    })
}

/// They keep the assignment, so that a route that panics must end them.
struct Readers(Rc<Assignment>);

impl Drop for Readers {
    fn drop(&mut self) {
        self.0.open.take();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::delivery::share::Pool;

    #[tokio::test]
    async fn a_part_that_panics_ends_the_consumer() {
        let (fault, mut faults) = mpsc::channel(1);
        supervise("quiet", fault.clone(), async {}).await;
        assert!(faults.try_recv().is_err());
        supervise("loud", fault, async { panic!("on purpose") }).await;
        assert!(matches!(faults.try_recv(), Ok(Ended::Broken)));
    }

    /// 10 routes read topics of 100 partitions: all of them fetch a quarter of the bound ahead.
    #[test]
    fn what_is_fetched_ahead_is_divided_by_routes_and_partitions() {
        let source = KafkaSource::new(
            &KafkaCluster::new("b:9092", &[]),
            SourceSettings::new("zaken", "group"),
            Capacity {
                events: 1000,
                bytes: 8 << 20,
            },
            Share::of(&Pool::new(256 << 20, 10)),
            SourceStatus::default(),
        );
        for (partition_count, kilobytes, fetch) in [(1, "3355", "1048576"), (100, "33", "33554")] {
            source.partition_count.set(partition_count);
            let config = config(&source.cluster, &source.settings, source.ahead());
            assert_eq!(config.get("queued.max.messages.kbytes"), Some(kilobytes));
            assert_eq!(config.get("fetch.message.max.bytes"), Some(fetch));
        }
    }
}
