//! A structured event with `ce-` headers beside it that say something else: the body counts.

use cloudevents_nl_conformance::{Shown, Why};
use serde_json::json;

use super::text;
use crate::receiver::scenario::{Known, Scenario, Seen, Try, accepted};

fn with_copies(known: &Known) -> Result<Vec<Try>, Why> {
    known.needs_structured()?;
    let copies = [
        ("ce-id", "other"),
        ("ce-specversion", "9.9"),
        ("ce-type", ""),
    ];
    let tries = copies.map(|(name, value)| {
        let request = known.target.structured(json!({})).with(name, value);
        Try::new(format!("{name}: {value}"), request)
    });
    Ok(tries.into())
}

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "HTTP-STR-2",
        does: text(
            "Sends structured events with `ce-` headers that differ from them; they must not be refused.",
            "Stuurt gestructureerde gebeurtenissen met `ce-`-headers die ervan afwijken; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: with_copies,
        judge: accepted,
    },
    Scenario {
        rule: "NL-GL-HTTP-3",
        does: text(
            "Compares the answers to a structured event without `ce-` headers and with one that differs.",
            "Vergelijkt de antwoorden op een gestructureerde gebeurtenis zonder `ce-`-headers en met een die afwijkt.",
        ),
        allow: None,
        tries: |known| {
            let without = known.target.structured(json!({}));
            let with = known.target.structured(json!({})).with("ce-id", "other");
            Ok(vec![
                Try::new("no ce-id", without),
                Try::new("ce-id: other", with),
            ])
        },
        judge,
    },
];

fn judge(_: &Known, seen: &[Seen]) -> Shown {
    match seen {
        [without, with] if without.is_accepted() != with.is_accepted() => {
            Shown::Broken(vec![without.evidence(), with.evidence()])
        }
        _ => Shown::Met,
    }
}
