//! One cell of a table, and how it is measured.

use std::time::Duration;

use cloudevents_nl_benches::clock;
use cloudevents_nl_benches::corpus::Case;

/// Rounds per case; the fastest of each slice counts, because noise only ever adds time.
const ROUNDS: usize = 11;

/// Text in one slice: short enough that many pass undisturbed on a busy machine, and long enough
/// that the clock costs nothing.
const SLICE_BYTES: usize = 64 << 10;

/// What one engine took for one case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Nanoseconds per event.
    pub(crate) ns: f64,
    /// Megabytes of structured text per second.
    pub(crate) rate: f64,
    /// Whether there was anything to do.
    pub(crate) is_of_kind: bool,
}

impl Cell {
    /// As a table has it.
    pub(crate) fn described(self, sdk: Self) -> String {
        format!(
            "{:.0} ns, {:.0}, **{:.1}×**",
            self.ns,
            self.rate,
            sdk.ns / self.ns
        )
    }

    /// As a table of paths has it.
    pub(crate) fn beside(self, other: Self) -> String {
        format!("{:.0} ns, **{:.2}×**", self.ns, other.ns / self.ns)
    }
}

/// Measures runs that each take the number of an event: all of them take their turn at each slice of the case,
/// round after round.
pub(crate) fn slices(case: &Case, runs: &mut [Box<dyn FnMut(usize) + '_>]) -> Vec<Cell> {
    let events = case.samples.len();
    let length = (SLICE_BYTES / case.size.bytes).max(1);
    let slices: Vec<_> = (0..events)
        .step_by(length)
        .map(|start| start..events.min(start + length))
        .collect();
    let mut fastest = vec![vec![Duration::MAX; slices.len()]; runs.len()];
    for _ in 0..ROUNDS {
        for (run, fastest) in runs.iter_mut().zip(&mut fastest) {
            for (slice, fastest) in slices.iter().zip(fastest) {
                let time = clock::timed(|| slice.clone().for_each(&mut *run));
                *fastest = time.min(*fastest);
            }
        }
    }
    let cell = |fastest: &Vec<Duration>| {
        let seconds = fastest.iter().sum::<Duration>().as_secs_f64();
        let rate = case.byte_len() as f64 / 1e6 / seconds;
        Cell {
            ns: seconds * 1e9 / events as f64,
            rate,
            // No work on bytes is as fast as none at all: memory gives half of this.
            is_of_kind: rate < 100_000.0,
        }
    };
    fastest.iter().map(cell).collect()
}
