//! The partitions assigned: taking them on, storing their watermarks, giving them back.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::join_all;
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::{Offset, TopicPartitionList};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout, timeout_at};

use super::memory::{Memory, reached};
use super::offsets::Starts;
use super::reader::Reader;
use super::{
    AGAIN, BEGINNING_TIMEOUT, COMMIT_TIMEOUT, Client, Ended, STORE_INTERVAL, offsets, watched,
};
use crate::delivery::Window;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::transport::kafka::client::{self, Rebalance, code};
use crate::transport::kafka::settings::SourceSettings;
use crate::transport::{Intake, SourceStatus};

/// Everything that is read at the moment.
pub(super) struct Assignment {
    pub(super) client: Arc<Client>,
    pub(super) topic: Arc<str>,
    pub(super) settings: Rc<SourceSettings>,
    pub(super) window: Capacity,
    pub(super) share: Rc<Share>,
    /// Partitions of the topic, as far as they are known: what is fetched ahead is divided by them.
    pub(super) known: Rc<Cell<i32>>,
    pub(super) status: SourceStatus,
    pub(super) intake: Intake,
    pub(super) open: Rc<RefCell<BTreeMap<i32, Partition>>>,
    pub(super) settled: Rc<Memory>,
    /// Hears of a reader that panicked.
    pub(super) fault: mpsc::Sender<Ended>,
}

/// A partition, from assignment to revocation. A later assignment of the same one is another, so a
/// late verdict reaches a window from which nobody commits.
pub(super) struct Partition {
    window: Rc<Window>,
    reader: Option<JoinHandle<()>>,
    stored: Cell<Option<i64>>,
}

impl Drop for Partition {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.abort();
        }
    }
}

impl Assignment {
    /// Carries rebalances out, with the one under way in `pending`; returns when the client cannot.
    pub(super) async fn follow(
        &self,
        rebalances: &mut mpsc::Receiver<Rebalance>,
        pending: &RefCell<Option<Rebalance>>,
    ) {
        while let Some(rebalance) = rebalances.recv().await {
            self.status.set_joined(true);
            pending.replace(Some(rebalance.clone()));
            let done = match rebalance {
                Rebalance::Assign(partitions) => self.assign(&partitions).await,
                Rebalance::Revoke(partitions) => self.revoke(&partitions).await,
            };
            if let Err(error) = done {
                tracing::error!(%error, "assignment could not be changed");
                // It stays in `pending`: librdkafka waits for an answer before it closes.
                return;
            }
            pending.take();
        }
    }

    async fn assign(&self, partitions: &[i32]) -> KafkaResult<()> {
        if let Some(last) = partitions.iter().max().filter(|&&p| p >= self.known.get()) {
            self.known.set(last + 1);
            drop(self.fault.try_send(Ended::Grown));
            // The consumer ends.
            std::future::pending::<()>().await;
        }
        let (mut starts, begun) = self.starts(partitions).await?;
        let regained = self.regain(&mut starts).await;
        // Where a group begins, the topic may be another one of the same name: nothing of it is settled.
        self.settled.take(&begun);
        starts.extend(begun);
        let list = offsets::list(&self.topic, &starts)?;
        for &partition in partitions {
            // Before the partition is assigned: no record may reach the main queue.
            let queue = self
                .client
                .split_partition_queue(&self.topic, partition)
                .ok_or_else(|| KafkaError::Subscription("no queue for a partition".to_owned()))?;
            let window = Window::partition(self.window, &self.share);
            let reader = Reader {
                topic: Arc::clone(&self.topic),
                partition,
                queue,
                window: Rc::clone(&window),
                intake: self.intake.clone(),
                status: self.status.clone(),
            };
            self.status.open(&window);
            let opened = Partition {
                window,
                reader: Some(tokio::task::spawn_local(watched(
                    "reader",
                    self.fault.clone(),
                    reader.read(),
                ))),
                stored: Cell::new(None),
            };
            self.open.borrow_mut().insert(partition, opened);
        }
        self.status.set_refused(false);
        tracing::info!(topic = &*self.topic, ?starts, "partitions assigned");
        client::assign(&*self.client, &list)?;
        if !regained.is_empty() {
            store(&self.client, &offsets::list(&self.topic, &regained)?);
        }
        Ok(())
    }

