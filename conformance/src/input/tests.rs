#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::capture::Purpose;

fn items(text: &str, form: Form) -> Vec<Item> {
    let items = Items::new(text.as_bytes(), form);
    items.collect::<Result<_, _>>().unwrap()
}

/// What each message is, and the line it begins on.
fn kinds(text: &str, form: Form) -> Vec<(String, u64)> {
    let kind = |item: &Item| match &item.content {
        Content::Message(capture) => {
            let batch = capture.header("content-type").unwrap_or_default();
            format!("{:?} {batch}", capture.protocol)
                .trim_end()
                .to_owned()
        }
        Content::Exchange(exchange) => format!("{:?}", exchange.purpose),
        Content::Live(live) => live.rule.id.to_owned(),
    };
    let items = items(text, form);
    items
        .iter()
        .map(|item| (kind(item), item.lines.first))
        .collect()
}

fn fault(text: &str, form: Form) -> InputError {
    let mut items = Items::new(text.as_bytes(), form);
    items.find_map(Result::err).unwrap()
}

const CAPTURE: &str = r#"{"protocol":"nats","headers":[["ce-id","1"]]}"#;
const EXCHANGE: &str = r#"{"exchange":"delivery","request":{"protocol":"http","headers":[]},"response":{"protocol":"http","status":204,"headers":[]}}"#;

#[test]
fn tells_documents_by_their_content() {
    let batch = "File application/cloudevents-batch+json";
    let text = format!(
        "{{\"a\":1}}\n[{{}}]\n{CAPTURE}\n{EXCHANGE}\n\nnothing\n{{\"headers\":1,\"specversion\":\"1.0\"}}\n{{\"headers\":1,\"id\":\"1\"}}"
    );
    let expected = [
        ("File", 1),
        (batch, 2),
        ("Nats", 3),
        ("Delivery", 4),
        ("File", 6),
        ("File", 7),
        ("File", 8),
    ];
    let expected = expected.map(|(kind, line)| (kind.to_owned(), line));
    assert_eq!(kinds(&text, Form::Recognised), expected);
}

#[test]
fn a_capture_with_an_id_is_no_event() {
    for text in [
        r#"{"id":7,"protocol":"kafka","headers":[]}"#,
        r#"{"id":7,"request":{"headers":[]},"response":{}}"#,
    ] {
        let fault = fault(text, Form::Recognised);
        assert!(matches!(fault, InputError::NotACapture { .. }), "{text}");
    }
}

#[test]
fn a_form_that_is_told_is_taken_at_its_word() {
    let text = "{\"a\":1}\n{\"b\":2}";
    assert_eq!(kinds(text, Form::Event), [("File".to_owned(), 1)]);
    assert_eq!(kinds(text, Form::Lines).len(), 2);
    assert_eq!(kinds("{\n}", Form::Lines).len(), 2);
    let batch = "File application/cloudevents-batch+json";
    assert_eq!(kinds(text, Form::Batch), [(batch.to_owned(), 1)]);
    assert!(matches!(
        fault(text, Form::Captures),
        InputError::At {
            line: 1,
            fault: LineFault::NoCapture
        }
    ));
    assert!(matches!(
        fault(text, Form::Http),
        InputError::At {
            line: 1,
            fault: LineFault::NotHttp
        }
    ));
}

#[test]
fn reads_requests_of_a_file_with_their_places() {
    let text = "# a comment\n@host = https://a.example\nPOST https://a.example/hook HTTP/1.1\r\n\
        ce-id: 1\r\nCE-ID: 2\r\nContent-Length: 4\r\n\r\n{\n}\n\n### another\n\nPOST {{host}}/x\nce-id: é\n";
    let items = items(text, Form::Recognised);
    let [first, second] = &*items else {
        panic!("{items:?}")
    };
    let (Content::Message(capture), Content::Message(other)) = (&first.content, &second.content)
    else {
        panic!("{items:?}");
    };
    assert_eq!(capture.method.as_deref(), Some("POST"));
    assert_eq!(capture.target.as_deref(), Some("https://a.example/hook"));
    assert_eq!(
        capture.body(),
        b"{\n}\n",
        "Content-Length counts one line break"
    );
    assert_eq!((first.lines.first, first.lines.body), (3, Some(8)));
    let expected = [("ce-id", 4), ("CE-ID", 5), ("Content-Length", 6)];
    assert_eq!(
        first.lines.headers,
        expected.map(|(name, line)| (name.to_owned(), line))
    );
    assert_eq!(other.header("ce-id"), Some("é"));
    assert_eq!((second.lines.first, other.body()), (13, &b""[..]));
}

