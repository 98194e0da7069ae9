//! How values of headers are decoded, and how data is read, of which answers show no more than whether it
//! was refused.

use cloudevents_nl_conformance::Shown;

use super::accepted::{FALSE, taken_as_false_is};
use super::scenario;
use crate::receiver::scenario::Tries::{Events, Headers};
use crate::receiver::scenario::{Known, Scenario, Seen, broken_where};
use crate::shown::{by, nothing};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HTTP-DEC-1",
        "values in double quotes, as older senders write; coded quotes stay",
        "waarden tussen aanhalingstekens, zoals oudere verzenders schrijven; gecodeerde aanhalingstekens blijven",
        Headers(&[
            ("ce-subject", r#""Euro \"5\"""#),
            ("ce-specversion", "\"1.0\""),
            ("ce-specversion", r#""1\.0""#),
            ("ce-specversion", "%221.0%22"),
            ("ce-specversion", "9.9"),
        ]),
        read_right,
    ),
    scenario(
        "HTTP-DEC-2",
        "a percent sign that is coded, which is decoded once; a plus sign stays",
        "een gecodeerd procentteken, dat één keer wordt gedecodeerd; een plusteken blijft",
        // Decoded twice, they are no text in UTF-8, and no URI.
        Headers(&[
            ("ce-subject", "%25FF"),
            ("ce-dataschema", "urn:nld:cenl-conformance:a"),
            ("ce-dataschema", "urn:nld:cenl-conformance:a%2520b"),
            ("ce-dataschema", "urn:nld:cenl-conformance:a+b"),
            ("ce-specversion", "1%2E0"),
            ("ce-specversion", "1%252E0"),
            ("ce-specversion", "9.9"),
        ]),
        read_right,
    ),
    scenario(
        "HTTP-DEC-3",
        "percent codes with small letters",
        "procentcodes met kleine letters",
        Headers(&[
            ("ce-subject", "%e2%82%ac"),
            ("ce-specversion", "1%2e0"),
            ("ce-specversion", "9.9"),
        ]),
        read,
    ),
    scenario(
        "HTTP-DEC-4",
        "percent codes that are not needed",
        "procentcodes die niet nodig zijn",
        Headers(&[
            ("ce-subject", "%41%2D%7A"),
            ("ce-specversion", "%31.0"),
            ("ce-specversion", "9.9"),
        ]),
        read,
    ),
    scenario(
        "HTTP-DEC-5",
        "Sends percent codes that give no UTF-8, which must be refused.",
        "Stuurt procentcodes die geen UTF-8 opleveren; die moeten worden geweigerd.",
        Headers(&[
            ("ce-subject", "%C0%A0"),
            ("ce-subject", "%ED%A0%BD%ED%B8%80"),
            ("ce-subject", "a%E2%82"),
        ]),
        refused,
    ),
    data(
        "JSON-DATA-7",
        "JSON data that is a text which looks like JSON",
        "JSON-data die een tekst is die op JSON lijkt",
        // Read as JSON once more, the last is none.
        &[FALSE, r#""data":"1""#, r#""data":"{""#],
    ),
    data(
        "JSON-DATA-11",
        "`data_base64` without `datacontenttype`",
        "`data_base64` zonder `datacontenttype`",
        &[FALSE, r#"-data -datacontenttype "data_base64":"AP8=""#],
    ),
    data(
        "JSON-DATA-13",
        "XML and CSV as text in `data`",
        "XML en CSV als tekst in `data`",
        &[
            FALSE,
            r#""datacontenttype":"application/xml","data":"<test/>""#,
            r#""datacontenttype":"text/csv","data":"a;b\r\n""#,
        ],
    ),
];

/// Without anything to decode: who refuses it refuses any.
const PLAIN_SCHEMA: &str = "ce-dataschema: urn:nld:cenl-conformance:a";

/// With 202 it is accepted before it is read.
fn refused(_: &Known, seen: &[Seen]) -> Shown {
    let is_unread = |seen: &Seen| seen.status() == Some(202);
    match broken_where(seen, |seen| seen.is_accepted() && !is_unread(seen)) {
        Shown::Met if seen.iter().any(is_unread) => nothing(
            "the receiver answers 202 before it reads",
            "de ontvanger antwoordt 202 voordat hij leest",
        ),
        shown => shown,
    }
}

/// The last but one is `1.0` for those alone who read it wrong.
fn read_right(_: &Known, seen: &[Seen]) -> Shown {
    let Some((right, [misread, unknown])) = seen.split_last_chunk::<2>() else {
        return nothing("no answers", "geen antwoorden");
    };
    let is_misread = misread.is_accepted() && matches!(unknown.status(), Some(400..=499));
    judged(right, is_misread.then_some(misread), unknown)
}

/// All but the last is to be accepted.
fn read(_: &Known, seen: &[Seen]) -> Shown {
    let Some((unknown, right)) = seen.split_last() else {
        return nothing("no answers", "geen antwoorden");
    };
    judged(right, None, unknown)
}

/// Who does not refuse the unknown version shows nothing by what else is accepted.
fn judged(right: &[Seen], misread: Option<&Seen>, unknown: &Seen) -> Shown {
    let refused = right.iter().filter(|seen| !seen.is_accepted());
    let takes_no_schema = refused.clone().any(|seen| seen.what == PLAIN_SCHEMA);
    let is_excused = |seen: &Seen| takes_no_schema && seen.what.starts_with("ce-dataschema");
    let refused = refused.filter(|seen| !is_excused(seen));
    match by(refused.chain(misread).map(Seen::evidence)) {
        Shown::Met if !matches!(unknown.status(), Some(400..=499)) => nothing(
            "the receiver does not refuse an unknown version, so that no status shows what it read",
            "de ontvanger weigert een onbekende versie niet, zodat geen status toont wat hij las",
        ),
        shown => shown,
    }
}

/// Of events behind [`FALSE`].
const fn data(
    rule: &'static str,
    en: &'static str,
    nl: &'static str,
    events: &'static [&'static str],
) -> Scenario {
    scenario(rule, en, nl, Events(events), data_read)
}

/// Refusing breaks it, and accepting shows nothing of how it was read.
fn data_read(known: &Known, seen: &[Seen]) -> Shown {
    match taken_as_false_is(known, seen) {
        Shown::Met => nothing(
            "it was accepted, and only what the receiver hands on shows how it was read",
            "het is aangenomen; hoe het gelezen is, blijkt pas uit wat de ontvanger doorgeeft",
        ),
        shown => shown,
    }
}
