//! Every kind of input, and where its findings are.

use super::{check, run};

/// Rule and place of each finding, and how many messages there were.
fn found(words: &[&str], input: &[u8]) -> (Vec<(String, String)>, u64) {
    let before = ["check", "--today", "2026-11-21", "--format", "json"];
    let said = run(&[&before[..], words].concat(), input);
    let report: serde_json::Value = serde_json::from_str(&said.out).expect(&said.errors);
    let findings = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let name = finding["place"]["name"].as_str().unwrap_or_default();
            let place = match finding["column"].as_u64() {
                Some(column) => format!("{}:{column} {name}", finding["line"]),
                None => format!("{} {name}", finding["line"]),
            };
            (finding["rule"].as_str().unwrap().to_owned(), place)
        });
    (
        findings.collect(),
        report["counts"]["messages"].as_u64().unwrap(),
    )
}

fn assert_found(words: &[&str], input: &[u8], messages: u64, expected: &[(&str, &str)]) {
    let (found, count) = found(words, input);
    assert_eq!(count, messages, "{words:?}");
    for (rule, place) in expected {
        let is_there = found.iter().any(|(found, at)| found == rule && at == place);
        assert!(is_there, "{words:?}: {rule} at {place} in {found:?}");
    }
}

#[test]
fn lines_and_the_stream_they_make() {
    let expected = [
        ("CE-ID-2", "2:27 /id"),
        ("CE-TIME-1", "3:137 /time"),
        ("CE-ID-3", "5:27 /id"),
        ("EXT-SEQ-3", "7:141 /sequence"),
    ];
    assert_found(&["events.jsonl"], b"", 6, &expected);
    let (unordered, _) = found(&["--stream", "unordered", "events.jsonl"], b"");
    let is_of_streams = |(rule, _): &(String, String)| rule == "CE-ID-3" || rule == "EXT-SEQ-3";
    assert!(!unordered.iter().any(is_of_streams), "{unordered:?}");
}

#[test]
fn a_line_that_is_cut_short_is_judged_and_the_next_one_too() {
    let (found, messages) = found(&["events.jsonl"], b"");
    assert_eq!(messages, 6);
    assert!(
        found.iter().any(|(_, place)| place.starts_with("6:")),
        "{found:?}"
    );
}

#[test]
fn one_event_over_several_lines() {
    assert_found(&["good.json"], b"", 1, &[]);
    assert_found(&["bad.json"], b"", 1, &[("CE-ID-2", "3:9 /id")]);
    assert_found(
        &["--input", "event", "bad.json"],
        b"",
        1,
        &[("CE-ID-2", "3:9 /id")],
    );
}

#[test]
fn a_batch() {
    let expected = [("CE-TIME-1", "3:139 /1/time")];
    assert_found(&["batch.json"], b"", 1, &expected);
    assert_found(&["--input", "batch", "batch.json"], b"", 1, &expected);
}

#[test]
fn raw_http_and_its_exchanges() {
    let expected = [("HTTP-DEC-6", "21 ce-subject"), ("HOOK-RESP-1", "30 ")];
    assert_found(&["requests.http"], b"", 3, &expected);
    assert_found(&["--input", "http", "requests.http"], b"", 3, &expected);
}

#[test]
fn an_exchange_of_captures() {
    let (found, messages) = found(&["exchanges.jsonl"], b"");
    assert_eq!(messages, 1);
    assert!(
        found.iter().any(|(rule, _)| rule.starts_with("HOOK-")),
        "{found:?}"
    );
}

/// `tests/check/inputs/tail.jsonl` is what `cenl-bridge tail --show capture` printed of a topic, and of
/// the dead letters of its route.
#[test]
fn what_tail_prints_is_read() {
    let tail = include_str!("inputs/tail.jsonl");
    let lines = tail.lines().count() as u64;
    // The last one is the dead letter, of an event without a type.
    let expected = [("CE-TYPE-1", "6 ")];
    assert_found(&["-"], tail.as_bytes(), lines, &expected);
    assert_found(
        &["--input", "capture", "-"],
        tail.as_bytes(),
        lines,
        &expected,
    );
    // A breach is found where it lay in the topic.
    let broken = tail.replacen("[\"ce_time\",\"", "[\"ce_time\",\"omstreeks ", 1);
    assert_ne!(broken, tail);
    assert_found(
        &["-"],
        broken.as_bytes(),
        lines,
        &[("CE-TIME-1", "3 ce_time")],
    );
    let said = run(&["check", "--format", "json", "-"], broken.as_bytes());
    assert!(
        said.out.contains("\"position\": \"kafka:cenl-demo-"),
        "{}",
        said.out
    );
}

#[test]
fn a_token_is_not_repeated() {
    for format in ["table", "json", "junit", "sarif", "html"] {
        let said = check(&["--format", format, "requests.http"]);
        assert!(!said.out.contains("zeer-stil"), "{format}");
    }
}
