#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alone;
mod batches;
mod checked;
mod held;
mod logged;
mod ordered;
mod traced;

use std::collections::BTreeMap;
use std::rc::Rc;

use bytes::Bytes;
use cloudevents_nl_codec::{Decoder, HTTP, HeaderList, KAFKA};
use jiff::Timestamp;

use super::*;
use crate::delivery::share::{Reservation, Share};
use crate::delivery::window::Capacity;
use crate::delivery::{Position, Received, Refusal, Window};
use crate::outcome::{RefusedReason, UntrustedReason};
use crate::route::retry::RetryPolicy;
use crate::route::steps::RouteConfig;
use crate::route::target::{Order, RecordKey, Target, WriteMode};
use crate::transport::Outgoing;

const TOO_MUCH: Outcome = Outcome::Refused(RefusedReason::TooLarge);

struct Bench {
    route: Route,
    window: Rc<Window>,
    sequence: usize,
    elapsed: Duration,
    /// Exchanges that are played, with their end.
    under_way: Vec<(Duration, InFlight, Outcome)>,
}

impl Bench {
    fn new() -> Self {
        let target = Target {
            binding: &HTTP,
            mode: WriteMode::Structured,
            record_key: RecordKey::Source,
            forward_headers: Vec::new(),
            message_id_scope: None,
        };
        let config = RouteConfig {
            logs_deliveries: false,
            traces: None,
            name: "bench".into(),
            address: "http receiver.example:443 /hook".into(),
            dead_letter_address: "kafka broker:9092 dead".into(),
            decoder: Decoder::default(),
            check: None,
            filter: None,
            target,
            order: Order::Key,
            retry: RetryPolicy::default(),
            outcomes: BTreeMap::new(),
            on_error: OnError::DeadLetter,
            stop_after: 100,
            in_flight_max: 64,
            batch: Capacity::SINGLE,
        };
        Self {
            route: Route::new(config, 7),
            window: Window::partition(
                Capacity {
                    events: 100,
                    bytes: 1_000_000,
                },
                &Share::unbounded(),
            ),
            sequence: 0,
            elapsed: Duration::ZERO,
            under_way: Vec::new(),
        }
    }

    fn now(&self) -> Now {
        Now {
            elapsed: self.elapsed,
            wall: Timestamp::UNIX_EPOCH,
        }
    }

