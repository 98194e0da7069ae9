//! The partitions assigned: taking them on, storing their watermarks, giving them back.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{join_all, pending};
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::{Offset, TopicPartitionList};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout, timeout_at};

use super::beginning::{Starts, starts};
use super::memory::reached;
use super::reader::PartitionReader;
use super::{
    AGAIN, BEGINNING_TIMEOUT, COMMIT_TIMEOUT, Client, Ended, KafkaSource, STORE_INTERVAL, watched,
};
use crate::delivery::Window;
use crate::transport::Intake;
use crate::transport::kafka::client::{self, Rebalance, code};
use crate::transport::kafka::offsets::{self, Offsets, apart, watermarks};

/// Everything that is read at the moment.
pub(super) struct Assignment {
    pub(super) source: Rc<KafkaSource>,
    pub(super) client: Arc<Client>,
    pub(super) topic: Arc<str>,
    pub(super) intake: Intake,
    /// Hears why the consumer must end.
    pub(super) fault: mpsc::Sender<Ended>,
    pub(super) open: RefCell<BTreeMap<i32, Partition>>,
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
            self.source.status.set_joined(true);
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
        let known = &self.source.known;
        if let Some(last) = partitions.iter().max().filter(|&&p| p >= known.get()) {
            known.set(last + 1);
            drop(self.fault.try_send(Ended::Grown));
            // The consumer ends.
            pending::<()>().await;
        }
        let Starts {
            committed: mut starts,
            begun,
            leaderless,
        } = self.starts(partitions).await?;
        let regained = self.regain(&mut starts).await;
        // Where a group begins, the topic may be another one of the same name: nothing of it is settled.
        self.source.settled.take(&begun);
        starts.extend(begun);
        tracing::info!(
            topic = &*self.topic,
            ?starts,
            ?leaderless,
            "partitions assigned"
        );
        let mut list = offsets::list(&self.topic, starts)?;
        for partition in leaderless {
            list.add_partition_offset(&self.topic, partition, Offset::Beginning)?;
        }
        for &partition in partitions {
            let opened = self.open(partition)?;
            self.open.borrow_mut().insert(partition, opened);
        }
        self.source.allow();
        client::assign(&*self.client, &list)?;
        if !regained.is_empty() {
            store(&self.client, &offsets::list(&self.topic, regained)?);
        }
        Ok(())
    }

    /// Opens a partition before it is assigned: no record may reach the main queue.
    fn open(&self, partition: i32) -> KafkaResult<Partition> {
        let queue = self
            .client
            .split_partition_queue(&self.topic, partition)
            .ok_or_else(|| KafkaError::Subscription("no queue for a partition".to_owned()))?;
        let window = Window::partition(self.source.window, &self.source.share);
        let reader = PartitionReader {
            client: Arc::clone(&self.client),
            source: Rc::clone(&self.source),
            topic: Arc::clone(&self.topic),
            partition,
            queue,
            window: Rc::clone(&window),
            ahead: self.source.ahead().bytes,
            intake: self.intake.clone(),
        };
        self.source.status.open(&window);
        let reader = spawn_local(watched("reader", self.fault.clone(), reader.read()));
        Ok(Partition {
            window,
            reader: Some(reader),
            stored: Cell::new(None),
        })
    }

    /// Moves starts forward over what this source itself settled before it lost the assignment: while
    /// the brokers were away, nothing could be committed. Returns the starts that it moved.
    async fn regain(&self, starts: &mut Offsets) -> Offsets {
        let own = self.source.settled.take(starts);
        if own.is_empty() {
            return own;
        }
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        let asked: Vec<i32> = own.keys().copied().collect();
        let Ok(ends) = apart(move || watermarks(&client, &topic, asked)).await else {
            tracing::warn!("the ends of partitions are not known: what was settled is repeated");
            return Offsets::new();
        };
        let own = reached(own, &ends);
        starts.extend(own.clone());
        own
    }

    /// Where partitions start. Asks again for [`BEGINNING_TIMEOUT`]: who is out of the group by then has
    /// to join it anew.
    async fn starts(&self, partitions: &[i32]) -> KafkaResult<Starts> {
        let asked_first = Instant::now();
        while asked_first.elapsed() <= BEGINNING_TIMEOUT {
            let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
            let (asked, start) = (partitions.to_vec(), self.source.settings.start);
            match apart(move || starts(&client, &topic, &asked, start)).await {
                Ok(Some(starts)) => return Ok(starts),
                Ok(None) => tracing::debug!("another member says where the new group begins"),
                Err(error) => tracing::warn!(%error, "committed offsets are not known yet"),
            }
            sleep(AGAIN).await;
        }
        let what = "nobody said where the group begins".to_owned();
        Err(KafkaError::Subscription(what))
    }

    async fn revoke(&self, partitions: &[i32]) -> KafkaResult<()> {
        let lost = self.client.assignment_lost();
        let topic = &*self.topic;
        tracing::info!(topic, ?partitions, lost, "partitions revoked");
        let deadline = match lost {
            // Others may own them already: nothing to finish.
            true => Instant::now(),
            false => Instant::now() + self.source.settings.drain,
        };
        self.release(partitions, deadline, !lost).await;
        client::unassign(&*self.client, &self.nowhere(partitions)?)
    }

    fn nowhere(&self, partitions: &[i32]) -> KafkaResult<TopicPartitionList> {
        let mut list = TopicPartitionList::new();
        for &partition in partitions {
            list.add_partition_offset(&self.topic, partition, Offset::Invalid)?;
        }
        Ok(list)
    }

    /// Answers a rebalance that nobody carries out any more, as librdkafka asks of its users before
    /// they close; what is assigned by that is revoked by the close.
    pub(super) fn answer(&self, rebalance: &Rebalance) {
        let (Rebalance::Assign(partitions) | Rebalance::Revoke(partitions)) = rebalance;
        let answered = self.nowhere(partitions).and_then(|list| match rebalance {
            Rebalance::Assign(_) => client::assign(&*self.client, &list),
            Rebalance::Revoke(_) => client::unassign(&*self.client, &list),
        });
        if let Err(error) = answered {
            tracing::debug!(%error, "a rebalance was over before it was answered");
        }
    }

    /// Gives every partition back, as [`release`](Self::release) does.
    pub(super) async fn release_all(&self, deadline: Instant, may_commit: bool) {
        let all: Vec<i32> = self.open.borrow().keys().copied().collect();
        self.release(&all, deadline, may_commit).await;
    }

    /// Stops reading, lets what was started finish until `deadline`, and commits what is settled; where
    /// nobody takes a commit, it is remembered for the next assignment.
    async fn release(&self, partitions: &[i32], deadline: Instant, may_commit: bool) {
        self.halt(partitions, deadline).await;
        let settled: Offsets = {
            let open = self.open.borrow();
            let settled = |p: &i32| Some((*p, to_commit(&open.get(p)?.window)?));
            partitions.iter().filter_map(settled).collect()
        };
        if !may_commit {
            for (partition, offset) in settled {
                self.source.settled.keep(partition, offset);
            }
        } else if !settled.is_empty() {
            self.commit(settled).await;
        }
        for partition in partitions {
            let opened = self.open.borrow_mut().remove(partition);
            if let Some(opened) = opened {
                self.source.status.close(&opened.window);
            }
        }
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

    /// Commits and waits for the broker, but not for ever.
    async fn commit(&self, watermarks: Offsets) {
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        let commit = apart(move || {
            let list = offsets::list(&topic, watermarks)?;
            store(&client, &list);
            client.commit(&list, CommitMode::Sync)
        });
        match timeout(COMMIT_TIMEOUT, commit).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(code = ?code(&error), "last commit failed"),
            Err(_) => tracing::warn!("last commit was not answered in time"),
        }
    }

    /// Hands watermarks that moved to librdkafka, which commits them on its interval.
    pub(super) async fn store_for_ever(self: Rc<Self>) {
        let mut ticks = interval(STORE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            for (&partition, opened) in &*self.open.borrow() {
                let watermark = to_commit(&opened.window);
                let Some(offset) = watermark.filter(|_| watermark != opened.stored.get()) else {
                    continue;
                };
                let list = offsets::list(&self.topic, [(partition, offset)]);
                if list.is_ok_and(|list| store(&self.client, &list)) {
                    opened.stored.set(watermark);
                }
            }
        }
    }
}

