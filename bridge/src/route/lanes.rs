//! Pure: lanes keep the order of a key. One flight per lane is under way; a lane that waits blocks
//! only itself. Lanes are made when an event needs one and reused when they run empty.

mod waits;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;

use super::item::{Item, Stage};
use crate::transport::Parcel;
pub use waits::Wait;
use waits::Waits;

/// What makes events share a lane: the window they came through, and the key within it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaneKey {
    /// Identity of the window: a partition that is assigned again has another.
    pub window: usize,
    /// The key; `None` is the whole window.
    pub key: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneState {
    Free,
    Ready,
    InFlight,
    Waiting(Wait),
    Parked,
}

#[derive(Debug)]
struct Lane {
    key: Option<LaneKey>,
    state: LaneState,
    items: VecDeque<Item>,
    /// Whether the last wait was cut short because others recovered.
    was_hurried: bool,
}

/// Events under way to one sink: so many from the head of each lane.
#[derive(Debug)]
pub struct Flight {
    /// Where they go.
    pub stage: Stage,
    /// When they left, since the start of the route.
    pub started: Duration,
    /// What goes on the wire; whoever sends it takes it out.
    pub parcel: Parcel,
    /// How many events are under way.
    pub events: usize,
    lanes: Vec<(usize, usize)>,
}

/// How large a parcel may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParcelLimits {
    /// Most events.
    pub events: usize,
    /// Most bytes; a single event may be larger.
    pub bytes: usize,
}

/// All lanes of a route.
#[derive(Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    free: Vec<usize>,
    by_key: HashMap<LaneKey, usize>,
    ready: VecDeque<usize>,
    ready_dead: VecDeque<usize>,
    waits: Waits,
    events: usize,
}

