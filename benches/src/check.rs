//! Holds the answers of an engine against the corpus, before anything is timed.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::corpus::{Case, Kind, Sample, attribute_name};
use crate::engine::Engine;

/// Checks every event of a case in both directions.
///
/// # Panics
/// When an answer is wrong: an attribute differs, or `data` has other bytes (for an engine that does
/// not keep bytes: another value).
pub fn check(engine: &mut dyn Engine, case: &Case) {
    for (sample, text) in case.samples.iter().zip(case.texts()) {
        engine_decodes(engine, case.kind, sample, text);
    }
    let headers = case.headers();
    for (sample, message) in case.samples.iter().zip(case.messages(&headers)) {
        let mut text = Vec::new();
        engine.encode(&message, &mut |bytes| text = bytes.to_vec());
        let members: BTreeMap<&str, &RawValue> =
            serde_json::from_slice(&text).expect("JSON comes out");
        assert_eq!(
            members.len(),
            sample.headers().len() + 1,
            "{} loses an attribute",
            engine.name()
        );
        for (name, value) in sample.headers() {
            let name = attribute_name(name);
            let found: String = serde_json::from_str(members[name].get()).expect("text");
            assert_attribute(engine, name, &found, value);
        }
        let body = match case.kind {
            Kind::Xml => serde_json::from_str::<String>(members["data"].get())
                .expect("a string")
                .into_bytes(),
            Kind::Base64 => {
                let text = members["data_base64"].get().trim_matches('"');
                base64_simd::STANDARD.decode_to_vec(text).expect("base64")
            }
            _ => members["data"].get().as_bytes().to_vec(),
        };
        assert_body(engine, case.kind, &body, sample);
    }
}

fn engine_decodes(engine: &mut dyn Engine, kind: Kind, sample: &Sample, text: &[u8]) {
    let mut headers = BTreeMap::new();
    let mut body = Vec::new();
    engine.decode(text, &mut |lent, bytes| {
        while let Some((name, value)) = lent.next_header() {
            headers.insert(
                name.to_owned(),
                String::from_utf8(value.to_vec()).expect("text"),
            );
        }
        body = bytes.to_vec();
    });
    assert_eq!(
        headers.len(),
        sample.headers().len(),
        "{} loses an attribute",
        engine.name()
    );
    for (name, value) in sample.headers() {
        assert_attribute(engine, name, &headers[name], value);
    }
    assert_body(engine, kind, &body, sample);
}

fn assert_attribute(engine: &dyn Engine, name: &str, found: &str, expected: &str) {
    // The SDK moves `time` to UTC, whatever it was written in.
    let rewritten = !engine.keeps_bytes() && name.ends_with("time");
    assert!(
        rewritten || found == expected,
        "{}: {name} changed",
        engine.name()
    );
}

fn assert_body(engine: &dyn Engine, kind: Kind, found: &[u8], sample: &Sample) {
    if engine.keeps_bytes() || matches!(kind, Kind::Xml | Kind::Base64) {
        assert!(
            found == sample.body,
            "{} changes bytes of data",
            engine.name()
        );
    } else {
        let value =
            |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).expect("JSON");
        assert!(
            value(found) == value(&sample.body),
            "{} changes data",
            engine.name()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::SIZES;
    use crate::engine;

    #[test]
    fn every_engine_answers_right() {
        for (kind, size) in Kind::ALL
            .into_iter()
            .flat_map(|kind| SIZES.map(|size| (kind, size)))
        {
            let case = Case::generate(kind, size, 1 << 17, 11);
            for mut engine in engine::all() {
                check(&mut *engine, &case);
            }
        }
    }
}
