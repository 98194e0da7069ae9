//! Over any two hops, every attribute is the same.

use cloudevents_nl_codec::DecodeErrorKind;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Texts of attributes: clean ones, and such as others write.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(vec![
            "https://example.nl/?a=b%20c", "https://example.nl/?a=b c", "#/definitions/x", "/a%41",
            "urn:nld:gemeente-Bergen%20%28L%29", "urn:nld:gemeente-Bergen (L)", "a%2", "/s?q=%E9",
            "\"https://example.nl/%20\"", "/\u{e9}", "2021-12-10", "2021-12-10T17:31:00Z", "True", "030",
            "100%25", "%", "application/json;", "text/plain; charset", "a/b; c=d/e",
        ]).prop_map(str::to_owned),
        1 => "[ -~\u{e9}]{1,24}",
        1 => "(https?://|/|urn:)[a-z%0-9 ?#\"]{1,16}",
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    select(vec![
        "source",
        "dataschema",
        "time",
        "subject",
        "dataref",
        "sampledrate",
        "other",
        "datacontenttype",
    ])
}

/// A message in binary mode as anybody could write it.
fn message() -> impl Strategy<Value = Received> {
    let attributes = prop::collection::btree_map(name(), text(), 0..6);
    let bodies: Vec<&[u8]> = vec![b"", b"{\"a\": 1.50}", b"hoi", b"\"hoi\"", b"\xFF"];
    let body = prop::option::of(select(bodies));
    let binding = select(vec![&HTTP, &KAFKA, &NATS]);
    (binding, attributes, body).prop_map(|(binding, mut attributes, body)| {
        attributes.entry("source").or_insert_with(|| "/a".into());
        let mut headers = HeaderList::default();
        for (name, value) in [("specversion", "1.0"), ("id", "1"), ("type", "b")] {
            headers.push(&format!("{}{name}", binding.prefix), Some(value.as_bytes()));
        }
        for (name, value) in attributes {
            let header = match name {
                "datacontenttype" => binding.data_content_type.to_owned(),
                name => format!("{}{name}", binding.prefix),
            };
            headers.push(&header, Some(value.as_bytes()));
        }
        received(binding, headers, body.map(<[u8]>::to_vec))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn over_any_two_hops_every_attribute_is_the_same(
        message in message(),
        first in select(SINKS.to_vec()),
        second in select(SINKS.to_vec()),
    ) {
        let Ok(said) = Said::read(&message) else { return Ok(()) };
        // What cannot be written is a dead letter, which is the message as it came.
        let once = match hop(&message, first) {
            Ok(once) => once,
            Err(Refusal::Undecodable(error)) => {
                prop_assert!(matches!(error.kind, DecodeErrorKind::Json(_)), "{}", error);
                return Ok(());
            }
            Err(refusal) => panic!("{refusal:?}"),
        };
        prop_assert_eq!(&Said::read(&once).unwrap(), &said);
        let Ok(twice) = hop(&once, second) else { return Ok(()) };
        prop_assert_eq!(&Said::read(&twice).unwrap(), &said);
    }
}
