//! Batches that fail, and the event at fault in them.

use super::alone::{KEYS, SECOND, refuses};
use super::*;

fn batched() -> Bench {
    let mut bench = Bench::new();
    bench.route.config.batch.events = 60;
    (0..9).for_each(|_| KEYS.into_iter().for_each(|key| bench.take_in(key)));
    bench
}

#[test]
fn a_batch_that_failed_twice_is_split_until_the_event_stands_alone() {
    for outcome in [status(500), Outcome::Unanswered("timeout"), status(404)] {
        let mut bench = batched();
        let seen = bench.play(20 * SECOND, refuses("b/1", outcome.clone()));
        // What left with it before it stood alone arrived, but for what is behind it in its key.
        assert_eq!(bench.delivered(), 45, "{outcome:?}");
        let sizes = seen
            .iter()
            .filter(|(_, ids)| ids.contains(&"b/1".to_owned()));
        let sizes: Vec<_> = sizes.map(|(_, ids)| ids.len()).collect();
        // A probe may have gone before.
        assert!(sizes[0] == 54 && sizes[1] >= 53, "{outcome:?}: {sizes:?}");
        assert_eq!(sizes.last(), Some(&1), "{sizes:?}");
        // The size of others is not lost.
        let mut sizes = Vec::new();
        for _ in 0..5 {
            (0..3).for_each(|_| bench.take_in("c"));
            let seen = bench.play(SECOND, refuses("b/1", outcome.clone()));
            sizes.extend(seen.iter().map(|(_, ids)| ids.len()));
        }
        assert!(sizes.contains(&3), "{sizes:?}");
    }
}

#[test]
fn a_batch_that_nobody_could_take_is_not_split() {
    for outcome in [status(429), status(503), Outcome::Unreachable("refused")] {
        let mut bench = batched();
        bench.play(60 * SECOND, |_| outcome.clone());
        let seen = bench.play(10 * SECOND, |_| Outcome::Delivered);
        let sizes: Vec<_> = seen.iter().map(|(_, ids)| ids.len()).collect();
        assert_eq!(sizes, [1, 53], "{outcome:?}");
    }
}
