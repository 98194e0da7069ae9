//! Lines go in whole, once, and only what is on the disk is acknowledged.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::rc::Rc;

use bytes::Bytes;
use cloudevents_nl_codec::HeaderList;
use futures_util::TryStreamExt;
use tempfile::TempDir;

use super::journal::Journal;
use super::*;
use crate::config::Problem;
use crate::config::tests::read;
use crate::transport::view::{OpenView, Span, ViewStart};

const WHOLE: &str = "{\"protocol\":\"kafka\",\"headers\":[],\"body_base64\":\"e30=\"}\n";

fn letter(body: Option<&'static str>) -> Rc<Outgoing> {
    let mut headers = HeaderList::default();
    headers.push("a", None);
    headers.push("a", Some(b"\xff\n"));
    headers.push("cenl-kind", Some(b"refused"));
    Rc::new(Outgoing {
        headers,
        body: body.map(Bytes::from),
        key: Some(Bytes::from_static(b"k\0")),
        timestamp_ms: Some(17),
        received_as: Some(&KAFKA),
        ..Outgoing::default()
    })
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    (folder, file)
}

fn sink(file: &Path) -> Box<dyn Sink> {
    try_sink(file).unwrap_or_else(|error| panic!("{error}"))
}

fn settings(file: &Path) -> Result<FileSettings, Vec<Problem>> {
    let json = serde_json::json!({ "file": file }).to_string();
    read(&json, FileSettings::read)
}

fn try_sink(file: &Path) -> Result<Box<dyn Sink>, OpenError> {
    settings(file).unwrap().open(SinkOpening {
        keeps_dead_letters: true,
        has_waiting_sender: false,
        is_batched: false,
        keeps_error_body: false,
        kept_at: None,
        serves_route: false,
        in_flight_max: 64,
        route: "out".into(),
        event_bytes_max: 1 << 20,
        retry_max: std::time::Duration::from_secs(60),
    })
}