#[test]
fn a_status_line_behind_a_request_makes_an_exchange() {
    for (text, purpose, status) in [
        (
            "POST /h HTTP/1.1\nce-id: 1\n\n{}\n\nHTTP/1.1 307 Moved\nLocation: /i\n",
            Purpose::Delivery,
            307,
        ),
        (
            "*   Trying 127.0.0.1:80...\n> OPTIONS /h HTTP/1.1\n> Host: a\n>\n* done\n< HTTP/1.1 100 Continue\n<\n< HTTP/1.1 200 OK\n< Allow: POST\n<\n{ [2 bytes data]\n{}\n",
            Purpose::Validation,
            200,
        ),
    ] {
        let items = items(text, Form::Recognised);
        let [
            Item {
                content: Content::Exchange(exchange),
                ..
            },
        ] = &*items
        else {
            panic!("{items:?}")
        };
        assert_eq!(
            (exchange.purpose, exchange.response.status),
            (purpose, Some(status))
        );
    }
}

#[test]
fn curl_i_shows_an_answer() {
    let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/cloudevents+json\r\n\r\n{\"id\":1}";
    let items = items(text, Form::Recognised);
    let [
        Item {
            content: Content::Message(capture),
            lines,
            ..
        },
    ] = &*items
    else {
        panic!("{items:?}")
    };
    assert_eq!(
        (capture.status, capture.body(), lines.body),
        (Some(200), &b"{\"id\":1}"[..], Some(6))
    );
}

#[test]
fn says_where_an_input_cannot_be_read() {
    for (text, form, expected) in [
        ("", Form::Recognised, "None: holds no message"),
        ("\n \n", Form::Lines, "None: holds no message"),
        ("###\n\n###\n", Form::Recognised, "None: holds no message"),
        (
            "{}\n{\"headers\":[]}\n",
            Form::Recognised,
            "Some((2, Some(14))): not in the shape of a capture",
        ),
        (
            "{\n\"headers\":[],\n\"protocol\":4}",
            Form::Recognised,
            "Some((3, Some(12))): not in the shape",
        ),
        (
            "{\"protocol\":\"http\",\"headers\":[],\"defect\":\"x\"}",
            Form::Recognised,
            "Some((1, None)): the message could not",
        ),
        (
            "POST / HTTP/1.1\nno header\n",
            Form::Recognised,
            "Some((2, None)): no header",
        ),
        (
            "POST / HTTP/1.1\n\n< ./event.json\n",
            Form::Recognised,
            "Some((3, None)): the body is in",
        ),
        (
            "> POST / HTTP/1.1\n> Content-Length: 7\n>\n< HTTP/1.1 200\n",
            Form::Recognised,
            "Some((1, None)): the body is not shown",
        ),
        (
            "### x\nno line\n",
            Form::Recognised,
            "Some((2, None)): neither",
        ),
    ] {
        let fault = fault(text, form);
        let told = format!("{:?}: {fault}", fault.place());
        assert!(told.starts_with(expected), "{text:?}: {told}");
    }
    let utf16 = b"\xFF\xFE{\0}\0";
    let mut items = Items::new(&utf16[..], Form::Recognised);
    assert!(matches!(items.next(), Some(Err(InputError::Utf16))));
}

#[test]
fn a_bad_capture_does_not_hide_what_follows() {
    let text = format!("{{\"headers\":[]}}\n{CAPTURE}\n");
    let mut items = Items::new(text.as_bytes(), Form::Captures);
    assert!(matches!(
        items.next(),
        Some(Err(InputError::NotACapture { line: 1, .. }))
    ));
    assert!(matches!(items.next(), Some(Ok(_))));
    assert!(items.next().is_none());
}

#[test]
fn what_is_too_long_ends_an_input() {
    let mut items = Items::with_limit(&b"{}\n[1,\n2,\n3]\n{}"[..], Form::Recognised, 8);
    assert!(matches!(items.next(), Some(Ok(_))));
    assert!(matches!(
        items.next(),
        Some(Err(InputError::At {
            line: 2,
            fault: LineFault::TooLong(8)
        }))
    ));
    assert!(items.next().is_none());
}

#[test]
fn line_breaks_at_the_end_are_looked_at_once() {
    let head = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n";
    let text = head.repeat(100_000) + &"\n".repeat(8_000_000);
    let (sender, done) = std::sync::mpsc::sync_channel(1);
    // Once for each head would take hours.
    std::thread::spawn(move || sender.send(http::read(text.as_bytes(), 1).len()));
    let count = done.recv_timeout(std::time::Duration::from_secs(120));
    assert_eq!(count.expect("linear work is done by now"), 100_000);
}
