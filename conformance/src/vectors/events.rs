//! Cases whose input is the JSON text of a valid event.

use serde_json::value::RawValue;

use super::compare;
use super::file::{BinaryMessage, Expected, ValidEvent};
use super::{Difference, Fault, Verdict};
use crate::capture::{Capture, Protocol};
use crate::codec::{Codec, Decoded, Described, Guarded, Ours, PayloadKind, Refusal};
use crate::reading::Mode;

/// A text that must be read, and everything that follows from it.
pub(crate) fn valid<C: Codec>(
    codec: &Guarded<'_, C>,
    vector: &RawValue,
) -> Result<Verdict, serde_json::Error> {
    let case: ValidEvent = serde_json::from_str(vector.get())?;
    let text = Capture::event(&*case.event);
    let read = decode_one(codec, &text);
    let (event, described) = match read {
        Ok(read) => read,
        Err(Refusal::NotSupported(what)) => return Ok(Verdict::NotSupported(what)),
        Err(refusal) => return Ok(Verdict::Judged(compare::refusal(&case.allowed, &refusal))),
    };
    let mut differences = compare::event(&case.expected, &described);
    differences.extend(effective_datacontenttype(&case, &described));
    differences.extend(round_trip(codec, &event, &described));
    for (protocol, message) in [
        (Protocol::Kafka, &case.kafka),
        (Protocol::Nats, &case.nats),
        (Protocol::Http, &case.http),
    ] {
        let written = codec.encode(&event, protocol, Mode::Binary);
        differences.extend(binary_mode(&case, protocol, message.as_ref(), written));
    }
    if let Some(expected) = &case.after_kafka_binary_hop {
        differences.extend(after_kafka_hop(codec, &event, &case, expected));
    }
    Ok(Verdict::Judged(differences))
}

/// The one event of a message, as the codec has it and as it shows it.
fn decode_one<C: Codec>(
    codec: &Guarded<'_, C>,
    message: &Capture,
) -> Result<(C::Event, Described), Refusal> {
    match codec.decode(message)? {
        Decoded::Event(event) => {
            let described = codec.describe(&event)?;
            Ok((event, described))
        }
        Decoded::Batch(_) => Err(Refusal::Invalid("read as a batch".to_owned())),
    }
}

fn effective_datacontenttype(case: &ValidEvent, described: &Described) -> Option<Difference> {
    let named = described.text("datacontenttype");
    let kind = described.data.as_ref().map(|data| data.kind);
    let effective = match kind {
        // A codec that says nothing of its data implies nothing.
        Some(None) if named.is_none() => return None,
        Some(Some(PayloadKind::Json)) => named.or(Some("application/json")),
        _ => named,
    };
    let expected = case.effective_datacontenttype.as_deref();
    (effective != expected).then(|| {
        let (expected, got) = (format!("{expected:?}"), format!("{effective:?}"));
        Difference::new("effective datacontenttype", expected, got).of(Fault::Attributes)
    })
}

/// Written in structured mode and read again, the event is the same.
fn round_trip<C: Codec>(
    codec: &Guarded<'_, C>,
    event: &C::Event,
    described: &Described,
) -> Vec<Difference> {
    const WHAT: &str = "structured mode, read again";
    let text = match codec.encode(event, Protocol::File, Mode::Structured) {
        Ok(text) => text,
        Err(refusal) => return compare::unread("structured mode", "a text", &refusal),
    };
    match decode_one(codec, &text) {
        Ok((_, read)) => compare::same(WHAT, described, &read),
        Err(refusal) => compare::unread(WHAT, "an event", &refusal),
    }
}

fn binary_mode(
    case: &ValidEvent,
    protocol: Protocol,
    expected: Option<&BinaryMessage>,
    written: Result<Capture, Refusal>,
) -> Vec<Difference> {
    let name = protocol.name();
    let what = format!("binary mode on {name}");
    let must_refuse = case.refuse_binary.iter().any(|refused| refused == name);
    let may_refuse = must_refuse || case.binary_mode.as_deref() == Some("exact-or-refuse");
    match written {
        Ok(_) if must_refuse => {
            vec![Difference::new(what, "a refusal", "a message").of(Fault::Writes)]
        }
        Ok(message) => expected.map_or_else(Vec::new, |expected| {
            compare::message(expected, &case.expected.data, &message)
        }),
        Err(refusal @ (Refusal::NotSupported(_) | Refusal::Panicked(_))) => {
            compare::unread(&what, "a message", &refusal)
        }
        Err(_) if may_refuse => Vec::new(),
        Err(refusal) => compare::unread(&what, "a message", &refusal),
    }
}

/// Through binary mode on Kafka, the event becomes what the case says.
fn after_kafka_hop<C: Codec>(
    codec: &Guarded<'_, C>,
    event: &C::Event,
    case: &ValidEvent,
    expected: &str,
) -> Vec<Difference> {
    const WHAT: &str = "after a hop through Kafka";
    let expected = match decode_one(&Guarded(&Ours), &Capture::event(expected)) {
        Ok((_, expected)) => Expected::of(&expected, case.expected.data.comparison.clone()),
        Err(refusal) => {
            return vec![Difference::new(WHAT, expected, refusal.to_string())];
        }
    };
    let record = match codec.encode(event, Protocol::Kafka, Mode::Binary) {
        Ok(record) => record,
        Err(refusal) => return compare::unread(WHAT, "a message", &refusal),
    };
    let mut differences = match decode_one(codec, &record) {
        Ok((_, read)) => compare::event(&expected, &read),
        Err(refusal) => return compare::unread(WHAT, "an event", &refusal),
    };
    for difference in &mut differences {
        difference.what = format!("{WHAT}: {}", difference.what);
    }
    differences
}
