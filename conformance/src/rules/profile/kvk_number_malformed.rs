use crate::grammar::nl_source::{Organisation, is_kvk_number, parse};
use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-SOURCE-5",
    en: Texts {
        title: "KvK number in `source` without 8 digits",
        explanation: "A Dutch organisation outside the government is identified by its KvK number: `kvknr:` and 8 digits, zeros at the beginning included.",
        why: "A number that lost its first zero, as happens in spreadsheets, is another source: subscriptions and checks on `source` no longer match.",
        fix: "Keep the number as text and write all 8 digits: `urn:nld:kvknr:09220932.burgerzakensysteem`.",
    },
    nl: Texts {
        title: "KvK-nummer in `source` zonder 8 cijfers",
        explanation: "Een Nederlandse organisatie buiten de overheid wordt aangeduid met haar KvK-nummer: `kvknr:` en 8 cijfers, met de nullen vooraan.",
        why: "Een nummer dat zijn eerste nul kwijt is, zoals in een spreadsheet gebeurt, is een andere bron. Abonnementen en controles op `source` kloppen dan niet meer.",
        fix: "Bewaar het nummer als tekst en neem alle 8 cijfers over: `urn:nld:kvknr:09220932.burgerzakensysteem`.",
    },
    good: Example::Event(r#""source":"urn:nld:kvknr:09220932.burgerzakensysteem""#),
    bad: Example::Event(r#""source":"urn:nld:kvknr:9220932.burgerzakensysteem""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_malformed = |source: &str| match parse(source).map(|source| source.organisation) {
            Some(Organisation::Kvk(number)) => is_uri_reference(source) && !is_kvk_number(number),
            _ => false,
        };
        found.all(event.matching("source", is_malformed));
    }),
};
