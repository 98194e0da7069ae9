//! Compares what arrived with what was sent: every id where it belongs, unchanged, in the order of its key.

use std::collections::{HashMap, HashSet};

use tokio::time::Instant;

use super::events::Planned;

#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) id: String,
    /// The JSON text of its data, or of a dead letter its reason.
    pub(super) text: String,
}

#[derive(Debug, Default)]
pub(super) struct Observed {
    pub(super) written: usize,
    /// In the order of their arrival.
    pub(super) accepted: Vec<Arrival>,
    pub(super) dead_letters: Vec<Arrival>,
    pub(super) unavailable: u64,
    pub(super) too_many: u64,
    pub(super) refused: u64,
    /// Until then the receiver answers 503.
    pub(super) closed_until: Option<Instant>,
}

impl Observed {
    /// Distinct ids.
    pub(super) fn settled(&self) -> usize {
        let arrivals = self.accepted.iter().chain(&self.dead_letters);
        arrivals.map(|it| &*it.id).collect::<HashSet<_>>().len()
    }
}

#[derive(Debug, Default)]
pub(super) struct CheckReport {
    pub(super) delivered: usize,
    pub(super) dead_lettered: usize,
    /// Arrivals of an event that was there before: allowed.
    pub(super) repeats: usize,
    pub(super) keys: usize,
    /// One sentence each.
    pub(super) faults: Vec<String>,
}

/// `sent` is in the order of sending.
pub(super) fn check(sent: &[Planned], observed: &Observed) -> CheckReport {
    let mut report = CheckReport::default();
    let mut fault = |id: &str, what: &str| report.faults.push(format!("{id} {what}"));
    let numbered = sent.iter().enumerate();
    let numbers: HashMap<_, _> = numbered.map(|(at, planned)| (&*planned.id, at)).collect();
    let (mut delivered, mut dead_lettered) = (HashSet::new(), HashSet::new());
    let mut newest: HashMap<&str, usize> = HashMap::new();
    for Arrival { id, text } in &observed.accepted {
        let Some(&number) = numbers.get(&**id) else {
            fault(id, "was never sent");
            continue;
        };
        let planned = &sent[number];
        if *text != planned.data {
            fault(id, "arrived with other data");
        }
        if !delivered.insert(&**id) {
            report.repeats += 1;
            continue;
        }
        let newest = newest.entry(&planned.key).or_insert(number);
        if number < *newest {
            fault(id, "was overtaken by a later event of its key");
        }
        *newest = number.max(*newest);
    }
    for Arrival { id, .. } in &observed.dead_letters {
        if !numbers.contains_key(&**id) {
            fault(id, "was never sent");
        } else if !dead_lettered.insert(&**id) {
            report.repeats += 1;
        }
    }
    for planned in sent {
        let id = &*planned.id;
        let is_there = (delivered.contains(id), dead_lettered.contains(id));
        match (planned.is_good, is_there) {
            (_, (false, false)) => fault(id, "was lost"),
            (true, (_, true)) => fault(id, "is a dead letter without a reason"),
            (false, (true, _)) => fault(id, "was delivered although it was refused"),
            (true, (true, false)) | (false, (false, true)) => {}
        }
    }
    report.keys = newest.len();
    report.delivered = delivered.len();
    report.dead_lettered = dead_lettered.len();
    report
}

#[cfg(test)]
mod tests {
    use super::super::events::plan;
    use super::*;

    struct Run {
        sent: Vec<Planned>,
        observed: Observed,
    }

    impl Run {
        fn perfect() -> Self {
            let sent = plan("test");
            let mut observed = Observed::default();
            for planned in &sent {
                let (id, text) = (planned.id.clone(), planned.data.clone());
                match planned.is_good {
                    true => observed.accepted.push(Arrival { id, text }),
                    false => observed.dead_letters.push(dead_letter(id)),
                }
            }
            Self { sent, observed }
        }

        fn check(&self) -> CheckReport {
            check(&self.sent, &self.observed)
        }

        #[track_caller]
        fn expect(&self, id: &str, what: &str) {
            assert_eq!(self.check().faults, [format!("{id} {what}")]);
        }
    }

    fn dead_letter(id: String) -> Arrival {
        let text = String::new();
        Arrival { id, text }
    }

    #[test]
    fn a_perfect_run_has_no_fault() {
        let run = Run::perfect();
        let report = run.check();
        assert_eq!(report.faults, [""; 0]);
        assert_eq!(report.delivered, run.observed.accepted.len());
        assert_eq!(report.dead_lettered, run.observed.dead_letters.len());
        assert_eq!((report.repeats, report.keys), (0, 36));
        assert_eq!(run.observed.settled(), run.sent.len());
    }

    #[test]
    fn one_lost_event_is_named() {
        let mut run = Run::perfect();
        let lost = run.observed.accepted.remove(700).id;
        run.expect(&lost, "was lost");
        let mut run = Run::perfect();
        let lost = run.observed.dead_letters.remove(3).id;
        run.expect(&lost, "was lost");
        let mut run = Run::perfect();
        let lost = run.observed.accepted.drain(..).count();
        assert_eq!(run.check().faults.len(), lost);
    }

    #[test]
    fn an_event_in_the_wrong_place_is_named() {
        let mut run = Run::perfect();
        let moved = run.observed.accepted.remove(5).id;
        run.observed.dead_letters.push(dead_letter(moved.clone()));
        run.expect(&moved, "is a dead letter without a reason");
        let mut run = Run::perfect();
        let moved = run.observed.dead_letters.remove(0).id;
        let text = run.sent.iter().find(|planned| planned.id == moved);
        let text = text.map(|planned| planned.data.clone()).unwrap_or_default();
        let fault = format!("{moved} was delivered although it was refused");
        run.observed.accepted.push(Arrival { id: moved, text });
        assert!(run.check().faults.contains(&fault));
    }

    #[test]
    fn strangers_and_changes_are_named() {
        let mut run = Run::perfect();
        run.observed.accepted[7].text.push(' ');
        let altered = run.observed.accepted[7].id.clone();
        run.observed
            .dead_letters
            .push(dead_letter("stranger".into()));
        let altered = format!("{altered} arrived with other data");
        let stranger = "stranger was never sent".to_owned();
        assert_eq!(run.check().faults, [altered, stranger]);
    }

    #[test]
    fn an_overtaken_event_is_named_and_other_keys_may_pass() {
        let mut run = Run::perfect();
        // Neighbours have different keys; a register comes round to the same key after 36 events.
        run.observed.accepted.swap(10, 11);
        assert_eq!(run.check().faults, [""; 0]);
        run.observed.accepted.swap(10, 11);
        run.observed.accepted.swap(10, 46);
        let overtaken = run.observed.accepted[46].id.clone();
        run.expect(&overtaken, "was overtaken by a later event of its key");
    }

    #[test]
    fn a_repeat_is_counted_and_is_no_fault_even_when_late() {
        let mut run = Run::perfect();
        let early = run.observed.accepted[0].clone();
        run.observed.accepted.push(early);
        let early = run.observed.dead_letters[0].id.clone();
        run.observed.dead_letters.push(dead_letter(early));
        let report = run.check();
        assert_eq!((report.faults.len(), report.repeats), (0, 2));
    }
}
