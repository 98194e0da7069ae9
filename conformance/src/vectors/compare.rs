//! The comparison rules of the vector files' README.

use std::collections::BTreeSet;

use super::file::{Base64, BinaryMessage, Expected, ExpectedData};
use super::json_equal::json_equal;
use super::{Difference, Fault};
use crate::capture::{Capture, Protocol};
use crate::check::Checker;
use crate::codec::{Described, Payload, PayloadKind, Refusal};
use crate::grammar::name::CORE;
use crate::grammar::timestamp;
use crate::report::Severity;
use crate::rule::Profile;

/// What a case allows, against the outcome of a codec that hands out something.
pub(crate) fn outcome(allowed: &[String], got: &str) -> Option<Difference> {
    if allowed.iter().any(|allowed| allowed == got) {
        return None;
    }
    let reads = |outcome: &String| outcome.starts_with("event");
    let fault = match allowed.iter().any(reads) {
        true => Fault::Mode,
        false => Fault::Accepts,
    };
    Some(Difference::new("outcome", allowed.join(" or "), got).of(fault))
}

/// What a case allows, against a refusal. One that does not say why is taken to mean the right thing.
pub(crate) fn refusal(allowed: &[String], refusal: &Refusal) -> Vec<Difference> {
    let says_no = |outcome: &str| !outcome.starts_with("event") && outcome != "violation";
    let is_allowed = match (refusal, refusal.outcome()) {
        (Refusal::Panicked(_), _) => false,
        (_, Some(outcome)) => allowed.iter().any(|allowed| allowed == outcome),
        (_, None) => allowed.iter().any(|allowed| says_no(allowed)),
    };
    match is_allowed {
        true => Vec::new(),
        false => unread("outcome", &allowed.join(" or "), refusal),
    }
}

/// The difference that a refusal makes where an event, or a message, is wanted.
pub(crate) fn unread(what: &str, expected: &str, refusal: &Refusal) -> Vec<Difference> {
    let (fault, got) = match refusal {
        Refusal::Panicked(_) => (Fault::Panics, refusal.to_string()),
        Refusal::NotSupported(what) => (Fault::NotSupported, what.clone()),
        _ => (Fault::Refuses, refusal.to_string()),
    };
    vec![Difference::new(what, expected, got).of(fault)]
}

/// Whether two texts are timestamps of one moment.
fn same_moment(one: &str, other: &str) -> bool {
    let moment = timestamp::instant(one);
    moment.is_some() && moment == timestamp::instant(other)
}

/// The rules of CloudEvents at the level of MUST that a message breaks.
pub(crate) fn broken(message: &Capture) -> Vec<&'static str> {
    let checked = Checker::new(Profile::CloudEvents10).check(message);
    let errors = checked.findings.iter();
    let errors = errors.filter(|finding| finding.severity == Severity::Error);
    let ids: BTreeSet<_> = errors.map(|finding| finding.rule.id).collect();
    ids.into_iter().collect()
}

/// Attributes by name, type and canonical string; data by kind and bytes.
pub(crate) fn event(expected: &Expected, got: &Described) -> Vec<Difference> {
    let mut differences = attributes(expected, got);
    differences.extend(data(&expected.data, got.data.as_ref()));
    differences
}

/// As [`event`], where the same codec said both.
pub(crate) fn same(what: &str, expected: &Described, got: &Described) -> Vec<Difference> {
    let mut differences = Vec::new();
    if expected.attributes != got.attributes {
        let [expected, got] = [expected, got].map(|event| format!("{:?}", event.attributes));
        differences.push(Difference::new(what, expected, got).of(Fault::Attributes));
    }
    if expected.data != got.data {
        let (expected, got) = (shown(expected.data.as_ref()), shown(got.data.as_ref()));
        differences.push(Difference::new(what, expected, got).of(Fault::Data));
    }
    differences
}

fn shown(data: Option<&Payload>) -> String {
    match data {
        None => "no data".to_owned(),
        Some(Payload { kind, bytes }) => {
            format!("{} {}", kind.map_or("bytes", kind_name), lossy(bytes))
        }
    }
}

fn attributes(expected: &Expected, got: &Described) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut differs = |name: &str, fault, expected: String, got: String| {
        let difference = Difference::new(format!("attribute {name}"), expected, got);
        differences.push(difference.of(fault));
    };
    for (name, wanted) in &expected.attributes {
        let Some(attribute) = got.attributes.get(name) else {
            let (expected, got) = (format!("{:?}", wanted.value), "nothing".to_owned());
            differs(name, Fault::Attributes, expected, got);
            continue;
        };
        let is_extension = !CORE.contains(&&**name);
        let ty = attribute.ty.map(|ty| ty.to_string());
        let ty = ty.as_deref();
        // Without knowledge of an extension, a String is what a reader sees.
        let same_type = ty.is_none_or(|ty| {
            ty == wanted.ty || is_extension && ty == "String" && wanted.ty != "Boolean"
        });
        if !same_type || attribute.text != wanted.value {
            let fault = match same_type && same_moment(&wanted.value, &attribute.text) {
                true => Fault::Respells,
                false => Fault::Attributes,
            };
            let got = format!("{} {:?}", ty.unwrap_or("text"), attribute.text);
            let expected = format!("{} {:?}", wanted.ty, wanted.value);
            differs(name, fault, expected, got);
        }
    }
    for (name, attribute) in &got.attributes {
        if !expected.attributes.contains_key(name) {
            let got = format!("{:?}", attribute.text);
            differs(name, Fault::Attributes, "nothing".to_owned(), got);
        }
    }
    differences
}

