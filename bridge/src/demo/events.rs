//! Pure: the events of the demo, as Dutch registers could publish them, and what must become of
//! each. No person in them exists: they refer to cases, people and addresses by number.

use bytes::Bytes;
use cloudevents_nl_codec::{
    Data, Event, HeaderList, HeaderSink, JsonText, KAFKA, STRUCTURED_JSON, encode_binary,
    encode_structured,
};

/// Events in one demo. Together they stay far below what the mock broker keeps per partition.
pub(super) const COUNT: usize = 1500;

/// Every how many events one is refused by the receiver.
const POISON_EVERY: usize = 97;

/// Every how many events one is none, because its application forgot the type.
const BROKEN_EVERY: usize = 400;

/// Distinct keys of each register.
const KEYS: usize = 12;

/// What must become of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The receiver takes it.
    Delivered,
    /// The receiver refuses it for good, or it is no event: it ends among the dead letters.
    DeadLettered,
}

/// An event of the demo.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) id: String,
    pub(super) key: String,
    pub(super) fate: Fate,
    /// The JSON text of its data, which no hop may change.
    pub(super) data: String,
    /// The record as the application writes it: every other one in binary mode.
    pub(super) headers: HeaderList,
    pub(super) body: Bytes,
}

/// All events in the order they are sent; `run` makes their ids differ from those of other runs.
pub(super) fn plan(run: &str) -> Vec<Planned> {
    (0..COUNT).map(|number| planned(run, number)).collect()
}

fn planned(run: &str, number: usize) -> Planned {
    let case = number / 3 % KEYS;
    let step = number / (3 * KEYS);
    let is_poison = number % POISON_EVERY == POISON_EVERY - 1;
    let day = step % 28 + 1;
    let (register, ty, key, data) = match number % 3 {
        // A case that ends before it begins: only the application behind the webhook can know.
        _ if is_poison => {
            let key = format!("ZAAK-2026-{case:07}");
            let data = format!(
                r#"{{"zaaknummer":"{key}","begindatum":"2026-03-{day:02}","einddatum":"2025-12-31","status":"Afgerond"}}"#
            );
            ("zaaksysteem", "nl.zaken.zaak-afgerond.v1", key, data)
        }
        0 => {
            let key = format!("ZAAK-2026-{case:07}");
            let (status, text) = ZAAK[step % ZAAK.len()];
            let data = format!(
                r#"{{"zaaknummer":"{key}","zaaktype":"Aanvraag omgevingsvergunning","begindatum":"2026-03-{day:02}","status":"{status}","leges":{step}.50,"toelichting":"{text}"}}"#
            );
            (
                "zaaksysteem",
                "nl.zaken.zaak-status-gewijzigd.v1",
                key,
                data,
            )
        }
        1 => {
            let key = format!("persoon-{case:04}");
            let gemeente = GEMEENTEN[step % GEMEENTEN.len()];
            let data = format!(
                r#"{{ "persoon": "{key}", "ingangsdatum": "2026-04-{day:02}", "gemeenteVanInschrijving": "{gemeente}" }}"#
            );
            ("brp", "nl.personen.persoon-verhuisd.v1", key, data)
        }
        _ => {
            let key = format!("0599200000{case:06}");
            let straat = STRATEN[step % STRATEN.len()];
            let data = format!(
                r#"{{"nummeraanduiding":"{key}","openbareRuimte":"{straat}","huisnummer":{},"woonplaats":"Rotterdam","status":"Naamgeving uitgegeven"}}"#,
                step + 1
            );
            ("bag", "nl.adressen.adres-toegekend.v1", key, data)
        }
    };
    let id = format!("{run}-{number:05}");
    let source = format!("urn:nld:oin:00000001823288444000:systeem:{register}");
    let is_broken = number % BROKEN_EVERY == BROKEN_EVERY - 1;
    let (headers, body) = if is_broken {
        record_without_type(&id, &source, &data)
    } else {
        record(&id, &source, ty, &key, number, &data)
    };
    Planned {
        id,
        key,
        fate: if is_poison || is_broken {
            Fate::DeadLettered
        } else {
            Fate::Delivered
        },
        data,
        headers,
        body,
    }
}

