//! Messages of 20,000 headers through what the bridge does to each header: `headers/20000/STEP`. A
//! sender chooses how many there are, so each step must cost no more than their bytes.

use std::hint::black_box;

use cloudevents_nl_benches::comparison;
use cloudevents_nl_bridge::delivery::{Position, Received};
use cloudevents_nl_bridge::route::dead_letter::{Kind, Reason, dead_letter, restore};
use cloudevents_nl_bridge::route::target::{RecordKey, Target, WriteMode};
use cloudevents_nl_bridge::transport::Outgoing;
use cloudevents_nl_bridge::transport::nats::{header_lines, restore_dead_letter};
use cloudevents_nl_codec::{
    ContentMode, Decoder, Event, HeaderList, KAFKA, Limits, NATS, Register,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jiff::Timestamp;

const HEADERS: usize = 20_000;

fn headers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("headers");
    group.throughput(Throughput::Elements(HEADERS as u64));
    let mut bench = |step: &str, mut work: Box<dyn FnMut() -> usize>, expected: usize| {
        assert_eq!(work(), expected, "{step}");
        group.bench_function(BenchmarkId::new(HEADERS.to_string(), step), |bencher| {
            bencher.iter(|| black_box(work()));
        });
    };

    let decoder = decoder();
    let event = attributes();
    bench(
        "decode",
        Box::new(move || decode(&decoder, &event)),
        HEADERS,
    );

    let target = target();
    let received = foreign(Some(b"1"));
    let small = Event::new("1", "/s", "t").and_then(|event| event.with_text("text/plain", "hoi"));
    let small = small.expect("an event");
    bench(
        "forward",
        Box::new(move || {
            let written = target.write(&small, &received, ContentMode::Binary);
            written.expect("binary mode carries it").headers.len()
        }),
        HEADERS + 5,
    );

    // No NATS header can be null, so each of them is written in another way.
    let received = foreign(None);
    bench(
        "dead-letter",
        Box::new(move || letter(&received).headers.len()),
        HEADERS + 8,
    );
    let dead = letter(&foreign(None));
    let kept = kept(&dead);
    bench(
        "nats",
        Box::new(move || header_lines(&dead, None).lines().count()),
        kept.headers.len(),
    );
    bench(
        "restore",
        Box::new(move || {
            let (restored, _) = restore(&restore_dead_letter(kept.clone())).expect("a dead letter");
            assert!(restored.headers == foreign(None).headers);
            restored.headers.len()
        }),
        HEADERS,
    );
    group.finish();
}

/// Reads without limits, which would end every loop early.
fn decoder() -> Decoder {
    let mut limits = Limits::default();
    limits.headers = usize::MAX;
    limits.attributes = usize::MAX;
    limits.event_bytes = usize::MAX;
    Decoder::new(limits, Register::default())
}

/// The extensions of the event in these headers.
fn decode(decoder: &Decoder, headers: &HeaderList) -> usize {
    let event = decoder.decode(&KAFKA, headers.iter(), None);
    let event = event.expect("every header is an attribute");
    event.extensions().count()
}

/// An event of so many extensions.
fn attributes() -> HeaderList {
    let mut headers = HeaderList::default();
    for (name, value) in [
        ("specversion", "1.0"),
        ("id", "1"),
        ("source", "/s"),
        ("type", "t"),
    ] {
        headers.push(&format!("ce_{name}"), Some(value.as_bytes()));
    }
    for number in 0..HEADERS {
        headers.push(&format!("ce_a{number:05}"), Some(b"1"));
    }
    headers
}

fn target() -> Target {
    Target {
        binding: &NATS,
        mode: WriteMode::Binary,
        record_key: RecordKey::None,
        forward_headers: vec!["x".into()],
        message_id_scope: None,
    }
}

/// A record with so many headers of other parties: of one name with a value, of as many names without.
fn foreign(value: Option<&[u8]>) -> Received {
    let mut headers = HeaderList::default();
    for number in 0..HEADERS {
        match value {
            Some(_) => headers.push("x", value),
            None => headers.push(&format!("x{number:05}"), None),
        }
    }
    Received {
        binding: &KAFKA,
        headers,
        key: None,
        body: Some("{}".into()),
        timestamp_ms: None,
        position: Position::numbered("kafka:t/0/", 0),
        defect: None,
    }
}

fn letter(received: &Received) -> Outgoing {
    let reason = Reason {
        error_body: None,
        route: "r",
        kind: Kind::Undecodable,
        status: String::new(),
        attempts: 0,
        first_attempt: Timestamp::UNIX_EPOCH,
        last_attempt: Timestamp::UNIX_EPOCH,
    };
    dead_letter(received, &reason)
}

/// What a reader of the stream finds of a dead letter.
fn kept(dead: &Outgoing) -> Received {
    let mut headers = HeaderList::default();
    for line in header_lines(dead, None).lines() {
        let (name, value) = line.split_once(": ").expect("a header");
        headers.push(name, Some(value.as_bytes()));
    }
    Received {
        headers,
        binding: &NATS,
        ..foreign(None)
    }
}

criterion_group! { name = benches; config = comparison::criterion(); targets = headers }
criterion_main!(benches);
