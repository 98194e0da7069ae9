//! Dead letters in a JetStream subject and in a file: nothing of a record is lost, whatever it holds.

use std::path::Path;
use std::process::Command;

use base64_simd::STANDARD;
use serde_json::Value;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver};
use crate::support::settings::{Route, Settings};
use crate::support::streams::{Stored, Stream, connection};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire::{self, Seen};

/// Records that no receiver gets, or that it refuses.
fn culprits() -> Vec<Record> {
    let bytes = |value: &[u8]| Some(value.to_vec());
    let headers = |pairs: &[(&str, Option<Vec<u8>>)]| {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect::<Vec<_>>()
    };
    let event = numbered(3, 1);
    let mut order = event[0].binary_record(20);
    // Two letters with one id that is not theirs: a server that believed it would drop the second.
    order.headers.extend(headers(&[
        ("Nats-Msg-Id", bytes(b"same")),
        ("nats-expected-stream", bytes(b"another")),
        ("Nats-Rollup", bytes(b"all")),
    ]));
    let mut twin = event[1].binary_record(20);
    twin.headers
        .extend(headers(&[("Nats-Msg-Id", bytes(b"same"))]));
    vec![
        Record::new(Some("k"), None),
        Record::new(None, Some(b"")),
        Record {
            key: bytes(b"\xff k\r\n"),
            timestamp_ms: Some(1_790_000_000_123),
            headers: headers(&[
                ("ce_id", None),
                ("twice", bytes(b"1")),
                ("a b: c", bytes(b"\xff\x00")),
                ("twice", bytes(b" 2\r\nNats-Msg-Id: x")),
                ("é", bytes("één".as_bytes())),
                ("cenl-headers", bytes(b"not=ours")),
                ("empty", bytes(b"")),
            ]),
            ..Record::new(None, Some(b"\x00\xff"))
        },
        order,
        twin,
        event[2].record(100),
    ]
}

/// The scene: every record is refused or no event.
async fn lay(
    dead_letter: &str,
    tables: &str,
    count: impl AsyncFn() -> usize,
) -> (Topic, Vec<Record>) {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "letters").await;
    topic.write(culprits()).await;
    let receiver = Receiver::start(Box::new(|_: &[Seen]| Answer::Status(422)));
    let sink = format!("url = \"{}\"\n", receiver.url());
    let settings = Settings::new(&broker)
        .connection(tables)
        .route(Route::from_topic(&topic, &sink, dead_letter));
    let bridge = Bridge::start(&settings).await;
    eventually("all are dead letters", SOON, async || {
        (count().await >= culprits().len()).then_some(())
    })
    .await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    let records = topic.read().await;
    (topic, records)
}

#[tokio::test]
async fn a_jetstream_subject_keeps_all_of_a_record() {
    let server = brokers::nats();
    let stream = Stream::create(&server, "dead").await;
    let lines = format!(
        "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
        stream.subject, stream.name
    );
    let (topic, records) = lay(&lines, &connection(&server), async || stream.len().await).await;
    let letters = stream.read().await;
    assert_eq!(letters.len(), records.len());
    for record in &records {
        let (partition, offset) = record.place;
        let source = format!("kafka:{}/{partition}/{offset}", topic.name);
        let mut found = letters.iter();
        let letter = found.find(|letter| letter.text("cenl-source") == Some(&source));
        let mut record = record.clone();
        sort(&mut record);
        assert_eq!(restored(letter.unwrap()), record);
    }
}

/// A record as its dead letter tells it, read without a line of the bridge.
fn restored(letter: &Stored) -> Record {
    let mut headers: Vec<(String, Option<Vec<u8>>)> = Vec::new();
    for (name, value) in &letter.headers {
        let is_ours = |prefix: &str| name.starts_with(prefix);
        if name == "cenl-headers" {
            headers.extend(value.split('&').map(|header| {
                let (name, value) = match header.split_once('=') {
                    Some((name, value)) => (name, Some(decoded(value))),
                    None => (header, None),
                };
                (String::from_utf8(decoded(name)).unwrap(), value)
            }));
        } else if is_ours("Nats-") {
            assert_eq!(name, "Nats-Expected-Stream");
        } else if !is_ours("cenl-") {
            headers.push((name.clone(), Some(value.clone().into_bytes())));
        }
    }
    let place = letter.text("cenl-source").unwrap();
    let mut place = place.rsplit('/').map(|number| number.parse::<i64>());
    let (offset, partition) = (place.next().unwrap(), place.next().unwrap());
    let has_no_body = letter.text("cenl-null-body").is_some();
    let mut record = Record {
        key: letter.text("cenl-key").map(decoded),
        value: (!has_no_body).then(|| letter.payload.clone()),
        headers,
        timestamp_ms: letter
            .text("cenl-timestamp")
            .map(|time| time.parse().unwrap()),
        place: (partition.unwrap().try_into().unwrap(), offset.unwrap()),
    };
    // NATS keeps the order of the values of a name, and no other.
    sort(&mut record);
    record
}

fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap()
        } else {
            byte
        });
    }
    bytes
}

fn sort(record: &mut Record) {
    record
        .headers
        .sort_by(|(one, _), (other, _)| one.cmp(other));
}

#[tokio::test]
async fn a_file_keeps_all_of_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    let lines = format!("file = {file:?}\n");
    let count = async || std::fs::read(&file).map_or(0, |text| line_count(&text));
    let (topic, records) = lay(&lines, "", count).await;
    let text = std::fs::read_to_string(&file).unwrap();
    let letters: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(letters.len(), records.len());
    let base64 = |value: &Value| {
        value
            .as_str()
            .map(|text| STANDARD.decode_to_vec(text).unwrap())
    };
    for record in &records {
        let (partition, offset) = record.place;
        let source = format!("kafka:{}/{partition}/{offset}", topic.name);
        let mut found = letters.iter();
        let letter = found.find(|letter| {
            let headers = letter["headers"].as_array().unwrap();
            headers
                .iter()
                .any(|pair| pair[0] == "cenl-source" && pair[1] == source)
        });
        let letter = letter.unwrap();
        assert_eq!(letter["protocol"], "kafka");
        assert_eq!(base64(&letter["key_base64"]), record.key);
        assert_eq!(base64(&letter["body_base64"]), record.value);
        let time = letter["timestamp"].as_str().unwrap();
        let time: jiff::Timestamp = time.parse().unwrap();
        assert_eq!(Some(time.as_millisecond()), record.timestamp_ms);
        let headers = letter["headers"].as_array().unwrap();
        let headers: Vec<_> = headers
            .iter()
            .map(|pair| {
                let value = match &pair[1] {
                    Value::Null => None,
                    Value::String(text) => Some(text.clone().into_bytes()),
                    other => base64(&other["base64"]),
                };
                (pair[0].as_str().unwrap().to_owned(), value)
            })
            .collect();
        assert_eq!(headers[..record.headers.len()], record.headers);
    }
    // Those that are events can be converted as they are.
    let events = converted(&file);
    assert_eq!(events.len(), 3);
    assert!(
        events
            .iter()
            .all(|event| Numbered::of_id(event.id()).is_some())
    );
}

fn line_count(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// The events of a file, as `cenl-bridge convert` reads them.
fn converted(file: &Path) -> Vec<Seen> {
    let output = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
        .args(["convert", "--to", "structured"])
        .arg(file)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let events = text.lines();
    events.map(|line| wire::of_json(line.as_bytes())).collect()
}

#[tokio::test]
async fn kills_lose_no_dead_letter() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    let stream = Stream::create(&server, "killed").await;
    let (to_file, to_stream) = (
        Topic::create(&broker, "file").await,
        Topic::create(&broker, "stream").await,
    );
    let sent = numbered(3_000, 300);
    for topic in [&to_file, &to_stream] {
        topic
            .write(sent.iter().map(|event| event.record(100)))
            .await;
    }
    let receiver = Receiver::start(Box::new(|_: &[Seen]| Answer::Status(400)));
    let sink = format!("url = \"{}\"\n", receiver.url());
    let to_nats = format!(
        "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
        stream.subject, stream.name
    );
    let mut settings = Settings::new(&broker)
        .nats(&server, "")
        .route(Route::from_topic(
            &to_file,
            &sink,
            &format!("file = {file:?}\nstop_after = 0\n"),
        ))
        .route(
            Route::from_topic(&to_stream, &sink, &to_nats)
                .dead_letter("stop_after = 0")
                .named("to-stream"),
        );
    let lines = || std::fs::read(&file).map_or(0, |text| line_count(&text));
    for life in 1..=3 {
        let bridge = Bridge::spawn(&settings);
        until("dead letters are written", SOON, || lines() > life * 500).await;
        bridge.kill();
        settings = settings.another();
    }
    let bridge = Bridge::spawn(&settings);
    eventually("all are dead letters", SOON * 2, async || {
        let lags = (
            to_file.lag(&to_file.name).await,
            to_stream.lag(&to_stream.name).await,
        );
        (lags == (0, 0)).then_some(())
    })
    .await;
    bridge.stop().await;
    let in_file: Vec<_> = converted(&file).iter().map(|e| e.id().to_owned()).collect();
    assert_eq!(in_file.len(), lines(), "every line is whole");
    let stored = stream.read().await;
    let in_stream: Vec<_> = stored
        .iter()
        .map(|letter| wire::of_json(&letter.payload).id().to_owned())
        .collect();
    for (title, ids) in [("file", in_file), ("stream", in_stream)] {
        Verdict::of(title, &sent, &ids, &[]).keeps_the_promise();
    }
}
