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
    /// Nobody works on it any more; it stays unsettled.
    given_up: bool,
    verdict: Option<Verdict>,
}

/// Slots of one window. `P` is the source's position, `T` a moment.
#[derive(Debug)]
pub struct Slots<P, T> {
    slots: VecDeque<Slot<P, T>>,
    /// Sequence number of the front slot.
    first: u64,
    bytes: usize,
    /// Slots that are neither settled nor given up.
    at_work: usize,
    watermark: Option<P>,
}

impl<P, T> Default for Slots<P, T> {
    fn default() -> Self {
        Self {
            slots: VecDeque::new(),
            first: 0,
            bytes: 0,
            at_work: 0,
            watermark: None,
        }
    }
}

impl<P: Clone, T: Copy> Slots<P, T> {
    /// Takes a message in and returns its sequence number.
    pub fn push(&mut self, position: P, bytes: usize, taken_at: T) -> u64 {
        self.bytes += bytes;
        self.at_work += 1;
        self.slots.push_back(Slot {
            position,
            taken_at,
            bytes,
            started: false,
            given_up: false,
            verdict: None,
        });
        self.first + self.slots.len() as u64 - 1
    }

    /// Counts more bytes for a slot that is held.
    pub fn grow(&mut self, sequence: u64, bytes: usize) {
        if let Some(slot) = self.slot(sequence) {
            slot.bytes += bytes;
            self.bytes += bytes;
        }
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
        let was_at_work = self.is_open(sequence);
        match self.slot(sequence) {
            Some(slot) if slot.verdict.is_none() => slot.verdict = Some(verdict),
            _ => return false,
        }
        self.at_work -= usize::from(was_at_work);
        while let Some(slot) = self.slots.pop_front_if(|slot| slot.verdict.is_some()) {
            self.first += 1;
            self.bytes -= slot.bytes;
            self.watermark = Some(slot.position);
        }
        #[cfg(cenl_broken_watermark)]
        self.overtake_on_purpose();
        true
    }

    /// Breaks the promise: the watermark is wherever the last verdict was, whatever is open before
    /// it. Only the package in `bridge/broken` is built so, to show that its loss is seen.
    #[cfg(cenl_broken_watermark)]
    #[inline(never)]
    fn overtake_on_purpose(&mut self) {
        let mut slots = self.slots.iter();
        if let Some(slot) = slots.rfind(|slot| slot.verdict.is_some()) {
            self.watermark = Some(slot.position.clone());
        }
    }

    /// Cuts off the slots behind the last one that was started: nobody has seen those messages.
    pub fn cut_unstarted_tail(&mut self) {
        while let Some(slot) = self
            .slots
            .pop_back_if(|slot| !slot.started && slot.verdict.is_none())
        {
            self.bytes -= slot.bytes;
            self.at_work -= usize::from(!slot.given_up);
        }
    }

    /// Leaves a slot unsettled for good.
    pub fn give_up(&mut self, sequence: u64) {
        self.at_work -= usize::from(self.is_open(sequence));
        if let Some(slot) = self.slot(sequence) {
            slot.given_up = true;
        }
    }

    /// Whether somebody still works on a slot.
    #[must_use]
    pub fn is_at_work(&self) -> bool {
        self.at_work > 0
    }

    /// The last position of the unbroken run of verdicts, once there is one.
    #[must_use]
    pub fn watermark(&self) -> Option<&P> {
        self.watermark.as_ref()
    }

