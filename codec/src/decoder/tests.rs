mod headers;
mod lenient;
mod limits;
mod partial;

use super::*;
use crate::error::AttributeFault;
use crate::{
    AttributeType, Data, HTTP, Header, JsonFault, KAFKA, NATS, Value, encode, encode_structured,
};

const REQUIRED: &str = r#""specversion":"1.0","id":"1","source":"/a","type":"b""#;

/// An event with more members.
fn with(members: &str) -> String {
    format!("{{{REQUIRED},{members}}}")
}

fn error(text: &str) -> DecodeError {
    Decoder::default()
        .decode_structured(text.as_bytes())
        .unwrap_err()
}

fn header<'a>(name: &'a str, value: &'a str) -> Header<'a> {
    let value = Some(value.as_bytes());
    Header { name, value }
}

/// The four required headers of a binding, and others.
fn binary<'a>(binding: &Binding, others: &[Header<'a>]) -> Vec<Header<'a>> {
    let names = match binding.prefix {
        "ce_" => ["ce_specversion", "ce_id", "ce_source", "ce_type"],
        _ => ["ce-specversion", "ce-id", "ce-source", "ce-type"],
    };
    let values = ["1.0", "1", "/a", "b"];
    let required = names
        .into_iter()
        .zip(values)
        .map(|(name, value)| header(name, value));
    required.chain(others.iter().copied()).collect()
}

fn decode<'a>(
    binding: &Binding,
    headers: &'a [Header<'a>],
    body: Option<&'a [u8]>,
) -> Result<Decoded<'a>, DecodeError> {
    Decoder::default().decode_any(binding, headers.iter().copied(), body)
}

