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
                Some(waiting) => {
                    waiting.overtaken_by.get_or_insert((delivery, event));
                }
                None => {}
            }
            if delivery.may_come_again() {
                let overtaken_by = None;
                pending.entry(lane).or_insert(Pending {
                    event,
                    overtaken_by,
                });
            }
        }
        // Events of one batch are answered at once.
        for event in &delivery.events {
            if let Some(lane) = event.lane {
                answered.insert(lane, (event.name, delivery.answered));
            }
        }
    }
    evidence
}
