//! Allocations per event, counted: none for events of common shape, in either direction.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use allocation_counter::measure;
use cloudevents_nl_codec::{
    Binding, ContentMode, Data, Decoder, HTTP, Header, JsonText, KAFKA, NATS, encode,
    encode_structured,
};

/// Twelve attributes, an Integer and a null among them, and nested data.
const EVENT: &str = r#"{"specversion":"1.0","type":"nl.overheid.zaken.zaakstatus-gewijzigd",
"source":"urn:nld:oin:00000001823288444000:systeem:BRP-component","subject":"S\u00fadwest 99%",
"id":"f3dce042-cd6e-4977-844d-05be8dce7cea","time":"2021-12-10T17:31:00Z",
"nlbrpnationaliteit":"0083","geheimnummer":null,"sampledrate":30,
"dataref":"https://gemeenteX/api/persoon/999990342","sequence":"1234","sequencetype":"Integer",
"datacontenttype":"application/json","dataschema":"urn:nld:schema:brp:1",
"data":{"bsn":"999990342","naam":"Jan Jansen","adressen":[{"huisnummer":12,"lengte":1.50}]}}"#;

#[track_caller]
fn assert_allocations<T>(expected: u64, mut work: impl FnMut() -> T) -> T {
    let mut result = None;
    let counted = measure(|| result = Some(work()));
    assert_eq!(counted.count_total, expected);
    result.unwrap()
}

/// The escape makes one owned text; everything else borrows.
fn plain() -> String {
    EVENT.replace(r"\u00fa", "ú")
}

#[test]
fn reading_and_writing_structured_events_allocates_nothing() {
    let text = plain();
    let decoder = Decoder::default();
    let event = assert_allocations(0, || decoder.decode_structured(text.as_bytes()).unwrap());
    assert_eq!(event.subject(), Some("Súdwest 99%"));
    let mut out = Vec::with_capacity(2 * text.len());
    assert_allocations(0, || encode_structured(&event, &mut out));
    assert!(out.len() > 500);
}

#[test]
fn long_data_of_any_common_shape_allocates_nothing_in_either_direction() {
    let person = r#"{"naam":"Súdwest","nr":-12.50,"ok":[true,null],"regel":"a\nb \"c\""}"#;
    let compact = format!("[{}]", vec![person; 50].join(","));
    let pretty = compact.replace(',', ",\n        ");
    let decoder = Decoder::default();
    for data in [&compact, &pretty] {
        let head = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b","data":"#;
        let text = format!("{head}{data}}}");
        let event = assert_allocations(0, || decoder.decode_structured(text.as_bytes()).unwrap());
        let body = assert_allocations(0, || {
            encode(&event, &KAFKA, ContentMode::Binary, |_, _| {}).unwrap()
        });
        assert_eq!(body.as_deref(), Some(data.as_bytes()));

        let header = |name, value: &'static str| Header {
            name,
            value: Some(value.as_bytes()),
        };
        let headers = [
            header("ce_specversion", "1.0"),
            header("ce_id", "1"),
            header("ce_source", "/a"),
            header("ce_type", "b"),
            header("content-type", "application/json"),
        ];
        let mut out = Vec::with_capacity(2 * text.len());
        assert_allocations(0, || {
            let event = decoder
                .decode(&KAFKA, headers, Some(data.as_bytes()))
                .unwrap();
            encode_structured(&event, &mut out);
        });
        assert!(out.len() > data.len());
    }
}

#[test]
fn text_and_bytes_that_are_unescaped_cost_one_allocation() {
    for (content_type, member) in [
        ("text/xml", r#""data":"<a b=\"c\">\n</a>""#),
        ("a/b", r#""data_base64":"AAECAwQFBgc=""#),
    ] {
        let text = format!(
            r#"{{"specversion":"1.0","id":"1","source":"/a","type":"b","datacontenttype":"{content_type}",{member}}}"#
        );
        for (_, decoder) in Decoder::default().each_path() {
            assert_allocations(1, || decoder.decode_structured(text.as_bytes()).unwrap());
        }
    }
}

#[test]
fn each_escaped_attribute_costs_one_allocation() {
    let decoder = Decoder::default();
    assert_allocations(1, || decoder.decode_structured(EVENT.as_bytes()).unwrap());
}

#[test]
fn text_data_without_escapes_is_borrowed() {
    let text = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b",
        "datacontenttype":"text/xml","data":"<a>é</a>"}"#;
    let decoder = Decoder::default();
    let event = assert_allocations(0, || decoder.decode_structured(text.as_bytes()).unwrap());
    assert_eq!(event.data(), &Data::Text("<a>é</a>".into()));
}

#[test]
fn pointers_into_a_long_array_cost_no_more_than_into_a_short_one() {
    for length in [1, 10_000] {
        let text = format!("[{}]", vec!["0"; length].join(","));
        let text = JsonText::new(text).unwrap();
        assert_allocations(1, || assert_eq!(text.at_each(&["/0"]).len(), 1));
    }
}

fn binary_mode(binding: &'static Binding, expected_decoding: u64) {
    let text = plain();
    let decoder = Decoder::default();
    let event = decoder.decode_structured(text.as_bytes()).unwrap();
    let mut bytes = 0;
    let body = assert_allocations(0, || {
        let count = |name: &str, value: &str| bytes += name.len() + value.len();
        encode(&event, binding, ContentMode::Binary, count).unwrap()
    });
    assert!(bytes > 300);

    let mut list = cloudevents_nl_codec::HeaderList::default();
    encode(&event, binding, ContentMode::Binary, list.sink()).unwrap();
    let again = assert_allocations(expected_decoding, || {
        let decoded = decoder.decode(binding, list.iter(), body.as_deref());
        decoded.unwrap()
    });
    assert_eq!(again, event);
}

#[test]
fn binary_mode_allocates_nothing_on_kafka() {
    binary_mode(&KAFKA, 0);
}

#[test]
fn binary_mode_allocates_only_for_values_that_were_encoded() {
    // `subject` alone holds characters that need percent-coding.
    binary_mode(&HTTP, 1);
    binary_mode(&NATS, 1);
}
