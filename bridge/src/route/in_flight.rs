//! Pure: what is under way to one endpoint, and how much of it may go together.

use std::time::Duration;

use super::breaker::Probe;
use super::item::Stage;
use crate::transport::Batch;

/// Events under way to one sink: so many from the head of each lane.
#[derive(Debug)]
pub struct InFlight {
    pub stage: Stage,
    /// When they left, since the start of the route.
    pub started: Duration,
    /// What goes on the wire; whoever sends it takes it out.
    pub batch: Batch,
    /// How many events are under way.
    pub events: usize,
    /// Whether it probes an open circuit, and how.
    pub probe: Option<Probe>,
    /// How many of them come from which lane.
    pub(super) lanes: Vec<(usize, usize)>,
}

/// How large a batch may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    pub events: usize,
    /// Most bytes; a single event may be larger.
    pub bytes: usize,
}
