//! Pure: lanes keep the order of a key: one exchange per lane is under way, and one that waits blocks no other.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::mem;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;

use super::breaker::Probe;
use super::item::{Item, Stage};
use crate::delivery::window::Capacity;
use crate::transport::Batch;

/// What is under way to one endpoint: so many events from the head of each lane.
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
    lanes: Vec<(usize, usize)>,
}

/// The window an event came through, and its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaneKey {
    /// The address of the window: a partition that is assigned again has another.
    pub window: usize,
    /// `None` is the whole window.
    pub key: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LaneState {
    #[default]
    Free,
    Ready,
    InFlight,
    Waiting(Duration),
    Parked,
}

#[derive(Debug, Default)]
struct Lane {
    key: Option<LaneKey>,
    state: LaneState,
    items: VecDeque<Item>,
}

/// What an event waits for that was not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// Its place in the queue.
    Ready,
    /// Its back-off, since the start of the route.
    After(Duration),
    /// The circuit: it goes as a probe, behind all that have not failed, or when the circuit closes.
    Circuit,
}

#[derive(Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    free: Vec<usize>,
    by_key: HashMap<LaneKey, usize>,
    /// Lanes that are ready, by [`Stage`] and by how each would probe an open circuit.
    queues: [[VecDeque<usize>; 2]; 2],
    waits: BTreeSet<(Duration, usize)>,
    events: usize,
}