fn record(
    id: &str,
    source: &str,
    ty: &str,
    key: &str,
    number: usize,
    data: &str,
) -> (HeaderList, Bytes) {
    let time = format!(
        "2026-05-01T09:{:02}:{:02}.000+02:00",
        number / 60 % 60,
        number % 60
    );
    let event = Event::new(id, source, ty)
        .and_then(|event| event.with_attribute("time", time))
        .and_then(|event| event.with_attribute("partitionkey", key))
        .and_then(|event| {
            let json = JsonText::new(data).expect("the templates are JSON");
            event.with_data(Some("application/json"), Data::Json(json))
        })
        .expect("the templates are events");
    let mut headers = HeaderList::default();
    if number.is_multiple_of(2) {
        let body = encode_binary(&event, &KAFKA, &mut headers).expect("JSON goes in binary mode");
        return (
            headers,
            body.map(|body| body.into_owned().into())
                .unwrap_or_default(),
        );
    }
    headers.header("content-type", STRUCTURED_JSON);
    let mut body = Vec::new();
    encode_structured(&event, &mut body).expect("structured mode carries every event");
    (headers, body.into())
}

fn record_without_type(id: &str, source: &str, data: &str) -> (HeaderList, Bytes) {
    let mut headers = HeaderList::default();
    headers.header("content-type", STRUCTURED_JSON);
    let body = format!(r#"{{"specversion":"1.0","id":"{id}","source":"{source}","data":{data}}}"#);
    (headers, body.into())
}

const ZAAK: [(&str, &str); 5] = [
    ("Ontvangen", "De aanvraag is digitaal ontvangen."),
    (
        "In behandeling",
        "De aanvraag is volledig; de behandeltermijn loopt vanaf vandaag.",
    ),
    (
        "Aangehouden",
        "Er is nadere informatie gevraagd over de constructie.",
    ),
    (
        "Advies uitgebracht",
        "De commissie adviseert positief, met één voorwaarde.",
    ),
    (
        "Besluit genomen",
        "De vergunning is verleend en gepubliceerd.",
    ),
];

const GEMEENTEN: [&str; 5] = [
    "Zwolle",
    "'s-Hertogenbosch",
    "Súdwest-Fryslân",
    "Utrecht",
    "Maastricht",
];

const STRATEN: [&str; 4] = [
    "Coolsingel",
    "Westersingel",
    "Van Oldenbarneveltstraat",
    "Plein 1940",
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;

    use cloudevents_nl_codec::{Decoded, Decoder, Header, Message};

    use super::*;

    #[test]
    fn every_record_but_the_broken_ones_is_the_event_that_was_planned() {
        let plan = plan("test");
        let mut broken = 0;
        for planned in &plan {
            let headers: Vec<Header<'_>> = planned.headers.iter().collect();
            let message = Message {
                headers: &headers,
                body: Some(&planned.body),
            };
            let Ok(Decoded::Structured(event) | Decoded::Binary(event)) =
                Decoder::default().decode(&KAFKA, &message)
            else {
                assert_eq!(planned.fate, Fate::DeadLettered, "{}", planned.id);
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
        let poison = plan
            .iter()
            .filter(|planned| planned.fate == Fate::DeadLettered);
        assert_eq!(poison.count(), COUNT / POISON_EVERY + COUNT / BROKEN_EVERY);
    }

    #[test]
    fn all_events_together_fit_in_one_partition_of_the_mock() {
        let bytes: usize = plan("test")
            .iter()
            .map(|planned| planned.body.len() + planned.headers.byte_len() + 200)
            .sum();
        assert!(
            bytes < super::super::broker::MOCK_PARTITION_BYTES / 2,
            "{bytes}"
        );
    }
}
