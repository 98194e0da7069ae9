//! Pure: the slots of a window in arrival order, and the watermark below which all are settled.
//!
//! Slots are counted by arrival, never by offset: transactions and compaction leave gaps.

use std::collections::VecDeque;

use super::Verdict;

#[derive(Debug)]
struct Slot<P, T> {
    position: P,
    taken_at: T,
    bytes: usize,
    started: bool,
    verdict: Option<Verdict>,
}

/// Slots of one window. `P` is the source's position, `T` a moment.
#[derive(Debug)]
pub struct Slots<P, T> {
    slots: VecDeque<Slot<P, T>>,
    /// Sequence number of the front slot.
    first: u64,
    bytes: usize,
    watermark: Option<P>,
}

impl<P, T> Default for Slots<P, T> {
    fn default() -> Self {
        Self {
            slots: VecDeque::new(),
            first: 0,
            bytes: 0,
            watermark: None,
        }
    }
}

impl<P: Clone, T: Copy> Slots<P, T> {
    /// Takes a message in and returns its sequence number.
    pub fn push(&mut self, position: P, bytes: usize, taken_at: T) -> u64 {
        self.bytes += bytes;
        self.slots.push_back(Slot {
            position,
            taken_at,
            bytes,
            started: false,
            verdict: None,
        });
        self.first + self.slots.len() as u64 - 1
    }

    /// Marks a slot as started; false when it is gone.
    pub fn start(&mut self, sequence: u64) -> bool {
        self.slot(sequence)
            .map(|slot| slot.started = true)
            .is_some()
    }

    /// Settles a slot and moves the watermark over the unbroken run of verdicts at the front.
    /// Returns false when the slot is gone or was settled before.
    pub fn settle(&mut self, sequence: u64, verdict: Verdict) -> bool {
        match self.slot(sequence) {
            Some(slot) if slot.verdict.is_none() => slot.verdict = Some(verdict),
            _ => return false,
        }
        while let Some(slot) = self.slots.pop_front_if(|slot| slot.verdict.is_some()) {
            self.first += 1;
            self.bytes -= slot.bytes;
            self.watermark = Some(slot.position);
        }
        true
    }

    /// Cuts off the slots behind the last one that was started: nobody has seen those messages.
    pub fn cut_unstarted_tail(&mut self) {
        while let Some(slot) = self
            .slots
            .pop_back_if(|slot| !slot.started && slot.verdict.is_none())
        {
            self.bytes -= slot.bytes;
        }
    }

    /// The last position of the unbroken run of verdicts, once there is one.
    #[must_use]
    pub fn watermark(&self) -> Option<&P> {
        self.watermark.as_ref()
    }

    /// When the oldest unsettled message was taken.
    #[must_use]
    pub fn oldest(&self) -> Option<T> {
        self.slots.front().map(|slot| slot.taken_at)
    }

    /// Slots held: everything above the watermark.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn slot(&mut self, sequence: u64) -> Option<&mut Slot<P, T>> {
        let index = sequence.checked_sub(self.first)?;
        self.slots.get_mut(usize::try_from(index).ok()?)
    }
}
