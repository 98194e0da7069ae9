//! The third way to open a place: to look at it. A view takes part in nothing that a route uses, so
//! it commits no offset, joins no group and leaves nothing behind.
//!
//! Contract of a **view**: it yields every message from its start to the end that was there when it
//! was opened, or for ever; in the order of each partition; one at a time, within bounded memory. It
//! never decodes or leaves out. Contract of **notes**: a small text per partition, kept durably
//! beside the place, under a name that no route uses.

use std::collections::BTreeMap;
use std::fmt;

use futures_util::future::LocalBoxFuture;
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
    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<Box<dyn View>, ViewError>>;

    /// Notes that are kept beside the place under `name`.
    ///
    /// # Errors
    /// When they cannot be reached, or the place is unsuited.
    fn notes(&self, name: &str) -> LocalBoxFuture<'_, Result<Box<dyn Notes>, NoNotes>>;
}

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

/// An open view.
pub trait View {
    /// The next message, or nothing at the end. It may be dropped before it is ready: the message
    /// then comes with the next call.
    ///
    /// # Errors
    /// When the place cannot be read on.
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Viewed>, ViewError>>;

    /// How many messages are left at most, where there is an end.
    fn left(&self) -> Option<u64>;
}

/// A message and where it lies.
#[derive(Clone, Debug)]
pub struct Viewed {
    /// The message as it is.
    pub received: Received,
    /// Its place among those of the same partition.
    pub spot: Spot,
    /// The time that the place gives it, in milliseconds since 1970.
    pub time_ms: Option<i64>,
}

/// A place in a partition. Numbers rise; they need not be without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// The partition; 0 where there is one.
    pub partition: i32,
    /// Offset, sequence or line, from 0.
    pub number: u64,
}

/// Notes about the messages of a place, which its messages do not show.
pub trait Notes {
    /// The note of each partition that has one.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Note>, ViewError>>;

    /// Replaces notes; they are durable when this returns.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write(&self, notes: BTreeMap<i32, Note>) -> LocalBoxFuture<'_, Result<(), ViewError>>;
}

/// Why there are no notes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoNotes {
    /// The place can keep none as it is: why.
    #[error("{0}")]
    Unsuited(&'static str),
    /// They cannot be reached.
    #[error(transparent)]
    View(#[from] ViewError),
}

/// What is noted about one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The number of the first message that is not done.
    pub next: u64,
    /// What is done behind it; at most [`Note::TEXT_MAX`] bytes.
    pub beyond: String,
}

impl Note {
    /// Most bytes of text: brokers take 4,096 with an offset, unless they are told otherwise.
    pub const TEXT_MAX: usize = 4_000;
}

/// Why a place cannot be looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {detail}")]
pub struct ViewError {
    /// A constant text.
    pub reason: &'static str,
    /// What the client said; never holds secrets or payload.
    pub detail: String,
}
