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
        assert_eq!(
            Decoder::mode(binding, headers.iter().copied()),
            expected,
            "{headers:?}"
        );
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
fn a_null_datacontenttype_leaves_it_to_the_content_type() {
    let name = "ce_datacontenttype";
    let unset = Header { name, value: None };
    let typed = header("content-type", "text/plain");
    for others in [&[unset, typed][..], &[typed, unset], &[unset, typed, unset]] {
        let headers = binary(&KAFKA, others);
        let event = Decoder::default().decode(&KAFKA, headers, None).unwrap();
        assert_eq!(event.datacontenttype(), Some("text/plain"));
    }
    let repeated = DecodeErrorKind::Attribute(AttributeFault::Repeated);
    for (others, kind) in [
        (&[unset, unset][..], repeated),
        (
            &[unset, header(name, "a/b"), typed],
            DecodeErrorKind::ForbiddenHeader,
        ),
    ] {
        let headers = binary(&KAFKA, others);
        let error = decode(&KAFKA, &headers, None).unwrap_err();
        assert_eq!(error.kind, kind);
    }
}

/// NATS binding 1.0.3-wip, section 3.1: no attribute travels in it.
#[test]
fn a_content_type_that_is_not_that_of_the_event_of_nats_does_no_harm() {
    let bytes = |bytes: &'static [u8]| Data::Binary(bytes.into());
    let json = crate::JsonText::new("[1]").unwrap();
    for (value, body, ty, data) in [
        (&b"json"[..], &b"x"[..], None, bytes(b"x")),
        (b"", b"x", None, bytes(b"x")),
        (b"\xE9", b"x", None, bytes(b"x")),
        (b"application/json", b"x", None, bytes(b"x")),
        (b"application/json", b"\xFF", None, bytes(b"\xFF")),
        (
            b"application/json",
            b"[1]",
            Some("application/json"),
            Data::Json(json),
        ),
        (
            b"application/json",
            b"",
            Some("application/json"),
            Data::None,
        ),
        (b" a/b ", b"x", Some("a/b"), bytes(b"x")),
    ] {
        let bare = Header {
            name: "Content-Type",
            value: Some(value),
        };
        let headers = binary(&NATS, &[bare]);
        let opaque = Leniency::STRICT.with_opaque_data(true);
        for decoder in [Decoder::default(), Decoder::default().with_leniency(opaque)] {
            let event = decoder.decode(&NATS, headers.iter().copied(), Some(body));
            let mut event = event.unwrap();
            assert_eq!((event.datacontenttype(), event.data()), (ty, &data));
            assert_eq!(decoder.judge_data(&mut event), Ok(()));
        }
    }
    let deep = [&[b'['; 140][..], &[b']'; 140]].concat();
    let headers = binary(&NATS, &[header("Content-Type", "application/json")]);
    let error = decode(&NATS, &headers, Some(&deep)).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::TooLarge);
    let opaque = Decoder::default().with_leniency(Leniency::STRICT.with_opaque_data(true));
    let event = opaque.decode(&NATS, headers.iter().copied(), Some(&deep));
    let event = event.unwrap();
    assert_eq!(event.datacontenttype(), Some("application/json"));
    assert_eq!(event.data(), &Data::Binary(deep[..].into()));
}

#[test]
fn one_event_is_read_as_in_any_mode_and_a_batch_is_not() {
    let binary = binary(&HTTP, &[]);
    let structured = [header("content-type", "application/cloudevents+json")];
    let batch = [header("content-type", "application/cloudevents-batch+json")];
    let event = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;
    let no_batch = DecodeError::new(DecodeErrorKind::UnexpectedBatch, Place::Message);
    for (headers, body) in [
        (&binary[..], None),
        (&binary, Some(&b"x"[..])),
        (&binary[1..], None),
        (&structured, None),
        (&structured, Some(event)),
        (&batch, Some(b"[]")),
    ] {
        let one = Decoder::default().decode(&HTTP, headers.iter().copied(), body);
        let expected = match decode(&HTTP, headers, body) {
            Ok(Decoded::Binary(event) | Decoded::Structured(event)) => Ok(event),
            Ok(Decoded::Batch(_)) => Err(no_batch.clone()),
            Err(error) => Err(error),
        };
        assert_eq!(one, expected, "{headers:?}");
    }
    let unread = Decoder::default().decode(&HTTP, batch, Some(b"no JSON"));
    assert_eq!(unread, Err(no_batch));
}

#[test]
fn an_event_outlives_the_list_of_its_headers() {
    fn read<'m>(received: &'m [(String, String)], body: &'m [u8]) -> Event<'m> {
        let headers = received.iter().map(|(name, value)| (name, value));
        let list: Vec<_> = headers.map(Header::from).collect();
        Decoder::default().decode(&KAFKA, list, Some(body)).unwrap()
    }
    let pairs = ["specversion", "id", "source", "type"].map(|name| format!("ce_{name}"));
    let values = ["1.0", "1", "/a", "b"].map(str::to_owned);
    let received: Vec<_> = pairs.into_iter().zip(values).collect();
    let event = read(&received, b"{}");
    assert_eq!(
        (event.id(), event.data()),
        ("1", &Data::Binary(b"{}".into()))
    );
}
