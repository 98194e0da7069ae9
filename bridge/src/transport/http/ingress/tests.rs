//! The ingress over real sockets, before a fake route that settles as a test tells it to.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod certificates;
mod client;
mod clients;
mod consent_later;
mod handshake;
mod hostile;
mod issuer_keys;
mod sender;
mod signatures;
mod stopping;
mod tls;
mod tokens;
mod violating;
mod waiting;

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_codec::{Decoder, HTTP};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, LocalSet};
use tokio::time::Instant;

use super::*;
use crate::config::Table;
use crate::config::tests::read;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Refusal, Verdict};
use crate::outcome::{Outcome, RefusedReason};
use crate::server::Answers;
use crate::transport::SourceStatus;
use crate::transport::contract::SourceOpening;
use crate::transport::{Intake, SourceError, Stop};
use client::Client;

const STRUCTURED: &str = "content-type: application/cloudevents+json";
const BATCHED: &str = "content-type: application/cloudevents-batch+json";
const EVENT: &str = r#"{"specversion":"1.0","id":"1","source":"/s","type":"t"}"#;

fn run(test: impl Future<Output = ()>) {
    run_within(Duration::from_secs(20), test);
}

fn run_within(limit: Duration, test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, async {
        tokio::time::timeout(limit, test)
            .await
            .expect("no request may take so long");
    });
}

fn settings() -> PathSettings {
    settings_of("/events")
}

