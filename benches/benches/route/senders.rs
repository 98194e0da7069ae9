//! The senders of webhook → Kafka: 64 connections, one request under way on each.

use std::net::SocketAddr;

use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::traffic::Keys;

/// Connections, and so requests in flight.
const CONNECTIONS: usize = 64;

/// Each connection has keys of its own.
const KEYS: Keys = Keys::InTurn;

/// Where the contestants listen.
pub(crate) const PATH: &str = "/events";

/// Names the record key for the bare pipe, which does not look into events.
pub(crate) const KEY_HEADER: &str = "x-key";

/// Sends `texts`, events in the order of their numbers, each key on one connection so that its order
/// holds. Calls `warm` when a tenth is answered. Returns how long each answer after that took, in microseconds.
pub(crate) fn send(address: SocketAddr, texts: &[Bytes], mut warm: impl FnMut()) -> Vec<u32> {
    let events = texts.len();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let mut exchanges = FuturesUnordered::new();
        for number in 0..CONNECTIONS {
            let mut rest = events_of(number, events);
            let connection = connect(address).await;
            let first = rest.next().expect("more events than connections");
            exchanges.push(exchange(connection, rest, texts, address, first));
        }
        let (mut answered, mut latencies) = (0, Vec::with_capacity(events));
        while let Some((connection, mut rest, latency)) = exchanges.next().await {
            answered += 1;
            if answered == events / 10 {
                warm();
                latencies.clear();
            }
            latencies.push(latency);
            if let Some(next) = rest.next() {
                exchanges.push(exchange(connection, rest, texts, address, next));
            }
        }
        assert_eq!(answered, events, "every event is answered");
        latencies
    })
}

/// The events of the keys that belong to a connection, in order.
fn events_of(connection: usize, events: usize) -> impl Iterator<Item = usize> {
    (0..events).filter(move |number| KEYS.of(*number) % CONNECTIONS == connection)
}

async fn connect(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address)
        .await
        .expect("the contestant listens");
    stream.set_nodelay(true).expect("a TCP socket");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
    tokio::spawn(connection);
    sender
}

async fn exchange<I>(
    mut connection: SendRequest<Full<Bytes>>,
    rest: I,
    texts: &[Bytes],
    address: SocketAddr,
    number: usize,
) -> (SendRequest<Full<Bytes>>, I, u32) {
    let request = Request::post(PATH)
        .header("host", address.to_string())
        .header("content-type", "application/cloudevents+json")
        .header(KEY_HEADER, KEYS.name(number))
        .body(Full::new(texts[number].clone()))
        .expect("a valid request");
    let start = Instant::now();
    connection.ready().await.expect("the connection stays open");
    let response = connection.send_request(request).await.expect("an answer");
    let status = response.status();
    let body = response
        .into_body()
        .collect()
        .await
        .expect("a whole answer")
        .to_bytes();
    assert!(
        status.is_success(),
        "{status}: {}",
        String::from_utf8_lossy(&body)
    );
    let latency = u32::try_from(start.elapsed().as_micros()).unwrap_or(u32::MAX);
    (connection, rest, latency)
}
