//! The events of the demo, as Dutch registers could publish them, without any person.

/// Far below what the mock broker keeps per partition.
const COUNT: usize = 1500;
const POISON_EVERY: usize = 97;
/// Events without a type; an even number, so that they are in structured mode.
const BROKEN_EVERY: usize = 400;
const KEYS: usize = 12;

#[derive(Debug)]
pub(super) struct Planned {
    pub(super) id: String,
    pub(super) key: String,
    /// Any other is refused or undecodable, and becomes a dead letter.
    pub(super) is_good: bool,
    /// JSON, which no hop may change.
    pub(super) data: String,
    /// Every other record is in binary mode.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

/// `run` makes their ids differ from those of other runs.
pub(super) fn plan(run: &str) -> Vec<Planned> {
    (0..COUNT).map(|number| planned(run, number)).collect()
}

fn planned(run: &str, number: usize) -> Planned {
    let is_poison = number % POISON_EVERY == POISON_EVERY - 1;
    let is_broken = number % BROKEN_EVERY == BROKEN_EVERY - 1;
    let (register, ty, key, data) = message(number, is_poison);
    let id = format!("{run}-{number:05}");
    let source = format!("urn:nld:oin:00000001823288444000:systeem:{register}");
    let attributes = [
        ("specversion", "1.0".to_owned()),
        ("id", id.clone()),
        ("source", source),
        ("type", ty.to_owned()),
        ("time", format!("2026-05-01T09:00:{:02}+02:00", number % 60)),
        ("partitionkey", key.clone()),
    ];
    let is_written = |(name, _): &&(&str, String)| !is_broken || *name != "type";
    let attributes = attributes.iter().filter(is_written);
    let content_type = |media: &str| ("content-type".to_owned(), media.to_owned());
    let (headers, body) = if number.is_multiple_of(2) {
        let headers = attributes.map(|(name, value)| (format!("ce_{name}"), value.clone()));
        let headers = headers.chain([content_type("application/json")]);
        (headers.collect(), data.clone())
    } else {
        let members = attributes.map(|(name, value)| format!(r#""{name}":"{value}","#));
        let members: String = members.collect();
        let headers = vec![content_type("application/cloudevents+json; charset=UTF-8")];
        (headers, format!(r#"{{{members}"data":{data}}}"#))
    };
    Planned {
        id,
        key,
        is_good: !is_poison && !is_broken,
        data,
        headers,
        body,
    }
}

/// Name, event type, and prefix of the keys.
const REGISTERS: [[&str; 3]; 3] = [
    ["zaaksysteem", "nl.zaken.zaak-gewijzigd.v1", "ZAAK-2026-"],
    ["brp", "nl.personen.persoon-verhuisd.v1", "persoon-"],
    ["bag", "nl.adressen.adres-toegekend.v1", "0599200000"],
];

fn message(number: usize, is_poison: bool) -> (&'static str, &'static str, String, String) {
    // A case that ends before it begins: only the application behind the webhook can know.
    let register = if is_poison { 0 } else { number % 3 };
    let [register, ty, prefix] = REGISTERS[register];
    let key = format!("{prefix}{:07}", number / 3 % KEYS);
    let step = number / (3 * KEYS);
    let end = if is_poison { 2025 } else { 2027 };
    let data = format!(
        r#"{{ "kenmerk": "{key}", "begindatum": "2026-03-{:02}","einddatum":"{end}-12-31","leges":{step}.50,"gemeente":"Súdwest-Fryslân" }}"#,
        step % 28 + 1
    );
    (register, ty, key, data)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;

    use cloudevents_nl_codec::{Decoder, Header, KAFKA};

    use super::super::kafka::MOCK_PARTITION_BYTES;
    use super::*;

    #[test]
    fn every_record_but_the_broken_ones_is_the_event_that_was_planned() {
        let plan = plan("test");
        let mut broken = 0;
        for planned in &plan {
            let headers = planned.headers.iter();
            let headers = headers.map(|(name, value)| Header::from((name, value)));
            let body = Some(planned.body.as_bytes());
            let Ok(event) = Decoder::default().decode(&KAFKA, headers, body) else {
                assert!(!planned.is_good, "{}", planned.id);
                broken += 1;
                continue;
            };
            assert_eq!(event.id(), planned.id);
            assert_eq!(event.attribute("partitionkey").unwrap().text(), planned.key);
        }
        assert_eq!(broken, COUNT / BROKEN_EVERY);
        let ids: BTreeSet<_> = plan.iter().map(|planned| &planned.id).collect();
        assert_eq!(ids.len(), COUNT);
    }

    #[test]
    fn there_are_several_keys_and_a_few_poison_events_among_them() {
        let plan = plan("test");
        let keys: BTreeSet<_> = plan.iter().map(|planned| &planned.key).collect();
        assert_eq!(keys.len(), 3 * KEYS);
        let poison = plan.iter().filter(|planned| !planned.is_good);
        assert_eq!(poison.count(), COUNT / POISON_EVERY + COUNT / BROKEN_EVERY);
    }

    #[test]
    fn all_events_together_fit_in_one_partition_of_the_mock() {
        let headers = |planned: &Planned| format!("{:?}", planned.headers).len();
        let bytes = |planned: &Planned| planned.body.len() + headers(planned) + 200;
        let bytes: usize = plan("test").iter().map(bytes).sum();
        assert!(bytes < MOCK_PARTITION_BYTES / 2, "{bytes}");
    }
}
