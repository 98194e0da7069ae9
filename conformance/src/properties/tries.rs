//! One case of each property.

use std::collections::BTreeSet;

use cloudevents_nl_codec::{AttributeType, Event, is_json};

use super::Way;
use crate::capture::{Capture, Protocol};
use crate::codec::{Codec, Decoded, Described, Guarded, Ours, PayloadKind, Refusal};
use crate::generate::{self, Defect};
use crate::reading::Mode;
use crate::vectors::{Difference, Fault, compare, file};

/// A valid message is read, and all that it holds is there.
pub(super) fn reads<C: Codec>(codec: &Guarded<'_, C>, message: &Capture) -> Vec<Difference> {
    match codec.read(message) {
        Ok(read) => against(&known(message), &read),
        Err(refusal) => compare::unread("a valid message", "an event", &refusal),
    }
}

/// A message with a defect is refused where its rules leave no event, and read where they are no
/// reason to refuse. What is read is not compared: that is a matter of `reads`.
pub(super) fn judges<C: Codec>(
    codec: &Guarded<'_, C>,
    defect: &Defect,
    message: &Capture,
) -> Vec<Difference> {
    let what = defect.name;
    match codec.read(message) {
        Ok(_) if defect.must_be_refused() => {
            vec![Difference::new(what, "a refusal", "an event").of(Fault::Accepts)]
        }
        Err(refusal @ (Refusal::Panicked(_) | Refusal::NotSupported(_))) => {
            compare::unread(what, "an answer", &refusal)
        }
        Err(refusal) if defect.must_be_read() => compare::unread(what, "an event", &refusal),
        _ => Vec::new(),
    }
}

/// Integers and Booleans of JSON have their types; behind headers, whoever knows `sampledrate` can tell
/// that it is an Integer.
pub(super) fn types<C: Codec>(
    codec: &Guarded<'_, C>,
    message: &Capture,
    mode: Mode,
) -> Vec<Difference> {
    let expected = [
        ("sampledrate", AttributeType::Integer),
        ("x", AttributeType::Boolean),
    ];
    match codec.read(message) {
        Ok(Decoded::Event(read)) => {
            let ty = |name: &str| read.attributes.get(name).and_then(|attribute| attribute.ty);
            let is_told = |name: &str| mode != Mode::Binary || name == "sampledrate";
            let told = expected.into_iter().filter(|(name, _)| is_told(name));
            let differences = told.filter_map(|(name, wanted)| match ty(name) {
                Some(ty) if ty == wanted => None,
                None => Some(not_supported("types of attributes")),
                Some(AttributeType::String) if mode == Mode::Binary => Some(not_supported(
                    "types of documented extensions behind headers",
                )),
                Some(ty) => {
                    let (what, wanted) = (format!("type of {name}"), wanted.to_string());
                    Some(Difference::new(what, wanted, ty.to_string()).of(Fault::Attributes))
                }
            });
            differences.collect()
        }
        Err(refusal @ Refusal::NotSupported(_)) => compare::unread("", "an event", &refusal),
        // That is a matter of the property `reads`.
        Ok(Decoded::Batch(_)) | Err(_) => Vec::new(),
    }
}

fn not_supported(what: &str) -> Difference {
    Difference::new("", "", what).of(Fault::NotSupported)
}

/// What was read is written as a message that breaks no rule, and holds the same event.
pub(super) fn writes<C: Codec>(
    codec: &Guarded<'_, C>,
    event: &Event<'static>,
    message: &Capture,
    (protocol, mode): Way,
) -> Vec<Difference> {
    const WHAT: &str = "what is written";
    let written = match taken(codec, message, protocol, mode) {
        // That it is not read is a matter of the property `reads`.
        None => return Vec::new(),
        Some((_, Ok(written))) => written,
        Some((_, Err(refusal))) => {
            return compare::unread("an event that was read", "a message", &refusal);
        }
    };
    let broken = compare::broken(&written);
    if !broken.is_empty() {
        let difference = Difference::new(WHAT, "no broken rule", broken.join(", "));
        return vec![difference.of(Fault::Writes).breaking(broken)];
    }
    match Guarded(&Ours).read(&written) {
        Ok(read) => against(&known(&generate::written(event, protocol, mode)), &read),
        Err(refusal) => {
            vec![Difference::new(WHAT, "an event", refusal.to_string()).of(Fault::Writes)]
        }
    }
}

