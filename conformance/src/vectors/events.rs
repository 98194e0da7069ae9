//! Cases whose input is the JSON text of one event.

use cloudevents_nl_codec::{
    Binding, Data, Decoded, Decoder, Event, HTTP, HeaderList, KAFKA, Message, NATS, encode_binary,
    encode_structured,
};
use serde_json::value::RawValue;

use super::compare::{self, outcome};
use super::file::{BinaryMessage, InvalidEvent, ValidEvent};
use super::{Difference, Verdict};

/// A text that must be read, and everything that follows from it.
pub(crate) fn valid(vector: &RawValue) -> Result<Verdict, serde_json::Error> {
    let case: ValidEvent = serde_json::from_str(vector.get())?;
    let decoder = Decoder::default();
    let event = match decoder.decode_structured(case.event.as_bytes()) {
        Ok(event) => event,
        Err(error)
            if case
                .allowed
                .iter()
                .any(|allowed| allowed == outcome(&error)) =>
        {
            return Ok(Verdict::Judged(Vec::new()));
        }
        Err(error) => {
            let difference = Difference::new("decoding", "event", error.to_string());
            return Ok(Verdict::Judged(vec![difference]));
        }
    };
    let mut differences = compare::event(&case.expected, &event);
    let effective = effective_datacontenttype(&event);
    if effective != case.effective_datacontenttype.as_deref() {
        differences.push(Difference::new(
            "effective datacontenttype",
            format!("{:?}", case.effective_datacontenttype),
            format!("{effective:?}"),
        ));
    }
    differences.extend(round_trip(&event));
    for (binding, message) in [
        (&KAFKA, &case.kafka),
        (&NATS, &case.nats),
        (&HTTP, &case.http),
    ] {
        differences.extend(binary_mode(&case, binding, message.as_ref(), &event));
    }
    if let Some(expected) = &case.after_kafka_binary_hop {
        differences.extend(after_kafka_hop(&event, expected));
    }
    Ok(Verdict::Judged(differences))
}

fn effective_datacontenttype<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event.data() {
        Data::Json(_) => event.datacontenttype().or(Some("application/json")),
        _ => event.datacontenttype(),
    }
}

/// Written in structured mode and read again, the event is the same.
fn round_trip(event: &Event<'_>) -> Option<Difference> {
    let mut text = Vec::new();
    if let Err(error) = encode_structured(event, &mut text) {
        return Some(Difference::new(
            "structured mode",
            "a text",
            error.to_string(),
        ));
    }
    match Decoder::default().decode_structured(&text) {
        Ok(read) if read == *event => None,
        Ok(read) => Some(Difference::new(
            "structured mode, read again",
            format!("{event:?}"),
            format!("{read:?}"),
        )),
        Err(error) => Some(Difference::new(
            "structured mode, read again",
            format!("{event:?}"),
            error.to_string(),
        )),
    }
}

fn binary_mode(
    case: &ValidEvent,
    binding: &Binding,
    expected: Option<&BinaryMessage>,
    event: &Event<'_>,
) -> Vec<Difference> {
    let what = format!("binary mode on {}", binding.protocol);
    let must_refuse = case
        .refuse_binary
        .iter()
        .any(|name| name == binding.protocol);
    let may_refuse = must_refuse || case.binary_mode.as_deref() == Some("exact-or-refuse");
    let mut headers = HeaderList::default();
    match encode_binary(event, binding, &mut headers) {
        Ok(_) if must_refuse => vec![Difference::new(what, "a refusal", "a message")],
        Ok(body) => expected.map_or_else(Vec::new, |expected| {
            compare::message(
                binding,
                expected,
                &case.expected.data,
                &headers,
                body.as_deref(),
            )
        }),
        Err(_) if may_refuse => Vec::new(),
        Err(error) => vec![Difference::new(what, "a message", error.to_string())],
    }
}

/// Through binary mode on Kafka, the event becomes what the case says.
fn after_kafka_hop(event: &Event<'_>, expected: &str) -> Vec<Difference> {
    const WHAT: &str = "after a hop through Kafka";
    let decoder = Decoder::default();
    let expected = match decoder.decode_structured(expected.as_bytes()) {
        Ok(expected) => expected,
        Err(error) => return vec![Difference::new(WHAT, expected, error.to_string())],
    };
    let mut headers = HeaderList::default();
    let body = match encode_binary(event, &KAFKA, &mut headers) {
        Ok(body) => body,
        Err(error) => return vec![Difference::new(WHAT, "a message", error.to_string())],
    };
    let headers: Vec<_> = headers.iter().collect();
    let message = Message {
        headers: &headers,
        body: body.as_deref(),
    };
    match decoder.decode(&KAFKA, &message) {
        Ok(Decoded::Binary(read)) => compare::events(WHAT, &expected, &read),
        other => vec![Difference::new(
            WHAT,
            format!("{expected:?}"),
            format!("{other:?}"),
        )],
    }
}

/// A text that is wrong at some level. Where only rules see the fault, reading it has to succeed.
pub(crate) fn invalid(vector: &RawValue) -> Result<Verdict, serde_json::Error> {
    let case: InvalidEvent = serde_json::from_str(vector.get())?;
    let bytes = match (&case.event, &case.event_base64) {
        (Some(text), _) => text.as_bytes(),
        (None, Some(bytes)) => &bytes.0,
        (None, None) => return Ok(Verdict::NotJudged),
    };
    let result = Decoder::default().decode_structured(bytes);
    let got = result.as_ref().map_or_else(outcome, |_| "event");
    if case.allowed == ["violation"] {
        return Ok(match result {
            Ok(_) => Verdict::NotJudged,
            Err(error) => {
                let what = "decoding what only rules forbid";
                Verdict::Judged(vec![Difference::new(what, "event", error.to_string())])
            }
        });
    }
    Ok(Verdict::Judged(compare::allowed(&case.allowed, got)))
}
