//! `cenl-conformance check`, `rules` and `explain`, as people run them.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "check/baseline.rs"]
mod baseline;
#[path = "check/bodies.rs"]
mod bodies;
#[path = "check/config.rs"]
mod config;
#[path = "check/foreign.rs"]
mod foreign;
#[path = "check/forms.rs"]
mod forms;
#[path = "check/hooks.rs"]
mod hooks;
#[path = "check/http.rs"]
mod http;
#[path = "check/kinds.rs"]
mod kinds;
#[path = "check/language.rs"]
mod language;
#[path = "check/live.rs"]
mod live;
#[path = "check/memory.rs"]
mod memory;
#[path = "check/overlay.rs"]
mod overlay;
#[path = "check/persons.rs"]
mod persons;
#[path = "check/sarif.rs"]
mod sarif;
#[path = "check/schemas.rs"]
mod schemas;
#[path = "check/several.rs"]
mod several;
#[path = "check/tried.rs"]
mod tried;
#[path = "check/verdicts.rs"]
mod verdicts;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What the command said.
struct Said {
    code: Option<i32>,
    out: String,
    errors: String,
}

/// Runs the command in the folder of inputs, with `input` as its standard input.
fn run(words: &[&str], input: &[u8]) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cenl-conformance"))
        .args(words)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/inputs"))
        .env_remove("SOURCE_DATE_EPOCH")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The command may end before it has read all.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Said {
        code: status.code(),
        out: String::from_utf8(stdout).unwrap(),
        errors: String::from_utf8(stderr).unwrap(),
    }
}

fn check(words: &[&str]) -> Said {
    let today = ["check", "--today", "2026-11-21"];
    run(&[&today[..], words].concat(), b"")
}

#[test]
fn exit_codes_follow_the_threshold() {
    for (words, expected) in [
        (&["good.json"][..], 0),
        (&["bad.json"], 1),
        (&["bad.json", "--fail-on", "none"], 0),
        (&["good.json", "bad.json"], 1),
        (&["good.json", "/no/such/file"], 2),
        (&["bad.json", "/no/such/file", "--fail-on", "none"], 2),
        (&["bad.json", "--waivers", "waivers.toml"], 0),
        (&["bad.json", "--waivers", "expired.toml"], 1),
        // An expired waiver fails even where nothing is broken.
        (&["good.json", "--waivers", "expired.toml"], 1),
        (
            &[
                "good.json",
                "--waivers",
                "expired.toml",
                "--fail-on",
                "none",
            ],
            0,
        ),
        (&["good.json", "--waivers", "/no/such/file"], 2),
        (&["good.json", "--unheard-of"], 2),
        (&[], 2),
    ] {
        let said = check(words);
        assert_eq!(
            said.code,
            Some(expected),
            "{words:?}: {}{}",
            said.out,
            said.errors
        );
    }
}

#[test]
fn standard_input_is_a_file_named_minus() {
    let event = br#"{"specversion":"1.0","id":"","source":"/a","type":"b"}"#;
    let said = run(&["check", "--lang", "en", "-"], event);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("    -:1:27  /id\n"), "{}", said.out);
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    for (input, form, expected) in [
        (&b""[..], "auto", "-: holds no message"),
        (
            b"\xFF\xFE{\0}\0",
            "auto",
            "-: the text is UTF-16: save it as UTF-8",
        ),
        (
            b"\x1F\x8B\x08\0\0\0\0\0\n{}\n",
            "auto",
            "-: compressed with gzip: unpack it first (`gzip -dc FILE | cenl-conformance check -`)",
        ),
        (
            b"\x1F\x8B\x08\0\0\0\0\0\n{}\n",
            "lines",
            "-: compressed with gzip",
        ),
        (b"\x28\xB5\x2F\xFD\n\n", "event", "-: compressed with zstd"),
        (b"\n{}\n", "capture", "-:2: no capture"),
        (b"{}", "http", "-:1: neither a request line"),
        (b"POST / HTTP/1.1\nnonsense\n", "auto", "-:2: no header: "),
    ] {
        let words = [
            "check", "--lang", "en", "--format", "json", "--input", form, "-",
        ];
        let said = run(&words, input);
        let is_told = said
            .errors
            .starts_with(&format!("cenl-conformance: {expected}"));
        assert_eq!((said.code, is_told), (Some(2), true), "{}", said.errors);
        assert!(said.out.contains("\"exit_code\": 2"));
    }
    let said = check(&["/no/such/file"]);
    assert!(
        said.out
            .contains("/no/such/file: kan niet worden gelezen: bestand bestaat niet"),
        "{}",
        said.out
    );
}

#[test]
fn a_line_that_never_ends_is_not_held() {
    // 65 MiB, one more than a message may take.
    let long = vec![b'a'; 65 << 20];
    let said = run(&["check", "-"], &long);
    assert_eq!(said.code, Some(2));
    assert!(
        said.out
            .contains("-:1: het bericht is langer dan 67108864 bytes"),
        "{}",
        said.out
    );
}

#[test]
fn the_same_input_gives_the_same_bytes_and_a_date_only_when_asked() {
    for format in ["table", "json", "junit", "sarif", "html"] {
        let words = ["--format", format, "events.jsonl", "good.json"];
        assert_eq!(check(&words).out, check(&words).out, "{format}");
        assert!(!check(&words).out.contains("2026"), "{format}");
    }
    for format in ["json", "junit", "html"] {
        let words = ["--format", format, "--date", "2031-05-06", "good.json"];
        assert!(check(&words).out.contains("2031-05-06"), "{format}");
    }
}

