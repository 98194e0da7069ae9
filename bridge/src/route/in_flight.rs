//! Pure: what is under way to one endpoint.

use std::time::Duration;

use super::item::Stage;
use crate::transport::Batch;

/// So many events from the head of each lane.
#[derive(Debug)]
pub struct InFlight {
    pub stage: Stage,
    /// Since the start of the route.
    pub started: Duration,
    /// Whoever sends it takes it out.
    pub batch: Batch,
    pub events: usize,
    /// Of an open circuit.
    pub is_probe: bool,
    /// Lanes, and how many events of each.
    pub(super) lanes: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    pub events: usize,
    /// A single event may be larger.
    pub bytes: usize,
}

impl BatchLimits {
    pub const SINGLE: Self = Self {
        events: 1,
        bytes: usize::MAX,
    };
}
