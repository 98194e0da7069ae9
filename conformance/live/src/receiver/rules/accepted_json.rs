//! What a receiver may not refuse of events in the JSON format.

use serde_json::json;

use super::text;
use crate::receiver::scenario::{Scenario, Try, accepted};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "JSON-NULL-1",
        does: text(
            "Sends an extension that is null; the event must not be refused.",
            "Stuurt een extensie die null is; de gebeurtenis mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let event = known.target.structured(json!({ "cenltest": null }));
            Ok(vec![Try::new("cenltest: null", event)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "JSON-NULL-2",
        does: text(
            "Sends optional attributes that are null; the event must not be refused.",
            "Stuurt optionele attributen die null zijn; de gebeurtenis mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let null = json!({ "subject": null, "time": null, "dataschema": null });
            let event = known.target.structured(null);
            Ok(vec![Try::new("subject, time, dataschema: null", event)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "JSON-DATA-8",
        does: text(
            "Sends `data` without `datacontenttype`, as text and as an object; neither must be refused.",
            "Stuurt `data` zonder `datacontenttype`, als tekst en als object; geen van beide mag worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let untyped = |data| {
                let data = json!({ "data": data });
                known.target.structured_without(&["datacontenttype"], data)
            };
            Ok(vec![
                Try::new("untyped text", untyped(json!("only a text"))),
                Try::new("untyped object", untyped(json!({ "test": true }))),
            ])
        },
        judge: accepted,
    },
    Scenario {
        rule: "JSON-DATA-9",
        does: text(
            "Sends JSON data that is null; the event must not be refused.",
            "Stuurt JSON-data die null is; de gebeurtenis mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let event = known.target.structured(json!({ "data": null }));
            Ok(vec![Try::new("data: null", event)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "JSON-TYPE-4",
        does: text(
            "Sends an extension whose text looks like a moment, a number or a truth value; the event must not be refused.",
            "Stuurt een extensie waarvan de tekst op een tijdstip, getal of waarheidswaarde lijkt; de gebeurtenis mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            known.needs_extensions()?;
            let texts = ["2018-04-05T17:31:00.10Z", "007", "true"];
            let tries = texts.map(|text| {
                let event = known.target.structured(json!({ "cenltest": text }));
                Try::new(format!("cenltest: \"{text}\""), event)
            });
            Ok(tries.into())
        },
        judge: accepted,
    },
];
