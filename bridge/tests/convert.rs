//! `cenl-bridge convert` as a shell sees it: text in, text out, an exit code.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

fn convert(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"));
    command
        .arg("convert")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = convert(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().ok();
    output
}

/// Converts what must convert without a word.
fn pass(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

/// Events with every kind of data, in the canonical order of members.
const EVENTS: &str = concat!(
    r#"{"specversion":"1.0","id":"1","source":"urn:nld:oin:00000001823288444000:systeem:zaken","type":"nl.zaken.geopend","datacontenttype":"application/json","subject":"zaak één","time":"2026-11-21T10:00:00.50+01:00","sampledrate":7,"dataref":"https://a.example/1%20","data": {"bedrag" : 1.50, "groot":1e400,"tekst":"a\nb é"} }"#,
    "\n",
    r#"{"specversion":"1.0","id":"2 \"%","source":"/s","type":"t"}"#,
    "\n",
    r#"{"specversion":"1.0","id":"3","source":"/s","type":"t","datacontenttype":"text/plain","data":"regel 1\nregel 2"}"#,
    "\n",
    r#"{"specversion":"1.0","id":"4","source":"/s","type":"t","datacontenttype":"application/pdf","data_base64":"JVBERgAB"}"#,
    "\n",
    r#"{"specversion":"1.0","id":"5","source":"/s","type":"t","datacontenttype":"application/json","data":null}"#,
    "\n",
);

#[test]
fn an_event_survives_every_hop_unchanged() {
    let start = pass(&["--to", "structured"], EVENTS);
    let hops = ["kafka", "http", "nats", "http", "kafka", "nats", "kafka"];
    let end = hops.iter().fold(EVENTS.to_owned(), |text, protocol| {
        let lines = pass(&["--to", "binary", "--protocol", protocol], &text);
        for line in lines.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["protocol"], *protocol);
        }
        lines
    });
    assert_eq!(pass(&["--to", "structured"], &end), start);
    assert_eq!(start.lines().count(), 5);
    assert!(
        start.contains(r#"{"bedrag" : 1.50, "groot":1e400,"tekst":"a\nb é"}"#),
        "{start}"
    );
    assert!(start.contains(r#""sampledrate":7"#), "{start}");
}

#[test]
fn a_pretty_printed_event_becomes_one_line() {
    let pretty = "{\n  \"specversion\": \"1.0\",\n  \"id\": \"1\",\n  \"source\": \"/s\",\n  \"type\": \"t\",\n  \"data\": {\n    \"a\": \"}\"\r\n  }\n}\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("event.json");
    std::fs::write(&file, format!("{pretty}{pretty}")).unwrap();
    let found = pass(&["--to", "structured", file.to_str().unwrap()], "");
    let line =
        r#"{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{     "a": "}"    }}"#;
    assert_eq!(found, format!("{line}\n{line}\n"));
}

#[test]
fn a_batch_over_http_becomes_its_events_or_none() {
    let capture = |batch: &str| {
        let body = base64_simd::STANDARD.encode_to_string(batch);
        format!(
            r#"{{"protocol":"http","headers":[["Content-Type","application/cloudevents-batch+json"]],"body_base64":"{body}"}}"#
        )
    };
    let event =
        |id: &str| format!(r#"{{"specversion":"1.0","id":"{id}","source":"/s","type":"t"}}"#);
    let batch = capture(&format!("[{}, {}]", event("1"), event("2")));
    let found = pass(&["--to", "structured"], &batch);
    assert_eq!(found, format!("{}\n{}\n", event("1"), event("2")));
    let broken = capture(&format!("[{}, {}]", event("1"), event("")));
    let output = run(&["--to", "structured"], &broken);
    assert_eq!(output.stdout, b"");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.starts_with("standard input:1: element 1, attribute \"id\""),
        "{errors}"
    );
}

#[test]
fn a_line_at_fault_is_located_and_the_next_one_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.jsonl");
    let good = r#"{"specversion":"1.0","id":"1","source":"/s","type":"t"}"#;
    let lines = [
        good,
        r#"{"specversion":"1.0","id":"","source":"/s","type":"t","data":"geheim"}"#,
        r#"{"geheim": "geheim""#,
        r#"{"protocol":"geheim","headers":[]}"#,
        r#"{"protocol":"kafka","headers":[["ce_id","geheim"]],"body_base64":"geheim!"}"#,
        r#"{"protocol":"kafka","headers":"geheim"}"#,
        r#"{"protocol":"kafka","headers":[["x","geheim"]]}"#,
        good,
    ];
    std::fs::write(&file, lines.join("\n")).unwrap();
    let name = file.to_str().unwrap();
    let output = run(&["--to", "structured", "/no/such/file", name], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, format!("{good}\n{good}\n").as_bytes());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!errors.contains("geheim"), "{errors}");
    let errors: Vec<_> = errors.lines().collect();
    assert_eq!(errors.len(), 8, "{errors:?}");
    assert!(errors[0].starts_with("/no/such/file: "), "{errors:?}");
    for (error, line) in errors[1..].iter().zip([2, 3, 4, 5, 6, 7]) {
        assert!(error.starts_with(&format!("{name}:{line}: ")), "{error}");
    }
    assert_eq!(errors[7], "cenl-bridge: 2 converted, 7 failed");
}

#[test]
fn an_event_that_is_not_closed_costs_no_other() {
    let event = |id: &str| {
        format!(r#"{{"specversion":"1.0","id":"{id}","source":"/s","type":"t","data":[{{}}]}}"#)
    };
    let pretty = |id: &str| {
        let value: serde_json::Value = serde_json::from_str(&event(id)).unwrap();
        format!("{value:#}")
    };
    let whole = pretty("1");
    let lines: Vec<_> = whole.lines().collect();
    for cut in 1..lines.len() {
        let broken = lines[..cut].join("\n");
        let input = [&*broken, &pretty("2"), &event("3"), &event("4")].join("\n");
        let output = run(&["--to", "structured"], &input);
        let found = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        // Where a value is to come, the next event is taken for it.
        let ids = if broken.ends_with('[') { 3..5 } else { 2..5 };
        assert_eq!(found.lines().count(), ids.len(), "{input}");
        for (line, id) in found.lines().zip(ids) {
            assert!(line.contains(&format!(r#""id":"{id}""#)), "{line}");
        }
        assert!(errors.starts_with("standard input:1: "), "{errors}");
        assert_eq!(output.status.code(), Some(1), "{errors}");
    }
}

#[test]
fn output_that_is_not_taken_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut child = convert(&["--to", "structured"])
        .stdout(full.unwrap())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(EVENTS.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the output cannot be written"), "{errors}");
}

#[test]
fn wrong_usage_ends_with_the_usage_code() {
    for arguments in [
        &[][..],
        &["--to", "binary"],
        &["--to", "structured", "--protocol", "kafka"],
        &["--to", "binary", "--protocol", "amqp"],
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        assert_ne!(output.stderr, b"");
    }
}

#[test]
fn a_reader_who_goes_away_ends_it_quietly() {
    let mut child = convert(&["--to", "structured"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || while stdin.write_all(EVENTS.as_bytes()).is_ok() {});
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with(r#"{"specversion""#));
    writer.join().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
}

#[test]
fn memory_does_not_grow_with_the_input() {
    let (few, many) = (peak_memory_of(100), peak_memory_of(6_400));
    println!("100 events: {few} KiB, 6,400: {many} KiB");
    // Input grew by 100 MiB. The peak holds the program's own pages too, so only the difference is judged.
    assert!(many < few + (8 << 10), "{few} KiB, then {many} KiB");
}

/// Converts `count` events of 16 KiB.
fn peak_memory_of(count: usize) -> u64 {
    let mut child = convert(&["--to", "binary", "--protocol", "kafka"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let data = "x".repeat(16 << 10);
    let event = format!(
        r#"{{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{{"a":"{data}"}}}}"#
    );
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..count {
        writeln!(stdin, "{event}").unwrap();
    }
    let peak_kib = peak_memory_kib(&child);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
    peak_kib
}

fn peak_memory_kib(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// As large as settings let it be, and as a dead letter of a file it is.
#[test]
fn a_large_event_is_converted_as_any_other() {
    let data = "x".repeat(8 << 20);
    let event =
        format!(r#"{{"specversion":"1.0","id":"1","source":"/s","type":"t","data":"{data}"}}"#);
    let record = pass(&["--to", "binary", "--protocol", "kafka"], &event);
    assert!(record.len() > 10 << 20, "{}", record.len());
    assert!(pass(&["--to", "structured"], &record).contains(&data));
}

#[test]
fn what_run_carries_is_converted_unless_strictness_is_asked_for() {
    let event = r##"{"specversion":"1.0","id":"1","source":"/s","type":"t","dataschema":"#/x"}"##;
    assert_eq!(pass(&["--to", "structured"], event).trim_end(), event);
    let record = pass(&["--to", "binary", "--protocol", "kafka"], event);
    assert_eq!(pass(&["--to", "structured"], &record).trim_end(), event);
    for arguments in [
        &["--strict", "--to", "structured"][..],
        &["--to", "binary", "--protocol", "http"],
    ] {
        let output = run(arguments, event);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("URI"), "{errors}");
    }
}
