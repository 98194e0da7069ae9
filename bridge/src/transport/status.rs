//! What a source shows of itself to those who watch it: metrics and readiness.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tokio::time::Instant;

use crate::delivery::Window;

/// The open windows of a source, and whether it takes part. Clones show the same source.
#[derive(Clone, Debug, Default)]
pub struct SourceStatus(Rc<SourceState>);

#[derive(Debug, Default)]
struct SourceState {
    windows: RefCell<Vec<Rc<Window>>>,
    /// Deliveries that windows closed by now have seen dropped.
    dropped: Cell<u64>,
    lost: Cell<u64>,
    joined: Cell<bool>,
    refused: Cell<bool>,
}

impl SourceStatus {
    pub fn open(&self, window: &Rc<Window>) {
        self.0.windows.borrow_mut().push(Rc::clone(window));
    }

    pub fn close(&self, window: &Rc<Window>) {
        self.0.dropped.set(self.0.dropped.get() + window.dropped());
        let mut windows = self.0.windows.borrow_mut();
        windows.retain(|open| !Rc::ptr_eq(open, window));
    }

    pub fn abandon(&self) {
        for window in &*self.0.windows.borrow() {
            window.abandon();
        }
    }

    pub fn drain(&self, deadline: Instant) {
        for window in &*self.0.windows.borrow() {
            window.drain(deadline);
        }
    }

    /// Notes whether the source takes part in its group, or listens.
    pub fn set_joined(&self, joined: bool) {
        self.0.joined.set(joined);
    }

    /// Whether the source takes part in its group, or listens; it may have nothing to read.
    pub fn joined(&self) -> bool {
        self.0.joined.get()
    }

    /// Notes whether the broker lets the source read at all; true when that is news.
    pub fn set_refused(&self, refused: bool) -> bool {
        self.0.refused.replace(refused) != refused
    }

    /// Whether the broker lets the source read nothing.
    pub fn refused(&self) -> bool {
        self.0.refused.get()
    }

    /// When the oldest unsettled message was taken.
    pub fn oldest(&self) -> Option<Instant> {
        let windows = self.0.windows.borrow();
        windows.iter().filter_map(|window| window.oldest()).min()
    }

    /// Open windows: for Kafka, the partitions assigned.
    pub fn windows(&self) -> usize {
        self.0.windows.borrow().len()
    }

    pub fn events(&self) -> usize {
        self.sum(Window::len)
    }

    pub fn bytes(&self) -> usize {
        self.sum(Window::bytes)
    }

    /// Deliveries that were dropped without a verdict: a fault of the bridge.
    pub fn dropped(&self) -> u64 {
        let windows = self.0.windows.borrow();
        self.0.dropped.get() + windows.iter().map(|window| window.dropped()).sum::<u64>()
    }

    /// Notes messages that were lost before they were taken, all in all.
    pub fn set_lost(&self, lost: u64) {
        self.0.lost.set(lost);
    }

    /// Messages that were lost before they were taken: they came too fast, or left their stream.
    pub fn lost(&self) -> u64 {
        self.0.lost.get()
    }

    /// Windows whose source reads no further until somebody acts; one at least while it may read none.
    pub fn held(&self) -> usize {
        let held = self.sum(|window| usize::from(window.held().is_some()));
        held.max(self.refused().into())
    }

    fn sum(&self, of: impl Fn(&Window) -> usize) -> usize {
        self.0
            .windows
            .borrow()
            .iter()
            .map(|window| of(window))
            .sum()
    }
}
