//! The client, over real sockets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/ports.rs"]
mod ports;

use std::time::Duration;

use cloudevents_nl_conformance::{Part, Purpose};
use cloudevents_nl_conformance_live::client::{Client, Letters, Options, Request};
use http::{Method, Uri};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Answers one connection with a text, and tells what it read until there was an end of it.
async fn server(answer: &'static str, end: &'static str) -> (Uri, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?a=%20b", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut read = Vec::new();
        while !read.ends_with(end.as_bytes()) {
            assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0);
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(read).unwrap()
    });
    (url.parse().unwrap(), served)
}

fn client(url: &Uri) -> Client {
    Client::new(url, &Options::default()).unwrap()
}

#[tokio::test]
async fn sends_what_it_is_told_and_follows_nothing() {
    let answer =
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 2\r\n\r\nno";
    let (url, served) = server(answer, "{}").await;
    let request = Request::new(Method::POST, &url)
        .with("ce-id", "%e2%82%ac")
        .with("ce-id", "2")
        .with_body("{}")
        .spelled(Letters::Words);
    let exchange = client(&url).send(&request).await.unwrap();
    let read = served.await.unwrap();
    let host = url.authority().unwrap();
    assert_eq!(
        read,
        format!(
            "POST /hook?a=%20b HTTP/1.1\r\nHost: {host}\r\nCe-Id: %e2%82%ac\r\nCe-Id: 2\r\nContent-Length: 2\r\n\r\n{{}}"
        )
    );
    assert_eq!(read.len(), request.size());
    assert_eq!(exchange.under_test, Some(Part::Response));
    assert_eq!(exchange.purpose, Purpose::Delivery);
    assert_eq!(exchange.request.headers[1].name, "Ce-Id");
    assert_eq!(exchange.response.status, Some(307));
    assert_eq!(exchange.response.body(), b"no");
}

#[tokio::test]
async fn a_slow_body_arrives_whole() {
    let (url, served) = server("HTTP/1.1 204 No Content\r\n\r\n", "123456789").await;
    let mut request = Request::new(Method::POST, &url).with_body("123456789");
    request.pause = Duration::from_millis(5);
    let exchange = client(&url).send(&request).await.unwrap();
    assert!(served.await.unwrap().ends_with("\r\n\r\n123456789"));
    assert_eq!(exchange.response.status, Some(204));
}

/// With `Transfer-Encoding` kept, one without a body would look like one whose body was not recorded.
#[tokio::test]
async fn chunks_are_undone_and_announced_no_more_where_there_are_none() {
    for (answer, body, is_announced) in [
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "",
            false,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
            "no",
            true,
        ),
    ] {
        let (url, served) = server(answer, "{}").await;
        let request = Request::new(Method::POST, &url).with_body("{}");
        let exchange = client(&url).send(&request).await.unwrap();
        served.await.unwrap();
        let response = exchange.response;
        assert_eq!(response.defect, None);
        assert_eq!(response.body(), body.as_bytes());
        let announced = response.header("transfer-encoding");
        assert_eq!(announced.is_some(), is_announced);
    }
}

#[tokio::test]
async fn no_answer_is_said_to_be_none() {
    let (url, served) = server("", "{}").await;
    let request = Request::new(Method::POST, &url).with_body("{}");
    let exchange = client(&url).send(&request).await.unwrap();
    served.await.unwrap();
    assert_eq!(exchange.response.status, None);
    assert!(exchange.response.defect.is_some());
}

#[tokio::test]
async fn nobody_who_listens_is_an_error_that_names_whom() {
    let port = ports::reserved();
    let url: Uri = format!("http://{}/", port.local_addr().unwrap())
        .parse()
        .unwrap();
    let request = Request::new(Method::OPTIONS, &url);
    let error = client(&url).send(&request).await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot connect to 127.0.0.1:"),
        "{error}"
    );
}
