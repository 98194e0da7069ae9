//! What a source shows to metrics and readiness.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use crate::delivery::Window;
use crate::server::Answers;

type AskConnection = dyn Fn() -> Option<bool>;
type WatchPart = dyn Fn(f64);

/// Clones share one state.
#[derive(Clone, Default)]
pub struct SourceStatus(Rc<SourceState>);

#[derive(Default)]
struct SourceState {
    windows: RefCell<Vec<Rc<Window>>>,
    /// Of windows that are closed by now.
    dropped: Cell<u64>,
    lost: Cell<u64>,
    /// Messages that it has not taken, once that is known.
    behind: Cell<Option<u64>>,
    /// Asked when metrics are published.
    is_connected: RefCell<Option<Box<AskConnection>>>,
    watches_part: RefCell<Option<Box<WatchPart>>>,
    answers: Answers,
    joined: Cell<bool>,
    refused: Cell<bool>,
}

impl fmt::Debug for SourceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.windows.fmt(f)
    }
}

impl SourceStatus {
    /// Of a source that may answer requests.
    pub(crate) fn new(answers: Answers) -> Self {
        Self(Rc::new(SourceState {
            answers,
            ..SourceState::default()
        }))
    }

    pub(crate) fn answers(&self) -> &Answers {
        &self.0.answers
    }

    pub fn watch_connection(&self, is_connected: impl Fn() -> Option<bool> + 'static) {
        self.0.is_connected.replace(Some(Box::new(is_connected)));
    }

    /// Nothing where there is no connection to speak of, or none is known yet.
    pub fn is_connected(&self) -> Option<bool> {
        self.0.is_connected.borrow().as_ref()?()
    }

    /// Is told at once.
    pub fn watch_part(&self, watch: impl Fn(f64) + 'static) {
        self.0.watches_part.replace(Some(Box::new(watch)));
    }

    /// How much of the whole source this process reads, from 0 to 1.
    pub fn set_part(&self, part: f64) {
        if let Some(watch) = &*self.0.watches_part.borrow() {
            watch(part);
        }
    }

    pub fn set_behind(&self, messages: impl Into<Option<u64>>) {
        self.0.behind.set(messages.into());
    }

    /// Messages that are not settled, taken or not.
    pub fn lag(&self) -> Option<u64> {
        Some(self.0.behind.get()? + self.events() as u64)
    }

    pub fn open(&self, window: &Rc<Window>) {
        self.0.windows.borrow_mut().push(Rc::clone(window));
    }

    pub fn close(&self, window: &Rc<Window>) {
        self.0.dropped.set(self.0.dropped.get() + window.dropped());
        let mut windows = self.0.windows.borrow_mut();
        windows.retain(|open| !Rc::ptr_eq(open, window));
    }

    /// Joined its group, or listens. Else nobody knows how far behind it is.
    pub fn set_joined(&self, joined: bool) {
        self.0.joined.set(joined);
        if !joined {
            self.0.behind.set(None);
        }
    }

    pub fn joined(&self) -> bool {
        self.0.joined.get()
    }

    /// The broker lets the source read nothing; true when that is news.
    pub fn set_refused(&self, refused: bool) -> bool {
        self.0.refused.replace(refused) != refused
    }

    pub fn refused(&self) -> bool {
        self.0.refused.get()
    }

    pub fn oldest_ms(&self) -> Option<i64> {
        let windows = self.0.windows.borrow();
        windows.iter().filter_map(|window| window.oldest_ms()).min()
    }

    /// For Kafka, the partitions assigned.
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

    pub fn set_lost(&self, lost: u64) {
        self.0.lost.set(lost);
    }

    /// Lost before they were taken: they came too fast, or left their stream.
    pub fn lost(&self) -> u64 {
        self.0.lost.get()
    }

    /// Windows whose source reads no further until somebody acts; one at least while it may read none.
    pub fn held(&self) -> usize {
        let held = self.sum(|window| usize::from(window.held().is_some()));
        held.max(self.refused().into())
    }

    fn sum(&self, of: impl Fn(&Window) -> usize) -> usize {
        let windows = self.0.windows.borrow();
        windows.iter().map(|window| of(window)).sum()
    }

    /// Of the windows that are open.
    pub fn each(&self, act: impl Fn(&Window)) {
        let windows = self.0.windows.borrow();
        windows.iter().for_each(|window| act(window));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_lag_is_unknown_from_a_lost_connection_to_the_next_answer() {
        let status = SourceStatus::default();
        status.set_joined(true);
        status.set_behind(7);
        assert_eq!(status.lag(), Some(7));
        status.set_joined(false);
        assert_eq!((status.joined(), status.lag()), (false, None));
        status.set_joined(true);
        assert_eq!(status.lag(), None);
    }
}
