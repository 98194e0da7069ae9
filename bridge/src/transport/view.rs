//! The third way to open a place: to look at it. A view takes part in nothing that a route uses, so
//! it commits no offset, joins no group and leaves nothing behind.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use futures_util::future::LocalBoxFuture;
use futures_util::stream::LocalBoxStream;
use jiff::Timestamp;

use super::address::Address;
use crate::delivery::Received;

/// A place that was proven and can be looked at.
pub trait OpenView: fmt::Debug + Send + Sync {
    /// The place.
    fn address(&self) -> Address;

    /// Opens it on this thread, inside the runtime.
    ///
    /// # Errors
    /// When the place does not exist or cannot be reached.
    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<View, ViewError>>;

    /// Notes that are kept beside the place under `name`, which no route uses.
    ///
    /// # Errors
    /// When they cannot be reached, or the place can keep none.
    fn checkpoints(
        &self,
        name: &str,
    ) -> LocalBoxFuture<'_, Result<Box<dyn CheckpointStore>, ViewError>>;
}

/// Every message from the start to the end that was there when the place was opened, or for ever; in
/// the order of each partition, within bounded memory, none decoded or left out.
pub type View = LocalBoxStream<'static, Result<Viewed, ViewError>>;

/// What to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where to begin.
    pub start: ViewStart,
    /// Whether to go on behind the end, with what arrives.
    pub follows: bool,
}

/// Where a view begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewStart {
    /// At the oldest message.
    Earliest,
    /// At the first message that the place dates at this moment or later.
    Time(Timestamp),
    /// Behind the newest message.
    End,
}

/// A message and where it lies.
#[derive(Clone, Debug)]
pub struct Viewed {
    /// The message as it is.
    pub received: Received,
    /// Its place among those of the same partition.
    pub at: PartitionOffset,
    /// The time that the place gives it, in milliseconds since 1970.
    pub time_ms: Option<i64>,
}

/// A place in a partition. Numbers rise; they need not be without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionOffset {
    /// The partition; 0 where there is one.
    pub partition: i32,
    /// Offset, sequence or line, from 0.
    pub offset: u64,
}

impl PartitionOffset {
    /// A place where there is one partition.
    #[must_use]
    pub fn at(offset: u64) -> Self {
        Self {
            partition: 0,
            offset,
        }
    }
}

/// A small text per partition, kept durably beside a place.
pub trait CheckpointStore {
    /// The note of each partition that has one.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Checkpoint>, ViewError>>;

    /// Replaces notes; they are durable when this returns.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write(&self, notes: BTreeMap<i32, Checkpoint>) -> LocalBoxFuture<'_, Result<(), ViewError>>;
}

/// What is noted about one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// The number of the first message that is not done.
    pub next: u64,
    /// What is done behind it; at most [`Checkpoint::TEXT_MAX`] bytes.
    pub beyond: String,
}

impl Checkpoint {
    /// Most bytes of text: brokers take 4,096 with an offset, unless they are told otherwise.
    pub const TEXT_MAX: usize = 4_000;
}

/// The name of notes where a name has only letters, digits and hyphens: of any other character
/// `mark` and its code.
#[must_use]
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

/// Why a place cannot be looked at. Never holds secrets or payload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Not now: who says so, and what.
    #[error("{0}")]
    Failed(String),
    /// The place can keep no notes as it is set up.
    #[error("{0}")]
    NoCheckpoints(String),
}