    /// Sequence number of the oldest slot.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Positions of the slots that are settled and wait for one before them.
    pub fn settled(&self) -> impl Iterator<Item = &P> {
        let settled = self.slots.iter().filter(|slot| slot.verdict.is_some());
        settled.map(|slot| &slot.position)
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

    /// Whether a slot is held, unsettled and not given up.
    #[must_use]
    pub fn is_open(&self, sequence: u64) -> bool {
        let index = sequence
            .checked_sub(self.first)
            .and_then(|index| usize::try_from(index).ok());
        index
            .and_then(|index| self.slots.get(index))
            .is_some_and(|slot| slot.verdict.is_none() && !slot.given_up)
    }

    fn slot(&mut self, sequence: u64) -> Option<&mut Slot<P, T>> {
        let index = sequence.checked_sub(self.first)?;
        self.slots.get_mut(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::linear;

    #[derive(Clone, Debug)]
    enum Step {
        Push(usize),
        Start(u64),
        Grow(u64, usize),
        Settle(u64),
        GiveUp(u64),
        Cut,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (0usize..100).prop_map(Step::Push),
            3 => (0u64..60).prop_map(Step::Start),
            1 => (0u64..60, 0usize..100).prop_map(|(slot, bytes)| Step::Grow(slot, bytes)),
            5 => (0u64..60).prop_map(Step::Settle),
            1 => (0u64..60).prop_map(Step::GiveUp),
            1 => Just(Step::Cut),
        ]
    }

    /// What the slots should be, kept as simply as possible.
    #[derive(Default)]
    struct Model {
        /// Bytes, started, settled; in arrival order, cut slots removed.
        all: Vec<(usize, bool, bool)>,
    }

    impl Model {
        fn watermark(&self) -> Option<u64> {
            let settled = self.all.iter().take_while(|slot| slot.2).count() as u64;
            settled.checked_sub(1)
        }

        fn open(&self) -> &[(usize, bool, bool)] {
            let settled = self.all.iter().take_while(|slot| slot.2).count();
            &self.all[settled..]
        }
    }

    proptest! {
        /// In any order of verdicts, starts and cuts, the watermark is the end of the unbroken run
        /// of verdicts, so it never passes an unsettled slot.
        #[test]
        fn the_watermark_never_passes_an_unsettled_slot(steps in prop::collection::vec(step(), 0..300)) {
            let mut slots = Slots::<u64, u64>::default();
            let mut model = Model::default();
            for (moment, step) in (0u64..).zip(steps) {
                match step {
                    Step::Push(bytes) => {
                        let sequence = slots.push(model.all.len() as u64, bytes, moment);
                        prop_assert_eq!(sequence, model.all.len() as u64);
                        model.all.push((bytes, false, false));
                    }
                    Step::Start(sequence) => {
                        let open = model.all.len() - model.open().len();
                        let known = model.all.get_mut(sequence as usize);
                        let is_open = known.is_some() && sequence as usize >= open;
                        prop_assert_eq!(slots.start(sequence), is_open);
                        if is_open {
                            model.all[sequence as usize].1 = true;
                        }
                    }
                    Step::Grow(sequence, bytes) => {
                        slots.grow(sequence, bytes);
                        let open = model.all.len() - model.open().len();
                        if let Some(slot) = model.all.get_mut(sequence as usize)
                            && sequence as usize >= open
                        {
                            slot.0 += bytes;
                        }
                    }
                    Step::Settle(sequence) => {
                        let known = model.all.get_mut(sequence as usize);
                        let is_new = known.as_ref().is_some_and(|slot| !slot.2);
                        prop_assert_eq!(slots.settle(sequence, Verdict::Delivered), is_new);
                        if let Some(slot) = known {
                            slot.2 = true;
                        }
                    }
                    Step::GiveUp(sequence) => slots.give_up(sequence),
                    Step::Cut => {
                        slots.cut_unstarted_tail();
                        while model.all.pop_if(|slot| !slot.1 && !slot.2).is_some() {}
                    }
                }
                prop_assert_eq!(slots.watermark().copied(), model.watermark());
                prop_assert_eq!(slots.len(), model.open().len());
                let sequences = 0..model.all.len() as u64;
                let at_work = sequences.filter(|&sequence| slots.is_open(sequence)).count();
                prop_assert_eq!(slots.is_at_work(), at_work > 0);
                prop_assert_eq!(slots.bytes(), model.open().iter().map(|slot| slot.0).sum::<usize>());
            }
        }
    }

    #[test]
    fn the_age_is_that_of_the_oldest_unsettled_slot() {
        let mut slots = Slots::<u64, u64>::default();
        for moment in [10, 20, 30] {
            slots.push(moment, 1, moment);
        }
        assert!(slots.settle(1, Verdict::Delivered));
        assert_eq!(slots.oldest(), Some(10));
        assert!(slots.settle(0, Verdict::Filtered));
        assert_eq!((slots.oldest(), slots.watermark()), (Some(30), Some(&20)));
    }

    #[test]
    fn a_million_verdicts_behind_one_that_never_comes_cost_no_more_each() {
        linear(|| {
            let mut slots = Slots::<u64, u64>::default();
            for position in 0..1_000_000 {
                slots.push(position, 1, 0);
            }
            slots.give_up(0);
            for sequence in 1..1_000_000 {
                assert!(slots.is_at_work());
                assert!(slots.settle(sequence, Verdict::Delivered));
            }
            assert!(!slots.is_at_work());
        });
    }
}
