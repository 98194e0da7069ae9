//! Looking at a place without taking part: a view commits no offset, joins no group, leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{LocalBoxStream, Stream};
use jiff::Timestamp;

use super::address::Address;
use crate::delivery::Received;

pub trait OpenView: fmt::Debug + Send + Sync {
    fn address(&self) -> Address;

    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<View, ViewError>>;

    /// Checkpoints that are kept beside the place under `name`, which no route uses.
    fn checkpoints(
        &self,
        name: &str,
    ) -> LocalBoxFuture<'_, Result<Box<dyn CheckpointStore>, ViewError>>;
}

/// All messages from the start to the end that was there at opening, or for ever; each partition in order.
pub struct View {
    messages: LocalBoxStream<'static, Result<Viewed, ViewError>>,
    /// Partitions that have, or had, messages before the start.
    pub shortened: BTreeSet<i32>,
}

impl View {
    pub fn new(
        messages: impl Stream<Item = Result<Viewed, ViewError>> + 'static,
        shortened: BTreeSet<i32>,
    ) -> Self {
        Self {
            messages: messages.boxed_local(),
            shortened,
        }
    }
}

impl Stream for View {
    type Item = Result<Viewed, ViewError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.messages.poll_next_unpin(context)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: ViewStart,
    /// Goes on behind the end, with what arrives.
    pub follows: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewStart {
    Earliest,
    /// So many offsets before the end of each partition; earlier where the place cannot tell.
    Last(u64),
    /// At the first message of this time or later, as the place dates them.
    Time(Timestamp),
    End,
}

#[derive(Clone, Debug)]
pub struct Viewed {
    pub received: Received,
    pub at: PartitionOffset,
    /// As the place dates it, in milliseconds since 1970.
    pub time_ms: Option<i64>,
}

/// Offsets rise; they need not be without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionOffset {
    pub partition: i32,
    /// Of Kafka the offset, of JetStream the sequence, of a file the line; from 0.
    pub offset: u64,
}

impl PartitionOffset {
    /// Where there is one partition.
    pub fn at(offset: u64) -> Self {
        Self {
            partition: 0,
            offset,
        }
    }
}

/// One checkpoint per partition, kept durably beside a place.
pub trait CheckpointStore {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Checkpoint>, ViewError>>;

    /// Replaces checkpoints; they are durable when this returns.
    fn write(&self, notes: BTreeMap<i32, Checkpoint>) -> LocalBoxFuture<'_, Result<(), ViewError>>;
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// The offset of the first message that is not done.
    pub next: u64,
    /// What is done behind it; at most [`Checkpoint::TEXT_MAX`] bytes.
    pub beyond: String,
}

impl Checkpoint {
    /// Brokers take 4,096 bytes with an offset, unless they are set otherwise.
    pub const TEXT_MAX: usize = 4_000;
}

/// A name of only letters, digits and hyphens: any other character becomes `mark` and its code.
pub fn plain_name(name: &str, mark: char) -> String {
    let mut plain = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => plain.push(c),
            _ => write!(plain, "{mark}{:x}", u32::from(c)).expect("a string takes all"),
        }
    }
    plain
}

/// Never holds secrets or payload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    #[error("{0}")]
    Failed(String),
    /// The place cannot keep checkpoints as it is set up.
    #[error("{0}")]
    NoCheckpoints(String),
}
