//! Receivers as only somebody makes them who reads requests and writes answers without a library.

use std::collections::BTreeSet;

use cloudevents_nl_conformance::report::Report;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{checked, command, named, seen};

const TAKEN: &str = "HTTP/1.1 204 No Content\r\nallow: POST, OPTIONS\r\n\r\n";
const TAKEN_AND_MORE: &str = "HTTP/1.1 204 No Content\r\nallow: POST, OPTIONS\r\n\r\nok";
const AWAITED: &str = "HTTP/1.1 202 Accepted\r\nallow: POST, OPTIONS\r\ncontent-length: 0\r\n\r\n";
const REFUSED: &str = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
const CONSENT: &str = "HTTP/1.1 200 OK\r\nallow: POST, OPTIONS\r\nwebhook-allowed-origin: *\r\n\
     webhook-allowed-rate: *\r\ncontent-length: 0\r\n\r\n";

/// Gives to each head of a request the answer to it.
type Answers = fn(&str) -> &'static str;

async fn tried(answers: Answers, more: &[&str]) -> Report {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(serve(stream, answers));
        }
    });
    let usual = [&*url, "--rate", "60000"];
    let output = command(&[&usual[..], more].concat()).await;
    serving.abort();
    checked(&output)
}

async fn serve(mut stream: TcpStream, answers: Answers) {
    let mut read: Vec<u8> = Vec::new();
    loop {
        while let Some(at) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..at]).into_owned();
            let mut headers = head.lines().filter_map(|line| line.split_once(": "));
            let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
            let end = at + 4 + length;
            if read.len() < end {
                break;
            }
            read.drain(..end);
            let answer = answers(&head);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        if stream.read_buf(&mut read).await.unwrap_or_default() == 0 {
            return;
        }
    }
}

fn taken_if(is_taken: bool) -> &'static str {
    if is_taken { TAKEN } else { REFUSED }
}

#[tokio::test]
async fn names_of_headers_may_be_in_any_letters() {
    let faults: &[(Answers, &[&str])] = &[
        (|_| TAKEN, &[]),
        (
            |head| taken_if(head.contains("\r\ncontent-type: ")),
            &["HTTP-BIN-6"],
        ),
        (
            |head| taken_if(head.contains("\r\nContent-Type: ")),
            &["HTTP-BIN-6"],
        ),
        (
            |head| taken_if(!head.contains("\r\nCE-ID: ")),
            &["HTTP-BIN-6"],
        ),
    ];
    for (number, (answers, expected)) in faults.iter().enumerate() {
        let report = tried(*answers, &["--only", "HTTP-BIN-6,HTTP-MODE-1"]).await;
        let expected: BTreeSet<_> = expected.iter().copied().collect();
        assert_eq!(named(&report), expected, "{number}: {:?}", seen(&report));
        assert_eq!(report.counts.tried, 2, "{number}");
    }
}

#[tokio::test]
async fn a_handshake_that_is_known_in_some_letters_alone_is_none() {
    let answers: Answers = |head| match head.starts_with("OPTIONS") {
        true if head.contains("\r\nWebHook-Request-Origin: ") => CONSENT,
        true => REFUSED,
        false => TAKEN,
    };
    let report = tried(answers, &["--only", "HOOK-ABUSE-1"]).await;
    let expected = BTreeSet::from(["HOOK-ABUSE-1"]);
    assert_eq!(named(&report), expected, "{:?}", seen(&report));
}

#[tokio::test]
async fn what_may_be_a_handshake_and_may_be_none_is_not_judged() {
    // An origin that is not known, behind what answers for CORS; and whatever is asked.
    let by_another: Answers = |head| match head.starts_with("OPTIONS") {
        true if !head.contains("\r\nOrigin: ") => REFUSED,
        _ => TAKEN,
    };
    let always: Answers = |head| match head.starts_with("OPTIONS") {
        true => AWAITED,
        false => TAKEN,
    };
    for answers in [by_another, always] {
        let report = tried(answers, &["--only", "HOOK-ABUSE-1"]).await;
        let is_told = report.why_not_tried("HOOK-ABUSE-1").is_some();
        assert!(is_told, "{:?}", seen(&report));
    }
}

#[tokio::test]
async fn a_body_behind_204_is_seen() {
    let report = tried(|_| TAKEN_AND_MORE, &[]).await;
    assert!(
        named(&report).contains("HOOK-RESP-3"),
        "{:?}",
        seen(&report)
    );
    let report = tried(|_| TAKEN, &[]).await;
    assert!(
        !named(&report).contains("HOOK-RESP-3"),
        "{:?}",
        seen(&report)
    );
}
