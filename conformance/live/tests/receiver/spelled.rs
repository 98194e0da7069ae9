//! Receivers as only somebody makes them who reads requests and writes answers without a library.

use std::collections::BTreeSet;
use std::process::Output;

use cloudevents_nl_conformance::report::Report;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::tokens::TOKEN;
use super::{checked, command, named, seen};

const TAKEN: &str = "HTTP/1.1 204 No Content\r\nallow: POST, OPTIONS\r\n\r\n";
const TAKEN_AND_MORE: &str = "HTTP/1.1 204 No Content\r\nallow: POST, OPTIONS\r\n\r\nok";
const AWAITED: &str = "HTTP/1.1 202 Accepted\r\nallow: POST, OPTIONS\r\ncontent-length: 0\r\n\r\n";
const REFUSED: &str = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
/// One byte less than it says.
const CUT_SHORT: &str = "HTTP/1.1 200 OK\r\nallow: POST, OPTIONS\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nok";
/// Two bytes less, and the connection stays open.
const LEFT_OPEN: &str = "HTTP/1.1 200 OK\r\nallow: POST, OPTIONS\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nok";
const FAILED: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n";
const CONSENT: &str = "HTTP/1.1 200 OK\r\nallow: POST, OPTIONS\r\nwebhook-allowed-origin: *\r\n\
     webhook-allowed-rate: *\r\ncontent-length: 0\r\n\r\n";

/// Gives to what came over a connection the answer to the last request.
type Answers = fn(&str) -> &'static str;

async fn tried(
    answers: impl Fn(&str) -> &'static str + Copy + Send + 'static,
    more: &[&str],
) -> Report {
    checked(&output(answers, more).await)
}

async fn output(
    answers: impl Fn(&str) -> &'static str + Copy + Send + 'static,
    more: &[&str],
) -> Output {
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
    output
}

async fn serve(mut stream: TcpStream, answers: impl Fn(&str) -> &'static str) {
    let mut read: Vec<u8> = Vec::new();
    let mut done = 0;
    loop {
        let end_of_head = |left: &[u8]| left.windows(4).position(|four| four == b"\r\n\r\n");
        while let Some(at) = end_of_head(&read[done..]) {
            let head = String::from_utf8_lossy(&read[done..done + at]);
            let mut headers = head.lines().filter_map(|line| line.split_once(": "));
            let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
            let end = done + at + 4 + length;
            if read.len() < end {
                break;
            }
            done = end;
            let answer = answers(&String::from_utf8_lossy(&read[..done]));
            stream.write_all(answer.as_bytes()).await.unwrap();
            if answer == CUT_SHORT {
                return;
            }
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
async fn an_answer_that_is_cut_short_is_one() {
    let more = ["--only", "HTTP-BIN-6", "--lang", "en", "--timeout", "1"];
    for answer in [CUT_SHORT, LEFT_OPEN] {
        let output = output(move |_| answer, &more).await;
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("answers that were cut short: "), "{told}");
        let report = checked(&output);
        assert!(
            !named(&report).contains("HTTP-BIN-6"),
            "{:?}",
            seen(&report)
        );
        assert_eq!(report.counts.tried, 1);
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

#[tokio::test]
async fn who_refuses_what_is_rare_is_named() {
    let faults = [
        ("17:31:00Z", REFUSED, "CE-TIME-1", true),
        ("00.1234567891Z", REFUSED, "CE-TIME-1", true),
        ("+05:30", REFUSED, "CE-TIME-1", true),
        ("00-00:00", REFUSED, "CE-TIME-1", true),
        ("9999-12-31", FAILED, "CE-TIME-1", true),
        // No fault: an application may refuse what is so far off, and all times.
        ("9999-12-31", REFUSED, "CE-TIME-1", false),
        ("0001-01-01", REFUSED, "CE-TIME-1", false),
        ("-23:59", REFUSED, "CE-TIME-1", false),
        // It takes them in binary mode.
        (r#","time":""#, REFUSED, "CE-TIME-1", true),
        ("CENL-TEST-", REFUSED, "CE-ID-4", true),
        (",%20%22a%22%20%27", REFUSED, "HTTP-BIN-3", true),
        ("aaaaaaaaaaaaaaaa", REFUSED, "HTTP-BIN-3", true),
        ("ce-subject: aaaa", REFUSED, "HTTP-BIN-3", true),
        (r#""subject":"aaaa"#, REFUSED, "HTTP-STR-4", true),
        ("\r\n\r\n[1]", REFUSED, "HTTP-BIN-1", true),
        (r#",{"data_base64""#, REFUSED, "HTTP-DETECT-1", true),
        (r#"},{"cenltest""#, REFUSED, "HTTP-DETECT-1", true),
        // No fault: it takes no bytes alone either.
        ("data_base64", REFUSED, "HTTP-DETECT-1", false),
        (r#":{"":-0.0,"a.b":1e-7}"#, REFUSED, "HTTP-STR-4", true),
        (r#":{"a":"é😀\u0000"}"#, REFUSED, "HTTP-STR-4", true),
        (r"n\/json", REFUSED, "HTTP-STR-4", true),
        ("\n}\n", REFUSED, "HTTP-STR-4", true),
        ("é/: 1", REFUSED, "HTTP-STR-4", true),
        // It takes UUIDs alone, and is tried out with these.
        ("cenl-test-", REFUSED, "HTTP-STR-4", true),
    ];
    for (refused, answer, rule, is_fault) in faults {
        let answers = move |all: &str| if all.contains(refused) { answer } else { TAKEN };
        let report = tried(answers, &["--only", rule]).await;
        let expected: BTreeSet<_> = is_fault.then_some(rule).into_iter().collect();
        assert_eq!(named(&report), expected, "{refused}: {:?}", seen(&report));
    }
}

#[tokio::test]
async fn a_token_is_asked_for_with_each_request() {
    let answers: Answers = |all| {
        let in_header = all.contains(&format!("authorization: Bearer {TOKEN}\r\n"));
        let in_query = |end: &str| all.contains(&format!("access_token=right%2Btoken%3D{end}"));
        taken_if(in_header || in_query(" ") || in_query("&"))
    };
    let only = ["--token-env", "CENL_TOKEN", "--only", "HOOK-AUTH-2"];
    let report = tried(answers, &only).await;
    let expected = "HOOK-AUTH-2 no token, on the connection of one with it → 204";
    let seen = seen(&report);
    assert!(seen.iter().any(|seen| seen == expected), "{seen:?}");
}