/// What the codec has written, it reads as what it had.
pub(super) fn returns<C: Codec>(
    codec: &Guarded<'_, C>,
    message: &Capture,
    (protocol, mode): Way,
) -> Vec<Difference> {
    const WHAT: &str = "its own message, read again";
    match taken(codec, message, protocol, mode) {
        Some((_, Err(refusal @ Refusal::NotSupported(_)))) => {
            compare::unread(WHAT, "an event", &refusal)
        }
        // That it is not read or not written is a matter of the properties `reads` and `writes`.
        None | Some((_, Err(_))) => Vec::new(),
        Some((before, Ok(written))) => match codec.read(&written) {
            Ok(Decoded::Event(after)) => returned(&before, &after, mode),
            Ok(Decoded::Batch(events)) => match &events[..] {
                [after] => returned(&before, after, mode),
                _ => vec![Difference::new(WHAT, "one event", events.len().to_string())],
            },
            Err(refusal) => compare::unread(WHAT, "an event", &refusal),
        },
    }
}

/// What a codec says it read, and what it wrote of it; `None` where it read no event.
fn taken<C: Codec>(
    codec: &Guarded<'_, C>,
    message: &Capture,
    protocol: Protocol,
    mode: Mode,
) -> Option<(Described, Result<Capture, Refusal>)> {
    let Ok(Decoded::Event(event)) = codec.decode(message) else {
        return None;
    };
    let described = codec.describe(&event).ok()?;
    Some((described, codec.encode(&event, protocol, mode)))
}

/// What a valid message holds.
fn known(message: &Capture) -> Decoded<Described> {
    Guarded(&Ours)
        .read(message)
        .expect("the message is one that is read")
}

fn against(expected: &Decoded<Described>, got: &Decoded<Described>) -> Vec<Difference> {
    match (expected, got) {
        (Decoded::Event(expected), Decoded::Event(got)) => one(expected, got),
        (Decoded::Batch(expected), Decoded::Batch(got)) if expected.len() == got.len() => {
            let pairs = expected.iter().zip(got);
            pairs
                .flat_map(|(expected, got)| one(expected, got))
                .collect()
        }
        _ => {
            let expected = "as many events as the message has, in a batch if that is one";
            let difference = Difference::new("events", expected, "others");
            vec![difference.of(Fault::Mode)]
        }
    }
}

/// Attributes and data by the rules of the vector files; and the bytes of JSON.
fn one(expected: &Described, got: &Described) -> Vec<Difference> {
    let is_json = expected.data.as_ref().is_some_and(|data| {
        data.kind == Some(PayloadKind::Json)
            || expected.text("datacontenttype").is_some_and(is_json)
    });
    let comparison = is_json.then(|| "json".to_owned());
    let mut differences = compare::event(&file::Expected::of(expected, comparison), got);
    let is_same = |difference: &Difference| difference.fault != Fault::Data;
    if let (Some(expected), Some(got)) = (&expected.data, &got.data)
        && expected.bytes != got.bytes
        && differences.iter().all(is_same)
    {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (expected, got) = (text(&expected.bytes), text(&got.bytes));
        differences.push(Difference::new("text of JSON data", expected, got).of(Fault::Rewrites));
    }
    differences
}

/// By texts alone, because headers have no types. In binary mode JSON without a content type may get
/// one, and on most protocols no data and empty data are the same.
fn returned(before: &Described, after: &Described, mode: Mode) -> Vec<Difference> {
    let mut differences = Vec::new();
    let names = before.attributes.keys().chain(after.attributes.keys());
    for name in names.collect::<BTreeSet<_>>() {
        let (was, is) = (before.text(name), after.text(name));
        let is_implied = mode == Mode::Binary && name == "datacontenttype" && was.is_none();
        if was != is && !is_implied {
            let (was, is) = (format!("{was:?}"), format!("{is:?}"));
            let difference = Difference::new(format!("attribute {name}"), was, is);
            differences.push(difference.of(Fault::Attributes));
        }
    }
    let bytes = |described: &Described| {
        let data = described.data.as_ref();
        data.map(|data| data.bytes.clone()).unwrap_or_default()
    };
    let (was, is) = (bytes(before), bytes(after));
    if was != is {
        let [was, is] = [was, is].map(|bytes| format!("{:?}", String::from_utf8_lossy(&bytes)));
        differences.push(Difference::new("data", was, is).of(Fault::Data));
    }
    differences
}
