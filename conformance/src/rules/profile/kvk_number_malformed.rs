use crate::grammar::nl_source::{Organisation, is_kvk_number, parse};
use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-SOURCE-5",
    level: Levels::nl_gov(Level::Should),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0/1.1, 3.3.2 source",
    title: Text {
        en: "KvK number in `source` without 8 digits",
        nl: "KvK-nummer in `source` zonder 8 cijfers",
    },
    explanation: Text {
        en: "A Dutch organisation outside the government is identified by its KvK number: `kvknr:` and 8 digits, zeros at the beginning included.",
        nl: "Een Nederlandse organisatie buiten de overheid wordt aangeduid met haar KvK-nummer: `kvknr:` en 8 cijfers, met de nullen vooraan.",
    },
    why: Text {
        en: "A number that lost its first zero, as happens in spreadsheets, is another source: subscriptions and checks on `source` no longer match.",
        nl: "Een nummer dat zijn eerste nul kwijt is, zoals in een spreadsheet gebeurt, is een andere bron. Abonnementen en controles op `source` kloppen dan niet meer.",
    },
    fix: Text {
        en: "Keep the number as text and write all 8 digits: `urn:nld:kvknr:09220932.burgerzakensysteem`.",
        nl: "Bewaar het nummer als tekst en neem alle 8 cijfers over: `urn:nld:kvknr:09220932.burgerzakensysteem`.",
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
        let sources = event.named("source");
        found.all(sources.filter(|source| source.text().is_some_and(is_malformed)));
    }),
};
