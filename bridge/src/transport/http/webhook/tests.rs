//! The sink against a receiver on real sockets that misbehaves in every way it knows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod backlog;
mod callback;
mod certificates;
mod connections;
mod consent;
mod receiver;
mod tokens;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::HeaderList;
use futures_util::future::join_all;
use tokio::sync::Barrier;
use tokio::task::LocalSet;

use super::handshake::ContractSettings;
use super::*;
use crate::outcome::RefusedReason;
use crate::tls::ClientTls;
use crate::transport::Outgoing;
use receiver::{Reply, start};

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, async {
        tokio::time::timeout(Duration::from_secs(20), test)
            .await
            .expect("no exchange may take so long");
    });
}

fn settings(url: String) -> WebhookSettings {
    WebhookSettings {
        url: url.parse().unwrap(),
        tls: ClientTls::default(),
        credential: None,
        token_in_query: false,
        contract: ContractSettings::default(),
        processes: 1,
        route: Arc::default(),
        signing_secrets: Vec::new(),
        connect_timeout: Duration::from_millis(5_000),
        first_byte_timeout: Duration::from_millis(5_000),
        exchange_timeout: Duration::from_millis(10_000),
    }
}

/// A sink of its own connections, with room for 64 exchanges.
type Webhook = Rc<WebhookSink>;

fn open(settings: &WebhookSettings) -> Webhook {
    Rc::new(WebhookSink::open(settings, false, 64).unwrap())
}

fn to(address: &str) -> Webhook {
    open(&settings(format!("http://{address}/hook?x=1")))
}

