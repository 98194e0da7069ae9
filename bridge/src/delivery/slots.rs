//! Pure: the slots of a window in order of arrival, not of offset: transactions and compaction leave gaps.

use std::collections::VecDeque;

#[derive(Debug)]
struct Slot<P, T> {
    position: P,
    written_at: T,
    bytes: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Started,
    /// Stays unsettled.
    GivenUp,
    Settled,
}

impl State {
    fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Started)
    }
}

/// `P` is a position, `T` a moment.
#[derive(Debug, Default)]
pub struct Slots<P, T> {
    slots: VecDeque<Slot<P, T>>,
    first: u64,
    bytes: usize,
    /// Neither settled nor given up.
    at_work: usize,
    watermark: Option<P>,
}

impl<P: Clone, T: Copy> Slots<P, T> {
    /// Returns the sequence.
    pub fn push(&mut self, position: P, bytes: usize, written_at: T) -> u64 {
        self.bytes += bytes;
        self.at_work += 1;
        self.slots.push_back(Slot {
            position,
            written_at,
            bytes,
            state: State::Waiting,
        });
        self.first + self.slots.len() as u64 - 1
    }

    pub fn grow(&mut self, sequence: u64, bytes: usize) {
        if let Some(slot) = self.slot(sequence) {
            slot.bytes += bytes;
            self.bytes += bytes;
        }
    }

    /// Moves the watermark to a position that has no slot, where none is held.
    pub fn pass(&mut self, position: P) {
        if self.is_empty() {
            self.watermark = Some(position);
        }
    }

    /// False when nobody is to work on it any more.
    pub fn start(&mut self, sequence: u64) -> bool {
        self.change(sequence, State::Started)
    }

    /// Moves the watermark over the settled slots at the front; false for a slot that is not open.
    pub fn settle(&mut self, sequence: u64) -> bool {
        if !self.change(sequence, State::Settled) {
            return false;
        }
        while let Some(slot) = self.slots.pop_front_if(|slot| slot.state == State::Settled) {
            self.first += 1;
            self.bytes -= slot.bytes;
            self.watermark = Some(slot.position);
        }
        #[cfg(cenl_broken_watermark)]
        self.overtake_on_purpose();
        true
    }

    /// Breaks the promise, in the package `bridge/broken` alone, to show that its loss is seen.
    #[cfg(cenl_broken_watermark)]
    #[inline(never)]
    fn overtake_on_purpose(&mut self) {
        let mut slots = self.slots.iter();
        if let Some(slot) = slots.rfind(|slot| slot.state == State::Settled) {
            self.watermark = Some(slot.position.clone());
        }
    }

    /// Cuts off the slots behind the last started one.
    pub fn cut_unstarted_tail(&mut self) {
        while let Some(slot) = self.slots.pop_back_if(|slot| slot.state == State::Waiting) {
            self.bytes -= slot.bytes;
            self.at_work -= 1;
        }
    }

    pub fn has_started(&self) -> bool {
        let mut slots = self.slots.iter();
        self.first > 0 || slots.any(|slot| slot.state != State::Waiting)
    }

    pub fn give_up(&mut self, sequence: u64) {
        self.change(sequence, State::GivenUp);
    }

    /// False for a slot that is not open.
    fn change(&mut self, sequence: u64, state: State) -> bool {
        let slot = self.slot(sequence).filter(|slot| slot.state.is_open());
        let was_open = slot.map(|slot| slot.state = state).is_some();
        self.at_work -= usize::from(was_open && !state.is_open());
        was_open
    }

    pub fn is_at_work(&self) -> bool {
        self.at_work > 0
    }

    /// The last position of the settled run at the front.
    pub fn watermark(&self) -> Option<&P> {
        self.watermark.as_ref()
    }

    pub fn first(&self) -> u64 {
        self.first
    }

    pub fn oldest(&self) -> Option<T> {
        self.slots.front().map(|slot| slot.written_at)
    }

    /// Slots held: everything above the watermark.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn is_open(&self, sequence: u64) -> bool {
        let index = self.index(sequence);
        let slot = index.and_then(|index| self.slots.get(index));
        slot.is_some_and(|slot| slot.state.is_open())
    }

    fn slot(&mut self, sequence: u64) -> Option<&mut Slot<P, T>> {
        let index = self.index(sequence)?;
        self.slots.get_mut(index)
    }

    fn index(&self, sequence: u64) -> Option<usize> {
        usize::try_from(sequence.checked_sub(self.first)?).ok()
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
        /// Bytes and state, in arrival order, cut slots removed.
        all: Vec<(usize, State)>,
    }

    impl Model {
        fn watermark(&self) -> Option<u64> {
            let settled = self.all.len() - self.held().len();
            (settled as u64).checked_sub(1)
        }

        fn held(&self) -> &[(usize, State)] {
            let is_settled = |slot: &&(usize, State)| slot.1 == State::Settled;
            let settled = self.all.iter().take_while(is_settled).count();
            &self.all[settled..]
        }

        fn set(&mut self, sequence: u64, state: State) -> bool {
            let slot = self.all.get_mut(sequence as usize);
            let slot = slot.filter(|slot| slot.1.is_open());
            slot.map(|slot| slot.1 = state).is_some()
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
                        model.all.push((bytes, State::Waiting));
                    }
                    Step::Start(sequence) => {
                        prop_assert_eq!(slots.start(sequence), model.set(sequence, State::Started));
                    }
                    Step::Grow(sequence, bytes) => {
                        slots.grow(sequence, bytes);
                        let open = model.all.len() - model.held().len();
                        if let Some(slot) = model.all.get_mut(sequence as usize)
                            && sequence as usize >= open
                        {
                            slot.0 += bytes;
                        }
                    }
                    Step::Settle(sequence) => {
                        prop_assert_eq!(slots.settle(sequence), model.set(sequence, State::Settled));
                    }
                    Step::GiveUp(sequence) => {
                        slots.give_up(sequence);
                        model.set(sequence, State::GivenUp);
                    }
                    Step::Cut => {
                        slots.cut_unstarted_tail();
                        while model.all.pop_if(|slot| slot.1 == State::Waiting).is_some() {}
                    }
                }
                prop_assert_eq!(slots.watermark().copied(), model.watermark());
                prop_assert_eq!(slots.len(), model.held().len());
                prop_assert_eq!(slots.is_at_work(), model.held().iter().any(|slot| slot.1.is_open()));
                prop_assert_eq!(slots.bytes(), model.held().iter().map(|slot| slot.0).sum::<usize>());
            }
        }
    }

    #[test]
    fn the_age_is_that_of_the_oldest_unsettled_slot() {
        let mut slots = Slots::<u64, u64>::default();
        for moment in [10, 20, 30] {
            slots.push(moment, 1, moment);
        }
        assert!(slots.settle(1));
        assert_eq!(slots.oldest(), Some(10));
        assert!(slots.settle(0));
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
                assert!(slots.settle(sequence));
            }
            assert!(!slots.is_at_work());
        });
    }
}
