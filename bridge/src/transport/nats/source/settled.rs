//! What was settled in sessions that ended, and may be delivered again by the next one.
//!
//! What is not known here is delivered: twice rather than never. A stream that lost its end counts
//! on from where it is, so a message is known by its sequence and the time it was published.

use std::collections::BTreeMap;

/// Above the watermark there is no more than a window holds: every session begins below it.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Sequence and time.
    watermark: Option<(u64, i64)>,
    above: BTreeMap<u64, i64>,
    /// Where this process reads on, while nobody else has read.
    pub(super) next: Option<u64>,
}

impl Settled {
    pub(super) fn up_to(&mut self, sequence: u64, published: i64) {
        self.next = Some(sequence + 1);
        if self.watermark.is_none_or(|(before, _)| before < sequence) {
            self.watermark = Some((sequence, published));
            self.above = self.above.split_off(&(sequence + 1));
        }
    }

    /// This process has begun to read here.
    pub(super) fn begin(&mut self, sequence: u64) {
        self.next.get_or_insert(sequence);
    }

    pub(super) fn above(&mut self, sequence: u64, published: i64) {
        self.above.insert(sequence, published);
    }

    pub(super) fn contains(&self, sequence: u64, published: i64) -> bool {
        let is_below = |(last, moment)| sequence <= last && published <= moment;
        self.watermark.is_some_and(is_below) || self.above.get(&sequence) == Some(&published)
    }

    pub(super) fn reaches(&self, sequence: u64) -> bool {
        let is_behind = |(last, _)| sequence <= last;
        self.watermark.is_some_and(is_behind) || !self.above.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_settled_is_known_by_sequence_and_moment() {
        let mut settled = Settled::default();
        assert!(!settled.contains(1, 10) && !settled.reaches(1));
        settled.begin(1);
        assert_eq!(settled.next, Some(1));
        settled.up_to(5, 50);
        settled.above(8, 80);
        for (sequence, published, expected) in [
            (1, 10, true),
            (5, 50, true),
            // The stream lost its end, and counts the sequence again.
            (5, 99, false),
            (6, 60, false),
            (8, 80, true),
            (8, 81, false),
            (9, 90, false),
        ] {
            let known = settled.contains(sequence, published);
            assert_eq!(known, expected, "{sequence} {published}");
        }
        assert!(settled.reaches(5) && settled.reaches(6));
        settled.begin(8);
        assert_eq!(settled.next, Some(6));
        settled.up_to(8, 80);
        // A server with older notes has it delivered again.
        settled.up_to(3, 30);
        assert!(settled.contains(6, 60) && settled.above.is_empty());
        assert_eq!(settled.next, Some(4));
        assert!(settled.reaches(8) && !settled.reaches(9));
    }
}
