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

const MARK: &str = "\u{feff}";

#[test]
fn a_byte_order_mark_at_the_beginning_is_the_files() {
    let event = include_str!("inputs/good.json");
    let lines = include_str!("inputs/events.jsonl");
    let http = include_str!("inputs/requests.http");
    for (form, text) in [
        ("auto", event),
        ("event", event),
        ("auto", lines),
        ("lines", lines),
        ("auto", http),
        ("http", http),
    ] {
        let with_mark = format!("{MARK}{text}");
        let words = ["--input", form, "-"];
        let without = found(&words, text.as_bytes());
        assert_eq!(found(&words, with_mark.as_bytes()), without, "{form}");
        for (format, told) in [
            ("table", "-: byte order mark (BOM) aan het begin weggelaten"),
            ("html", "byte order mark (BOM) aan het begin weggelaten"),
            ("json", "\"byte_order_mark\": true"),
        ] {
            let said = run(
                &["check", "--format", format, "--input", form, "-"],
                with_mark.as_bytes(),
            );
            assert!(said.out.contains(told), "{}", said.out);
        }
    }
}

#[test]
fn a_byte_order_mark_in_a_message_is_a_finding_that_names_it() {
    // ﻿{} in Base64, as it was on the wire.
    let capture = r#"{"protocol":"http","headers":[["content-type","application/cloudevents+json"]],"body_base64":"77u/e30="}"#;
    let words = ["--format", "json", "-"];
    assert_found(&["-"], capture.as_bytes(), 1, &[("JSON-SYNTAX-1", "1 ")]);
    let said = run(&[&["check"], &words[..]].concat(), capture.as_bytes());
    assert!(
        said.out.contains("byte order mark (U+FEFF)"),
        "{}",
        said.out
    );
    // A second one is not the file's.
    let twice = format!("{MARK}{MARK}{{}}");
    assert_found(&["-"], twice.as_bytes(), 1, &[("JSON-SYNTAX-1", "1:1 ")]);
    let said = run(
        &["check", "--format", "json", "-"],
        format!("{MARK}\n").as_bytes(),
    );
    assert!(
        said.errors.contains("bevat geen bericht"),
        "{}",
        said.errors
    );
}

/// A record as `cenl-bridge tail --show capture` prints it.
fn record(position: &str, id: u8, more: &[(&str, &str)]) -> String {
    let mut headers = vec![
        ("ce_specversion", "1.0"),
        ("ce_source", "urn:nld:oin:00000001823288444000:systeem:a"),
        ("ce_type", "nl.a.b"),
    ];
    let id = id.to_string();
    headers.push(("ce_id", &id));
    headers.extend(more);
    let protocol = position.split(':').next().unwrap();
    let capture =
        serde_json::json!({ "protocol": protocol, "position": position, "headers": headers });
    format!("{capture}\n")
}

fn sequences(records: &[(&str, &str)], sequencetype: Option<&str>) -> String {
    let records = records.iter().zip(1..).map(|((position, sequence), id)| {
        let mut more = vec![("ce_sequence", *sequence)];
        more.extend(sequencetype.map(|ty| ("ce_sequencetype", ty)));
        record(position, id, &more)
    });
    records.collect()
}

fn of_order(words: &[&str], input: &str) -> Vec<(String, u64)> {
    let said = run(
        &[&["check", "--format", "json"], words, &["-"]].concat(),
        input.as_bytes(),
    );
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let counts = findings.filter(|finding| finding["severity"] != "notice");
    let found = counts.map(|finding| {
        (
            finding["rule"].as_str().unwrap().to_owned(),
            finding["line"].as_u64().unwrap(),
        )
    });
    found
        .filter(|(rule, _)| rule.starts_with("EXT-SEQ"))
        .collect()
}

#[test]
fn order_is_that_of_a_partition() {
    // One source over two partitions of a topic, which `tail` shows as they come in.
    let mixed = [
        ("kafka:zaken/0/7", "03"),
        ("kafka:zaken/1/4", "02"),
        ("kafka:zaken/0/8", "05"),
        ("kafka:zaken/1/5", "04"),
    ];
    for ty in [None, Some("Integer")] {
        let input = sequences(&mixed, ty);
        for stream in ["excerpt", "complete"] {
            assert_eq!(
                of_order(&["--stream", stream], &input),
                [],
                "{ty:?} {stream}"
            );
        }
        // Within a partition it still counts.
        let (rule, broken) = match ty {
            None => ("EXT-SEQ-6", input.replace("\"05\"", "\"01\"")),
            Some(_) => ("EXT-SEQ-5", input.replace("\"05\"", "\"01\"")),
        };
        assert_eq!(of_order(&[], &broken), [(rule.to_owned(), 3)]);
        // Without positions all of it is one stream.
        let place = |line: &str| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("position");
            format!("{line}\n")
        };
        let unplaced: String = input.lines().map(place).collect();
        assert_eq!(
            of_order(&[], &unplaced),
            [(rule.to_owned(), 2), (rule.to_owned(), 4)]
        );
    }
    // A stream of NATS is one order, and shows its gaps.
    let nats = [("nats:S/1", "1"), ("nats:S/2", "3")];
    let input = sequences(&nats, Some("Integer")).replace("ce_", "ce-");
    let found = of_order(&["--stream", "complete"], &input);
    assert!(found.contains(&("EXT-SEQ-5".to_owned(), 2)), "{found:?}");
}

