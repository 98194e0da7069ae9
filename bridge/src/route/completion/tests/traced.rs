//! What is told of an event that is traced.

use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::sync::mpsc;

use super::*;
use crate::traces::RouteTraces;

/// What its spans are offered to has so much room.
fn traced(sampled: f64, room: usize) -> (Bench, mpsc::Receiver<Span>) {
    let (traces, spans) = RouteTraces::with_room(sampled, room);
    let mut bench = Bench::new();
    bench.route.config.traces = Some(traces);
    (bench, spans)
}

#[test]
fn the_last_attempts_of_an_event_that_fails_again_and_again_are_kept() {
    let (mut bench, mut spans) = traced(1.0, 1);
    bench.take_in("a");
    for _ in 0..40 {
        bench.elapsed += Duration::from_secs(3600);
        assert_eq!(bench.complete(&status(500)), Some(Stage::Sink));
    }
    assert!(spans.is_empty(), "it is not settled");
    bench.elapsed += Duration::from_secs(3600);
    assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::Sink));
    let span = spans.try_recv().unwrap();
    assert_eq!((span.events.len(), span.dropped_events_count), (32, 9));
    assert_eq!(span.status, None);
    assert!(span.events[31].attributes.len() < span.events[30].attributes.len());
}

#[test]
fn an_event_that_was_held_and_is_delivered_is_no_error() {
    let (mut bench, mut spans) = traced(1.0, 1);
    bench.route.config.on_error = OnError::Hold;
    bench.take_in("a");
    assert_eq!(bench.complete(&status(400)), Some(Stage::Sink));
    bench.route.retry_now(bench.now());
    assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::Sink));
    let span = spans.try_recv().unwrap();
    assert_eq!((span.events.len(), span.status), (2, None));
}

#[test]
fn a_share_of_events_is_traced_and_what_finds_no_room_is_counted() {
    for (sampled, expected) in [(0.0, 0..=0), (0.1, 50..=200), (1.0, 1000..=1000)] {
        let (mut bench, mut spans) = traced(sampled, 1000);
        for _ in 0..1000 {
            bench.take_in("a");
            assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::Sink));
        }
        let mut number = 0;
        while spans.try_recv().is_ok() {
            number += 1;
        }
        assert!(expected.contains(&number), "{number} of 1000 at {sampled}");
    }
    let (mut bench, spans) = traced(1.0, 2);
    for _ in 0..5 {
        bench.take_in("a");
        assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::Sink));
    }
    let counts = bench.route.config.traces.as_ref().unwrap().counts();
    assert_eq!(counts.by_outcome(), [("exported", 0), ("dropped", 3)]);
    assert_eq!(spans.len(), 2);
}

#[test]
fn what_is_refused_says_why() {
    let (mut bench, mut spans) = traced(1.0, 2);
    bench.take_in("a");
    assert_eq!(bench.complete(&status(422)), Some(Stage::Sink));
    assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::DeadLetter));
    drop(bench.request(&["b"]));
    assert_eq!(bench.complete(&status(422)), Some(Stage::Sink));
    for attempts in [2, 1] {
        let span = spans.try_recv().unwrap();
        assert_eq!(span.status.unwrap().message, "refused: 422");
        assert_eq!(span.events.len(), attempts);
    }
}
