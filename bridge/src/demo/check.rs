//! Pure: holds what arrived against what was sent. Every id must be exactly where it belongs,
//! unchanged, and in the order of its key.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::events::{Fate, Planned};

/// An event as the receiver accepted it.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) id: String,
    /// The JSON text of its data.
    pub(super) data: String,
}

/// What the check found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Distinct events that the receiver accepted.
    pub(super) delivered: usize,
    /// Distinct events among the dead letters.
    pub(super) dead_lettered: usize,
    /// Arrivals of an event that was there before: allowed, and counted.
    pub(super) repeats: usize,
    /// Keys whose order was looked at.
    pub(super) keys: usize,
    /// What must not be.
    pub(super) faults: Vec<Fault>,
}

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Sent, and nowhere to be found.
    Lost(String),
    /// Dead-lettered although the receiver would have taken it.
    WronglyDeadLettered(String),
    /// Accepted by the receiver, which is to refuse it.
    WronglyDelivered(String),
    /// Never sent.
    Unknown(String),
    /// Its data are not those that were sent.
    Altered(String),
    /// Delivered for the first time after a later event of its key.
    Overtaken(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, what) = match self {
            Self::Lost(id) => (id, "was lost"),
            Self::WronglyDeadLettered(id) => (id, "is a dead letter without a reason"),
            Self::WronglyDelivered(id) => (id, "was delivered although it was refused"),
            Self::Unknown(id) => (id, "was never sent"),
            Self::Altered(id) => (id, "arrived with other data"),
            Self::Overtaken(id) => (id, "was overtaken by a later event of its key"),
        };
        write!(f, "{id} {what}")
    }
}

/// Judges a run. `sent` is in the order of sending, `arrivals` in the order of arrival.
pub(super) fn check(sent: &[Planned], arrivals: &[Arrival], dead_letters: &[String]) -> Findings {
    let mut findings = Findings::default();
    let places: HashMap<_, _> = sent
        .iter()
        .enumerate()
        .map(|(place, planned)| (planned.id.as_str(), place))
        .collect();
    let mut delivered = HashSet::new();
    let mut newest: HashMap<&str, usize> = HashMap::new();
    for arrival in arrivals {
        let Some(&place) = places.get(arrival.id.as_str()) else {
            findings.faults.push(Fault::Unknown(arrival.id.clone()));
            continue;
        };
        let planned = &sent[place];
        if arrival.data != planned.data {
            findings.faults.push(Fault::Altered(arrival.id.clone()));
        }
        if !delivered.insert(planned.id.as_str()) {
            findings.repeats += 1;
            continue;
        }
        let newest = newest.entry(planned.key.as_str()).or_insert(place);
        if place < *newest {
            findings.faults.push(Fault::Overtaken(arrival.id.clone()));
        }
        *newest = place.max(*newest);
    }
    let mut dead_lettered = HashSet::new();
    for id in dead_letters {
        match places.get(id.as_str()) {
            None => findings.faults.push(Fault::Unknown(id.clone())),
            Some(_) if !dead_lettered.insert(id.as_str()) => findings.repeats += 1,
            Some(_) => {}
        }
    }
    for Planned { id, fate, .. } in sent {
        let is_delivered = delivered.contains(id.as_str());
        let is_dead_lettered = dead_lettered.contains(id.as_str());
        let fault: fn(String) -> Fault = match fate {
            _ if !is_delivered && !is_dead_lettered => Fault::Lost,
            Fate::Delivered if is_dead_lettered => Fault::WronglyDeadLettered,
            Fate::DeadLettered if is_delivered => Fault::WronglyDelivered,
            Fate::Delivered | Fate::DeadLettered => continue,
        };
        findings.faults.push(fault(id.clone()));
    }
    findings.keys = newest.len();
    findings.delivered = delivered.len();
    findings.dead_lettered = dead_lettered.len();
    findings
}

#[cfg(test)]
mod tests {
    use super::super::events::plan;
    use super::*;

    struct Run {
        sent: Vec<Planned>,
        arrivals: Vec<Arrival>,
        dead_letters: Vec<String>,
    }

    impl Run {
        fn perfect() -> Self {
            let sent = plan("test");
            let mut run = Self {
                arrivals: Vec::new(),
                dead_letters: Vec::new(),
                sent,
            };
            for planned in &run.sent {
                let id = planned.id.clone();
                match planned.fate {
                    Fate::Delivered => run.arrivals.push(Arrival {
                        id,
                        data: planned.data.clone(),
                    }),
                    Fate::DeadLettered => run.dead_letters.push(id),
                }
            }
            run
        }

        fn check(&self) -> Findings {
            check(&self.sent, &self.arrivals, &self.dead_letters)
        }
    }

    #[test]
    fn a_perfect_run_has_no_fault() {
        let run = Run::perfect();
        let findings = run.check();
        assert_eq!(findings.faults, []);
        assert_eq!(findings.delivered, run.arrivals.len());
        assert_eq!(findings.dead_lettered, run.dead_letters.len());
        assert_eq!((findings.repeats, findings.keys), (0, 36));
    }

    #[test]
    fn one_lost_event_is_named() {
        let mut run = Run::perfect();
        let lost = run.arrivals.remove(700).id;
        assert_eq!(run.check().faults, [Fault::Lost(lost)]);
        let mut run = Run::perfect();
        let lost = run.dead_letters.remove(3);
        assert_eq!(run.check().faults, [Fault::Lost(lost)]);
        let mut run = Run::perfect();
        run.arrivals.clear();
        assert_eq!(
            run.check().faults.len(),
            run.sent.len() - run.dead_letters.len()
        );
    }

    #[test]
    fn an_event_in_the_wrong_place_is_named() {
        let mut run = Run::perfect();
        let moved = run.arrivals.remove(5).id;
        run.dead_letters.push(moved.clone());
        assert_eq!(run.check().faults, [Fault::WronglyDeadLettered(moved)]);
        let mut run = Run::perfect();
        let moved = run.dead_letters.remove(0);
        let data = run.sent.iter().find(|planned| planned.id == moved);
        let data = data.map(|planned| planned.data.clone()).unwrap_or_default();
        run.arrivals.push(Arrival {
            id: moved.clone(),
            data,
        });
        assert!(run.check().faults.contains(&Fault::WronglyDelivered(moved)));
    }

    #[test]
    fn strangers_and_changes_are_named() {
        let mut run = Run::perfect();
        run.arrivals[7].data.push(' ');
        let altered = run.arrivals[7].id.clone();
        run.dead_letters.push("stranger".into());
        assert_eq!(
            run.check().faults,
            [Fault::Altered(altered), Fault::Unknown("stranger".into())]
        );
    }

    #[test]
    fn an_overtaken_event_is_named_and_other_keys_may_pass() {
        let mut run = Run::perfect();
        // Neighbours have different keys; a register comes round to the same key after 36 events.
        run.arrivals.swap(10, 11);
        assert_eq!(run.check().faults, []);
        run.arrivals.swap(10, 11);
        run.arrivals.swap(10, 46);
        assert_eq!(
            run.check().faults,
            [Fault::Overtaken(run.arrivals[46].id.clone())]
        );
    }

    #[test]
    fn a_repeat_is_counted_and_is_no_fault_even_when_late() {
        let mut run = Run::perfect();
        let early = run.arrivals[0].clone();
        run.arrivals.push(early);
        run.dead_letters.push(run.dead_letters[0].clone());
        let findings = run.check();
        assert_eq!((findings.faults.len(), findings.repeats), (0, 2));
    }
}
