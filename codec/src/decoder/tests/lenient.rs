//! What the decoder of an intermediary takes, and what it refuses as ever.

use super::*;
use crate::{EncodeError, JsonText, Leniency};

fn lenient() -> Decoder {
    Decoder::default().with_leniency(Leniency::INTERMEDIARY)
}

/// A message in binary mode, read leniently.
fn carried<'a>(
    binding: &Binding,
    others: &[Header<'a>],
    body: Option<&'a [u8]>,
) -> Result<Event<'a>, DecodeError> {
    let headers = binary(binding, others);
    lenient().decode(binding, headers, body)
}

#[test]
fn a_forbidden_datacontenttype_stands_in_for_a_content_type_that_is_missing() {
    let null = Header {
        name: "content-type",
        value: None,
    };
    let typed = header("content-type", "text/plain");
    for (binding, other, content_type, expected) in [
        (&KAFKA, "ce_datacontenttype", None, "text/xml"),
        (&KAFKA, "ce_datacontenttype", Some(null), "text/xml"),
        (&KAFKA, "ce_datacontenttype", Some(typed), "text/plain"),
        (&HTTP, "CE-DataContentType", None, "text/xml"),
        (&HTTP, "ce-datacontenttype", Some(typed), "text/plain"),
    ] {
        let other = header(other, "text/xml");
        let mut headers = vec![other];
        headers.extend(content_type);
        for _ in 0..2 {
            let event = carried(binding, &headers, Some(b"x")).unwrap();
            assert_eq!(event.datacontenttype(), Some(expected), "{headers:?}");
            let strict = binary(binding, &headers);
            let refused = decode(binding, &strict, Some(b"x")).unwrap_err();
            assert_eq!(refused.kind, DecodeErrorKind::ForbiddenHeader);
            headers.reverse();
        }
        let twice = carried(binding, &[other, other], None);
        let repeated = DecodeErrorKind::Attribute(AttributeFault::Repeated);
        assert_eq!(twice.unwrap_err().kind, repeated);
    }
}

#[test]
fn a_uri_that_was_not_percent_encoded_is_taken_as_it_stands() {
    for (name, value, expected) in [
        ("ce-source", "https://x/?a=b%20c", "https://x/?a=b%20c"),
        ("ce-source", " \"/s?a=b%20c\" ", "/s?a=b%20c"),
        ("ce-source", "/s?q=%E9", "/s?q=%E9"),
        ("ce-dataschema", "https://x/%0A", "https://x/%0A"),
        ("ce-dataref", "/a%20b", "/a%20b"),
        // Decoded they are what was asked for.
        ("ce-source", "/s?a=b%2520c", "/s?a=b%20c"),
        ("ce-source", "/a%41", "/aA"),
        ("ce-subject", "a%20b", "a b"),
        // Neither way.
        ("ce-dataschema", "/a%20b", "/a b"),
    ] {
        let others: Vec<_> = ["1.0", "1", "t", value]
            .into_iter()
            .zip(["ce-specversion", "ce-id", "ce-type", name])
            .map(|(value, name)| header(name, value))
            .chain((name != "ce-source").then(|| header("ce-source", "/a")))
            .collect();
        let event = lenient().decode(&NATS, others, Some(b"")).unwrap();
        let attribute = event.attribute(name.trim_start_matches("ce-")).unwrap();
        assert_eq!(attribute.text(), expected, "{name}: {value}");
    }
    let refused = carried(&HTTP, &[header("ce-subject", "%E9")], None);
    assert_eq!(refused.unwrap_err().kind, DecodeErrorKind::HeaderNotUtf8);
}

