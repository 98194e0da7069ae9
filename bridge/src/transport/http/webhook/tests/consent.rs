//! The handshake of the webhook specification, and the rate that it grants.

use std::rc::Rc;

use super::receiver::Seen;
use super::*;
use crate::config::tests::read;

const AGREED: &str = "webhook-allowed-origin: bron.example.nl\r\nwebhook-allowed-rate: 6000\r\n";

fn answer(status: &str, headers: &str) -> Reply {
    Reply::Answer(format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: 0\r\n\r\n"
    ))
}

/// A sink that asks for consent, as `handshake` says.
async fn asking(handshake: &str, script: impl Fn(usize) -> Reply + 'static) -> (Webhook, Rc<Seen>) {
    let (address, seen) = start(None, script).await;
    let json = serde_json::json!({
        "url": format!("http://{address}/hook?x=1"), "handshake": handshake,
        "origin": "bron.example.nl", "request_rate": 9000, "allow_plain_http": true,
    });
    (
        open(&read(&json.to_string(), WebhookSettings::read).unwrap()),
        seen,
    )
}

fn methods(seen: &Seen) -> Vec<String> {
    let requests = seen.requests.borrow();
    let method = |request: &String| request.split(' ').next().unwrap().to_owned();
    requests.iter().map(method).collect()
}

/// HOOK-VREQ-1, HOOK-VREQ-2, HOOK-VREQ-6, HOOK-REQ-3
#[test]
fn consent_is_asked_for_once_at_the_url_of_the_deliveries() {
    run(async {
        // 405: only the headers count.
        let (webhook, seen) = asking("required", |number| match number {
            0 => answer("405 x", AGREED),
            _ => Reply::status("204 x"),
        })
        .await;
        for _ in 0..3 {
            assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        }
        assert_eq!(methods(&seen), ["OPTIONS", "POST", "POST", "POST"]);
        let requests = seen.requests.borrow();
        assert!(requests[0].starts_with("OPTIONS /hook?x=1 HTTP/1.1\r\n"));
        assert!(requests[0].contains("webhook-request-rate: 9000\r\n"));
        for request in requests.iter() {
            assert!(
                request.contains("webhook-request-origin: bron.example.nl\r\n"),
                "{request}"
            );
        }
        // 3 were sent before their time.
        let wait = webhook.opens_at().unwrap() - Instant::now();
        assert!(
            wait < Duration::from_millis(50),
            "100 in a second are granted"
        );
    });
}

#[test]
fn without_consent_nothing_is_sent_and_it_is_asked_for_again() {
    run(async {
        let (webhook, seen) = asking("required", |number| match number {
            0 => Reply::status("200 OK"),
            1 => Reply::Close(String::new()),
            2 => answer("200 OK", "webhook-allowed-origin: ander.example.nl\r\n"),
            3 => answer("200 OK", AGREED),
            _ => Reply::status("204 x"),
        })
        .await;
        for word in [
            "receiver does not consent",
            "consent cannot be asked for",
            "receiver consents to another origin",
        ] {
            assert_eq!(webhook.send(batch()).await, Outcome::NoConsent(word));
        }
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        assert_eq!(
            methods(&seen),
            ["OPTIONS", "OPTIONS", "OPTIONS", "OPTIONS", "POST"]
        );
    });
}

/// HOOK-ABUSE-2
#[test]
fn a_receiver_without_the_handshake_is_sent_to_where_that_will_do() {
    run(async {
        let (webhook, seen) = asking("if-supported", |_| Reply::status("204 x")).await;
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        assert_eq!(methods(&seen), ["OPTIONS", "POST", "POST"]);
    });
}

#[test]
fn a_receiver_that_refuses_is_asked_again_before_the_next_event() {
    run(async {
        let (webhook, seen) = asking("required", |number| match number {
            0 | 2 => answer("200 OK", AGREED),
            1 => Reply::status("403 x"),
            _ => Reply::status("204 x"),
        })
        .await;
        let refused = webhook.send(batch()).await;
        assert!(matches!(refused, Outcome::Status { code: 403, .. }));
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        assert_eq!(methods(&seen), ["OPTIONS", "POST", "OPTIONS", "POST"]);
    });
}

/// HOOK-RATE-1
#[test]
fn the_granted_rate_is_kept_by_all_who_send_there() {
    run(async {
        let granted = "webhook-allowed-origin: *\r\nwebhook-allowed-rate: 60\r\n";
        let (address, seen) = start(None, move |number| match number {
            0 => answer("200 OK", granted),
            _ => Reply::status("204 x"),
        })
        .await;
        let json = serde_json::json!({
            "url": format!("http://{address}/"), "handshake": "required", "origin": "a.nl",
        });
        let settings = read(&json.to_string(), WebhookSettings::read).unwrap();
        let (one, other) = (open(&settings), open(&settings));
        tokio::time::sleep_until(one.opens_at().unwrap()).await;
        let sent = Instant::now();
        assert_eq!(one.send(batch()).await, Outcome::Delivered);
        let opens_at = other.opens_at().unwrap();
        assert!(opens_at - sent > Duration::from_millis(500));
        assert!(opens_at - Instant::now() <= Duration::from_secs(1));
        assert_eq!(methods(&seen), ["OPTIONS", "POST"]);
    });
}

/// HOOK-RESP-10 is the route's: `route/breaker/tests.rs`
#[test]
fn too_many_requests_lower_the_rate() {
    run(async {
        let (address, _seen) = start(None, |_| Reply::status("429 x")).await;
        let json = serde_json::json!({ "url": format!("http://{address}/"), "rate": "60/min" });
        let webhook = open(&read(&json.to_string(), WebhookSettings::read).unwrap());
        tokio::time::sleep_until(webhook.opens_at().unwrap()).await;
        let refused = webhook.send(batch()).await;
        assert!(matches!(refused, Outcome::Status { code: 429, .. }));
        webhook.target.limiter.sent();
        let wait = webhook.opens_at().unwrap() - Instant::now();
        assert!(wait > Duration::from_secs(2), "{wait:?}");
    });
}
