#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use cloudevents_nl_codec::{Binding, HTTP, HeaderList, KAFKA, NATS};
use cloudevents_nl_conformance::Profile;

use super::*;
use crate::delivery::Position;

/// Breaks a MUST (`time` is none) and a SHOULD (`source` is no URN).
const WRONG: [(&str, &str); 5] = [
    ("specversion", "1.0"),
    ("id", "secret-id"),
    ("source", "https://bronhouder.example/secret-place"),
    ("type", "nl.bronhouder.zaak-gewijzigd"),
    ("time", "gisteren"),
];

fn structured(binding: &'static Binding) -> Received {
    let members = WRONG.map(|(name, value)| format!(r#""{name}":"{value}""#));
    let mut headers = HeaderList::default();
    headers.push(
        binding.content_type,
        Some(b"application/cloudevents+json; charset=UTF-8"),
    );
    received(binding, headers, format!("{{{}}}", members.join(",")))
}

fn binary(binding: &'static Binding) -> Received {
    let mut headers = HeaderList::default();
    for (name, value) in WRONG {
        headers.push(&format!("{}{name}", binding.prefix), Some(value.as_bytes()));
    }
    received(binding, headers, String::new())
}

fn received(binding: &'static Binding, headers: HeaderList, body: String) -> Received {
    Received {
        binding,
        headers,
        key: None,
        body: Some(Bytes::from(body)),
        timestamp_ms: None,
        position: Position::numbered("http:", 3),
        defect: None,
    }
}

fn check(least: Severity, waivers: &str) -> Check {
    Check {
        checker: Checker::new(Profile::NlGov11),
        least,
        waivers: Waivers::read(waivers).unwrap(),
        on_violation: OnViolation::Count,
    }
}

fn waiver(rule: &str, until: &str, more: &str) -> String {
    let who = "reason = \"r\"\nowner = \"o\"";
    format!("[[waiver]]\nrule = \"{rule}\"\n{who}\nuntil = \"{until}\"\n{more}\n")
}

/// At noon of 31 January 2026.
fn listed(check: &Check, received: &Received) -> String {
    let now = "2026-01-31T12:00:00Z".parse().unwrap();
    let violations = check.violations(received, now);
    violations.map_or_else(String::new, |violations| violations.listed())
}

#[test]
fn the_level_says_which_findings_violate_in_every_protocol_and_mode() {
    let both = "CE-TIME-1, NL-SOURCE-1";
    for (message, should) in [
        (structured(&HTTP), both),
        (structured(&KAFKA), both),
        (structured(&NATS), both),
        (binary(&HTTP), "CE-TIME-1, NL-GL-HTTP-1, NL-SOURCE-1"),
        (binary(&KAFKA), both),
        (binary(&NATS), both),
    ] {
        let listed = |least| listed(&check(least, ""), &message);
        assert_eq!(listed(Severity::Error), "CE-TIME-1", "{message:?}");
        assert_eq!(listed(Severity::Warning), should, "{message:?}");
    }
}

#[test]
fn a_waiver_explains_what_it_is_about_up_to_its_last_day() {
    let explained = |until, more| {
        let check = check(Severity::Error, &waiver("CE-TIME-1", until, more));
        listed(&check, &structured(&KAFKA)).is_empty()
    };
    for (until, more, expected) in [
        ("2026-01-31", "", true),
        ("2026-01-30", "", false),
        ("2026-12-31", "type = \"nl.bronhouder.*\"", true),
        ("2026-12-31", "source = \"urn:nld:*\"", false),
    ] {
        assert_eq!(explained(until, more), expected, "{until} {more}");
    }
    let other = check(Severity::Error, &waiver("CE-ID-2", "2026-12-31", ""));
    assert_eq!(listed(&other, &structured(&KAFKA)), "CE-TIME-1");
}

#[test]
fn a_violation_names_rule_and_place_and_nothing_of_the_content() {
    let check = check(Severity::Warning, "");
    for (message, place) in [
        (structured(&NATS), "/time"),
        (binary(&NATS), "header ce-time"),
    ] {
        let violations = check.violations(&message, Timestamp::UNIX_EPOCH).unwrap();
        let mut findings = violations.findings.iter();
        let time = findings.find(|it| it.rule == "CE-TIME-1").unwrap();
        assert_eq!((time.level, &*time.place), ("MUST", place));
        assert_eq!(violations.position.number, Some(3));
        assert!(
            !format!("{violations:?}").contains("secret"),
            "{violations:?}"
        );
    }
}
