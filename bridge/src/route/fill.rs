//! Pure: how full the windows are that a route takes from.

use std::rc::{Rc, Weak};

use tokio::time::Instant;

use crate::delivery::Window;

/// What the windows of a route hold above their watermarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// Events.
    pub events: usize,
    /// Bytes.
    pub bytes: usize,
    /// When the oldest unsettled event was taken.
    pub oldest: Option<Instant>,
    /// Deliveries that were dropped without a verdict.
    pub dropped: u64,
}

/// The windows that deliveries came through, as long as somebody holds them.
#[derive(Debug, Default)]
pub(super) struct Windows(Vec<Weak<Window>>);

impl Windows {
    /// Remembers a window.
    pub(super) fn note(&mut self, window: &Rc<Window>) {
        let window = Rc::downgrade(window);
        if !self.0.iter().any(|known| known.ptr_eq(&window)) {
            self.0.retain(|known| known.strong_count() > 0);
            self.0.push(window);
        }
    }

    pub(super) fn fill(&self) -> Fill {
        let mut fill = Fill::default();
        for window in self.0.iter().filter_map(Weak::upgrade) {
            fill.events += window.len();
            fill.bytes += window.bytes();
            fill.dropped += window.dropped();
            fill.oldest = fill.oldest.into_iter().chain(window.oldest()).min();
        }
        fill
    }
}