fn settings_of(path: &str) -> PathSettings {
    let listener = read("{}", ListenerSettings::read).unwrap();
    let read_path = |table: &Table<'_>| PathSettings::read(table, Ok(listener));
    read(&format!(r#"{{"path": "{path}"}}"#), read_path).unwrap()
}

/// What the fake route does with each delivery.
type Settle = dyn Fn(Delivery);

fn delivers(delivery: Delivery) {
    delivery.settle(Verdict::Delivered);
}

/// Settles nothing and forgets nothing, as a route whose destination is away.
fn ignores() -> impl Fn(Delivery) {
    let held = RefCell::new(Vec::new());
    move |delivery| held.borrow_mut().push(delivery)
}

struct Running {
    /// A path is there as long as somebody has its settings.
    _settings: PathSettings,
    address: SocketAddr,
    stop: watch::Sender<Option<Instant>>,
    source: JoinHandle<Result<(), SourceError>>,
    /// Deliveries that reached the fake route, and a call at each.
    taken: Rc<Cell<usize>>,
    arrived: Rc<Notify>,
}

impl Running {
    async fn taken(&self, count: usize) {
        while self.taken.get() < count {
            self.arrived.notified().await;
        }
    }
}

/// A listener on a port that the system chooses, and its address.
fn listen(behind_proxy: bool) -> (Rc<Listener>, SocketAddr) {
    listen_as(ListenerSettings {
        behind_proxy,
        ..read("{}", ListenerSettings::read).unwrap()
    })
}

fn listen_as(mut settings: ListenerSettings) -> (Rc<Listener>, SocketAddr) {
    let socket = bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    settings.listen = address;
    let listener = Listener::serve(socket, &settings, &Answers::default());
    (listener.unwrap(), address)
}

/// What a source is given when nothing is special.
fn opening() -> SourceOpening {
    SourceOpening {
        window: Capacity {
            events: 1,
            bytes: 1,
        },
        share: Share::unbounded(),
        keeps_order: false,
        decoder: Decoder::default(),
        status: SourceStatus::default(),
    }
}

fn serve_on(
    (listener, address): &(Rc<Listener>, SocketAddr),
    settings: &PathSettings,
    settle: impl Fn(Delivery) + 'static,
) -> Running {
    let source = listener.route(settings.clone(), &opening()).unwrap();
    let (intake, mut deliveries) = Intake::new();
    let (stop, stopped) = Stop::new();
    let taken = Rc::<Cell<usize>>::default();
    let arrived = Rc::new(Notify::new());
    let (counted, told) = (Rc::clone(&taken), Rc::clone(&arrived));
    let settle: Box<Settle> = Box::new(settle);
    tokio::task::spawn_local(async move {
        while let Some(batch) = deliveries.recv().await {
            counted.set(counted.get() + batch.len());
            batch.into_iter().for_each(&settle);
            told.notify_waiters();
        }
    });
    Running {
        _settings: settings.clone(),
        address: *address,
        stop,
        source: tokio::task::spawn_local(source.run(intake, stopped)),
        taken,
        arrived,
    }
}

fn serve(settings: &PathSettings, settle: impl Fn(Delivery) + 'static) -> Running {
    serve_on(&listen(false), settings, settle)
}

/// HOOK-RESP-1 and HOOK-RESP-5.
#[test]
fn accepts_what_the_route_settles_and_keeps_the_connection() {
    run(async {
        for verdict in [Verdict::Delivered, Verdict::Filtered, Verdict::Discarded] {
            let route = serve(&settings(), move |delivery| delivery.settle(verdict));
            let mut client = Client::connect(route.address).await;
            for _ in 0..3 {
                let answer = client.post(&[STRUCTURED], EVENT).await;
                assert_eq!(
                    (answer.status, answer.body.as_str()),
                    (202, ""),
                    "{verdict:?}"
                );
            }
            assert_eq!(route.taken.get(), 3);
        }
    });
}

#[test]
fn the_route_gets_the_message_as_it_was_received_but_for_the_token() {
    run(async {
        let seen = Rc::<RefCell<Vec<String>>>::default();
        let record = Rc::clone(&seen);
        let route = serve(&settings(), move |delivery| {
            let received = &delivery.received;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let mut seen = record.borrow_mut();
            for header in received.headers.iter() {
                seen.push(format!("{}: {}", header.name, text(header.value.unwrap())));
            }
            seen.push(text(received.body.as_ref().unwrap()));
            seen.push(received.position.to_string());
            drop(seen);
            delivery.settle(Verdict::Delivered);
        });
        let lines = [
            "CE-Id: 1",
            "ce-x: a%20b",
            "ce-x: again",
            "content-type: text/plain",
            "authorization: Bearer x",
        ];
        let mut client = Client::connect(route.address).await;
        let answer = client.request("POST /events?a=b", &lines, "hi").await;
        assert_eq!(answer.status, 202);
        assert_eq!(
            *seen.borrow(),
            [
                "host: x",
                "content-length: 2",
                "ce-id: 1",
                "ce-x: a%20b",
                "ce-x: again",
                "content-type: text/plain",
                "hi",
                "http:0"
            ]
        );
    });
}

#[test]
fn a_batch_arrives_in_one_piece_and_in_order() {
    run(async {
        let bodies = Rc::<RefCell<Vec<String>>>::default();
        let record = Rc::clone(&bodies);
        let route = serve(&settings(), move |delivery| {
            let received = &delivery.received;
            let content_type = received.headers.iter().next().unwrap();
            assert_eq!(content_type.name, "content-type");
            assert_eq!(
                content_type.value,
                Some(&b"application/cloudevents+json"[..])
            );
            let body = received.body.as_deref().unwrap();
            let element = received.position.to_string();
            record
                .borrow_mut()
                .push(format!("{element} {}", str::from_utf8(body).unwrap()));
            delivery.settle(Verdict::Delivered);
        });
        let mut client = Client::connect(route.address).await;
        let other = EVENT.replace("\"1\"", "\"2\"");
        let answer = client
            .post(&[BATCHED], &format!("[{EVENT} ,\n{other}]"))
            .await;
        assert_eq!(answer.status, 202);
        assert_eq!(
            *bodies.borrow(),
            [format!("http:0 {EVENT}"), format!("http:1 {other}")]
        );
        assert_eq!(client.post(&[BATCHED], "[]").await.status, 202);
        assert_eq!(route.taken.get(), 2);
    });
}

#[test]
fn one_bad_element_keeps_the_whole_batch_out() {
    run(async {
        let route = serve(&settings(), delivers);
        let mut client = Client::connect(route.address).await;
        for bad in [
            r#"{"id":"hunter2"}"#,
            "17",
            "",
            r#"{"specversion":"1.0","id":"","source":"/s","type":"t"}"#,
        ] {
            let answer = client.post(&[BATCHED], &format!("[{EVENT},{bad}]")).await;
            assert_eq!(answer.status, 400, "{bad}: {answer:?}");
            answer.problem();
            assert!(!answer.body.contains("hunter2"));
        }
        let missing = client
            .post(&[BATCHED], &format!(r#"[{EVENT},{{"id":"1"}}]"#))
            .await;
        assert_eq!(missing.problem()["element"], 1);
        assert!(missing.problem()["attribute"].is_string());
        let broken = client.post(&[BATCHED], &format!("[{EVENT},tru]")).await;
        assert!(broken.problem()["byte"].is_u64(), "{broken:?}");
        let avro = client
            .post(&["content-type: application/cloudevents-batch+avro"], "x")
            .await;
        assert_eq!(avro.status, 415);
        assert_eq!(route.taken.get(), 0);
    });
}

#[test]
fn a_batch_of_too_many_events_is_refused_whole() {
    run(async {
        let route = serve(&settings(), delivers);
        let mut client = Client::connect(route.address).await;
        let batch = |count| format!("[{}]", vec![EVENT; count].join(","));
        let answer = client.post(&[BATCHED], &batch(1001)).await;
        assert_eq!(answer.status, 413);
        assert_eq!(answer.problem()["element"], 1000);
        assert_eq!(route.taken.get(), 0);
        assert_eq!(client.post(&[BATCHED], &batch(1000)).await.status, 202);
        assert_eq!(route.taken.get(), 1000);
    });
}

/// HOOK-RESP-11 among them.
#[test]
fn refusals_of_the_route_become_statuses() {
    let undecodable = |content_type: &str, body: &[u8]| {
        let mut headers = cloudevents_nl_codec::HeaderList::default();
        headers.push("content-type", Some(content_type.as_bytes()));
        let decoded = Decoder::default().decode_any(&HTTP, headers.iter(), Some(body));
        Refusal::Undecodable(decoded.unwrap_err())
    };
    let large = format!("\"{}\"", "x".repeat(1 << 20));
    let status = |code| {
        let retry_after = None;
        Refusal::ByDestination(Outcome::Status {
            code,
            retry_after,
            error_body: None,
        })
    };
    run(async {
        for (refusal, expected) in [
            (undecodable("application/cloudevents+json", b"{"), 400),
            (
                undecodable("application/cloudevents+json", b"{\"id\":\"1\"}"),
                400,
            ),
            (
                undecodable("application/cloudevents+json", large.as_bytes()),
                413,
            ),
            (undecodable("application/cloudevents+avro", b"{}"), 415),
            (undecodable("application/json", b"{}"), 415),
            (
                Refusal::Unwritable(cloudevents_nl_codec::EncodeError::UnsupportedCharset),
                415,
            ),
            (
                Refusal::ByDestination(Outcome::Refused(RefusedReason::TooLarge)),
                413,
            ),
            (
                Refusal::ByDestination(Outcome::Refused(RefusedReason::Other(
                    "illegal header value",
                ))),
                502,
            ),
            (status(413), 413),
            (status(400), 502),
        ] {
            let text = format!("{refusal:?}");
            let route = serve(&settings(), move |delivery| {
                delivery.refuse(refusal.clone())
            });
            let mut client = Client::connect(route.address).await;
            let answer = client.post(&[STRUCTURED], EVENT).await;
            assert_eq!(answer.status, expected, "{text}");
            answer.problem();
            assert!(!answer.head.contains("retry-after"));
        }
    });
}

#[test]
fn other_paths_and_methods_are_told_so() {
    run(async {
        let route = serve(&settings(), delivers);
        let mut client = Client::connect(route.address).await;
        for line in [
            "POST /",
            "POST /events/",
            "POST /Events",
            "POST /other?path=/events",
        ] {
            let answer = client.request(line, &[STRUCTURED], EVENT).await;
            assert_eq!(answer.status, 404, "{line}");
            answer.problem();
        }
        for method in ["GET", "PUT", "OPTIONS", "DELETE", "BREW"] {
            let answer = client.request(&format!("{method} /events"), &[], "").await;
            assert_eq!(answer.status, 405, "{method}");
            assert!(answer.head.contains("\r\nallow: post\r\n"));
        }
        let coding = client
            .post(&[STRUCTURED, "content-encoding: gzip"], EVENT)
            .await;
        assert_eq!(coding.status, 415);
        assert_eq!(route.taken.get(), 0);
    });
}