#[test]
fn findings_are_bounded_and_counts_are_exact() {
    let event = "{\"specversion\":\"1.0\",\"id\":\"\",\"source\":\"/a\",\"type\":\"b\"}\n";
    let words = [
        "check",
        "--format",
        "json",
        "--most-per-rule",
        "7",
        "--stream",
        "unordered",
        "-",
    ];
    let said = run(&words, event.repeat(1_000).as_bytes());
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let listed = findings
        .iter()
        .filter(|finding| finding["rule"] == "CE-ID-2");
    assert_eq!(listed.count(), 7);
    let rules = report["rules"].as_array().unwrap();
    let rule = rules.iter().find(|rule| rule["id"] == "CE-ID-2").unwrap();
    assert_eq!(
        (&rule["broken"], &rule["applied"]),
        (&1_000.into(), &1_000.into())
    );
    let counts = &report["counts"];
    let all: u64 = ["errors", "warnings", "notices", "waived"]
        .iter()
        .map(|name| counts[name].as_u64().unwrap())
        .sum();
    assert_eq!(
        counts["left_out"].as_u64().unwrap(),
        all - findings.len() as u64
    );
}

#[test]
fn a_notice_fails_nothing() {
    // Only a draft makes `deprecated` a Boolean.
    let event = br#"{"specversion":"1.0","id":"1","source":"urn:nld:oin:00000001823288444000:systeem:a","type":"nl.a.b","deprecated":"ja"}"#;
    let said = run(&["check", "--format", "json", "-"], event);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &report["verdict"]), (Some(0), &"pass".into()));
    assert_ne!(report["counts"]["notices"], 0);
    let rules = report["rules"].as_array().unwrap();
    let broken: Vec<_> = rules.iter().filter(|rule| rule["broken"] != 0).collect();
    assert!(!broken.is_empty());
    for rule in broken {
        assert_eq!(rule["verdict"], "pass", "{rule}");
    }
    let said = run(
        &["check", "--format", "junit", "--fail-on", "warn", "-"],
        event,
    );
    assert!(!said.out.contains("<failure"), "{}", said.out);
}

#[test]
fn what_only_the_end_of_a_stream_shows_is_told() {
    let event = |id: u8, version: u8| {
        let source = "urn:nld:oin:00000001823288444000:systeem:a";
        format!(
            r#"{{"specversion":"1.0","id":"{id}","source":"{source}","type":"nl.a.b.v{version}"}}"#
        ) + "\n"
    };
    // The old type stops when the new one begins.
    let stream = [event(1, 1), event(2, 2), event(3, 2)].concat();
    let words = |stream| ["check", "--format", "json", "--stream", stream, "-"];
    let found = |kind: &'static str| {
        let said = run(&words(kind), stream.as_bytes());
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let rules = report["rules"].as_array().unwrap().clone();
        let broken = rules.into_iter().find(|rule| rule["id"] == "NL-TYPE-6");
        let findings = report["findings"].as_array().unwrap().iter();
        let mut of_rule = findings.filter(|finding| finding["rule"] == "NL-TYPE-6");
        let line = of_rule.next().map(|finding| finding["line"].clone());
        (broken.unwrap()["broken"].clone(), line)
    };
    assert_eq!(found("excerpt"), (0.into(), None));
    assert_eq!(found("complete"), (1.into(), Some(3.into())));
}

#[test]
fn help_teaches() {
    let said = run(&["check", "--help"], b"");
    for word in [
        "Examples:",
        "cenl-bridge tail",
        "Exit codes:",
        "--waivers",
        "SOURCE_DATE_EPOCH",
    ] {
        assert!(said.out.contains(word), "{word}");
    }
}

#[test]
fn a_rule_is_explained_in_both_languages() {
    for language in ["nl", "en"] {
        let said = run(&["explain", "ce-id-2", "--lang", language], b"");
        assert_eq!(said.code, Some(0));
        insta::assert_snapshot!(format!("explain_{language}"), said.out);
    }
    let said = run(&["explain", "CE-IDD-2"], b"");
    assert_eq!(said.code, Some(2));
    assert!(
        said.errors.contains("bedoelde u CE-ID-2?"),
        "{}",
        said.errors
    );
    for (rule, line) in [
        ("CE-TIME-2", "Status: verklaring nodig"),
        ("HOOK-ABUSE-1", "Status: alleen in de praktijk te testen"),
        ("HTTP-BATCH-4", "Status: blijkt niet uit berichten"),
        ("CE-TYPES-12", "Gemeld door: CE-TIME-1"),
        ("NATS-ENC-1", "NATS binding 1.0.3-wip, 3.1.3.2 (concept)"),
        (
            "JSON-DUP-1",
            r#"    {"specversion":"1.0","id":"1","\u0069d":"2""#,
        ),
        (
            "CE-ID-1",
            r#"    {"specversion":"1.0","id":"doc2021033441""#,
        ),
    ] {
        let said = run(&["explain", rule], b"");
        let is_told = said.out.lines().any(|said| said.starts_with(line));
        assert!(said.code == Some(0) && is_told, "{rule}: {}", said.out);
    }
}

#[test]
fn rules_are_listed_by_profile() {
    let lines = |profile: &str| {
        run(&["rules", "--profile", profile], b"")
            .out
            .lines()
            .count()
    };
    assert!(lines("nl-gov-1.1") > 200 && lines("cloudevents-1.0") > 150);
    let said = run(&["rules", "--lang", "en"], b"");
    assert!(
        said.out.contains("CE-ID-2          MUST       checked"),
        "{}",
        said.out
    );
    assert!(said.out.contains("HTTP-BATCH-4     MAY        accept "));
}