    fn take_in(&mut self, key: &'static str) {
        let id = format!("{key}/{}", self.sequence);
        let body =
            format!(r#"{{"specversion":"1.0","id":"{id}","source":"urn:nld:test","type":"t"}}"#);
        let mut headers = HeaderList::default();
        headers.push("content-type", Some(b"application/cloudevents+json"));
        let received = Received {
            binding: &KAFKA,
            headers,
            key: Some(Bytes::from_static(key.as_bytes())),
            body: Some(Bytes::from(body)),
            timestamp_ms: None,
            position: Position::numbered("memory:0/", self.sequence as u64),
            defect: None,
        };
        self.sequence += 1;
        let delivery = self.window.admit(received);
        self.route.take_in(vec![delivery], |_| false, self.now());
    }

    /// A request of as many events as there are keys; what is large is known to be too large.
    fn request(&mut self, keys: &[&str]) -> Rc<Window> {
        self.route.config.on_error = OnError::Refuse;
        let share = Share::unbounded();
        let window = Window::unbounded(&share, Reservation::of(&share));
        let events = keys.iter().enumerate().map(|(element, key)| {
            let body = format!(
                r#"{{"specversion":"1.0","id":"{key}/{element}","source":"urn:nld:test","type":"t","partitionkey":"{key}"}}"#
            );
            let mut headers = HeaderList::default();
            headers.push("content-type", Some(b"application/cloudevents+json"));
            window.admit(Received {
                binding: &HTTP,
                headers,
                key: None,
                body: Some(Bytes::from(body)),
                timestamp_ms: None,
                position: Position::numbered("http:", element as u64),
                defect: None,
            })
        });
        let is_large = |event: &Outgoing| id(event).starts_with("large");
        self.route.take_in(events.collect(), is_large, self.now());
        window
    }

    /// Everything that may leave now.
    fn leaving(&mut self) -> Vec<InFlight> {
        std::iter::from_fn(|| self.route.start_next(None, self.now())).collect()
    }

    fn alarm(&self) -> (usize, bool) {
        (self.route.stuck(), self.route.dead_letters_fail())
    }

    /// Completes the next exchange, and says where it went.
    fn complete(&mut self, outcome: &Outcome) -> Option<Stage> {
        let sent = self.route.start_next(None, self.now())?;
        let stage = sent.stage;
        self.route.complete(sent, outcome, self.now());
        Some(stage)
    }
}

fn status(code: u16) -> Outcome {
    Outcome::Status {
        code,
        retry_after: None,
        error_body: None,
    }
}

fn id(event: &Outgoing) -> String {
    let body: serde_json::Value = serde_json::from_slice(event.body.as_ref().unwrap()).unwrap();
    body["id"].as_str().unwrap().to_owned()
}

fn ids(exchanges: &[InFlight]) -> Vec<String> {
    let events = exchanges.iter().flat_map(|sent| &sent.batch);
    events.map(|event| id(event)).collect()
}

#[test]
fn events_of_a_request_keep_the_order_of_their_key() {
    let mut bench = Bench::new();
    let window = bench.request(&["a", "a", "b", "a"]);
    // Another request has lanes of its own: its sender did not wait for the first one.
    let other = bench.request(&["a"]);
    let mut exchanges = bench.leaving();
    assert_eq!(ids(&exchanges), ["a/0", "b/2", "a/0"]);
    let first = exchanges.remove(0);
    bench.route.complete(first, &status(500), bench.now());
    for sent in exchanges {
        bench.route.complete(sent, &Outcome::Delivered, bench.now());
    }
    assert!(other.is_empty());
    // Nothing overtakes the one that waits.
    assert_eq!(ids(&bench.leaving()), Vec::<String>::new());
    for expected in ["a/0", "a/1", "a/3"] {
        bench.elapsed = bench.route.next_due(None).unwrap_or(bench.elapsed);
        let mut exchanges = bench.leaving();
        assert_eq!(ids(&exchanges), [expected]);
        bench
            .route
            .complete(exchanges.remove(0), &Outcome::Delivered, bench.now());
    }
    assert!(window.is_empty());
}

#[test]
fn an_event_known_to_be_too_large_keeps_its_whole_request_out() {
    let mut bench = Bench::new();
    let window = bench.request(&["a", "b", "large", "c"]);
    assert_eq!(ids(&bench.leaving()), Vec::<String>::new());
    assert_eq!(window.refusal(), Some(Refusal::ByDestination(TOO_MUCH)));
    // Alone, it is for the destination to say: limits change.
    let window = bench.request(&["large"]);
    assert_eq!(ids(&bench.leaving()), ["large/0"]);
    assert_eq!(window.refusal(), None);
}

/// A sender hears a refusal at once, and the next one is not kept from trying. Once the destination is
/// retired, which takes a second event that is answered with 410, a request has nothing to wait for.
#[test]
fn senders_hear_refusals_at_once_and_are_let_go_when_the_destination_is_retired() {
    let mut bench = Bench::new();
    for code in [404, 401, 302] {
        let window = bench.request(&["a"]);
        assert_eq!(bench.complete(&status(code)), Some(Stage::Sink));
        let refusal = Some(Refusal::ByDestination(status(code)));
        assert_eq!(window.refusal(), refusal, "{code}");
        assert_eq!(bench.route.circuit(), Circuit::Closed);
    }
    let is_given_up = |window: &Window| {
        let finished = futures_util::FutureExt::now_or_never(window.finished());
        finished.is_some() && !window.is_empty() && window.refusal().is_none()
    };
    let failing = bench.request(&["a", "a"]);
    assert_eq!(bench.complete(&status(500)), Some(Stage::Sink));
    // A sender repeats its event, which makes no second one of it.
    for id in ["b", "b", "c"] {
        assert!(!is_given_up(&failing));
        let told = bench.request(&[id]);
        bench.complete(&status(410));
        assert!(told.refusal().is_some());
    }
    assert!(is_given_up(&failing));
    assert!(is_given_up(&bench.request(&["a", "b"])));
    assert_eq!(bench.route.held(), 0);
}

/// It would be due again and again, as long as the rate keeps it back.
#[test]
fn a_probe_is_due_once_the_rate_lets_it_go() {
    let mut bench = Bench::new();
    ["a", "b"].into_iter().for_each(|key| bench.take_in(key));
    assert_eq!(bench.complete(&status(503)), Some(Stage::Sink));
    let opens_at = Some(Duration::from_secs(6));
    assert!(bench.route.start_next(opens_at, bench.now()).is_none());
    assert_eq!(bench.route.next_due(opens_at), opens_at);
    assert_eq!(bench.route.next_due(None), Some(bench.elapsed));
}

/// Nothing is lost and nothing is hurried: it stands still, is tried now and then, and the alarm stays
/// although other dead letters are written.
#[test]
fn a_dead_letter_that_is_refused_for_good_stands_still_under_an_alarm() {
    let mut bench = Bench::new();
    let maximum = RetryPolicy::default().maximum;
    bench.take_in("a");
    bench.take_in("a");
    assert_eq!(bench.complete(&TOO_MUCH), Some(Stage::Sink));
    for probe in 1..=5 {
        assert_eq!(
            bench.complete(&TOO_MUCH),
            Some(Stage::DeadLetter),
            "{probe}"
        );
        assert_eq!(bench.alarm(), (1, true));
        // Later events of its key wait; it is not tried again before the cap of the back-off.
        assert_eq!(bench.complete(&TOO_MUCH), None);
        assert_eq!(bench.route.next_due(None), Some(bench.elapsed + maximum));
        if probe < 5 {
            bench.elapsed += maximum;
        }
    }
    // The dead letter of another key is written meanwhile.
    bench.take_in("b");
    assert_eq!(bench.complete(&TOO_MUCH), Some(Stage::Sink));
    assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::DeadLetter));
    assert_eq!(bench.complete(&TOO_MUCH), None);
    assert_eq!(bench.alarm(), (1, true));
    assert!(bench.window.watermark().is_none());
    // Somebody raises the limit: at the next probe it is written, and its key goes on.
    bench.elapsed += maximum;
    for stage in [Stage::DeadLetter, Stage::Sink] {
        assert_eq!(bench.complete(&Outcome::Delivered), Some(stage));
    }
    assert_eq!(bench.alarm(), (0, false));
    assert_eq!(bench.window.len(), 0);
}

/// Its sink may have refused it by itself.
#[test]
fn a_dead_letter_that_is_refused_says_nothing_of_a_place_that_is_away() {
    let mut bench = Bench::new();
    for key in ["a", "b"] {
        bench.take_in(key);
        assert_eq!(bench.complete(&TOO_MUCH), Some(Stage::Sink));
    }
    let away = Outcome::Unreachable("refused");
    for _ in 0..40 {
        while bench.complete(&away).is_some() {}
        bench.elapsed = bench.route.next_due(None).unwrap();
    }
    // One of the two has waited; the other is the next probe.
    assert_eq!(bench.complete(&TOO_MUCH), Some(Stage::DeadLetter));
    assert_eq!(bench.complete(&Outcome::Delivered), None);
    bench.elapsed = bench.route.next_due(None).unwrap();
    assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::DeadLetter));
    assert_eq!(bench.alarm(), (1, true));
}
