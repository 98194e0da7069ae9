//! The server that plays receivers, over real sockets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/certificates.rs"]
mod certificates;

use std::time::Duration;

use certificates::Certificates;
use cloudevents_nl_conformance::{Part, Purpose};
use cloudevents_nl_conformance_live::client::{Client, Options};
use cloudevents_nl_conformance_live::listener::{
    Answer, Arrival, Listener, Received, server_config,
};
use http::Uri;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

async fn listener() -> Listener {
    let address = "127.0.0.1:0".parse().unwrap();
    Listener::bind(address, None).await.unwrap()
}

/// Sends a text, and reads until the other side closes.
fn send(listener: &Listener, text: &'static str) -> JoinHandle<String> {
    let address = listener.address();
    tokio::spawn(async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut read = String::new();
        // A connection that is reset has ended too.
        drop(stream.read_to_string(&mut read).await);
        read
    })
}

async fn request(listener: &mut Listener) -> Box<Received> {
    match listener.next().await {
        Arrival::Request(request) => request,
        Arrival::Refused(refused) => panic!("{refused:?}"),
    }
}

const POST: &str = "POST /hook?a=1 HTTP/1.1\r\nHost: a.example\r\nce-id: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";

#[tokio::test]
async fn tells_what_was_asked_and_answered() {
    let mut listener = listener().await;
    let client = send(&listener, POST);
    let received = request(&mut listener).await;
    assert_eq!(received.header("CE-ID"), Some("1"));
    let answer = Answer::status(429)
        .with("retry-after", "3")
        .with_body("text/plain", "later");
    let exchange = received.answer(answer);
    let (request, response) = (&exchange.request, &exchange.response);
    assert_eq!(exchange.purpose, Purpose::Delivery);
    assert_eq!(exchange.under_test, Some(Part::Message));
    assert_eq!(request.target.as_deref(), Some("http://a.example/hook?a=1"));
    assert_eq!(request.body(), b"{}");
    assert_eq!(
        (response.status, response.body()),
        (Some(429), &b"later"[..])
    );
    let read = client.await.unwrap();
    assert!(read.starts_with("HTTP/1.1 429 "), "{read}");
    assert!(read.contains("retry-after: 3"), "{read}");
    assert!(read.ends_with("later"), "{read}");
}

#[tokio::test]
async fn breaks_off_without_an_answer() {
    let mut listener = listener().await;
    let client = send(&listener, POST);
    let exchange = request(&mut listener).await.answer(Answer::BreakOff);
    assert_eq!(exchange.response.status, None);
    assert_eq!(client.await.unwrap(), "");
}

#[tokio::test]
async fn hangs_until_connections_are_renewed() {
    let mut listener = listener().await;
    let client = send(&listener, POST);
    request(&mut listener).await.answer(Answer::Hang);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!client.is_finished());
    listener.renew(None);
    assert_eq!(client.await.unwrap(), "");
}

#[tokio::test]
async fn connections_that_were_not_used_end_when_they_are_renewed() {
    let listener = listener().await;
    let client = send(&listener, "");
    // Nothing tells when it is accepted, and one that is accepted later is a new one.
    while !client.is_finished() {
        listener.renew(None);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(client.await.unwrap(), "");
}

#[tokio::test]
async fn tells_of_what_is_not_http() {
    let mut listener = listener().await;
    let client = send(&listener, "\u{16}\u{3}\u{1}no request\r\n\r\n");
    match listener.next().await {
        Arrival::Refused(refused) => assert!(!refused.of_certificate, "{refused:?}"),
        Arrival::Request(request) => panic!("{request:?}"),
    }
    assert!(client.await.unwrap().starts_with("HTTP/1.1 400 "));
}

/// Whether what came refused the certificate.
async fn refused(listener: &mut Listener) -> bool {
    match listener.next().await {
        Arrival::Refused(refused) => refused.of_certificate,
        Arrival::Request(request) => panic!("{request:?}"),
    }
}

#[tokio::test]
async fn who_refuses_a_certificate_is_told_from_who_breaks_off() {
    let certificates = Certificates::new();
    let (pem, key) = (
        certificates.path("server.pem"),
        certificates.path("server.key"),
    );
    let tls = server_config(&pem, &key).unwrap();
    let any = "127.0.0.1:0".parse().unwrap();
    let mut listener = Listener::bind(any, Some(tls)).await.unwrap();
    drop(TcpStream::connect(listener.address()).await.unwrap());
    assert!(!refused(&mut listener).await);
    let speaks_no_tls = send(&listener, POST);
    match listener.next().await {
        Arrival::Refused(refused) => {
            let plain = refused.plain.unwrap();
            assert_eq!(plain.url, "http://a.example/hook?a=1");
            plain.answer(Answer::status(503));
        }
        Arrival::Request(request) => panic!("{request:?}"),
    }
    assert!(speaks_no_tls.await.unwrap().starts_with("HTTP/1.1 503 "));
    // It trusts the authorities of the system alone.
    let url: Uri = format!("https://{}/", listener.address()).parse().unwrap();
    let client = Client::new(&url, &Options::default()).unwrap();
    let (connected, is_refused) = tokio::join!(client.connect(), refused(&mut listener));
    assert!(connected.is_err() && is_refused);
}
