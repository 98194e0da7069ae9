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

/// What a client of the server receives: the lines of the header block, trimmed.
fn received(map: &HeaderMap, body: Option<&Bytes>) -> Received {
    let mut headers = HeaderList::default();
    for (name, values) in map.iter() {
        for value in values {
            headers.push(name.as_ref(), Some(value.as_str().trim().as_bytes()));
        }
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
        let map = HeaderEncoding::default().headers(&message, None);
        for (name, _) in map.iter() {
            let name: &str = name.as_ref();
            prop_assert!(!name.to_ascii_lowercase().starts_with("nats-"), "{name}");
        }
        let restored = restore_dead_letter(received(&map, message.body.as_ref()));
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
    let map = HeaderEncoding::default().headers(&dead_letter(&headers), None);
    let lines = map.iter().flat_map(|(name, values)| {
        let line = |value: &HeaderValue| (name.to_string(), value.as_str().to_owned());
        values.iter().map(line).collect::<Vec<_>>()
    });
    let mut lines: Vec<_> = lines.filter(|(name, _)| name != NULL_BODY).collect();
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
    let map = HeaderEncoding::default().headers(&message, Some("ZAKEN"));
    let get = |name: &str| map.get(name).map(HeaderValue::as_str);
    assert_eq!(get("Nats-Msg-Id"), Some(id.to_string().as_str()));
    assert_eq!(get("Nats-Expected-Stream"), Some("ZAKEN"));
    assert_eq!(get(REWRITTEN), Some("Nats-Msg-Id=theirs"));
}

#[test]
fn only_so_many_names_are_kept() {
    let encoding = HeaderEncoding::default();
    for number in 0..2 * MOST_NAMES {
        let message = dead_letter(&[(format!("x{number}"), Some(b"1".to_vec()))]);
        assert!(
            encoding
                .headers(&message, None)
                .get(format!("x{number}"))
                .is_some()
        );
    }
    assert_eq!(encoding.0.borrow().len(), MOST_NAMES);
}

#[test]
fn a_million_headers_that_cannot_go_as_they_are_cost_no_more_than_their_bytes() {
    linear(|| {
        let mut message = dead_letter(&[]);
        for number in 0..1_000_000 {
            message.headers.push(&format!("x{number:06}"), None);
        }
        let map = HeaderEncoding::default().headers(&message, None);
        assert_eq!(map.get(REWRITTEN).unwrap().as_str().len(), 7_999_999);
        let restored = restore_dead_letter(received(&map, None));
        assert_eq!(restored.headers, message.headers);
    });
}