pub(crate) fn kind_name(kind: PayloadKind) -> &'static str {
    match kind {
        PayloadKind::Json => "json",
        PayloadKind::Text => "text",
        PayloadKind::Binary => "binary",
    }
}

fn data(expected: &ExpectedData, got: Option<&Payload>) -> Option<Difference> {
    let words = expected.tolerated.iter();
    let tolerated = words.filter_map(|words| words.split_whitespace().next());
    let mut kinds = vec![&*expected.kind];
    kinds.extend(expected.allowed_kinds.iter().map(String::as_str));
    kinds.extend(tolerated);
    let kind = got.map(|data| data.kind);
    let fits = match kind {
        None => kinds.contains(&"none"),
        // Bytes of which nothing is said stand for any kind of data.
        Some(None) => kinds.iter().any(|kind| *kind != "none"),
        // Text and bytes may stand for each other, and bytes that hold JSON for JSON.
        Some(Some(kind)) => {
            kinds.contains(&kind_name(kind))
                || kinds.iter().any(|kind| *kind != "none" && *kind != "json")
        }
    };
    if !fits {
        let difference = Difference::new("kind of data", kinds.join(" or "), shown(got));
        return Some(difference.of(Fault::Data));
    }
    let (Some(Base64(wanted)), Some(Payload { bytes, .. })) = (&expected.body_base64, got) else {
        return None;
    };
    let mut alternatives = expected.body_alternatives.iter();
    if alternatives.any(|other| other.0 == *bytes) || same_body(expected, wanted, bytes) {
        return None;
    }
    Some(Difference::new("data", lossy(wanted), lossy(bytes)).of(Fault::Data))
}

fn same_body(expected: &ExpectedData, wanted: &[u8], got: &[u8]) -> bool {
    wanted == got || expected.comparison.as_deref() == Some("json") && json_equal(wanted, got)
}

fn lossy(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}

/// Headers in any order, names by the protocol's rule of case; the body by the case's rule.
pub(crate) fn message(
    expected: &BinaryMessage,
    data: &ExpectedData,
    got: &Capture,
) -> Vec<Difference> {
    let protocol = got.protocol;
    let name_of = |name: &str| match protocol {
        Protocol::Kafka => name.to_owned(),
        _ => name.to_ascii_lowercase(),
    };
    let named = |(name, value): &(String, String)| (name_of(name), value.clone());
    let mut wanted: Vec<_> = expected.headers.iter().map(named).collect();
    let optional: Vec<_> = expected.optional_headers.iter().map(named).collect();
    let headers = got.headers.iter().map(|header| {
        let value = header.value.as_deref().unwrap_or_default();
        let value = String::from_utf8_lossy(value).into_owned();
        (name_of(&header.name), value)
    });
    let is_compared =
        |header: &(String, String)| !optional.contains(header) || wanted.contains(header);
    let mut headers: Vec<_> = headers.filter(is_compared).collect();
    wanted.sort();
    headers.sort();
    let mut differences = Vec::new();
    if wanted != headers {
        let what = format!("headers on {}", protocol.name());
        let (wanted, headers) = only_in_one(wanted, headers);
        let mut pairs = wanted.iter().zip(&headers);
        let is_respelt = wanted.len() == headers.len()
            && pairs.all(|(one, other)| one.0 == other.0 && same_moment(&one.1, &other.1));
        let fault = match is_respelt {
            true => Fault::Respells,
            false => Fault::Writes,
        };
        let difference = Difference::new(what, format!("{wanted:?}"), format!("{headers:?}"));
        differences.push(difference.of(fault).breaking(broken(got)));
    }
    let wanted = expected.body.as_ref().map(|body| &*body.0);
    let body = got.body.as_deref();
    let is_null = |body: Option<&[u8]>| protocol == Protocol::Kafka && body.is_none();
    let is_same = is_null(wanted) == is_null(body)
        && same_body(data, wanted.unwrap_or_default(), body.unwrap_or_default());
    if !is_same {
        let what = format!("body on {}", protocol.name());
        let show = |body: Option<&[u8]>| body.map_or_else(|| "null".to_owned(), lossy);
        let difference = Difference::new(what, show(wanted), show(body));
        differences.push(difference.of(Fault::Data));
    }
    differences
}

/// What only one of two sorted lists has.
fn only_in_one<T: Ord + Clone>(mut one: Vec<T>, mut other: Vec<T>) -> (Vec<T>, Vec<T>) {
    let all = one.clone();
    one.retain(|item| !other.contains(item));
    other.retain(|item| !all.contains(item));
    (one, other)
}
