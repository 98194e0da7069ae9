//! The examples that need nobody else do what they say.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "../examples/translate.rs"]
#[allow(dead_code, reason = "its main reads standard input")]
mod translate;

#[path = "../examples/http_batch.rs"]
#[allow(dead_code, reason = "its main shows one request")]
mod http_batch;

use cloudevents_nl_codec::{Decoder, STRUCTURED_JSON};
use http::Request;
use translate::translate;

#[test]
fn translates_structured_json_to_kafka_headers() {
    let text =
        r#"{"specversion":"1.0","id":"1","source":"/a","type":"b","ext":5,"data":{"n":1.50}}"#;
    let expected = "ce_specversion: 1.0\nce_id: 1\nce_source: /a\nce_type: b\n\
                    content-type: application/json\nce_ext: 5\n\n{\"n\":1.50}";
    let mut out = Vec::new();
    translate(text.as_bytes(), &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert!(translate("{}".as_bytes(), Vec::new()).is_err());
}

#[test]
fn selects_the_events_of_one_type_into_a_batch() {
    let event = |ty| format!(r#"{{"specversion":"1.0","id":"1","source":"/a","type":"{ty}"}}"#);
    let batched = "application/cloudevents-batch+json";
    let batch = format!("[{},{}]", event("a"), event("b"));
    for (content_type, body, expected) in [
        (batched, batch, 1),
        (STRUCTURED_JSON, event("b"), 1),
        (STRUCTURED_JSON, event("a"), 0),
    ] {
        let request = Request::post("/").header("content-type", content_type);
        let selected = http_batch::select(&request.body(body).unwrap(), "b").unwrap();
        assert_eq!(selected.headers()["content-type"], batched);
        let events = Decoder::default().decode_batch(selected.body()).unwrap();
        assert_eq!(events.len(), expected);
        assert!(events.iter().all(|element| element.event.ty() == "b"));
    }
}
