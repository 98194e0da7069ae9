//! How data is read, of which answers show no more than whether it was refused.

use serde_json::json;

use super::text;
use crate::receiver::scenario::{Scenario, Try, read_behind};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "JSON-DATA-7",
        does: text(
            "Sends JSON data that is a text which looks like JSON; it must not be refused.",
            "Stuurt JSON-data die een tekst is die op JSON lijkt; dat mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            // Read as JSON once more, the second is none.
            let tries = ["1", "{"].map(|data| {
                let event = known.target.structured(json!({ "data": data }));
                Try::new(format!("data: \"{data}\""), event)
            });
            Ok(tries.into())
        },
        judge: read_behind,
    },
    Scenario {
        rule: "JSON-DATA-11",
        does: text(
            "Sends bytes in `data_base64` without `datacontenttype`; they must not be refused.",
            "Stuurt bytes in `data_base64` zonder `datacontenttype`; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let data = json!({ "data_base64": "AP8=" });
            let event = known
                .target
                .structured_without(&["data", "datacontenttype"], data);
            Ok(vec![Try::new("data_base64, no type", event)])
        },
        judge: read_behind,
    },
    Scenario {
        rule: "JSON-DATA-13",
        does: text(
            "Sends XML and CSV as text in `data`; neither must be refused.",
            "Stuurt XML en CSV als tekst in `data`; geen van beide mag worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let texts = [("application/xml", "<test/>"), ("text/csv", "a;b\r\n")];
            let tries = texts.map(|(media, data)| {
                let event = json!({ "datacontenttype": media, "data": data });
                Try::new(media, known.target.structured(event))
            });
            Ok(tries.into())
        },
        judge: read_behind,
    },
];
