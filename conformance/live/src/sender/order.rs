//! Whether events of one key kept their order.

use std::collections::HashMap;

use cloudevents_nl_conformance::Evidence;
use tokio::time::Instant;

use super::journal::{Delivery, Event};

/// Where an event is that has not been taken yet, and who overtook it.
#[derive(Clone, Copy, Debug)]
struct Pending<'j> {
    event: &'j Event,
    overtaken_by: Option<(&'j Delivery, &'j Event)>,
}

/// The events that overtook another one of their key: that came while its answer was not given, or that
/// came before it was sent again.
pub(super) fn overtakers(deliveries: &[Delivery]) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    let mut pending: HashMap<u64, Pending<'_>> = HashMap::new();
    let mut answered: HashMap<u64, (u64, Instant)> = HashMap::new();
    for delivery in deliveries.iter().filter(|delivery| !delivery.is_elsewhere) {
        for event in &delivery.events {
            let Some(lane) = event.lane else { continue };
            if let Some((name, answered)) = answered.get(&lane)
                && *name != event.name
                && delivery.at < *answered
            {
                evidence
                    .push(delivery.evidence(format!("{} before the answer to another", event.id)));
            }
            match pending.get_mut(&lane) {
                Some(waiting) if waiting.event.name == event.name => {
                    if let Some((by, other)) = waiting.overtaken_by {
                        evidence.push(by.evidence(format!("{} before {}", other.id, event.id)));
                    }
                    pending.remove(&lane);
                }
                // Events of one batch have no order.
                Some(waiting) if !delivery.has(waiting.event) => {
                    waiting.overtaken_by.get_or_insert((delivery, event));
                }
                _ => {}
            }
        }
        // Events of one batch are answered at once.
        for event in &delivery.events {
            let Some(lane) = event.lane else { continue };
            answered.insert(lane, (event.name, delivery.answered));
            if delivery.may_come_again() {
                pending.entry(lane).or_insert(Pending {
                    event,
                    overtaken_by: None,
                });
            }
        }
    }
    evidence
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// What came in one second after the other: events of one key by name, and the answer to them.
    fn check(deliveries: &[(&[u64], u16)], expected: usize) {
        let begin = Instant::now();
        let delivery = |(second, (names, status)): (u64, &(&[u64], u16))| {
            let event = |name: &u64| Event {
                name: *name,
                source: 1,
                id: name.to_string(),
                rest: *name,
                lane: Some(1),
                is_json_in_text: None,
            };
            let at = begin + Duration::from_secs(second);
            Delivery {
                line: 0,
                at,
                answered: at,
                status: Some(*status),
                until: None,
                path: String::new(),
                is_elsewhere: false,
                has_token: true,
                is_secure: true,
                is_batch: names.len() > 1,
                is_json: true,
                is_control_raw: None,
                other_trace: None,
                has_same_trace: false,
                events: names.iter().map(event).collect(),
            }
        };
        let all: Vec<_> = (0..).zip(deliveries).map(delivery).collect();
        assert_eq!(overtakers(&all).len(), expected, "{deliveries:?}");
    }

    #[test]
    fn only_what_comes_between_a_failure_and_its_repeat_overtakes() {
        check(&[(&[1], 503), (&[1], 204), (&[2], 204)], 0);
        check(&[(&[1], 503), (&[2], 204), (&[1], 204)], 1);
        check(&[(&[1], 503), (&[2], 204)], 0);
    }

    #[test]
    fn events_of_one_batch_do_not_overtake_each_other() {
        check(&[(&[1, 2], 503), (&[1, 2], 204), (&[3], 204)], 0);
        check(&[(&[1, 2], 503), (&[2, 1], 204)], 0);
        check(&[(&[1, 2], 503), (&[3], 204), (&[1, 2], 204)], 1);
    }
}
