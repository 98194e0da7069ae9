//! Pure: what the counts of a consumer say, compared with what they were.

/// How far a consumer has delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delivered {
    /// Its deliveries.
    pub(super) deliveries: u64,
    /// The highest sequence among them.
    pub(super) sequence: u64,
}

/// What became of a consumer since it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// It is where it was, or further.
    GoOn,
    /// A server that was killed had not written down the last of it. What it delivers again is the
    /// same, and known here.
    FellBack,
    /// It is another one of its name, or somebody set it back so that it is read again.
    Anew,
}

impl Counts {
    /// Compares `now` with the least it should be. A server loses its notes only together with the
    /// connection to it; whoever sets a consumer back does so while it runs.
    pub(super) fn compare(
        least: Delivered,
        now: Delivered,
        is_another: bool,
        connection_was_lost: bool,
    ) -> Self {
        let is_less = now.deliveries < least.deliveries || now.sequence < least.sequence;
        match (is_another, is_less, connection_was_lost) {
            (true, ..) | (_, true, false) => Self::Anew,
            (_, true, true) => Self::FellBack,
            (_, false, _) => Self::GoOn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(deliveries: u64, sequence: u64) -> Delivered {
        Delivered {
            deliveries,
            sequence,
        }
    }

    #[test]
    fn a_server_that_was_killed_is_told_from_a_consumer_that_was_set_back() {
        let least = delivered(7, 90);
        for (now, is_another, was_lost, expected) in [
            (delivered(7, 90), false, false, Counts::GoOn),
            (delivered(7, 90), false, true, Counts::GoOn),
            (delivered(9, 95), false, true, Counts::GoOn),
            (delivered(6, 90), false, true, Counts::FellBack),
            (delivered(7, 80), false, true, Counts::FellBack),
            (delivered(6, 80), false, false, Counts::Anew),
            (delivered(0, 0), false, false, Counts::Anew),
            (delivered(0, 0), true, true, Counts::Anew),
            (delivered(9, 95), true, false, Counts::Anew),
        ] {
            let counts = Counts::compare(least, now, is_another, was_lost);
            assert_eq!(counts, expected, "{now:?} {is_another} {was_lost}");
        }
    }
}
