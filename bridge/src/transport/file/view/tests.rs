//! What is in a file is seen, and notes belong to one file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;

use futures_util::TryStreamExt;

use super::*;
use crate::transport::view::Checkpoint;

fn line(number: usize) -> String {
    format!("{{\"protocol\":\"nats\",\"headers\":[[\"a\",\"{number}\"]],\"body_base64\":\"\"}}\n")
}

async fn view(file: &std::path::Path, start: ViewStart, follows: bool) -> View {
    let span = Span { start, follows };
    FileView::of(file.to_owned()).open(span).await.unwrap()
}

async fn positions(view: &mut View) -> Vec<(String, Option<&'static str>)> {
    let mut found = Vec::new();
    while let Some(viewed) = view.try_next().await.unwrap() {
        let Received {
            position, defect, ..
        } = viewed.received;
        let position = position.to_string();
        found.push((position.rsplit(':').next().unwrap().to_owned(), defect));
    }
    found
}

#[tokio::test]
async fn every_ended_line_is_seen_up_to_the_end_that_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    let text = format!("{}no capture\n{}{{\"prot", line(0), line(2));
    fs::write(&file, text).unwrap();
    let mut view = view(&file, ViewStart::Earliest, false).await;
    let mut more = OpenOptions::new().append(true).open(&file).unwrap();
    let first = view.try_next().await.unwrap().unwrap();
    assert_eq!(first.received.binding.protocol, "nats");
    assert_eq!((first.at.partition, first.at.offset), (0, 0));
    more.write_all(b"ocol\"").unwrap();
    let expected = [("2", Some(NO_CAPTURE)), ("3", None)];
    let expected = expected.map(|(line, defect)| (line.to_owned(), defect));
    assert_eq!(positions(&mut view).await, expected);
}

#[tokio::test]
async fn a_whole_line_that_lacks_its_break_is_seen_and_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    fs::write(&file, line(0).trim_end()).unwrap();
    let mut view = view(&file, ViewStart::Earliest, false).await;
    assert_eq!(positions(&mut view).await, [("1".to_owned(), None)]);
    let notes = FileView::of(file.clone()).checkpoints("out").await.unwrap();
    let note = Checkpoint {
        next: 1,
        beyond: String::new(),
    };
    let written = BTreeMap::from([(0, note)]);
    notes.write(written.clone()).await.unwrap();
    // The next dead letter ends it.
    fs::write(&file, line(0) + &line(1)).unwrap();
    let notes = FileView::of(file.clone()).checkpoints("out").await.unwrap();
    assert_eq!(notes.read().await, Ok(written));
    // What no dead letter begins with is none that is being written.
    for (rest, seen) in [(r#"{"half":"#, 2), (r#"{"protocol":"#, 1)] {
        fs::write(&file, line(0) + rest).unwrap();
        let mut view = self::view(&file, ViewStart::Earliest, false).await;
        assert_eq!(positions(&mut view).await.len(), seen, "{rest}");
    }
}

#[tokio::test(start_paused = true)]
async fn following_waits_for_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    fs::write(&file, line(0)).unwrap();
    let mut view = view(&file, ViewStart::End, true).await;
    let mut more = OpenOptions::new().append(true).open(&file).unwrap();
    let (begin, end) = (line(1), "\n");
    more.write_all(begin.trim_end().as_bytes()).unwrap();
    let early = tokio::time::timeout(10 * LOOK, view.try_next()).await;
    assert!(early.is_err());
    more.write_all(end.as_bytes()).unwrap();
    let viewed = view.try_next().await.unwrap().unwrap();
    assert_eq!(viewed.at.offset, 1);
    assert_eq!(viewed.received.headers.len(), 1);
}

#[tokio::test]
async fn notes_are_kept_and_say_nothing_about_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    fs::write(&file, line(0) + &line(1)).unwrap();
    let notes = async || {
        let view = FileView::of(file.clone());
        view.checkpoints("cenl-replay-a/b").await.unwrap()
    };
    assert_eq!(notes().await.read().await, Ok(BTreeMap::new()));
    let note = Checkpoint {
        next: 1,
        beyond: "1:2+3".to_owned(),
    };
    let written = BTreeMap::from([(0, note)]);
    notes().await.write(written.clone()).await.unwrap();
    assert_eq!(notes().await.read().await, Ok(written));
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "dead.jsonl")
        .collect();
    assert_eq!(names, ["dead.jsonl.cenl-replay-a%2fb"]);
    fs::write(&file, line(7)).unwrap();
    assert_eq!(notes().await.read().await, Ok(BTreeMap::new()));
    let damaged = folder.path().join(&names[0]);
    fs::write(&damaged, "not what the bridge writes").unwrap();
    let error = notes().await.read().await.unwrap_err().to_string();
    assert!(error.contains(damaged.to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn what_was_read_of_a_file_that_was_moved_away_is_not_noted_for_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    fs::write(&file, line(0) + &line(1)).unwrap();
    let place = FileView::of(file.clone());
    let span = Span {
        start: ViewStart::Earliest,
        follows: false,
    };
    let mut view = place.open(span).await.unwrap();
    let notes = place.checkpoints("out").await.unwrap();
    view.try_next().await.unwrap().unwrap();
    fs::rename(&file, folder.path().join("looked-at")).unwrap();
    fs::write(&file, line(7) + &line(8)).unwrap();
    let read = Checkpoint {
        next: 1,
        beyond: String::new(),
    };
    let error = notes.write(BTreeMap::from([(0, read)])).await.unwrap_err();
    assert!(error.to_string().contains("moved that one away"), "{error}");
    let next = FileView::of(file.clone()).checkpoints("out").await.unwrap();
    assert_eq!(next.read().await, Ok(BTreeMap::new()));
    // What is opened a second time is the same file, or nothing.
    assert!(place.open(span).await.is_err());
}
