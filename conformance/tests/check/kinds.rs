//! Every kind of input, and where its findings are.

use super::{check, run};

/// Rule and place of each finding, and how many messages there were.
fn found(words: &[&str], input: &[u8]) -> (Vec<(String, String)>, u64) {
    let before = ["check", "--today", "2026-11-21", "--format", "json"];
    let said = run(&[&before[..], words].concat(), input);
    let report: serde_json::Value = serde_json::from_str(&said.out).expect(&said.errors);
    let findings = report["findings"].as_array().unwrap().iter().map(|finding| {
        let name = finding["place"]["name"].as_str().unwrap_or_default();
        let place = match finding["column"].as_u64() {
            Some(column) => format!("{}:{column} {name}", finding["line"]),
            None => format!("{} {name}", finding["line"]),
        };
        (finding["rule"].as_str().unwrap().to_owned(), place)
    });
    (findings.collect(), report["counts"]["messages"].as_u64().unwrap())
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
        ("CE-ID-2", "2:25 /id"),
        ("CE-TIME-1", "3:155 /time"),
        ("CE-ID-3", "5:25 /id"),
        ("EXT-SEQ-3", "7:156 /sequence"),
    ];
    let (all, _) = found(&["events.jsonl"], b"");
    assert_found(&["events.jsonl"], b"", 6, &expected[..1]);
    for (rule, _) in &expected[1..] {
        let place = expected.iter().find(|(id, _)| id == rule).unwrap().1;
        assert!(all.iter().any(|(id, at)| id == rule && at == place), "{rule} at {place} in {all:?}");
    }
    let (unordered, _) = found(&["--stream", "unordered", "events.jsonl"], b"");
    assert!(!unordered.iter().any(|(rule, _)| rule == "CE-ID-3" || rule == "EXT-SEQ-3"));
}

#[test]
fn a_line_that_is_cut_short_is_judged_and_the_next_one_too() {
    let (found, messages) = found(&["events.jsonl"], b"");
    assert_eq!(messages, 6);
    assert!(found.iter().any(|(_, place)| place.starts_with("6:")), "{found:?}");
}

#[test]
fn one_event_over_several_lines() {
    assert_found(&["good.json"], b"", 1, &[]);
    assert_found(&["bad.json"], b"", 1, &[("CE-ID-2", "3:9 /id")]);
    assert_found(&["--input", "event", "bad.json"], b"", 1, &[("CE-ID-2", "3:9 /id")]);
}

#[test]
fn a_batch() {
    let expected = [("CE-TIME-1", "3:149 /1/time")];
    assert_found(&["batch.json"], b"", 1, &expected);
    assert_found(&["--input", "batch", "batch.json"], b"", 1, &expected);
}

#[test]
fn raw_http_and_its_exchanges() {
    let expected = [("HTTP-DEC-2", "20 ce-subject"), ("HOOK-RESP-1", "29 ")];
    let (found, messages) = found(&["requests.http"], b"");
    assert_eq!(messages, 3);
    let rules: Vec<_> = found.iter().map(|(rule, _)| &**rule).collect();
    assert!(rules.contains(&"HOOK-RESP-1"), "{found:?}");
    assert!(found.iter().any(|(_, place)| place == "20 ce-subject"), "{found:?}");
    assert!(found.iter().any(|(rule, place)| rule == "HOOK-RESP-1" && place == expected[1].1), "{found:?}");
}

#[test]
fn an_exchange_of_captures() {
    let (found, messages) = found(&["exchanges.jsonl"], b"");
    assert_eq!(messages, 1);
    assert!(found.iter().any(|(rule, _)| rule.starts_with("HOOK-")), "{found:?}");
}

/// `tests/check/inputs/tail.jsonl` is what `cenl-bridge tail --show capture` printed of a topic.
#[test]
fn what_tail_prints_is_read() {
    let tail = include_bytes!("inputs/tail.jsonl");
    let lines = tail.iter().filter(|byte| **byte == b'\n').count() as u64;
    let (found, messages) = found(&["-"], tail);
    assert_eq!(messages, lines);
    assert!(!found.is_empty());
    let said = run(&["check", "--format", "json", "-"], tail);
    assert!(said.out.contains("\"position\": \"kafka:"), "{}", said.out);
}

#[test]
fn a_token_is_not_repeated() {
    for format in ["table", "json", "junit", "sarif", "html"] {
        let said = check(&["--format", format, "requests.http"]);
        assert!(!said.out.contains("geheim"), "{format}");
    }
}