#[test]
fn attributes_of_another_form_are_text_and_are_named() {
    let members = r##""dataschema":"#/definitions/x","time":"today","dataref":"a b","sampledrate":"030",
        "datacontenttype":"application/json; charset","other":"a b""##;
    let text = with(members);
    let event = lenient().decode_structured(text.as_bytes()).unwrap();
    let irregular = [
        "datacontenttype",
        "dataschema",
        "time",
        "dataref",
        "sampledrate",
    ];
    assert!(event.irregular().eq(irregular));
    for name in irregular {
        let ty = event.attribute(name).map(|value| value.ty());
        assert_eq!(ty, Some(AttributeType::String), "{name}");
    }
    for (binding, expected) in [
        (&KAFKA, Ok(None)),
        (&HTTP, Err(EncodeError::Irregular)),
        (&NATS, Err(EncodeError::Irregular)),
    ] {
        let written = encode(&event, binding, ContentMode::Binary, |_, _| {});
        assert_eq!(written, expected);
    }
    // Text that a caller gives a known name is none of it.
    let given = event.clone().with_extension("sampledrate", "x").unwrap();
    assert!(given.irregular().eq(irregular[..4].iter().copied()));
    let mended = event.clone().with_dataschema("https://x/").unwrap();
    let mended = mended.with_json(JsonText::new("1").unwrap());
    // Its content type is a JSON type, and stays.
    let rest = ["datacontenttype", "time", "dataref", "sampledrate"];
    assert!(mended.irregular().eq(rest));
    let other =
        r#"{"specversion":"1.0","id":"1","source":"/a","type":"b","datacontenttype":"a/b; c"}"#;
    let other_event = lenient().decode_structured(other.as_bytes()).unwrap();
    let mended = other_event.with_json(JsonText::new("1").unwrap());
    assert_eq!(mended.irregular().next(), None);
    // Whatever the order and the spelling of members.
    let escaped = text.replace("\"time\"", "\"tim\\u0065\"");
    assert_eq!(lenient().decode_structured(escaped.as_bytes()), Ok(event));
}

#[test]
fn what_is_ambiguous_stays_refused() {
    for members in [
        r#""dataschema":"a\u0001""#,
        r#""time":"\u0085""#,
        r#""dataschema":"""#,
        r#""datacontenttype":"json""#,
        r#""datacontenttype":"a/b; c ""#,
        r#""datacontenttype":"a/b; é""#,
        r#""datacontenttype":"text/plain","data":{}"#,
        r#""Name":"1""#,
        r#""time":7"#,
    ] {
        let text = with(members);
        let strictly = Decoder::default().decode_structured(text.as_bytes());
        let carried = lenient().decode_structured(text.as_bytes());
        assert_eq!(carried, Err(strictly.unwrap_err()), "{members}");
    }
}

#[test]
fn opaque_data_is_looked_at_when_it_is_asked_for() {
    let decoder = Decoder::default().with_leniency(Leniency::INTERMEDIARY.with_opaque_data(true));
    let headers = binary(&KAFKA, &[header("content-type", "application/json")]);
    let read = |body| {
        let event = decoder.decode(&KAFKA, headers.iter().copied(), body);
        event.unwrap()
    };
    let broken = read(Some(&b"{\xFF"[..]));
    let body = encode(&broken, &KAFKA, ContentMode::Binary, |_, _| {});
    assert_eq!(body.unwrap().as_deref(), Some(&b"{\xFF"[..]));
    for mut broken in [broken.clone(), broken.into_owned()] {
        let refused = decoder.judge_data(&mut broken).unwrap_err().kind;
        assert!(matches!(refused, DecodeErrorKind::Json(_)));
    }
    let judged = |body| {
        let mut event = read(body);
        decoder.judge_data(&mut event).unwrap();
        event.data().clone().into_owned()
    };
    assert!(matches!(judged(Some(b"{}")), Data::Json(_)));
    assert_eq!(judged(None), Data::None);
    // A writer's way to say that there is none.
    assert_eq!(judged(Some(b"")), Data::Binary(b"".into()));
    // It says nothing about other modes.
    let structured = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b","data":{"a":}}"#;
    assert!(decoder.decode_structured(structured).is_err());
}

#[test]
fn an_irregular_attribute_that_is_taken_away_or_replaced_is_marked_no_more() {
    let text = with(r#""dataref":"a b","dataschema":"c d""#);
    let event = lenient().decode_structured(text.as_bytes()).unwrap();
    let written =
        |event: &Event<'_>| encode(event, &HTTP, ContentMode::Binary, |_, _| {}).map(drop);
    let schemaless = event.without("dataschema").unwrap();
    assert_eq!(written(&schemaless), Err(EncodeError::Irregular));
    let other = schemaless.clone().with_extension("other", "a b").unwrap();
    assert_eq!(written(&other), Err(EncodeError::Irregular));
    for regular in [
        schemaless.clone().without("dataref").unwrap(),
        schemaless.with_extension("dataref", "/a").unwrap(),
    ] {
        assert_eq!(written(&regular), Ok(()));
        assert_eq!(regular.irregular().next(), None);
    }
}
