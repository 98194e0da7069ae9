//! A sender decides how many breaches there are: those of one message are counted, and few are kept.
//!
//! Memory and allocations are counted; no clock decides.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::fmt::Write;

use allocation_counter::measure;
use cloudevents_nl_conformance::report::MOST_PER_RULE;
use cloudevents_nl_conformance::{
    Assessment, Capture, Checked, Checker, Finding, Form, Options, Profile, Protocol, Reading,
    Waivers,
};

const MANY: usize = 200_000;

/// A batch of so many elements, one per line.
fn batch(elements: usize, element: impl Fn(usize) -> String) -> String {
    let mut text = "[".to_owned();
    for number in 0..elements {
        let comma = if number > 0 { "," } else { "" };
        write!(text, "{comma}\n{}", element(number)).unwrap();
    }
    text.push_str("\n]");
    text
}

/// An event that breaks rules in most of its attributes.
fn broken(number: usize) -> String {
    format!(r#"{{"specversion":"0.3","id":"","source":"{number} %","type":"","time":"ooit"}}"#)
}

#[track_caller]
fn assert_bounded(checked: &Checked, expected: &[(&str, usize)]) {
    for (rule, count) in expected {
        let of_rule = |finding: &&Finding| finding.rule.id == *rule;
        assert_eq!(checked.count_of(rule), *count, "{rule}");
        assert_eq!(
            checked.findings.iter().filter(of_rule).count(),
            MOST_PER_RULE.min(*count),
            "{rule}"
        );
    }
    let all: usize = checked.broken.iter().map(|broken| broken.count).sum();
    assert_eq!(checked.left_out(), all - checked.findings.len());
    let rules = checked.broken.len();
    assert!(checked.findings.len() <= rules * MOST_PER_RULE);
}

/// Checks a message that holds so many broken things, and counts what that takes beside the message.
#[track_caller]
fn checked(capture: &Capture, things: usize) -> Checked {
    let checker = Checker::new(Profile::NlGov11);
    let reading = Reading::of(capture);
    let mut checked = None;
    let counted = measure(|| checked = Some(checker.check_reading(&reading)));
    assert!(counted.bytes_current < 256 << 10, "kept: {counted:?}");
    // A place, a text and a finding for each breach would be many more.
    let each = counted.count_total / things as u64;
    assert!(each < 16, "{each} allocations each");
    checked.unwrap()
}

#[test]
fn a_batch_of_broken_events() {
    let text = batch(MANY, broken);
    let checked = checked(&Capture::batch(text), MANY);
    let expected = [
        "CE-SPECVERSION-3",
        "CE-ID-2",
        "CE-SOURCE-2",
        "CE-TYPE-2",
        "CE-TIME-1",
    ];
    assert_bounded(&checked, &expected.map(|rule| (rule, MANY)));
    // The first ones, each on the line where it stands.
    let times = checked.findings.iter();
    let times: Vec<_> = times
        .filter(|finding| finding.rule.id == "CE-TIME-1")
        .collect();
    for (number, finding) in times.iter().enumerate() {
        assert_eq!(finding.element, Some(number));
        let place = finding.position.unwrap();
        let column = broken(number).find("\"ooit\"").unwrap() + 1;
        assert_eq!((place.line, place.column), (number + 2, column));
    }
}

#[test]
fn a_batch_of_what_is_no_event() {
    let text = batch(MANY, |number| number.to_string());
    let checked = checked(&Capture::batch(text), MANY);
    assert_bounded(&checked, &[("JSON-ENV-1", MANY)]);
}

#[test]
fn an_event_of_bad_names() {
    let mut text = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b""#.to_owned();
    for number in 0..MANY / 2 {
        write!(text, r#","Naam_{number}":[]"#).unwrap();
    }
    text.push('}');
    let checked = checked(&Capture::event(text), MANY / 2);
    assert_bounded(&checked, &[("CE-NAME-1", MANY / 2), ("JSON-DUP-1", 0)]);
}

#[test]
fn a_message_of_bad_headers() {
    for protocol in [Protocol::Kafka, Protocol::Nats, Protocol::Http] {
        let prefix = protocol.prefix();
        let mut capture = Capture::new(protocol).with_header(&format!("{prefix}id"), "1");
        for number in 0..MANY / 4 {
            capture = capture.with_header(&format!("{prefix}naam_{number}"), "\u{1}");
            capture = capture.with_header(&format!("{prefix}x"), "%");
        }
        let checked = checked(&capture, MANY / 2);
        let repeated = match protocol {
            Protocol::Kafka => "KAFKA-BIN-7",
            Protocol::Nats => "NATS-BIN-4",
            _ => "HTTP-BIN-8",
        };
        assert_bounded(
            &checked,
            &[("CE-NAME-1", MANY / 4), (repeated, MANY / 4 - 1)],
        );
    }
}

#[test]
fn a_report_counts_each_and_lists_the_first() {
    let text = batch(MANY, |number| {
        let system = if number % 4 == 0 { "oud" } else { "nieuw" };
        format!(
            r#"{{"specversion":"1.0","id":"{number}","source":"urn:nld:{system}:a","type":"nl.a.b","time":"ooit"}}"#
        )
    });
    let mut options = Options::new(Profile::NlGov11, "2026-11-21".parse().unwrap());
    let waiver = r#"
        [[waiver]]
        rule = "CE-TIME-1"
        reason = "wordt vervangen"
        owner = "team"
        until = "2027-01-01"
        source = "urn:nld:oud:*"
    "#;
    options.waivers = Waivers::read(waiver).unwrap();
    let mut assessment = Assessment::new(options);
    assessment.read("batch", text.as_bytes(), Form::Recognised);
    let report = assessment.finish();

    let of_rule = |id: &str| -> (u64, u64) {
        let (row, _) = report.rows().find(|(row, _)| row.rule.id == id).unwrap();
        (row.broken, row.explained)
    };
    let (many, explained) = (MANY as u64, MANY as u64 / 4);
    assert_eq!(of_rule("CE-TIME-1"), (many - explained, explained));
    assert_eq!(report.waivers[0].used, explained);
    let counts = &report.counts;
    assert_eq!((counts.events, counts.failed), (many, 1));
    assert_eq!(
        (counts.errors, counts.waived),
        (many - explained, explained)
    );
    let all = counts.errors + counts.warnings + counts.notices + counts.waived;
    assert_eq!(counts.left_out, all - report.findings.len() as u64);
    let times: Vec<_> = report.findings_of("CE-TIME-1").collect();
    assert_eq!(times.len(), MOST_PER_RULE);
    for (number, reported) in times.iter().enumerate() {
        assert_eq!(reported.line, number as u64 + 2);
        assert_eq!(reported.event.as_ref().unwrap().id, number.to_string());
        assert_eq!(reported.waiver, (number % 4 == 0).then_some(0));
    }
}
