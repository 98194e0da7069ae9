//! The comparison rules of the vector files' README.

use std::collections::BTreeMap;

use cloudevents_nl_codec::{
    AttributeType, Binding, Data, DecodeError, DecodeErrorKind, Event, HeaderList, NATS,
    encode_binary,
};

use super::Difference;
use super::file::{Base64, BinaryMessage, Expected, ExpectedData};
use super::json_equal::json_equal;

/// The word for an error in the vector files.
pub(crate) fn outcome(error: &DecodeError) -> &'static str {
    match error.kind {
        DecodeErrorKind::NotACloudEvent => "not-a-cloudevent",
        DecodeErrorKind::UnsupportedFormat => "unsupported",
        _ => "decode-error",
    }
}

pub(crate) fn allowed(allowed: &[String], got: &str) -> Vec<Difference> {
    if allowed.iter().any(|allowed| allowed == got) {
        return Vec::new();
    }
    vec![Difference::new("outcome", allowed.join(" or "), got)]
}

/// Attributes by name, type and canonical string; data by kind and bytes.
pub(crate) fn event(expected: &Expected, event: &Event<'_>) -> Vec<Difference> {
    let wanted = expected.attributes.iter();
    let wanted: BTreeMap<_, _> = wanted
        .map(|(name, attribute)| (&**name, (&*attribute.ty, &*attribute.value)))
        .collect();
    let mut differences = attributes(&wanted, event);
    differences.extend(data(&expected.data, event));
    differences
}

/// As [`event`], where what is expected is an event too.
pub(crate) fn events(what: &str, expected: &Event<'_>, got: &Event<'_>) -> Vec<Difference> {
    let describe = |event: &Event<'_>| -> Vec<(String, &'static str, String)> {
        let mut all: Vec<_> = event
            .attributes()
            .map(|(name, value)| (name.to_owned(), type_name(value.ty()), value.text().into()))
            .collect();
        all.sort();
        all
    };
    let (wanted, found) = (describe(expected), describe(got));
    let mut differences = Vec::new();
    if wanted != found {
        let difference = Difference::new(what, format!("{wanted:?}"), format!("{found:?}"));
        differences.push(difference);
    }
    let bytes = body(expected);
    let expected = ExpectedData {
        kind: kind(expected.data()).to_owned(),
        comparison: None,
        body_base64: bytes.map(Base64),
        allowed_kinds: Vec::new(),
        tolerated: Vec::new(),
        body_alternatives: Vec::new(),
    };
    differences.extend(data(&expected, got));
    differences
}

fn attributes(wanted: &BTreeMap<&str, (&str, &str)>, event: &Event<'_>) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (name, (ty, text)) in wanted {
        let Some(value) = event.attribute(name) else {
            let what = format!("attribute {name}");
            differences.push(Difference::new(what, format!("{text:?}"), "nothing"));
            continue;
        };
        let is_extension = event
            .extensions()
            .any(|extension| extension.name() == *name);
        let got = type_name(value.ty());
        // Without knowledge of an extension, a String is what a reader sees.
        let same_type = got == *ty || is_extension && got == "String" && *ty != "Boolean";
        if !same_type || value.text() != *text {
            let expected = format!("{ty} {text:?}");
            let got = format!("{got} {:?}", value.text());
            differences.push(Difference::new(format!("attribute {name}"), expected, got));
        }
    }
    for (name, value) in event.attributes() {
        if !wanted.contains_key(name) {
            let what = format!("attribute {name}");
            differences.push(Difference::new(
                what,
                "nothing",
                format!("{:?}", value.text()),
            ));
        }
    }
    differences
}

fn type_name(ty: AttributeType) -> &'static str {
    match ty {
        AttributeType::Boolean => "Boolean",
        AttributeType::Integer => "Integer",
        AttributeType::String => "String",
        AttributeType::Binary => "Binary",
        AttributeType::Uri => "URI",
        AttributeType::UriReference => "URI-reference",
        AttributeType::Timestamp => "Timestamp",
    }
}

