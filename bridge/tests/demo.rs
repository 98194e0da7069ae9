//! `cenl-bridge demo` as a newcomer runs it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::time::Instant;

fn bridge(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"));
    command
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The number before `word`.
fn count(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().unwrap();
    before.split_whitespace().last().unwrap().parse().unwrap()
}

#[test]
fn ends_by_itself_having_found_every_event() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("demo.toml");
    let settings = settings.to_str().unwrap();
    let started = Instant::now();
    let output = bridge(&["demo", "--save-config", settings])
        .output()
        .unwrap();
    let took = started.elapsed();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    println!("{text}\n{took:?}");
    assert_eq!(
        (output.status.code(), errors.as_str()),
        (Some(0), ""),
        "{text}"
    );
    assert!(took < Duration::from_secs(180), "{took:?}");

    let summary = text
        .lines()
        .find(|line| line.contains(" events sent: "))
        .unwrap();
    let sent = count(summary, " events sent: ");
    assert_eq!(sent, 1500, "the README says so");
    let dead_lettered = count(summary, " dead-lettered");
    assert_eq!(count(summary, " delivered") + dead_lettered, sent);
    assert_eq!(
        count(summary, " repeats"),
        0,
        "a repeat without a cause: {summary}"
    );
    assert!(dead_lettered > 0);
    assert!(text.contains("Every id is exactly where it belongs"));
    // It was in fact put to the test.
    let last = text.lines().rfind(|line| line.contains("  503 ×")).unwrap();
    for answer in ["503 ×", "429 ×", "400 ×"] {
        assert!(!last.contains(&format!("{answer}0")), "{last}");
    }
    for kind in ["refused", "undecodable"] {
        let is_shown = |line: &str| line.contains("dead letter: ") && line.contains(kind);
        assert!(text.lines().any(is_shown), "{kind}");
    }
    assert!(text.contains("MiB per partition"));
    assert!(text.lines().count() < 100, "a flood");
    // What it saved are settings.
    let check = bridge(&["check-config", "--config", settings])
        .output()
        .unwrap();
    assert!(check.status.success());
}

#[test]
fn an_interrupt_ends_it_cleanly() {
    let mut demo = bridge(&["demo"]).spawn().unwrap();
    let mut output = BufReader::new(demo.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("written") {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "it ended early");
    }
    let started = Instant::now();
    let process = demo.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &process])
            .status()
            .unwrap()
            .success()
    );
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    let status = demo.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{rest}");
    assert!(rest.contains("interrupted"), "{rest}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_file_that_is_there_is_not_written_over() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "mine").unwrap();
    let name = file.path().to_str().unwrap();
    let output = bridge(&["demo", "--save-config", name]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(64), "{errors}");
    let told = format!("--save-config: {name} is there: remove it or name another file");
    assert!(errors.contains(&told), "{errors}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_broker_that_is_not_there_is_an_error() {
    let output = bridge(&["demo", "--kafka", "127.0.0.1:1"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("is a broker listening there?"), "{errors}");
}