#[test]
fn errors_tell_kind_and_place() {
    let attribute = DecodeErrorKind::Attribute;
    let json = DecodeErrorKind::Json;
    let member = |name: &str| Place::Attribute(name.into());
    for (text, kind, place) in [
        ("", json(JsonFault::UnexpectedEnd), Place::Byte(0)),
        ("[]", DecodeErrorKind::NotAnObject, Place::Byte(0)),
        (" 7", DecodeErrorKind::NotAnObject, Place::Byte(1)),
        ("\u{feff}{}", json(JsonFault::ByteOrderMark), Place::Byte(0)),
        (
            "{}",
            attribute(AttributeFault::Missing),
            member("specversion"),
        ),
        (
            "{} x",
            attribute(AttributeFault::Missing),
            member("specversion"),
        ),
        (
            &with(r#""time":"today","dataschema":"x","e":}"#),
            attribute(AttributeFault::Timestamp),
            member("time"),
        ),
        (
            &with(r#""dataschema":"x","time":"today""#),
            attribute(AttributeFault::Uri),
            member("dataschema"),
        ),
        (
            &(with("\"a\":1") + " x"),
            json(JsonFault::TrailingText),
            Place::Byte(62),
        ),
        (
            &with(r#""a":1,"#),
            json(JsonFault::UnexpectedByte),
            Place::Byte(61),
        ),
        (
            &with(r#""a" 1"#),
            json(JsonFault::UnexpectedByte),
            Place::Byte(59),
        ),
        (
            &with(r#""abc\:"a value long enough""#),
            json(JsonFault::Escape),
            Place::Byte(59),
        ),
        (
            &with(r#""id":"2""#),
            attribute(AttributeFault::Repeated),
            member("id"),
        ),
        (
            &with(r#""i\u0064":null"#),
            attribute(AttributeFault::Repeated),
            member("id"),
        ),
        (
            &with(r#""e":null,"e":"x""#),
            attribute(AttributeFault::Repeated),
            member("e"),
        ),
        (
            &with(r#""data":1,"data":1"#),
            attribute(AttributeFault::Repeated),
            member("data"),
        ),
        (
            &with(r#""data_base64":null,"data_base64":"""#),
            attribute(AttributeFault::Repeated),
            member("data_base64"),
        ),
        (
            &with(r#""data":null,"data_base64":"""#),
            DecodeErrorKind::DataTwice,
            member("data_base64"),
        ),
        (
            &with(r#""data_base64":"YQ""#),
            attribute(AttributeFault::Base64),
            member("data_base64"),
        ),
        (
            &with(r#""data_base64":7"#),
            attribute(AttributeFault::NotAString),
            member("data_base64"),
        ),
        (
            &with(r#""time":7"#),
            attribute(AttributeFault::NotAString),
            member("time"),
        ),
        (
            &with(r#""time":1639157460000"#),
            attribute(AttributeFault::NotAString),
            member("time"),
        ),
        (
            r#"{"specversion":1.0}"#,
            attribute(AttributeFault::NotAString),
            member("specversion"),
        ),
        (
            &with(r#""subject":12345678901"#),
            attribute(AttributeFault::NotAString),
            member("subject"),
        ),
        (
            &with(r#""e":5.0"#),
            attribute(AttributeFault::NotAnInteger),
            member("e"),
        ),
        (
            &with(r#""e":{}"#),
            attribute(AttributeFault::NotAnAttribute),
            member("e"),
        ),
        (
            &with(r#""E":"x""#),
            attribute(AttributeFault::Name),
            member("E"),
        ),
        (
            &with(r#""e":"\u007f""#),
            attribute(AttributeFault::Character),
            member("e"),
        ),
        (
            &with(r#""e":"\ud83d""#),
            json(JsonFault::LoneSurrogate),
            Place::Byte(60),
        ),
        (
            &with(r#""e":"abc\ud800""#),
            json(JsonFault::LoneSurrogate),
            Place::Byte(63),
        ),
        (
            &with(r#""data":"ab\ud800","datacontenttype":"text/plain""#),
            json(JsonFault::LoneSurrogate),
            Place::Byte(65),
        ),
        (
            &with(r#""data":7,"datacontenttype":"text/plain""#),
            DecodeErrorKind::DataNotText,
            member("data"),
        ),
    ] {
        let error = error(text);
        assert_eq!((&error.kind, &error.place), (&kind, &place), "{text}");
        assert_eq!(error.element, None);
    }
    let long = format!("{{\"{}\":[]}}", "é".repeat(1000));
    assert_eq!(error(&long).place, Place::Attribute("é".repeat(64).into()));
    let error = Decoder::default()
        .decode_structured(b"{\"a\":\"\xFF\"}")
        .unwrap_err();
    assert_eq!(error.place, Place::Byte(6));
}

#[test]
fn null_is_as_if_the_member_were_not_there() {
    let text = with(r#""subject":null,"Odd":null,"data_base64":null,"data":null"#);
    let event = Decoder::default()
        .decode_structured(text.as_bytes())
        .unwrap();
    assert_eq!(event.attributes().count(), 4);
    assert!(matches!(event.data(), Data::Json(json) if json.as_str() == "null"));
}

#[test]
fn data_means_what_a_later_content_type_says() {
    let text = with(r#""data":"a\u0062\n","datacontenttype":"text/plain""#);
    let event = Decoder::default()
        .decode_structured(text.as_bytes())
        .unwrap();
    assert_eq!(event.data(), &Data::Text("ab\n".into()));
    let text = with(r#""data" : "\ud83d"  ,"datacontenttype":"a/b+json""#);
    let event = Decoder::default()
        .decode_structured(text.as_bytes())
        .unwrap();
    assert!(matches!(event.data(), Data::Json(json) if json.as_str() == r#""\ud83d""#));
}

#[test]
fn integers_and_registered_strings_become_integers() {
    let text = with(r#""n":-0,"sampledrate":"30","own":"7","s":"7""#);
    let register = Register::default().with("own", AttributeType::Integer);
    let decoder = Decoder::new(Limits::default(), register);
    let event = decoder.decode_structured(text.as_bytes()).unwrap();
    assert_eq!(event.attribute("n"), Some(Value::Integer(0)));
    assert_eq!(event.attribute("sampledrate"), Some(Value::Integer(30)));
    assert_eq!(event.attribute("own"), Some(Value::Integer(7)));
    assert_eq!(event.attribute("s"), Value::try_from("7").ok());
}

#[test]
fn a_refused_encoding_has_written_nothing() {
    let text = with(r#""data":{},"datacontenttype":"Application/CloudEvents+json""#);
    let event = Decoder::default()
        .decode_structured(text.as_bytes())
        .unwrap();
    for (binding, is_refused) in [(&HTTP, true), (&KAFKA, true), (&NATS, false)] {
        let mut headers = crate::HeaderList::default();
        let result = encode(&event, binding, ContentMode::Binary, headers.sink());
        assert_eq!(result.is_err(), is_refused, "{}", binding.protocol);
        assert_eq!(headers.is_empty(), is_refused);
    }
    let mut out = b"before".to_vec();
    encode_structured(&event, &mut out);
    assert!(out.starts_with(b"before{"));
}

/// Whoever logs an error must not thereby log what an event says.
#[test]
fn no_error_repeats_a_value() {
    let mut errors = Vec::new();
    for name in [
        "specversion",
        "id",
        "source",
        "type",
        "subject",
        "time",
        "dataschema",
        "datacontenttype",
        "data_base64",
        "extension",
    ] {
        for value in [r#""hunter2 \u0000 %""#, r#"{"hunter2":1}"#, "hunter2"] {
            let mut text = format!("{{{REQUIRED}}}");
            for required in [
                r#""specversion":"1.0","#,
                r#""id":"1","#,
                r#""source":"/a","#,
                r#","type":"b""#,
            ] {
                if required.contains(&format!("{name:?}:")) {
                    text = text.replace(required, "");
                }
            }
            errors.push(error(&text.replace('}', &format!(",{name:?}:{value}}}"))));
        }
        for binding in [&KAFKA, &HTTP, &NATS] {
            let full = format!("{}{name}", binding.prefix);
            let mut headers = binary(binding, &[]);
            headers.retain(|header| header.name != full);
            headers.push(header(&full, "hunter2 \u{0} %FF"));
            errors.extend(decode(binding, &headers, None).err());
        }
    }
    assert!(errors.len() > 50);
    for error in errors {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn characters_of_any_length_are_read_wherever_they_lie() {
    for character in ["é", "€", "😀", "\u{feff}"] {
        for count in 0..70 {
            let subject = character.repeat(count + 1);
            let data = format!("\"{}{character}\"", "x".repeat(count * 2));
            let text = with(&format!(
                r#""subject":"{subject}","e":"{subject}","data":{data}"#
            ));
            let event = Decoder::default().decode_structured(text.as_bytes());
            let event = event.unwrap();
            assert_eq!(event.subject(), Some(subject.as_str()));
            assert_eq!(event.attribute("e"), Value::try_from(subject.as_str()).ok());
            assert!(matches!(event.data(), Data::Json(json) if json.as_str() == data));
        }
    }
}
