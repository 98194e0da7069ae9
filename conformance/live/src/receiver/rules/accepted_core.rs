//! What a receiver may not refuse of events, however they travel.

use serde_json::json;

use super::text;
use crate::receiver::scenario::{Scenario, Try, accepted};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "CE-DCT-3",
        does: text(
            "Sends JSON data whose content type is written in capitals; it must not be refused.",
            "Stuurt JSON-data met een content type in hoofdletters; dat mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let event = json!({ "datacontenttype": "Application/JSON" });
            let what = "datacontenttype: Application/JSON";
            Ok(vec![Try::new(what, known.target.structured(event))])
        },
        judge: accepted,
    },
    Scenario {
        rule: "CE-DCT-5",
        does: text(
            "Sends an event with a content type and no data; it must not be refused.",
            "Stuurt een gebeurtenis met een content type en zonder data; die mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let event = known.target.structured_without(&["data"], json!({}));
            Ok(vec![Try::new("datacontenttype, no data", event)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "CE-TYPES-14",
        does: text(
            "Sends an integer as a JSON number and as text; neither must be refused.",
            "Stuurt een geheel getal als JSON-getal en als tekst; geen van beide mag worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            known.needs_extensions()?;
            let event = |value| known.target.structured(json!({ "sampledrate": value }));
            Ok(vec![
                Try::new("sampledrate: 5", event(json!(5))),
                Try::new("sampledrate: \"5\"", event(json!("5"))),
            ])
        },
        judge: accepted,
    },
    Scenario {
        rule: "CE-ID-4",
        does: text(
            "Sends one event twice, as senders do after a failure; the repeat must not be refused.",
            "Stuurt één gebeurtenis twee keer, zoals verzenders na een storing doen; de herhaling mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let event = known.target.structured(json!({}));
            Ok(vec![
                Try::new("first", event.clone()),
                Try::new("again", event),
            ])
        },
        judge: accepted,
    },
    Scenario {
        rule: "NL-TYPE-2",
        does: text(
            "Sends an event of a more specific type; it must not be refused for the form of the type.",
            "Stuurt een gebeurtenis van een specifieker type; die mag niet om de vorm van het type worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let specific = format!("{}.specifiek", known.target.event_type);
            let event = known.target.structured(json!({ "type": specific }));
            Ok(vec![Try::new("type: ….specifiek", event)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "NL-DATAREF-1",
        does: text(
            "Sends an event that points to its data with `dataref`, with data and without; neither must be refused.",
            "Stuurt een gebeurtenis die met `dataref` naar de data verwijst, met en zonder data; geen van beide mag worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            known.needs_extensions()?;
            let with = || json!({ "dataref": "https://cenl-conformance.invalid/data/1" });
            let without = known
                .target
                .structured_without(&["data", "datacontenttype"], with());
            Ok(vec![
                Try::new("dataref, data", known.target.structured(with())),
                Try::new("dataref, no data", without),
            ])
        },
        judge: accepted,
    },
];
