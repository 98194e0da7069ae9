//! Cases whose input is a message of one protocol, or the text of an event that is wrong at some level.

use serde_json::value::RawValue;

use super::compare;
use super::file::ReceivedMessage;
use super::{Difference, Fault, Verdict, rules};
use crate::codec::{Codec, Decoded, Guarded, Refusal};
use crate::reading::Mode;

/// Reads the message, and compares what came out. Where only rules see a fault, reading has to succeed.
pub(crate) fn check(
    codec: &Guarded<'_, impl Codec>,
    kind: &str,
    vector: &RawValue,
) -> Result<Verdict, serde_json::Error> {
    let case: ReceivedMessage = serde_json::from_str(vector.get())?;
    let Some(message) = rules::message(kind, vector)? else {
        return Ok(Verdict::NotJudged);
    };
    let is_for_rules = case.allowed == ["violation"];
    let read = match codec.read(&message) {
        Ok(_) if is_for_rules => return Ok(Verdict::NotJudged),
        Ok(read) => read,
        Err(Refusal::NotSupported(what)) => return Ok(Verdict::NotSupported(what)),
        Err(refusal) if is_for_rules => {
            let what = "decoding what only rules forbid";
            return Ok(Verdict::Judged(compare::unread(what, "event", &refusal)));
        }
        Err(refusal) => return Ok(Verdict::Judged(compare::refusal(&case.allowed, &refusal))),
    };
    let got = match &read {
        Decoded::Event(_) => "event",
        Decoded::Batch(_) => "events",
    };
    let mut differences = Vec::new();
    differences.extend(compare::outcome(&case.allowed, got));
    if case.outcome.as_deref() != Some(got) {
        return Ok(Verdict::Judged(differences));
    }
    let mode = codec.mode(&message).map(|mode| match mode {
        Mode::Structured => "structured",
        Mode::Binary => "binary",
        Mode::Batched => "batched",
        Mode::Unsupported | Mode::NotAnEvent => "none",
    });
    if let (Some(mode), Some(expected)) = (mode, case.mode)
        && mode != expected
    {
        differences.push(Difference::new("content mode", expected, mode).of(Fault::Mode));
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