impl Lanes {
    /// Without a key an event has a lane to itself.
    pub fn push(&mut self, item: Item, key: Option<LaneKey>) {
        self.events += 1;
        let entry = key.map(|key| self.by_key.entry(key));
        if let Some(Entry::Occupied(lane)) = &entry {
            self.lanes[*lane.get()].items.push_back(item);
            return;
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.lanes.push(Lane::default());
            self.lanes.len() - 1
        });
        self.lanes[id].key = entry.map(|entry| entry.insert_entry(id).key().clone());
        self.lanes[id].items.push_back(item);
        self.queue_up(id, Probe::First);
    }

    /// Events of abandoned windows are dropped on the way.
    pub fn take(
        &mut self,
        stage: Stage,
        limits: Capacity,
        probe: Option<Probe>,
        now: Duration,
    ) -> Option<InFlight> {
        let mut sent = InFlight {
            stage,
            started: now,
            batch: Batch::new(),
            events: 0,
            is_probe: probe.is_some(),
            lanes: Vec::new(),
        };
        let (mut bytes, mut events_max) = (0, limits.events);
        let queue = probe.unwrap_or(Probe::First);
        while let Some(&id) = self.queue(stage, queue).front() {
            let lane = &mut self.lanes[id];
            let items = &mut lane.items;
            while items.pop_front_if(|item| item.delivery.is_gone()).is_some() {
                self.events -= 1;
            }
            let mut taken = 0;
            for item in &lane.items {
                let size = item.outgoing.byte_len();
                let is_full = !sent.batch.is_empty() && bytes + size > limits.bytes;
                let fits = sent.batch.len() < events_max.min(item.batch_max);
                if item.stage != Some(stage) || is_full || !fits || !item.delivery.start() {
                    break;
                }
                events_max = events_max.min(item.batch_max);
                bytes += size;
                taken += 1;
                sent.batch.push(Rc::clone(&item.outgoing));
            }
            if taken == 0 && !lane.items.is_empty() {
                break;
            }
            self.queue(stage, queue).pop_front();
            if taken == 0 {
                self.release(id);
                continue;
            }
            self.lanes[id].state = LaneState::InFlight;
            sent.lanes.push((id, taken));
        }
        sent.events = sent.batch.len();
        (sent.events > 0).then_some(sent)
    }

    /// Ends an exchange; its lanes go on.
    pub fn settle(&mut self, sent: &InFlight, mut settle: impl FnMut(Item)) {
        for &(id, taken) in &sent.lanes {
            self.events -= taken;
            let items = &mut self.lanes[id].items;
            items.drain(..taken).for_each(&mut settle);
            match items.is_empty() {
                true => self.release(id),
                false => self.queue_up(id, Probe::First),
            }
        }
    }

    pub fn items(&self, sent: &InFlight) -> impl Iterator<Item = &Item> {
        let lanes = sent.lanes.iter();
        lanes.flat_map(|&(id, taken)| self.lanes[id].items.iter().take(taken))
    }

    pub fn each(&mut self, sent: &InFlight, mut change: impl FnMut(&mut Item)) {
        for &(id, taken) in &sent.lanes {
            let items = self.lanes[id].items.iter_mut();
            items.take(taken).for_each(&mut change);
        }
    }

    pub fn first(&mut self, sent: &InFlight) -> Option<&mut Item> {
        let (id, _) = sent.lanes.first()?;
        self.lanes[*id].items.front_mut()
    }

    /// Ends an exchange whose events stay, changed by `change`.
    pub fn put_back(&mut self, sent: &InFlight, then: Requeue, change: impl FnMut(&mut Item)) {
        self.each(sent, change);
        for &(id, _) in &sent.lanes {
            match then {
                Requeue::After(due) => {
                    self.lanes[id].state = LaneState::Waiting(due);
                    self.waits.insert((due, id));
                }
                Requeue::Ready => self.queue_up(id, Probe::First),
                Requeue::Circuit => self.queue_up(id, Probe::Repeat),
            }
        }
    }

    pub fn wake(&mut self, now: Duration) {
        while let Some(&(due, id)) = self.waits.first()
            && due <= now
        {
            self.waits.pop_first();
            self.queue_up(id, Probe::First);
        }
    }

    /// Lets go what waits for an operator, unless there is nothing to send.
    pub fn unpark(&mut self) {
        for id in 0..self.lanes.len() {
            let lane = &mut self.lanes[id];
            if lane.state == LaneState::Parked
                && let Some(item) = lane.items.front_mut()
                && item.last_answer.is_some()
            {
                item.begin_anew();
                self.queue_up(id, Probe::First);
            }
        }
    }

    /// The circuit closes: the first event of each lane that failed, to be put back.
    pub fn close(&mut self, stage: Stage) -> Vec<InFlight> {
        let failed = mem::take(self.queue(stage, Probe::Repeat));
        let exchanges = failed.into_iter().map(|id| InFlight {
            stage,
            started: Duration::ZERO,
            batch: Batch::new(),
            events: 1,
            is_probe: false,
            lanes: vec![(id, 1)],
        });
        exchanges.collect()
    }

    /// Drops lanes whose window was abandoned, or whose drain ends before they could move.
    pub fn sweep(
        &mut self,
        now: Duration,
        has_waiting_sender: bool,
        opens_at: impl Fn(Stage) -> Duration,
    ) {
        let stands_for_nothing = |lane: &Lane| {
            let Some(first) = lane.items.front() else {
                return false;
            };
            let opens_at = first.stage.map_or(Duration::MAX, &opens_at);
            let moves_at = match lane.state {
                LaneState::Free | LaneState::InFlight => return false,
                LaneState::Ready | LaneState::Parked => opens_at,
                LaneState::Waiting(due) => due.max(opens_at),
            };
            // A waiting sender is answered at once.
            let is_hopeless = has_waiting_sender && moves_at == Duration::MAX;
            let window = first.delivery.window();
            let time_left = window.time_left();
            first.delivery.is_gone()
                || is_hopeless
                || window.lets_go() && moves_at > now
                || time_left.is_some_and(|left| moves_at > now + left)
        };
        let free = self.free.len();
        for id in 0..self.lanes.len() {
            if stands_for_nothing(&self.lanes[id]) {
                if let LaneState::Waiting(due) = self.lanes[id].state {
                    self.waits.remove(&(due, id));
                }
                // A lane has events of one window, in order: behind the first none can move.
                let items = &mut self.lanes[id].items;
                self.events -= items.len();
                items.drain(..).for_each(|item| item.delivery.give_up());
                self.release(id);
            }
        }
        if self.free.len() > free {
            let lanes = &self.lanes;
            for queue in self.queues.as_flattened_mut() {
                queue.retain(|&id| lanes[id].state != LaneState::Free);
            }
        }
    }

    /// When the next back-off ends.
    pub fn next_due(&self) -> Option<Duration> {
        self.waits.first().map(|(due, _)| *due)
    }

    /// How the next lane of `stage` would probe an open circuit.
    pub fn next_probe(&self, stage: Stage) -> Option<Probe> {
        let queues = &self.queues[stage as usize];
        let mut probes = [Probe::First, Probe::Repeat].into_iter();
        probes.find(|probe| !queues[*probe as usize].is_empty())
    }

    pub fn heads(&mut self) -> impl Iterator<Item = &mut Item> {
        let lanes = self.lanes.iter_mut();
        lanes.filter_map(|lane| lane.items.front_mut())
    }

    /// They wait for an operator, at the head of their lane or behind one that does.
    pub fn held(&self) -> impl Iterator<Item = &Item> {
        let items = self.all().map(|(item, _)| item);
        items.filter(|item| item.stage.is_none())
    }

    /// Each with the time from which its lane may send it; `None` where it is under way or parked.
    pub fn all(&self) -> impl Iterator<Item = (&Item, Option<Duration>)> {
        self.lanes.iter().flat_map(|lane| {
            let due = match lane.state {
                LaneState::Ready => Some(Duration::ZERO),
                LaneState::Waiting(due) => Some(due),
                LaneState::Free | LaneState::InFlight | LaneState::Parked => None,
            };
            lane.items.iter().map(move |item| (item, due))
        })
    }

    pub fn events(&self) -> usize {
        self.events
    }

    fn queue(&mut self, stage: Stage, probe: Probe) -> &mut VecDeque<usize> {
        &mut self.queues[stage as usize][probe as usize]
    }

    /// Where its first event waits for an operator, it is in no queue.
    fn queue_up(&mut self, id: usize, probe: Probe) {
        let lane = &mut self.lanes[id];
        lane.state = LaneState::Parked;
        if let Some(stage) = lane.items.front().and_then(|first| first.stage) {
            lane.state = LaneState::Ready;
            self.queue(stage, probe).push_back(id);
        }
    }

    fn release(&mut self, id: usize) {
        let lane = &mut self.lanes[id];
        lane.state = LaneState::Free;
        if let Some(key) = lane.key.take() {
            self.by_key.remove(&key);
        }
        self.free.push(id);
    }
}

#[cfg(test)]
mod tests;
