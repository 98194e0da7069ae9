//! Cases whose input is a message of one protocol.

use serde_json::value::RawValue;

use super::compare;
use super::file::ReceivedMessage;
use super::{Difference, Fault, Verdict, rules};
use crate::codec::{Codec, Decoded, Guarded, Refusal};
use crate::reading::Mode;

/// Reads the message, and compares what came out.
pub(crate) fn check(
    codec: &Guarded<'_, impl Codec>,
    kind: &str,
    vector: &RawValue,
) -> Result<Verdict, serde_json::Error> {
    let case: ReceivedMessage = serde_json::from_str(vector.get())?;
    let Some(message) = rules::message(kind, vector)? else {
        return Ok(Verdict::NotJudged);
    };
    let read = match codec.read(&message) {
        Ok(read) => read,
        Err(Refusal::NotSupported(what)) => return Ok(Verdict::NotSupported(what)),
        Err(refusal) => return Ok(Verdict::Judged(compare::refusal(&case.allowed, &refusal))),
    };
    let got = match &read {
        Decoded::Event(_) => "event",
        Decoded::Batch(_) => "events",
    };
    let mut differences = Vec::new();
    differences.extend(compare::outcome(&case.allowed, got));
    if got != case.outcome {
        return Ok(Verdict::Judged(differences));
    }
    let mode = codec.mode(&message).map(|mode| match mode {
        Mode::Structured => "structured",
        Mode::Binary => "binary",
        Mode::Batched => "batched",
        Mode::Unsupported | Mode::NotAnEvent => "none",
    });
    if let Some(mode) = mode.filter(|mode| *mode != case.mode) {
        let difference = Difference::new("content mode", &*case.mode, mode);
        differences.push(difference.of(Fault::Mode));
    }
    match (read, &case.expect, &case.expect_events) {
        (Decoded::Event(event), Some(expected), _) => {
            differences.extend(compare::event(expected, &event));
        }
        (Decoded::Batch(elements), _, Some(expected)) => {
            if elements.len() != expected.len() {
                let (expected, got) = (expected.len().to_string(), elements.len().to_string());
                let difference = Difference::new("events in the batch", expected, got);
                differences.push(difference.of(Fault::Attributes));
            }
            for (expected, element) in expected.iter().zip(&elements) {
                differences.extend(compare::event(expected, element));
            }
        }
        _ => {}
    }
    Ok(Verdict::Judged(differences))
}