fn kind(data: &Data<'_>) -> &'static str {
    match data {
        Data::None => "none",
        Data::Json(_) => "json",
        Data::Text(_) => "text",
        Data::Binary(_) => "binary",
    }
}

/// The bytes of the data. NATS can carry every content type in binary mode.
fn body(event: &Event<'_>) -> Option<Vec<u8>> {
    let body = encode_binary(event, &NATS, &mut HeaderList::default());
    body.ok().flatten().map(|bytes| bytes.into_owned())
}

fn data(expected: &ExpectedData, event: &Event<'_>) -> Option<Difference> {
    let got = kind(event.data());
    let words = expected.tolerated.iter();
    let tolerated = words.filter_map(|words| words.split_whitespace().next());
    let mut kinds = vec![&*expected.kind];
    kinds.extend(expected.allowed_kinds.iter().map(String::as_str));
    kinds.extend(tolerated);
    // Text and bytes may stand for each other, and bytes that hold JSON for JSON.
    let interchangeable = |kind: &&str| *kind != "none" && *kind != "json" && got != "none";
    if !kinds.contains(&got) && !kinds.iter().any(interchangeable) {
        return Some(Difference::new("kind of data", kinds.join(" or "), got));
    }
    let bytes = body(event);
    let expected_body = expected.body_base64.as_ref();
    let Base64(wanted) = expected_body.filter(|_| got != "none")?;
    let bytes = bytes.unwrap_or_default();
    let is_alternative = expected
        .body_alternatives
        .iter()
        .any(|other| other.0 == bytes);
    if is_alternative || same_body(expected, wanted, &bytes) {
        return None;
    }
    Some(Difference::new("data", lossy(wanted), lossy(&bytes)))
}

fn same_body(expected: &ExpectedData, wanted: &[u8], got: &[u8]) -> bool {
    wanted == got || expected.comparison.as_deref() == Some("json") && json_equal(wanted, got)
}

fn lossy(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}

/// Headers in any order, names by the protocol's rule of case; the body by the case's rule.
pub(crate) fn message(
    binding: &Binding,
    expected: &BinaryMessage,
    data: &ExpectedData,
    headers: &HeaderList,
    body: Option<&[u8]>,
) -> Vec<Difference> {
    let name_of = |name: &str| match binding.ignores_case {
        true => name.to_ascii_lowercase(),
        false => name.to_owned(),
    };
    let list = |headers: &[(String, String)]| -> Vec<(String, String)> {
        let named = headers
            .iter()
            .map(|(name, value)| (name_of(name), value.clone()));
        named.collect()
    };
    let (mut wanted, optional) = (list(&expected.headers), list(&expected.optional_headers));
    let mut got: Vec<_> = headers
        .iter()
        .map(|header| {
            let value = String::from_utf8_lossy(header.value.unwrap_or_default()).into_owned();
            (name_of(header.name), value)
        })
        .filter(|header| !optional.contains(header) || wanted.contains(header))
        .collect();
    wanted.sort();
    got.sort();
    let mut differences = Vec::new();
    if wanted != got {
        let what = format!("headers on {}", binding.protocol);
        differences.push(Difference::new(
            what,
            format!("{wanted:?}"),
            format!("{got:?}"),
        ));
    }
    let expected_body = expected.body.as_ref().map(|body| &*body.0);
    let same = match (expected_body, body) {
        (None, None) => true,
        (wanted, got) if !binding.has_null_body => {
            same_body(data, wanted.unwrap_or_default(), got.unwrap_or_default())
        }
        (Some(wanted), Some(got)) => same_body(data, wanted, got),
        _ => false,
    };
    if !same {
        let what = format!("body on {}", binding.protocol);
        let show = |body: Option<&[u8]>| body.map_or_else(|| "null".to_owned(), lossy);
        differences.push(Difference::new(what, show(expected_body), show(body)));
    }
    differences
}
