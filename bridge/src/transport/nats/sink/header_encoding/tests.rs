//! What goes in comes out, and nothing that was received becomes an order to the server.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cloudevents_nl_codec::{KAFKA, NATS};
use proptest::prelude::*;

use super::*;
use crate::delivery::Position;
use crate::tests::linear;
use crate::transport::MessageId;

type Headers = Vec<(String, Option<Vec<u8>>)>;

fn dead_letter(headers: &[(String, Option<Vec<u8>>)]) -> Outgoing {
    let mut list = HeaderList::default();
    for (name, value) in headers {
        list.push(name, value.as_deref());
    }
    Outgoing {
        headers: list,
        received_as: Some(&KAFKA),
        ..Outgoing::default()
    }
}

/// The lines between the first one and the end of the block, as the client writes them.
fn written(message: &Outgoing, stream: Option<&str>) -> Vec<(String, String)> {
    let lines = header_lines(message, stream);
    let map = header_map(&lines);
    let values = map.iter().flat_map(|(name, values)| {
        let line = |value: &HeaderValue| format!("{name}: {value}\r\n");
        values.iter().map(line).collect::<Vec<_>>()
    });
    let block: String = values.collect();
    let lines = block.split_terminator("\r\n").map(|line| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_owned(), value.trim().to_owned())
    });
    lines.collect()
}

/// What a client of the server receives.
fn received(lines: Vec<(String, String)>, body: Option<&Bytes>) -> Received {
    let mut headers = HeaderList::default();
    for (name, value) in lines {
        headers.push(&name, Some(value.as_bytes()));
    }
    Received {
        binding: &NATS,
        headers,
        key: None,
        body: Some(body.cloned().unwrap_or_default()),
        timestamp_ms: None,
        position: Position::numbered("http:", 0),
        defect: None,
    }
}

/// The values of each name, in order.
fn by_name(headers: &HeaderList) -> Vec<(String, Vec<Option<Vec<u8>>>)> {
    let mut names: Vec<(String, Vec<Option<Vec<u8>>>)> = Vec::new();
    for header in headers.iter() {
        let value = header.value.map(<[u8]>::to_vec);
        match names.iter_mut().find(|(name, _)| name == header.name) {
            Some((_, values)) => values.push(value),
            None => names.push((header.name.to_owned(), vec![value])),
        }
    }
    names.sort();
    names
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z_-]{1,6}",
        Just("Nats-Msg-Id".to_owned()),
        Just("nats-ttl".to_owned()),
        Just("cenl-headers".to_owned()),
        Just("Cenl-Key".to_owned()),
        Just("cenl-timestamp".to_owned()),
        Just("cenl-null-body".to_owned()),
        Just("x".to_owned()),
        any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        Just(None),
        proptest::collection::vec(any::<u8>(), 0..8).prop_map(Some),
        "[ -~]{0,12}".prop_map(|text| Some(text.into_bytes())),
        "\\PC{0,6}".prop_map(|text| Some(text.into_bytes())),
        Just(Some(b"a\r\nNats-Msg-Id: 1".to_vec())),
        Just(Some(b" a\t".to_vec())),
    ]
}

proptest! {
    #[test]
    fn a_dead_letter_is_restored_exactly(
        headers in proptest::collection::vec((name(), value()), 0..8),
        key in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..8)),
        timestamp_ms in any::<Option<i64>>(),
        body in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..8)),
    ) {
        let message = Outgoing {
            key: key.map(Bytes::from),
            timestamp_ms,
            body: body.map(Bytes::from),
            ..dead_letter(&headers)
        };
        let lines = written(&message, None);
        for (name, _) in &lines {
            prop_assert!(!name.to_ascii_lowercase().starts_with("nats-"), "{name}");
        }
        let restored = restore_dead_letter(received(lines, message.body.as_ref()));
        prop_assert_eq!(by_name(&restored.headers), by_name(&message.headers));
        prop_assert_eq!(restored.key, message.key);
        prop_assert_eq!(restored.timestamp_ms, message.timestamp_ms);
        prop_assert_eq!(restored.body, message.body);
    }
}

