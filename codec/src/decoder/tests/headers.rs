//! Messages with headers: which mode they announce, and what is wrong with them.

use super::*;

#[test]
fn the_mode_follows_the_headers() {
    let structured = [header("Content-Type", "Application/CloudEvents+json")];
    let batched = [header("content-type", "application/cloudevents-batch+json")];
    let event = [header("CE-ID", "1")];
    let foreign = [header("content-type", "application/json")];
    for (binding, headers, expected) in [
        (&HTTP, &structured[..], ContentMode::Structured),
        (&KAFKA, &structured, ContentMode::Binary),
        (&NATS, &structured, ContentMode::Structured),
        (&HTTP, &batched, ContentMode::Batched),
        (&HTTP, &foreign, ContentMode::Binary),
        (&NATS, &event, ContentMode::Binary),
        (&NATS, &foreign, ContentMode::Structured),
        (&NATS, &[], ContentMode::Structured),
        (&KAFKA, &[], ContentMode::Binary),
    ] {
        let message = Message {
            headers,
            body: None,
        };
        assert_eq!(Decoder::mode(binding, &message), expected, "{headers:?}");
    }
}

#[test]
fn what_is_no_event_is_told_from_what_is_a_broken_one() {
    let structured = [header("content-type", "application/cloudevents+json")];
    let batch = [header("content-type", "application/cloudevents-batch+json")];
    let avro = [header("content-type", "application/cloudevents+avro")];
    let plain = [header("content-type", "application/json")];
    let part = [header("ce_id", "1")];
    let optional = [header("ce_subject", "1")];
    let json = |fault| DecodeErrorKind::Json(fault);
    for (binding, headers, body, expected) in [
        (
            &KAFKA,
            &plain[..],
            Some(&b"{}"[..]),
            DecodeErrorKind::NotACloudEvent,
        ),
        (&KAFKA, &optional, None, DecodeErrorKind::NotACloudEvent),
        (
            &NATS,
            &plain,
            Some(b"hallo"),
            DecodeErrorKind::NotACloudEvent,
        ),
        (
            &KAFKA,
            &part,
            None,
            DecodeErrorKind::Attribute(AttributeFault::Missing),
        ),
        (&KAFKA, &structured, None, json(JsonFault::UnexpectedEnd)),
        (
            &KAFKA,
            &batch,
            Some(b"[]"),
            DecodeErrorKind::UnsupportedFormat,
        ),
        (
            &NATS,
            &batch,
            Some(b"[]"),
            DecodeErrorKind::UnsupportedFormat,
        ),
        (&HTTP, &avro, Some(b"x"), DecodeErrorKind::UnsupportedFormat),
    ] {
        assert_eq!(
            decode(binding, headers, body).unwrap_err().kind,
            expected,
            "{headers:?}"
        );
    }
}

#[test]
fn headers_that_two_readers_could_read_differently_are_refused() {
    let fault = DecodeErrorKind::Attribute;
    for (binding, others, expected, place) in [
        (
            &HTTP,
            &[header("CE-ID", "2")][..],
            fault(AttributeFault::Repeated),
            "CE-ID",
        ),
        (
            &KAFKA,
            &[header("ce_id", "2")],
            fault(AttributeFault::Repeated),
            "ce_id",
        ),
        (
            &HTTP,
            &[header("content-type", "a/b"), header("Content-Type", "a/b")],
            fault(AttributeFault::Repeated),
            "Content-Type",
        ),
        (
            &HTTP,
            &[header("ce-data", "x")],
            fault(AttributeFault::Name),
            "ce-data",
        ),
        (
            &HTTP,
            &[header("ce-", "x")],
            fault(AttributeFault::Name),
            "ce-",
        ),
        (
            &HTTP,
            &[header("ce-datacontenttype", "a/b")],
            DecodeErrorKind::ForbiddenHeader,
            "ce-datacontenttype",
        ),
        (
            &NATS,
            &[header("ce-e", "%FF")],
            DecodeErrorKind::HeaderNotUtf8,
            "ce-e",
        ),
        (
            &NATS,
            &[header("ce-e", "%0A")],
            fault(AttributeFault::Character),
            "ce-e",
        ),
    ] {
        let headers = binary(binding, others);
        let error = decode(binding, &headers, None).unwrap_err();
        assert_eq!(error.kind, expected);
        assert_eq!(error.place, Place::Header(place.into()));
    }
}

#[test]
fn a_null_header_is_an_attribute_that_is_not_set() {
    let unset = Header {
        name: "ce_subject",
        value: None,
    };
    let headers = binary(&KAFKA, &[unset]);
    let Ok(Decoded::Binary(event)) = decode(&KAFKA, &headers, Some(b"")) else {
        panic!("an event without subject");
    };
    assert_eq!(event.subject(), None);
    assert_eq!(event.data(), &Data::Binary(b"".into()));
    let Ok(Decoded::Binary(event)) = decode(&KAFKA, &headers, None) else {
        panic!("an event without data");
    };
    assert_eq!(event.data(), &Data::None);
}

#[test]
fn binary_mode_alone_is_read_as_any_other_reads_it() {
    let binary = [
        header("ce_specversion", "1.0"),
        header("ce_id", "1"),
        header("ce_source", "/a"),
        header("ce_type", "b"),
    ];
    let structured = [header("content-type", "application/cloudevents+json")];
    let event = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;
    for (headers, body) in [
        (&binary[..], None),
        (&binary, Some(&b"x"[..])),
        (&binary[1..], None),
        (&structured, None),
        (&structured, Some(event)),
    ] {
        let message = Message { headers, body };
        let alone = Decoder::default().decode_binary(&KAFKA, &message);
        let expected = match decode(&KAFKA, headers, body) {
            Ok(Decoded::Binary(event)) => Ok(event),
            Ok(_) => Err(DecodeError::new(DecodeErrorKind::NotBinary, Place::Message)),
            Err(error) => Err(error),
        };
        assert_eq!(alone, expected, "{headers:?}");
    }
}
