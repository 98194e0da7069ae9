//! How values of headers are decoded, of which answers show no more than whether they were refused.

use cloudevents_nl_conformance::Shown;

use super::scenario;
use crate::receiver::scenario::Tries::Headers;
use crate::receiver::scenario::{Known, Scenario, Seen, broken_where, is_refused_before};
use crate::shown::{by, nothing};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HTTP-DEC-1",
        "values in double quotes, as older senders write; coded quotes stay",
        "waarden tussen aanhalingstekens, zoals oudere verzenders schrijven; gecodeerde aanhalingstekens blijven",
        Headers(&[
            ("ce-subject", "a"),
            ("ce-subject", r#""Euro \"5\"""#),
            ("ce-specversion", "1.0"),
            ("ce-specversion", "\"1.0\""),
            ("ce-specversion", r#""1\.0""#),
            ("ce-specversion", "%221.0%22"),
            ("ce-specversion", "9.9"),
        ]),
        |_, seen| read_right(seen, |_| false),
    ),
    scenario(
        "HTTP-DEC-2",
        "codes, and a percent sign that is coded, which are decoded once; a plus sign stays",
        "codes, en een gecodeerd procentteken, die één keer worden gedecodeerd; een plusteken blijft",
        // Decoded twice, they are no text in UTF-8, and no URI.
        Headers(&[
            ("ce-subject", "a"),
            ("ce-subject", "%C3%A9"),
            ("ce-subject", "%25FF"),
            ("ce-cenltest", "a"),
            ("ce-cenltest", "%25FF"),
            ("ce-source", "urn:nld:cenl-conformance:a"),
            ("ce-source", "urn:nld:cenl-conformance:a%2520b"),
            ("ce-source", "urn:nld:cenl-conformance:a+b"),
            ("ce-dataschema", "urn:nld:cenl-conformance:a"),
            ("ce-dataschema", "urn:nld:cenl-conformance:a%2520b"),
            ("ce-dataschema", "urn:nld:cenl-conformance:a+b"),
            ("ce-time", "2018-04-05T17:31:00Z"),
            ("ce-time", "2018-04-05T17%3A31%3A00Z"),
            ("ce-time", "2018-04-05T15:31:00-02:00"),
            ("ce-time", "2018-04-05T19:31:00+02:00"),
            ("ce-specversion", "1.0"),
            ("ce-specversion", "1%2E0"),
            ("ce-specversion", "%31.%30"),
            // Decoded, it is no URI.
            ("ce-source", "urn:nld:cenl-conformance:a%20b"),
            ("ce-specversion", "1%252E0"),
            ("ce-specversion", "9.9"),
        ]),
        decoded_once,
    ),
    scenario(
        "HTTP-DEC-3",
        "percent codes with small letters",
        "procentcodes met kleine letters",
        Headers(&[
            ("ce-subject", "%E2%82%AC"),
            ("ce-subject", "%e2%82%ac"),
            ("ce-specversion", "1%2E0"),
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
            ("ce-subject", "A-z"),
            ("ce-subject", "%41%2D%7A"),
            ("ce-specversion", "1.0"),
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
];

const VERSION: &str = "ce-specversion";
const ONCE: &str = "ce-source: urn:nld:cenl-conformance:a%2520b";
const NEEDLESS: &str = "ce-specversion: 1%2E0";
const OFFSET: &str = "ce-time: 2018-04-05T15:31:00-02:00";

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

fn decoded_once(known: &Known, seen: &[Seen]) -> Shown {
    let mut seen = seen.to_vec();
    let Some(at) = seen.len().checked_sub(3) else {
        return nothing("no answers", "geen antwoorden");
    };
    let no_uri = seen.remove(at);
    let is_refused = |what: &str| seen.iter().any(|it| it.what == what && !it.is_accepted());
    // Who decodes what has to be and leaves the rest breaks HTTP-DEC-4 alone.
    let leaves_needless = no_uri.is_refused() && !is_refused(ONCE) && is_refused(NEEDLESS);
    read_right(&seen, |one| {
        let is_of = |name: &str| one.what.starts_with(name);
        leaves_needless && (is_of(VERSION) || is_of("ce-time: 2018-04-05T17%"))
            // Who takes no offset breaks CE-TIME-1.
            || one.what.ends_with("02:00") && is_refused(OFFSET)
            // Some refuse such a text in bodies too.
            || is_of("ce-subject: %C3") && known.is_broken("HTTP-STR-4")
    })
}

/// The last but one is `1.0` for those alone who read it wrong.
fn read_right(seen: &[Seen], is_excused: impl Fn(&Seen) -> bool) -> Shown {
    let Some((right, [misread, unknown])) = seen.split_last_chunk::<2>() else {
        return nothing("no answers", "geen antwoorden");
    };
    let is_misread = misread.is_accepted() && unknown.is_refused();
    judged(right, is_misread.then_some(misread), unknown, is_excused)
}

/// All but the last is to be accepted.
fn read(_: &Known, seen: &[Seen]) -> Shown {
    let Some((unknown, right)) = seen.split_last() else {
        return nothing("no answers", "geen antwoorden");
    };
    judged(right, None, unknown, |_| false)
}

/// Each value is held against the first of its name. What else is accepted shows nothing of who does not refuse the
/// unknown version, or refuses others for another reason.
fn judged(
    right: &[Seen],
    misread: Option<&Seen>,
    unknown: &Seen,
    is_excused: impl Fn(&Seen) -> bool,
) -> Shown {
    let refused = right.iter().filter(|seen| !seen.is_accepted());
    let is_broken = |seen: &&Seen| {
        let is_excused = is_refused_before(seen, right) || is_excused(seen);
        !(seen.is_refused() && is_excused)
    };
    let broken = refused.clone().filter(is_broken).chain(misread);
    let mut versions = refused.filter(|seen| seen.what.starts_with(VERSION));
    let unclear = versions.next();
    let unclear = unclear.or_else(|| (!unknown.is_refused()).then_some(unknown));
    match (by(broken.map(Seen::evidence)), unclear) {
        (Shown::Met, Some(seen)) => nothing(
            format!("no status shows what the receiver read: {}", seen.told()),
            format!("geen status toont wat de ontvanger las: {}", seen.told()),
        ),
        (shown, _) => shown,
    }
}