fn batch() -> Batch {
    let mut headers = HeaderList::default();
    headers.push("content-type", Some(b"application/cloudevents+json"));
    vec![Rc::new(Outgoing {
        headers,
        body: Some(Bytes::from_static(br#"{"id":"1"}"#)),
        key: None,
        timestamp_ms: None,
        ..Outgoing::default()
    })]
}

/// One is made for each event: what is rare, such as a new connection or a token, has a box of its own.
#[test]
fn a_delivery_is_a_small_future() {
    run(async {
        let (webhook, batch) = (to("127.0.0.1:9"), batch());
        let bytes = size_of_val(&webhook.deliver(&batch));
        assert!(bytes < 4096, "{bytes} bytes");
    });
}

/// The outcome of one event against a receiver that always replies so.
async fn outcome_of(reply: Reply) -> Outcome {
    let (address, _seen) = start(None, move |_| reply.clone()).await;
    to(&address).send(batch()).await
}

#[test]
fn posts_the_event_as_it_is() {
    run(async {
        let (address, seen) = start(None, |_| Reply::status("204 No Content")).await;
        assert_eq!(to(&address).send(batch()).await, Outcome::Delivered);
        let request = seen.requests.borrow()[0].to_lowercase();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("post /hook?x=1 http/1.1\r\n"), "{head}");
        for line in [
            format!("host: {address}"),
            "content-type: application/cloudevents+json".to_owned(),
            "content-length: 10".to_owned(),
        ] {
            assert!(head.lines().any(|found| found == line), "{line} in {head}");
        }
        assert_eq!(body, r#"{"id":"1"}"#);
    });
}

#[test]
fn the_status_line_is_the_outcome_and_redirects_are_not_followed() {
    run(async {
        for code in [200, 201, 202, 204, 299] {
            let outcome = outcome_of(Reply::status(&format!("{code} x"))).await;
            assert_eq!(outcome, Outcome::Delivered, "{code}");
        }
        for code in [
            300, 301, 302, 304, 307, 308, 400, 401, 410, 413, 418, 429, 500, 503, 599,
        ] {
            let head =
                format!("HTTP/1.1 {code} x\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n");
            let (address, seen) = start(None, move |_| Reply::Answer(head.clone())).await;
            let outcome = to(&address).send(batch()).await;
            let retry_after = None;
            let expected = Outcome::Status {
                code,
                retry_after,
                error_body: None,
            };
            assert_eq!(outcome, expected);
            assert_eq!(seen.requests.borrow().len(), 1, "{code}");
        }
    });
}

#[test]
fn retry_after_is_read_in_both_forms() {
    run(async {
        let wait = |value: String| async move {
            let head =
                format!("HTTP/1.1 503 x\r\nretry-after: {value}\r\ncontent-length: 0\r\n\r\n");
            match outcome_of(Reply::Answer(head)).await {
                Outcome::Status {
                    code: 503,
                    retry_after,
                    ..
                } => retry_after,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(wait("7".to_owned()).await, Some(Duration::from_secs(7)));
        assert_eq!(wait("later".to_owned()).await, None);
        let date = std::time::SystemTime::now() + Duration::from_secs(3_600);
        let waited = wait(httpdate::fmt_http_date(date)).await.unwrap();
        assert!((3_500..=3_600).contains(&waited.as_secs()), "{waited:?}");
    });
}

#[test]
fn a_receiver_that_gives_no_answer_is_unreachable() {
    run(async {
        for (reply, word) in [
            (Reply::Close(String::new()), "closed early"),
            (Reply::Close("HTTP/1.1 200".to_owned()), "closed early"),
            (
                Reply::Answer("SSH-2.0-x\r\n\r\n".to_owned()),
                "malformed answer",
            ),
        ] {
            assert_eq!(outcome_of(reply).await, Outcome::Unanswered(word));
        }
        // Bound, so that nobody else is given the port, and not listening.
        let nobody = tokio::net::TcpSocket::new_v4().unwrap();
        nobody.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = nobody.local_addr().unwrap().to_string();
        let outcome = to(&address).send(batch()).await;
        assert_eq!(outcome, Outcome::Unreachable("connection refused"));
        // No server is asked for a name with so long a label, so that none can be slow to answer.
        let url = format!("http://{}.invalid/", "x".repeat(64));
        let outcome = open(&settings(url)).send(batch()).await;
        assert_eq!(outcome, Outcome::Unreachable("name resolution"));
    });
}

#[test]
fn each_phase_has_its_own_deadline() {
    run(async {
        let (address, seen) = start(None, |_| Reply::Hang).await;
        let mut patience = settings(format!("http://{address}/"));
        patience.first_byte_timeout = Duration::from_millis(30);
        let outcome = open(&patience).send(batch()).await;
        assert_eq!(outcome, Outcome::Unanswered("first byte timeout"));
        seen.closed(1).await;

        // A listener that nobody accepts from: TCP connects, TLS never begins.
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut patience = settings(format!("https://{}/", silent.local_addr().unwrap()));
        patience.connect_timeout = Duration::from_millis(30);
        let outcome = open(&patience).send(batch()).await;
        assert_eq!(outcome, Outcome::Unreachable("connect timeout"));
        patience.connect_timeout = Duration::from_millis(60_000);
        patience.exchange_timeout = Duration::from_millis(30);
        let outcome = open(&patience).send(batch()).await;
        assert_eq!(outcome, Outcome::Unreachable("connect timeout"));
    });
}

#[test]
fn a_body_that_breaks_after_success_changes_nothing() {
    run(async {
        for body in [
            "content-length: 10\r\n\r\nhalf",
            "transfer-encoding: chunked\r\n\r\nnonsense\r\n",
        ] {
            let reply = Reply::Close(format!("HTTP/1.1 200 OK\r\n{body}"));
            assert_eq!(outcome_of(reply).await, Outcome::Delivered, "{body}");
        }
    });
}

#[test]
fn a_body_without_end_costs_the_connection_and_nothing_else() {
    run(async {
        for head in [
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n",
        ] {
            let (address, seen) = start(None, |_| Reply::Endless(head.to_owned())).await;
            let webhook = to(&address);
            assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
            seen.closed(1).await;
        }
    });
}

#[test]
fn a_slow_body_costs_a_second_and_the_connection() {
    run(async {
        let slow = "HTTP/1.1 429 x\r\nretry-after: 3\r\ncontent-length: 10\r\n\r\nhalf";
        let (address, seen) = start(None, |_| Reply::Answer(slow.to_owned())).await;
        let webhook = to(&address);
        let outcome = webhook.send(batch()).await;
        let retry_after = Some(Duration::from_secs(3));
        assert_eq!(
            outcome,
            Outcome::Status {
                code: 429,
                retry_after,
                error_body: None,
            }
        );
        seen.closed(1).await;
    });
}

#[test]
fn interim_answers_are_not_the_answer() {
    run(async {
        let early = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
        let answer = format!("{early}HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n");
        let retry_after = None;
        let expected = Outcome::Status {
            code: 410,
            retry_after,
            error_body: None,
        };
        assert_eq!(outcome_of(Reply::Answer(answer)).await, expected);
    });
}

#[test]
fn an_illegal_header_value_is_refused_before_anything_is_sent() {
    run(async {
        let (address, seen) = start(None, |_| Reply::status("200 OK")).await;
        let mut headers = HeaderList::default();
        headers.push("ce-id", Some(b"1\r\nhost: elsewhere"));
        let event = Outgoing {
            headers,
            body: None,
            key: None,
            timestamp_ms: None,
            ..Outgoing::default()
        };
        let outcome = to(&address).send(vec![Rc::new(event)]).await;
        assert_eq!(
            outcome,
            Outcome::Refused(RefusedReason::Other("illegal header value"))
        );
        assert_eq!(seen.opened.get(), 0);
    });
}

#[test]
fn batched_mode_writes_a_batch_even_for_one_event() {
    run(async {
        let (address, seen) = start(None, |_| Reply::status("200 OK")).await;
        let target = settings(format!("http://{address}/"));
        let webhook = Rc::new(WebhookSink::open(&target, true, 1).unwrap());
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        let two = [batch(), batch()].concat();
        assert_eq!(webhook.send(two).await, Outcome::Delivered);
        for (request, length) in seen.requests.borrow().iter().zip([1, 2]) {
            let (head, body) = request.split_once("\r\n\r\n").unwrap();
            assert!(head.contains("content-type: application/cloudevents-batch+json"));
            let batch: Vec<serde_json::Value> = serde_json::from_str(body).unwrap();
            assert_eq!(batch, vec![serde_json::json!({"id": "1"}); length]);
        }
    });
}