impl Lanes {
    /// Puts an event at the end of its lane; without a key it has a lane to itself.
    pub fn push(&mut self, item: Item, key: Option<LaneKey>) {
        self.events += 1;
        let known = key.as_ref().and_then(|key| self.by_key.get(key).copied());
        if let Some(id) = known {
            self.lanes[id].items.push_back(item);
            return;
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.lanes.push(Lane {
                key: None,
                state: LaneState::Free,
                items: VecDeque::new(),
                was_hurried: false,
            });
            self.lanes.len() - 1
        });
        if let Some(key) = &key {
            self.by_key.insert(key.clone(), id);
        }
        self.lanes[id].key = key;
        self.lanes[id].items.push_back(item);
        self.make_ready(id);
    }

    /// Takes the next parcel for `stage`. Events whose delivery may not start any more are dropped
    /// on the way: their window was abandoned, so nobody counts on them.
    pub fn take(&mut self, stage: Stage, limits: ParcelLimits, now: Duration) -> Option<Flight> {
        let mut flight = Flight {
            stage,
            started: now,
            parcel: Parcel::new(),
            events: 0,
            lanes: Vec::new(),
        };
        let (mut bytes, mut events_max) = (0, limits.events);
        while let Some(&id) = self.ready(stage).front() {
            self.drop_gone_heads(id);
            let lane = &mut self.lanes[id];
            let mut taken = 0;
            for item in &lane.items {
                let size = item.outgoing.byte_len();
                let is_full = !flight.parcel.is_empty() && bytes + size > limits.bytes;
                let fits = flight.parcel.len() < events_max.min(item.parcel_max);
                if item.stage != stage || is_full || !fits || !item.delivery.start() {
                    break;
                }
                events_max = events_max.min(item.parcel_max);
                bytes += size;
                taken += 1;
                flight.parcel.push(Rc::clone(&item.outgoing));
            }
            if taken == 0 && !lane.items.is_empty() {
                break;
            }
            self.ready(stage).pop_front();
            if taken == 0 {
                self.release(id);
                continue;
            }
            self.lanes[id].state = LaneState::InFlight;
            flight.lanes.push((id, taken));
        }
        flight.events = flight.parcel.len();
        (flight.events > 0).then_some(flight)
    }

    /// Ends a flight: `settle` takes each of its events, and the lanes go on.
    pub fn settle(&mut self, flight: &Flight, mut settle: impl FnMut(Item)) {
        for &(id, taken) in &flight.lanes {
            self.events -= taken;
            for item in self.lanes[id].items.drain(..taken) {
                settle(item);
            }
            self.lanes[id].was_hurried = false;
            self.go_on(id);
        }
    }

    /// Looks at each event of a flight.
    pub fn peek(&self, flight: &Flight, look: impl FnMut(&Item)) {
        let items = flight
            .lanes
            .iter()
            .flat_map(|&(id, taken)| self.lanes[id].items.iter().take(taken));
        items.for_each(look);
    }

    /// Whether a sender waits for the answer to this flight; such events travel alone.
    #[must_use]
    pub fn is_request(&self, flight: &Flight) -> bool {
        let mut is_request = false;
        self.peek(flight, |item| {
            is_request |= item.delivery.window().is_request()
        });
        is_request
    }

    /// Ends a flight whose events stay: `change` sees each of them, then their lanes wait, or are
    /// ready at once.
    pub fn put_back(
        &mut self,
        flight: &Flight,
        wait: Option<Wait>,
        mut change: impl FnMut(&mut Item),
    ) {
        // Put back in the order they left, so that the oldest is tried first.
        for &(id, taken) in flight.lanes.iter().rev() {
            self.lanes[id]
                .items
                .iter_mut()
                .take(taken)
                .for_each(&mut change);
            if let Some(wait) = wait {
                self.stand_still(id, wait);
            } else {
                self.lanes[id].state = LaneState::Ready;
                self.enqueue(id, true);
            }
        }
    }

    /// Makes lanes ready whose wait is over.
    pub fn wake(&mut self, now: Duration) {
        while let Some(id) = self.waits.over(now) {
            self.make_ready(id);
        }
    }

    /// Ends every wait for `stage` that no `Retry-After` asked for: its endpoint has come back.
    pub fn recall(&mut self, stage: Stage) {
        let waiting = self.waits.ids().filter(|&id| {
            let lane = &self.lanes[id];
            let is_recallable =
                matches!(lane.state, LaneState::Waiting(wait) if wait.floor.is_none());
            is_recallable && lane.stage() == Some(stage)
        });
        let waiting: Vec<usize> = waiting.collect();
        waiting.into_iter().for_each(|id| self.make_ready(id));
    }

    /// Cuts short the waits for `stage` that end first, `most` of them: events that had failed go
    /// through again. What is left of a wait is jitter where the floor of a `Retry-After` is over. A
    /// lane that fails once more after that waits in full before it is hurried again, so one that
    /// keeps failing among others is tried at most twice as often.
    pub fn hurry(&mut self, stage: Stage, most: usize, now: Duration) {
        for _ in 0..most {
            let Some(id) = self.waits.hurriable(stage, now) else {
                return;
            };
            self.lanes[id].was_hurried = true;
            self.make_ready(id);
        }
    }

    /// Lets go of lanes that stand still for nothing: their window was abandoned, or its drain ends
    /// before they could move. `opens_at` is when the endpoint of a stage takes events again.
    pub fn sweep(&mut self, now: Duration, opens_at: impl Fn(Stage) -> Duration) {
        let stands_for_nothing = |lane: &Lane| {
            let Some(first) = lane.items.front() else {
                return false;
            };
            let moves_at = match lane.state {
                LaneState::Free | LaneState::InFlight => return false,
                LaneState::Ready => opens_at(first.stage),
                LaneState::Waiting(wait) => wait.due.max(opens_at(first.stage)),
                LaneState::Parked => Duration::MAX,
            };
            let window = first.delivery.window();
            // A sender that waits is told at once that it waits for nothing.
            let is_hopeless = window.is_request() && moves_at == Duration::MAX;
            let time_left = window.time_left();
            first.delivery.is_gone()
                || is_hopeless
                || time_left.is_some_and(|left| moves_at > now + left)
        };
        let lanes = self.lanes.iter().enumerate();
        let swept: Vec<usize> = lanes
            .filter(|(_, lane)| stands_for_nothing(lane))
            .map(|(id, _)| id)
            .collect();
        for &id in &swept {
            self.end_wait(id);
            // The events of a lane came through one window, in order: behind the first none can move.
            self.events -= self.lanes[id].items.len();
            self.lanes[id]
                .items
                .drain(..)
                .for_each(|item| item.delivery.give_up());
            self.release(id);
        }
        if !swept.is_empty() {
            let lanes = &self.lanes;
            for ready in [&mut self.ready, &mut self.ready_dead] {
                ready.retain(|&id| lanes[id].state != LaneState::Free);
            }
        }
    }

    /// When the next wait ends.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        self.waits.next_due()
    }

    /// Whether a lane is ready for `stage`.
    #[must_use]
    pub fn has_ready(&self, stage: Stage) -> bool {
        match stage {
            Stage::Sink => !self.ready.is_empty(),
            Stage::DeadLetter => !self.ready_dead.is_empty(),
            Stage::Parked => false,
        }
    }

    /// Dead letters that their place refuses for good; each stands at the head of its lane.
    #[must_use]
    pub fn stuck(&self) -> usize {
        let heads = self.lanes.iter().filter_map(|lane| lane.items.front());
        heads.filter(|item| item.is_stuck).count()
    }

    /// Events held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events
    }

    /// Whether no event is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    fn stand_still(&mut self, id: usize, wait: Wait) {
        let lane = &mut self.lanes[id];
        let was_hurried = std::mem::take(&mut lane.was_hurried);
        lane.state = LaneState::Waiting(wait);
        if let Some(stage) = lane.stage() {
            self.waits.begin(id, stage, wait, !was_hurried);
        }
    }

    fn end_wait(&mut self, id: usize) {
        let lane = &self.lanes[id];
        if let (LaneState::Waiting(wait), Some(stage)) = (lane.state, lane.stage()) {
            self.waits.end(id, stage, wait);
        }
    }

    fn ready(&mut self, stage: Stage) -> &mut VecDeque<usize> {
        if stage == Stage::DeadLetter {
            &mut self.ready_dead
        } else {
            &mut self.ready
        }
    }

    fn make_ready(&mut self, id: usize) {
        self.end_wait(id);
        self.lanes[id].state = LaneState::Ready;
        self.enqueue(id, false);
    }

    fn enqueue(&mut self, id: usize, first: bool) {
        let Some(stage) = self.lanes[id].stage() else {
            return;
        };
        match stage {
            Stage::Parked => self.lanes[id].state = LaneState::Parked,
            _ if first => self.ready(stage).push_front(id),
            _ => self.ready(stage).push_back(id),
        }
    }

    fn drop_gone_heads(&mut self, id: usize) {
        let items = &mut self.lanes[id].items;
        while items.pop_front_if(|item| item.delivery.is_gone()).is_some() {
            self.events -= 1;
        }
    }

    fn go_on(&mut self, id: usize) {
        if self.lanes[id].items.is_empty() {
            self.release(id);
        } else {
            self.make_ready(id);
        }
    }

    fn release(&mut self, id: usize) {
        let lane = &mut self.lanes[id];
        lane.state = LaneState::Free;
        lane.was_hurried = false;
        if let Some(key) = lane.key.take() {
            self.by_key.remove(&key);
        }
        self.free.push(id);
    }
}

impl Lane {
    /// Where its first event goes next.
    fn stage(&self) -> Option<Stage> {
        self.items.front().map(|item| item.stage)
    }
}

#[cfg(test)]
mod tests;