/// What to commit for a window: the offset behind its watermark.
fn to_commit(window: &Window) -> Option<i64> {
    i64::try_from(window.watermark()?.number? + 1).ok()
}

/// Stores offsets as given. Not being assigned any more is normal: a verdict may come late.
fn store(client: &Client, offsets: &TopicPartitionList) -> bool {
    let stored = client.store_offsets(offsets);
    if let Err(error) = &stored {
        tracing::debug!(code = ?code(error), "offsets were not stored");
    }
    stored.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::share::Share;
    use crate::delivery::window::Capacity;
    use crate::delivery::{Position, Received, Verdict};

    #[test]
    fn what_is_committed_lies_behind_the_last_settled_record() {
        let capacity = Capacity {
            events: 9,
            bytes: 9,
        };
        let window = Window::partition(capacity, &Share::unbounded());
        assert_eq!(to_commit(&window), None);
        let mut taken = [40, 43].map(|offset| {
            Some(window.admit(Received {
                binding: &cloudevents_nl_codec::KAFKA,
                headers: cloudevents_nl_codec::HeaderList::default(),
                key: None,
                body: None,
                timestamp_ms: None,
                position: Position::numbered("kafka:t/0/", offset),
                defect: None,
            }))
        });
        for (index, expected) in [(1, None), (0, Some(44))] {
            let delivery = taken[index].take();
            delivery
                .into_iter()
                .for_each(|delivery| delivery.settle(Verdict::Delivered));
            assert_eq!(to_commit(&window), expected);
        }
    }
}
