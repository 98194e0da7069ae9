//! Cases whose input is a message of one protocol.

use cloudevents_nl_codec::{Binding, ContentMode, Decoded, Decoder, Header, Message};
use serde_json::value::RawValue;

use super::compare::{self, outcome};
use super::file::{HeaderValue, ReceivedMessage};
use super::{Difference, Verdict};

/// Reads the message, and compares what came out.
pub(crate) fn check(binding: &Binding, vector: &RawValue) -> Result<Verdict, serde_json::Error> {
    let case: ReceivedMessage = serde_json::from_str(vector.get())?;
    let headers: Vec<_> = case
        .headers
        .iter()
        .map(|(name, value)| Header {
            name,
            value: value.as_ref().map(HeaderValue::bytes),
        })
        .collect();
    let message = Message {
        headers: &headers,
        body: case.body.as_ref().map(|body| &*body.0),
    };
    let mut differences = Vec::new();
    let mode = match Decoder::mode(binding, &message) {
        ContentMode::Structured => "structured",
        ContentMode::Binary => "binary",
        ContentMode::Batched => "batched",
    };
    let result = Decoder::default().decode(binding, &message);
    let got = match &result {
        Ok(Decoded::Batch(_)) => "events",
        Ok(Decoded::Structured(_) | Decoded::Binary(_)) => "event",
        Err(error) => outcome(error),
    };
    differences.extend(compare::allowed(&case.allowed, got));
    if got == case.outcome && got.starts_with("event") && mode != case.mode {
        differences.push(Difference::new("content mode", &*case.mode, mode));
    }
    match (result, &case.expect, &case.expect_events) {
        (Ok(Decoded::Structured(event) | Decoded::Binary(event)), Some(expected), _)
            if got == case.outcome =>
        {
            differences.extend(compare::event(expected, &event));
        }
        (Ok(Decoded::Batch(elements)), _, Some(expected)) => {
            if elements.len() != expected.len() {
                let (expected, got) = (expected.len(), elements.len());
                let difference =
                    Difference::new("events in the batch", expected.to_string(), got.to_string());
                differences.push(difference);
            }
            for (expected, element) in expected.iter().zip(&elements) {
                differences.extend(compare::event(expected, &element.event));
            }
        }
        _ => {}
    }
    Ok(Verdict::Judged(differences))
}
