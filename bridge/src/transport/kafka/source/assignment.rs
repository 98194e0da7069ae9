//! The assigned partitions: opened, their watermarks stored, released.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::mem::take;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{join_all, pending};
use futures_util::stream::FuturesUnordered;
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::{Offset, TopicPartitionList};
use tokio::sync::{Mutex, Notify, RwLock, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tracing::Instrument;

use super::beginning::{Starts, reached, starts};
use super::reader::{PartitionReader, pause};
use super::{BEGINNING_TIMEOUT, COMMIT_TIMEOUT, Ended, KafkaSource, RETRY_PAUSE, lag, supervise};
use crate::delivery::Window;
use crate::transport::Intake;
use crate::transport::kafka::client::{self, Client, Rebalance, code};
use crate::transport::kafka::offsets::{
    self, ANSWER_TIMEOUT, Offsets, Questions, blocking, numbers,
};

/// Commits that fail in a row, before that is told.
const FAILURES_MAX: u32 = 10;

pub(super) struct Assignment {
    pub(super) source: Rc<KafkaSource>,
    pub(super) client: Arc<Client>,
    pub(super) topic: Arc<str>,
    pub(super) intake: Intake,
    pub(super) fault: mpsc::Sender<Ended>,
    pub(super) ahead: usize,
    /// Where `ahead` is less than a batch, partitions fetch by turns.
    pub(super) turns: Option<Semaphore>,
    pub(super) open: RefCell<BTreeMap<i32, Partition>>,
    /// A commit failed, or the assignment has changed.
    pub(super) commit_due: Notify,
    /// One request at a time: no commit overtakes a later one.
    pub(super) committing: Arc<Mutex<()>>,
    /// Read by who holds the client while a broker answers: it must not outlive the consumer's end.
    pub(super) asking: Arc<RwLock<()>>,
}

/// From assignment to revocation: a later one has another window, so nobody commits late verdicts.
pub(super) struct Partition {
    pub(super) window: Rc<Window>,
    /// One, until a drain begins.
    reader: JoinSet<()>,
    pub(super) stored: Cell<i64>,
    /// The reader waits, and the window has all that it took.
    pub(super) waits: Cell<bool>,
}

impl Partition {
    /// Below it everything is settled.
    pub(super) fn settled(&self) -> i64 {
        to_commit(&self.window).unwrap_or_else(|| self.stored.get())
    }
}

impl Assignment {
    /// Returns when the client cannot carry a rebalance out.
    pub(super) async fn follow(self: &Rc<Self>, rebalances: &mut mpsc::Receiver<Rebalance>) {
        while let Some(rebalance) = tokio::select! {
            rebalance = rebalances.recv() => rebalance,
            () = lag::watch(self) => None,
        } {
            // Until it is carried out nobody knows how far behind it is.
            self.source.status.set_behind(None::<u64>);
            let done = match rebalance {
                Rebalance::Assign(partitions) => {
                    self.source.status.set_joined(true);
                    // Who assigns is the coordinator.
                    self.client.context().watchdog.state().coordinated = Some(Instant::now());
                    self.assign(&partitions).await
                }
                Rebalance::Revoke(partitions) => self.revoke(&partitions).await,
            };
            if let Err(error) = done {
                tracing::error!(%error, "assignment could not be changed");
                return;
            }
        }
    }

    async fn assign(self: &Rc<Self>, assigned: &TopicPartitionList) -> KafkaResult<()> {
        let partitions = &numbers(assigned);
        let found = self.starts(partitions).await?;
        let mut starts = found.committed;
        // Where a group begins, the topic may be another one of the same name.
        self.source.settled.take(&found.begun);
        if self.grows(found.partition_count) {
            // The consumer ends.
            pending::<()>().await;
        }
        let regained = self.regain(&mut starts).await;
        starts.extend(found.begun);
        tracing::info!(
            topic = &*self.topic,
            starts = offsets::text(&starts),
            leaderless = offsets::joined(&found.leaderless),
            "partitions assigned"
        );
        let mut list = offsets::list(&self.topic, starts.clone())?;
        for partition in found.leaderless {
            list.add_partition_offset(&self.topic, partition, Offset::Beginning)?;
        }
        for &partition in partitions {
            let start = starts.get(&partition).copied().unwrap_or_default();
            let opened = self.open(partition, start)?;
            self.open.borrow_mut().insert(partition, opened);
        }
        self.tell_part();
        self.source.allow();
        client::assign(&self.client, &list)?;
        if self.turns.is_some() {
            pause(&self.client, &list);
        }
        offsets::store(&self.client, &self.topic, regained);
        self.commit_due.notify_one();
        Ok(())
    }

    /// Before it is assigned: no record may reach the main queue.
    fn open(self: &Rc<Self>, partition: i32, start: i64) -> KafkaResult<Partition> {
        let queue = self.client.split_partition_queue(&self.topic, partition);
        let missing = || KafkaError::Subscription("no queue for a partition".to_owned());
        let queue = queue.ok_or_else(missing)?;
        let window = Window::partition(self.source.window, &self.source.share);
        let reads = PartitionReader {
            assignment: Rc::clone(self),
            partition,
            queue,
            window: Rc::clone(&window),
        };
        self.source.status.open(&window);
        let reads = supervise("reader", self.fault.clone(), reads.read());
        let mut reader = JoinSet::new();
        reader.spawn_local(reads.in_current_span());
        Ok(Partition {
            window,
            reader,
            stored: Cell::new(start),
            waits: Cell::default(),
        })
    }

    /// Moves starts over what was settled, but not committed, when an assignment was lost; returns those.
    async fn regain(&self, starts: &mut Offsets) -> Offsets {
        let own = self.source.settled.take(starts);
        if own.is_empty() {
            return own;
        }
        let asked = own.keys().copied().collect();
        let Ok(ends) = self.ends(asked, ANSWER_TIMEOUT).await else {
            tracing::warn!("the ends of partitions are not known: what was settled is repeated");
            return Offsets::new();
        };
        let own = reached(own, &ends);
        starts.extend(own.clone());
        own
    }

    /// Retries for [`BEGINNING_TIMEOUT`]: who is out of the group by then has to join it anew.
    async fn starts(&self, partitions: &[i32]) -> KafkaResult<Starts> {
        let asked_first = Instant::now();
        while asked_first.elapsed() <= BEGINNING_TIMEOUT {
            let (topic, asked) = (Arc::clone(&self.topic), partitions.to_vec());
            let start = self.source.settings.start;
            let starts = move |client: &Client| starts(client, &topic, &asked, start);
            match self.ask(starts).await {
                Ok(Some(starts)) => return Ok(starts),
                Ok(None) => tracing::debug!("another member says where the new group begins"),
                Err(error) => tracing::warn!(%error, "committed offsets are not known yet"),
            }
            sleep(RETRY_PAUSE).await;
        }
        let what = "nobody said where the group begins".to_owned();
        Err(KafkaError::Subscription(what))
    }

    async fn revoke(&self, revoked: &TopicPartitionList) -> KafkaResult<()> {
        let (partitions, lost) = (numbers(revoked), self.client.assignment_lost());
        let topic = &*self.topic;
        tracing::info!(
            topic,
            partitions = offsets::joined(&partitions),
            lost,
            "partitions revoked"
        );
        let deadline = match lost {
            // Others may own them already: nothing to finish.
            true => Instant::now(),
            false => Instant::now() + self.source.settings.drain,
        };
        if lost {
            // Until it is in the group again.
            self.source.status.set_joined(false);
        }
        self.release(&partitions, deadline, !lost).await;
        client::unassign(&*self.client, revoked)
    }

    /// Before it is closed, librdkafka demands an answer to a rebalance that was not carried out.
    pub(super) fn end_rebalance(&self) {
        let nothing = TopicPartitionList::new();
        // It takes one of them, if any.
        client::assign(&self.client, &nothing).ok();
        client::unassign(&*self.client, &nothing).ok();
    }

    /// Whether the topic has more partitions than were known; then the consumer ends.
    pub(super) fn grows(&self, partition_count: i32) -> bool {
        let grows = partition_count > self.source.partition_count.get();
        if grows {
            self.source.partition_count.set(partition_count);
            drop(self.fault.try_send(Ended::Grown));
        }
        grows
    }

    fn tell_part(&self) {
        let all = self.source.partition_count.get().max(1);
        let assigned = self.open.borrow().len() as f64;
        self.source.status.set_part(assigned / f64::from(all));
    }

    pub(super) async fn release_all(&self, deadline: Instant, may_commit: bool) {
        let all: Vec<i32> = self.open.borrow().keys().copied().collect();
        self.release(&all, deadline, may_commit).await;
    }

    /// Lets what was started finish. What is settled and not committed is kept for the next assignment.
    async fn release(&self, partitions: &[i32], deadline: Instant, may_commit: bool) {
        self.drain_windows(partitions, deadline).await;
        let is_committed = may_commit && self.commit_last().await;
        let close = |it: &i32| Some((*it, self.open.borrow_mut().remove(it)?));
        for (partition, opened) in partitions.iter().filter_map(close) {
            if !is_committed {
                self.source.settled.keep(partition, opened.settled());
            }
            self.source.status.close(&opened.window);
        }
        self.tell_part();
    }

    async fn drain_windows(&self, partitions: &[i32], deadline: Instant) {
        let mut windows = Vec::new();
        for partition in partitions {
            let (window, mut reader) = match self.open.borrow_mut().get_mut(partition) {
                Some(opened) => (Rc::clone(&opened.window), take(&mut opened.reader)),
                None => continue,
            };
            // First, so that what the reader still holds is not waited for.
            window.drain(deadline);
            // Then it is gone, with its queue.
            reader.shutdown().await;
            windows.push(window);
        }
        let finished = join_all(windows.iter().map(|window| window.finished()));
        if timeout_at(deadline, finished).await.is_err() {
            let left: usize = windows.iter().map(|window| window.len()).sum();
            tracing::warn!(
                left,
                "drain ended at its deadline, what is left will be repeated"
            );
        }
        windows.iter().for_each(|window| window.abandon());
    }

    async fn commit_last(&self) -> bool {
        self.store_moved();
        let committed = async {
            loop {
                match self.commit().await {
                    // A broker that has just begun does not know the group yet.
                    Err(
                        RDKafkaErrorCode::CoordinatorLoadInProgress
                        | RDKafkaErrorCode::CoordinatorNotAvailable
                        | RDKafkaErrorCode::NotCoordinator,
                    ) => sleep(self.source.settings.commit_interval).await,
                    answer => return answer,
                }
            }
        };
        let cause = match timeout(COMMIT_TIMEOUT, committed).await {
            Ok(Ok(())) => return true,
            Ok(Err(code)) => code.to_string(),
            Err(_) => "no answer in time".to_owned(),
        };
        tracing::warn!(cause, "last commit failed");
        false
    }

    /// What librdkafka has stored, so nothing of a partition that was revoked meanwhile.
    async fn commit(&self) -> Result<(), RDKafkaErrorCode> {
        let turn = Arc::clone(&self.committing).lock_owned().await;
        let commit = move |client: &Client| {
            let answer = client.commit_consumer_state(CommitMode::Sync);
            drop(turn);
            answer
        };
        match self.ask(commit).await.map_err(|error| code(&error)) {
            Err(RDKafkaErrorCode::NoOffset) => Ok(()),
            answer => answer,
        }
    }

    pub(super) async fn ends(&self, asked: Vec<i32>, timeout: Duration) -> KafkaResult<Offsets> {
        let topic = Arc::clone(&self.topic);
        let ends = move |client: &Client| {
            Questions::new(client, &topic, timeout).offsets(asked, Offset::End)
        };
        self.ask(ends).await
    }

    pub(super) async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Client) -> KafkaResult<T> + Send + 'static,
    ) -> KafkaResult<T> {
        let held = Arc::clone(&self.asking).read_owned().await;
        let client = Arc::clone(&self.client);
        let ask = move || {
            let answer = ask(&client);
            drop((client, held));
            answer
        };
        blocking(ask).await
    }

    /// Until all that is settled is committed, then waits for more.
    pub(super) async fn commit_for_ever(self: Rc<Self>) {
        let (interval, mut failures) = (self.source.settings.commit_interval, 0);
        loop {
            self.something_to_commit().await;
            let asked = Instant::now();
            if let Err(code) = self.commit().await {
                failures += 1;
                // The first ones may have met a rebalance.
                if failures >= FAILURES_MAX {
                    let events = self.client.context();
                    events.warn(code, "commits fail and are repeated");
                }
                self.commit_due.notify_one();
                sleep(interval.min(RETRY_PAUSE)).await;
            } else {
                failures = 0;
                sleep_until(asked + interval).await;
            }
        }
    }

    /// After a quiet time it leaves others a commit interval to be settled too.
    async fn something_to_commit(&self) {
        while !self.store_moved() {
            let window = |it: &Partition| Rc::clone(&it.window);
            let windows: Vec<_> = self.open.borrow().values().map(window).collect();
            let mut settled: FuturesUnordered<_> = windows.iter().map(|it| it.changed()).collect();
            tokio::select! {
                () = self.commit_due.notified() => return,
                Some(()) = settled.next() => sleep(self.source.settings.commit_interval).await,
            }
        }
    }

    /// Whether a watermark has moved; one that could not be stored has moved still.
    fn store_moved(&self) -> bool {
        let open = self.open.borrow();
        let moved = open.iter().filter_map(|(&partition, opened)| {
            let offset = to_commit(&opened.window)?;
            (opened.stored.get() != offset).then_some((partition, offset))
        });
        let moved: Offsets = moved.collect();
        for partition in offsets::store(&self.client, &self.topic, moved.clone()) {
            open[&partition].stored.set(moved[&partition]);
        }
        !moved.is_empty()
    }
}

/// The offset behind the watermark.
fn to_commit(window: &Window) -> Option<i64> {
    i64::try_from(window.watermark()? + 1).ok()
}

#[cfg(test)]
mod tests;