#[tokio::test]
async fn the_longest_line_that_is_written_is_read_and_a_longer_one_is_refused() {
    let (_folder, file) = folder();
    let sink = sink(&file);
    let letter = |size: usize| Outgoing {
        received_as: Some(&KAFKA),
        body: Some(vec![7; size].into()),
        ..Outgoing::default()
    };
    // Three bytes are four characters.
    let body = (LINE_BYTES - line(&letter(0)).unwrap().len()) / 4 * 3;
    for (size, expected) in [
        (body, Outcome::Delivered),
        (body + 4, Outcome::Refused(RefusedReason::TooLarge)),
    ] {
        assert_eq!(sink.send(vec![Rc::new(letter(size))]).await, expected);
    }
    let span = Span {
        start: ViewStart::Earliest,
        follows: false,
    };
    let mut view = FileView::of(file).open(span).await.unwrap();
    let viewed = view.try_next().await.unwrap().unwrap();
    assert_eq!(viewed.received.defect, None);
    assert_eq!(viewed.received.body.map(|body| body.len()), Some(body));
    assert!(view.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn a_dead_letter_is_read_back_as_it_was() {
    let (_folder, file) = folder();
    let (sink, same) = (sink(&file), sink(&file));
    let letters = [None, Some(""), Some("{}\n")].map(letter);
    let sends = letters.iter().enumerate().map(|(number, letter)| {
        let sink = if number == 1 { &same } else { &sink };
        sink.send(vec![Rc::clone(letter)])
    });
    for outcome in futures_util::future::join_all(sends).await {
        assert_eq!(outcome, Outcome::Delivered);
    }
    let text = fs::read(&file).unwrap();
    let read: Vec<_> = text
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| {
            let position = Position::numbered("file:letters:", 1);
            capture::read(line, position).unwrap()
        })
        .collect();
    assert_eq!(read.len(), letters.len());
    for letter in &letters {
        let is_it = |read: &&Received| {
            read.binding == &KAFKA
                && read.headers == letter.headers
                && read.key.as_deref() == letter.key.as_deref()
                && read.timestamp_ms == letter.timestamp_ms
                && read.body.as_deref() == letter.body.as_deref()
        };
        assert_eq!(read.iter().filter(is_it).count(), 1, "{letter:?}");
    }
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn what_a_crash_left_is_repaired_and_no_whole_line_is_lost() {
    let without_end = WHOLE.trim_end();
    for (left, expected) in [
        (String::new(), String::new()),
        (WHOLE.repeat(3), WHOLE.repeat(3)),
        (without_end.to_owned(), WHOLE.to_owned()),
        (format!("{WHOLE}{without_end}"), WHOLE.repeat(2)),
        (format!("{WHOLE}{{\"prot"), WHOLE.to_owned()),
        (format!("{WHOLE}{{"), WHOLE.to_owned()),
        ("{\"protocol\":\"kafka\",\"hea".to_owned(), String::new()),
        (format!("{WHOLE}\0\0\0"), WHOLE.to_owned()),
        (format!("{WHOLE}{{\"protocol\":\"k\0\0"), WHOLE.to_owned()),
        (
            format!("{WHOLE}{{\"protocol\":\"{}", "x".repeat(200 << 10)),
            WHOLE.to_owned(),
        ),
    ] {
        let (_folder, file) = folder();
        fs::write(&file, &left).unwrap();
        let mut journal = Journal::open(&file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
        journal.append(WHOLE.as_bytes()).unwrap();
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            format!("{expected}{WHOLE}")
        );
    }
}

/// As an editor does it, or `printf %s "$(…)" >`; what can be no dead letter's is left to whoever wrote it.
#[test]
fn what_somebody_else_left_at_the_end_joins_no_dead_letter() {
    for (left, expected) in [
        (WHOLE.trim_end().to_owned(), Some(WHOLE.repeat(2))),
        (format!("{WHOLE}{{\"protocol\":\"k"), Some(WHOLE.repeat(2))),
        (format!("{WHOLE}{{\"half\":"), None),
    ] {
        let (_folder, file) = folder();
        let mut journal = Journal::open(&file).unwrap();
        journal.append(WHOLE.repeat(3).as_bytes()).unwrap();
        fs::write(&file, &left).unwrap();
        let written = journal.append(WHOLE.as_bytes());
        assert_eq!(written.is_ok(), expected.is_some(), "{left}");
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, expected.unwrap_or(left));
        fs::write(&file, "").unwrap();
        journal.append(WHOLE.as_bytes()).unwrap();
    }
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    for text in [
        "Dear reader,\nno line break",
        "{\"specversion\":\"1.0\"",
        "{}",
    ] {
        let (_folder, file) = folder();
        fs::write(&file, text).unwrap();
        let error = Journal::open(&file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_second_writer_is_kept_out() {
    let (_folder, file) = folder();
    let first = Journal::open(&file).unwrap();
    let error = Journal::open(&file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceBusy, "{error}");
    let error = try_sink(&file).err().unwrap();
    assert!(error.to_string().contains("another process"), "{error}");
    drop(first);
    assert!(Journal::open(&file).is_ok());
}

#[test]
fn a_file_that_was_moved_away_is_followed_by_a_new_one() {
    let (folder, file) = folder();
    let mut journal = Journal::open(&file).unwrap();
    journal.append(WHOLE.as_bytes()).unwrap();
    let aside = folder.path().join("aside");
    fs::rename(&file, &aside).unwrap();
    journal.append(WHOLE.as_bytes()).unwrap();
    fs::remove_file(&file).unwrap();
    journal.append(WHOLE.repeat(2).as_bytes()).unwrap();
    assert_eq!(fs::read_to_string(&aside).unwrap(), WHOLE);
    assert_eq!(fs::read_to_string(&file).unwrap(), WHOLE.repeat(2));
}

#[tokio::test]
async fn a_folder_that_is_gone_is_a_failure_until_it_is_back() {
    let (folder, _) = folder();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let file = inner.join("dead.jsonl");
    let sink = sink(&file);
    fs::remove_dir_all(&inner).unwrap();
    let failed = sink.send(vec![letter(None)]).await;
    assert_eq!(failed, Outcome::Unreachable("file"));
    fs::create_dir(&inner).unwrap();
    assert_eq!(sink.send(vec![letter(None)]).await, Outcome::Delivered);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1);
}

#[test]
fn what_cannot_be_written_is_logged_once_in_a_while() {
    let (_logs, log) = folder();
    let fails = || {
        let (_folder, file) = folder();
        let mut journal = Journal::open(&file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        for _ in 0..3 {
            assert!(journal.append(WHOLE.as_bytes()).is_err());
        }
        fs::remove_dir(&file).unwrap();
        // Shorter than what failed.
        journal.append(&WHOLE.as_bytes()[1..]).unwrap();
        let said = fs::read_to_string(&log).unwrap_or_default();
        assert!(!said.contains("again"), "{said}");
        journal.append(WHOLE.as_bytes()).unwrap();
    };
    // Both lines are known then, and no thread beside this one decides that nobody wants them.
    fails();
    let lines = fs::File::create(&log).unwrap();
    let lines = tracing_subscriber::fmt().with_writer(lines);
    let guard = tracing::subscriber::set_default(lines.with_ansi(false).finish());
    fails();
    drop(guard);
    let said = fs::read_to_string(&log).unwrap();
    let said: Vec<_> = said.lines().collect();
    assert_eq!(said.len(), 2, "{said:#?}");
    let expected = ["cannot be written to their file", "to their file again"];
    for (line, words) in said.iter().zip(expected) {
        assert!(line.contains(words), "{words} in {line}");
    }
}

#[test]
fn a_name_that_cannot_be_a_file_is_a_problem() {
    let (folder, pipe) = folder();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for (name, what) in [
        ("", "no name"),
        ("..", "no name"),
        (".", "folder"),
        ("missing/dead.jsonl", "not there"),
        ("dead.jsonl", "pipe"),
        ("/dev/null", "device"),
    ] {
        let file = folder.path().join(name);
        let file = if name.is_empty() {
            PathBuf::new()
        } else {
            file
        };
        let problems = settings(&file).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].what.contains(what), "{name}: {problems:?}");
    }
}