    /// Moves starts forward over what this source itself settled before it lost the assignment: while
    /// the brokers were away, nothing could be committed. Returns the starts that it moved.
    async fn regain(&self, starts: &mut [(i32, Offset)]) -> Vec<(i32, Offset)> {
        let own = self.settled.take(starts);
        if own.is_empty() {
            return Vec::new();
        }
        let asked: Vec<i32> = own.iter().map(|(partition, _)| *partition).collect();
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        let ask = move || offsets::ends(&client, &topic, &asked);
        let Ok(Ok(ends)) = tokio::task::spawn_blocking(ask).await else {
            tracing::warn!("the ends of partitions are not known: what was settled is repeated");
            return Vec::new();
        };
        let moved = reached(&own, &ends);
        for (partition, start) in starts {
            if let Some((_, own)) = moved.iter().find(|(of, _)| of == partition) {
                *start = *own;
            }
        }
        moved
    }

    /// Where partitions start: what was committed, and what begins now. Asks again for
    /// [`BEGINNING_TIMEOUT`]: who is out of the group by then has to join it anew.
    async fn starts(
        &self,
        partitions: &[i32],
    ) -> KafkaResult<(Vec<(i32, Offset)>, Vec<(i32, Offset)>)> {
        let asked_first = Instant::now();
        loop {
            let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
            let (asked, start) = (partitions.to_vec(), self.settings.start);
            let answer = move || offsets::starting(&client, &topic, &asked, start);
            match tokio::task::spawn_blocking(answer).await {
                Ok(Ok(Starts::Known { committed, begun })) => return Ok((committed, begun)),
                Ok(Ok(Starts::Elsewhere)) => {
                    tracing::debug!("another member says where the new group begins");
                }
                Ok(Err(error)) => tracing::warn!(%error, "committed offsets are not known yet"),
                Err(error) => tracing::warn!(%error, "committed offsets are not known yet"),
            }
            if asked_first.elapsed() > BEGINNING_TIMEOUT {
                let what = "nobody said where the group begins".to_owned();
                return Err(KafkaError::Subscription(what));
            }
            sleep(AGAIN).await;
        }
    }

    async fn revoke(&self, partitions: &[i32]) -> KafkaResult<()> {
        let lost = self.client.assignment_lost();
        tracing::info!(
            topic = &*self.topic,
            ?partitions,
            lost,
            "partitions revoked"
        );
        match lost {
            // Others may own them already: nothing to finish, and nothing that we may commit.
            true => {
                self.remember(partitions);
                self.forget(partitions);
            }
            false => {
                let deadline = Instant::now() + self.settings.drain;
                self.drain(partitions, deadline).await;
            }
        }
        client::unassign(&*self.client, &self.nowhere(partitions)?)
    }

    fn nowhere(&self, partitions: &[i32]) -> KafkaResult<TopicPartitionList> {
        let nowhere: Vec<_> = partitions.iter().map(|&p| (p, Offset::Invalid)).collect();
        offsets::list(&self.topic, &nowhere)
    }

    /// Answers a rebalance that nobody carries out any more, as librdkafka asks of its users before
    /// they close; what is assigned by that is revoked by the close.
    pub(super) fn answer(&self, rebalance: &Rebalance) {
        let answered = match rebalance {
            Rebalance::Assign(list) => self
                .nowhere(list)
                .and_then(|l| client::assign(&*self.client, &l)),
            Rebalance::Revoke(list) => self
                .nowhere(list)
                .and_then(|l| client::unassign(&*self.client, &l)),
        };
        if let Err(error) = answered {
            tracing::debug!(%error, "a rebalance was over before it was answered");
        }
    }

    /// Drains every partition until `deadline`.
    pub(super) async fn finish(&self, deadline: Instant) {
        let all = self.all();
        self.drain(&all, deadline).await;
    }