fn spelled(headers: &[(&str, Option<&[u8]>)]) -> Vec<(String, String)> {
    let headers: Headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.map(<[u8]>::to_vec)))
        .collect();
    let mut lines = written(&dead_letter(&headers), None);
    lines.retain(|(name, _)| name != NULL_BODY);
    lines.sort();
    lines
}

#[test]
fn what_nats_cannot_carry_is_written_otherwise() {
    for (name, value, expected) in [
        ("ce-id", Some(&b"1"[..]), ("ce-id", "1")),
        ("a", Some("é b".as_bytes()), ("a", "é b")),
        ("a", Some(b""), ("a", "")),
        ("a", None, ("cenl-headers", "a")),
        ("a", Some(b"\xff\r\n"), ("cenl-headers", "a=%FF%0D%0A")),
        (
            "a",
            Some(b" =%&+ "),
            ("cenl-headers", "a=%20%3D%25%26%2B%20"),
        ),
        ("a b", Some(b"1"), ("cenl-headers", "a%20b=1")),
        ("", Some(b"1"), ("cenl-headers", "=1")),
        (
            "NATS-Rollup",
            Some(b"all"),
            ("cenl-headers", "NATS-Rollup=all"),
        ),
        (
            "cenl-headers",
            Some(b"x"),
            ("cenl-headers", "cenl-headers=x"),
        ),
        ("cenl-route", Some(b"x"), ("cenl-route", "x")),
    ] {
        let (expected_name, expected_value) = expected;
        let expected = vec![(expected_name.to_owned(), expected_value.to_owned())];
        assert_eq!(spelled(&[(name, value)]), expected);
    }
}

#[test]
fn one_header_holds_all_that_was_rewritten() {
    let both = spelled(&[
        ("b", None),
        ("a", Some(b"1")),
        ("b", Some(b" ")),
        ("", None),
    ]);
    let expected = [("a", "1"), ("cenl-headers", "b&b=%20&")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(both, expected);
}

#[test]
fn the_sink_alone_gives_orders_to_the_server() {
    let id = MessageId::of("zaken", "/s", "1");
    let mut message = dead_letter(&[("Nats-Msg-Id".to_owned(), Some(b"theirs".to_vec()))]);
    message.message_id = Some(id);
    let id = id.to_string();
    let expected = [
        ("Nats-Expected-Stream", "ZAKEN"),
        ("Nats-Msg-Id", id.as_str()),
        (REWRITTEN, "Nats-Msg-Id=theirs"),
        (NULL_BODY, "1"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(written(&message, Some("ZAKEN")), expected);
}

/// The client writes the lines as they are, and counts them as the server does.
#[test]
fn lines_go_out_as_one_value() {
    let headers = [("a", "1"), ("b", "2"), ("a", "3")];
    let headers = headers.map(|(name, value)| (name.to_owned(), Some(value.as_bytes().to_vec())));
    let mut message = dead_letter(&headers);
    message.body = Some(Bytes::new());
    let lines = header_lines(&message, None);
    assert_eq!(lines, "a: 1\r\nb: 2\r\na: 3");
    assert_eq!(header_map(&lines).len(), 1);
    let block = format!("NATS/1.0\r\n{lines}\r\n\r\n");
    assert_eq!(block_len(&lines), block.len());
    assert!(header_map("").is_empty());
}

#[test]
fn a_decoder_takes_what_the_sink_writes_and_nothing_else() {
    assert_eq!(percent_decoded(b"a%FF%20"), Some(b"a\xff ".to_vec()));
    for other in ["%", "%f", "%ff", "a b", "%41", "\u{e9}"] {
        assert_eq!(percent_decoded(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn a_million_headers_that_cannot_go_as_they_are_cost_no_more_than_their_bytes() {
    linear(|| {
        let mut message = dead_letter(&[]);
        for number in 0..1_000_000 {
            message.headers.push(&format!("x{number:06}"), None);
        }
        let lines = written(&message, None);
        assert_eq!(lines[0].1.len(), 7_999_999);
        let restored = restore_dead_letter(received(lines, None));
        assert_eq!(restored.headers, message.headers);
    });
}
