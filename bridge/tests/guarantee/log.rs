//! A partitioned log in memory with committed positions, and a source that reads it.

use std::cell::RefCell;
use std::rc::Rc;

use cloudevents_nl_bridge::delivery::share::Share;
use cloudevents_nl_bridge::delivery::window::Capacity;
use cloudevents_nl_bridge::delivery::{Position, Received, Window};
use cloudevents_nl_bridge::transport::{Intake, Source, SourceError, Stop};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Duration, timeout_at};

/// A log that survives the source that reads it.
#[derive(Debug, Default)]
pub(crate) struct Log {
    partitions: RefCell<Vec<Partition>>,
    /// A committed position moved.
    moved: Notify,
}

#[derive(Debug, Default)]
struct Partition {
    messages: Vec<Received>,
    committed: usize,
}

impl Log {
    /// Appends a message; its position is set.
    pub(crate) fn append(&self, partition: usize, mut message: Received) {
        let mut partitions = self.partitions.borrow_mut();
        if partitions.len() <= partition {
            partitions.resize_with(partition + 1, Partition::default);
        }
        let messages = &mut partitions[partition].messages;
        message.position =
            Position::numbered(format!("memory:{partition}/"), messages.len() as u64);
        messages.push(message);
    }

    /// Moves the committed position of a partition.
    pub(crate) fn seek(&self, partition: usize, sequence: usize) {
        self.partitions.borrow_mut()[partition].committed = sequence;
        self.moved.notify_waiters();
    }

    /// The committed position of each partition.
    pub(crate) fn committed(&self) -> Vec<usize> {
        self.partitions
            .borrow()
            .iter()
            .map(|partition| partition.committed)
            .collect()
    }

    /// Messages at or above the committed position of each partition.
    pub(crate) fn uncommitted(&self) -> usize {
        self.partitions
            .borrow()
            .iter()
            .map(|partition| partition.messages.len() - partition.committed)
            .sum()
    }

    /// Waits until no message lies at or above a committed position.
    pub(crate) async fn all_committed(&self) {
        loop {
            let moved = self.moved.notified();
            if self.uncommitted() == 0 {
                return;
            }
            moved.await;
        }
    }

    fn commit(&self, windows: &[Rc<Window>]) {
        for (partition, window) in windows.iter().enumerate() {
            let last = window.watermark();
            if let Some(last) = last.and_then(|last| usize::try_from(last).ok()) {
                self.seek(partition, last + 1);
            }
        }
    }

    /// A message, where there is one.
    pub(crate) fn message(&self, partition: usize, sequence: usize) -> Option<Received> {
        self.partitions.borrow()[partition]
            .messages
            .get(sequence)
            .cloned()
    }
}

/// Reads a [`Log`] from its committed positions.
#[derive(Debug)]
pub(crate) struct MemorySource {
    /// What it reads.
    pub(crate) log: Rc<Log>,
    /// What each partition's window may hold.
    pub(crate) capacity: Capacity,
    /// How often it commits.
    pub(crate) commit_interval: Duration,
}

impl Source for MemorySource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            let mut readers = JoinSet::new();
            let mut windows = Vec::new();
            let starts: Vec<_> = self
                .log
                .partitions
                .borrow()
                .iter()
                .map(|part| part.committed)
                .collect();
            for (partition, start) in starts.into_iter().enumerate() {
                let window = Window::partition(self.capacity, &Share::unbounded());
                windows.push(Rc::clone(&window));
                readers.spawn_local(read(
                    Rc::clone(&self.log),
                    window,
                    intake.clone(),
                    partition,
                    start,
                ));
            }
            drop(intake);
            let mut tick = tokio::time::interval(self.commit_interval);
            let deadline = loop {
                tokio::select! {
                    deadline = stop.requested() => break deadline,
                    _ = tick.tick() => self.log.commit(&windows),
                }
            };
            windows.iter().for_each(|window| window.drain(deadline));
            readers.shutdown().await;
            for window in &windows {
                if timeout_at(deadline, window.finished()).await.is_err() {
                    window.abandon();
                }
            }
            self.log.commit(&windows);
            Ok(())
        }
        .boxed_local()
    }
}

async fn read(log: Rc<Log>, window: Rc<Window>, intake: Intake, partition: usize, start: usize) {
    let mut sequence = start;
    while let Some(message) = log.message(partition, sequence) {
        window.room().await;
        if intake.push(vec![window.admit(message)]).await.is_err() {
            return;
        }
        sequence += 1;
    }
    std::future::pending().await
}