    /// Stops reading, lets what was started finish until `deadline`, commits and forgets.
    async fn drain(&self, partitions: &[i32], deadline: Instant) {
        self.halt(partitions, deadline).await;
        self.commit(partitions).await;
        self.forget(partitions);
    }

    /// Stops reading, and lets what was started finish until `deadline`.
    async fn halt(&self, partitions: &[i32], deadline: Instant) {
        let mut windows = Vec::new();
        for partition in partitions {
            let (window, reader) = match self.open.borrow_mut().get_mut(partition) {
                Some(opened) => (Rc::clone(&opened.window), opened.reader.take()),
                None => continue,
            };
            // First, so that what the reader still holds is let go and not missed.
            window.drain(deadline);
            if let Some(reader) = reader {
                reader.abort();
                // An aborted task is gone, with its queue, when its handle is done.
                drop(reader.await);
            }
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

    /// Keeps what is settled for the next assignment: this one cannot commit any more.
    pub(super) fn remember_all(&self) {
        let all = self.all();
        self.remember(&all);
    }

    /// Lets go of every partition at once, because there is nobody to commit to: what is settled is
    /// remembered, the rest will be repeated.
    pub(super) async fn leave(&self) {
        let all = self.all();
        self.halt(&all, Instant::now()).await;
        self.remember(&all);
        self.forget(&all);
    }

    fn all(&self) -> Vec<i32> {
        self.open.borrow().keys().copied().collect()
    }

    fn remember(&self, partitions: &[i32]) {
        let open = self.open.borrow();
        for partition in partitions {
            let opened = open.get(partition);
            if let Some(offset) = opened.and_then(|opened| offsets::to_commit(&opened.window)) {
                self.settled.keep(*partition, offset);
            }
        }
    }

    fn forget(&self, partitions: &[i32]) {
        for partition in partitions {
            let opened = self.open.borrow_mut().remove(partition);
            if let Some(opened) = opened {
                opened.window.abandon();
                self.status.close(&opened.window);
            }
        }
    }

    /// Commits the watermarks of `partitions` and waits for the broker, but not for ever.
    async fn commit(&self, partitions: &[i32]) {
        let watermarks: Vec<_> = {
            let open = self.open.borrow();
            let watermark = |p: &i32| {
                Some((
                    *p,
                    Offset::Offset(offsets::to_commit(&open.get(p)?.window)?),
                ))
            };
            partitions.iter().filter_map(watermark).collect()
        };
        if watermarks.is_empty() {
            return;
        }
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        let commit = move || {
            let list = offsets::list(&topic, &watermarks)?;
            store(&client, &list);
            client.commit(&list, CommitMode::Sync)
        };
        match timeout(COMMIT_TIMEOUT, tokio::task::spawn_blocking(commit)).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::warn!(code = ?code(&error), "last commit failed"),
            Ok(Err(error)) => tracing::warn!(%error, "last commit failed"),
            Err(_) => tracing::warn!("last commit was not answered in time"),
        }
    }

    /// Hands watermarks that moved to librdkafka, which commits them on its interval.
    pub(super) fn store_for_ever(&self) -> impl Future<Output = ()> + use<> {
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        let open = Rc::clone(&self.open);
        async move {
            let mut ticks = interval(STORE_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                for (&partition, opened) in &*open.borrow() {
                    let watermark = offsets::to_commit(&opened.window);
                    let Some(offset) = watermark.filter(|_| watermark != opened.stored.get())
                    else {
                        continue;
                    };
                    let list = offsets::list(&topic, &[(partition, Offset::Offset(offset))]);
                    if list.is_ok_and(|list| store(&client, &list)) {
                        opened.stored.set(watermark);
                    }
                }
            }
        }
    }
}

/// Stores offsets as given. Not being assigned any more is normal: a verdict may come late.
fn store(client: &Client, offsets: &TopicPartitionList) -> bool {
    let stored = client.store_offsets(offsets);
    if let Err(error) = &stored {
        tracing::debug!(code = ?code(error), "offsets were not stored");
    }
    stored.is_ok()
}