#[test]
fn integers_may_rise_under_a_type_that_is_not_defined() {
    let counts = [("kafka:zaken/0/1", "9"), ("kafka:zaken/0/2", "10")];
    assert_eq!(of_order(&[], &sequences(&counts, Some("integer"))), []);
    assert_eq!(of_order(&[], &sequences(&counts, Some("Integer"))), []);
    let broken = [("EXT-SEQ-6".to_owned(), 2)];
    assert_eq!(of_order(&[], &sequences(&counts, None)), broken);
    let falls = [("kafka:zaken/0/1", "10"), ("kafka:zaken/0/2", "09")];
    assert_eq!(of_order(&[], &sequences(&falls, Some("integer"))), broken);
}

#[test]
fn request_lines_are_those_of_rest_clients() {
    let event = r#"{"specversion":"1.0","id":"","source":"/a","type":"b"}"#;
    for line in [
        "POST localhost:8080/x",
        "POST localhost:8080/x HTTP/1.1",
        "POST example.nl",
        "POST {{ host }}/x HTTP/1.1",
        "POST https://example.nl/x\n    ?a=b\n    &c=d",
    ] {
        let text = format!("{line}\nContent-Type: application/cloudevents+json\n\n{event}\n");
        for form in ["auto", "http"] {
            let lines = 3 + line.lines().count();
            let place = format!("{lines}:27 /id");
            assert_found(
                &["--input", form, "-"],
                text.as_bytes(),
                1,
                &[("CE-ID-2", &place)],
            );
        }
    }
}

#[test]
fn a_content_coding_that_was_not_undone_is_told() {
    let structured = r#"["content-type","application/cloudevents+json"]"#;
    let binary = r#"["ce-specversion","1.0"],["ce-id",""],["ce-source","/a"],["ce-type","b"],["content-type","application/json"]"#;
    let capture = |headers: &str, body: &str| {
        let coding = r#"["Content-Encoding","gzip"]"#;
        format!(r#"{{"protocol":"http","headers":[{headers},{coding}],"body_base64":"{body}"}}"#)
    };
    for (headers, expected) in [(structured, None), (binary, Some("CE-ID-2"))] {
        // The beginning of gzip.
        let input = capture(headers, "H4sIAAAAAAAAA/8=");
        let words = ["check", "--format", "json", "-"];
        let said = run(&words, input.as_bytes());
        assert_eq!(said.code, Some(2), "{}", said.out);
        let told = "cenl-conformance: -:1: de codering van de inhoud (Content-Encoding, zoals gzip) is niet ongedaan gemaakt";
        assert!(said.errors.starts_with(told), "{}", said.errors);
        let (found, _) = found(&["-"], input.as_bytes());
        let has = |rule: &str| found.iter().any(|(found, _)| found == rule);
        assert!(!has("JSON-SYNTAX-1") && !has("CE-DATA-3"), "{found:?}");
        assert!(expected.is_none_or(has), "{found:?}");
        // Recorders undo it and keep the header.
        let said = run(&words, capture(headers, "e30=").as_bytes());
        assert_eq!((said.code, &*said.errors), (Some(1), ""));
    }
}

#[test]
fn faults_of_inputs_are_told_in_the_language_of_the_report() {
    for (input, form, dutch, english) in [
        ("{}", "capture", "geen vastgelegd bericht", "no capture"),
        ("{}", "http", "geen verzoekregel", "neither a request line"),
        (
            r#"{"protocol":1,"headers":[]}"#,
            "capture",
            "niet in de vorm van een vastgelegd bericht op regel 1, kolom ",
            "not in the shape of a capture at line 1, column ",
        ),
    ] {
        for (language, expected) in [("nl", dutch), ("en", english)] {
            for format in ["table", "json", "junit", "sarif", "html"] {
                let words = [
                    "check", "--lang", language, "--format", format, "--input", form, "-",
                ];
                let said = run(&words, input.as_bytes());
                assert!(said.out.contains(expected), "{format}: {}", said.out);
                assert!(
                    format == "table" || said.errors.contains(expected),
                    "{}",
                    said.errors
                );
            }
        }
    }
}
