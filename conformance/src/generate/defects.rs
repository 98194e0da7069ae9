//! The defects there are: one row each, with the rules that it breaks.

mod attributes;
mod headers;
mod json;
mod profile;

use super::WAYS;
use super::defect::{Change, Defect};
use crate::capture::Protocol::{self, File, Http, Kafka, Nats};
use crate::reading::Mode::{self, Batched, Binary, Structured};
use crate::rule::Profile::{self, CloudEvents10};

/// All defects, those of attributes first.
pub fn defects() -> impl Iterator<Item = &'static Defect> {
    let all = [
        attributes::DEFECTS,
        json::DEFECTS,
        headers::DEFECTS,
        profile::DEFECTS,
    ];
    all.into_iter().flatten()
}

type Ways = &'static [(Protocol, Mode)];

const ANY: Ways = &WAYS;
/// Where the event is a JSON object.
const JSON: Ways = &[
    (File, Structured),
    (Http, Structured),
    (Http, Batched),
    (Kafka, Structured),
    (Nats, Structured),
];
/// Where the event is the whole body.
const ALONE: Ways = &[
    (File, Structured),
    (Http, Structured),
    (Kafka, Structured),
    (Nats, Structured),
];
/// Where attributes are headers.
const HEADERS: Ways = &[(Http, Binary), (Kafka, Binary), (Nats, Binary)];
/// Where names keep their case, and values are not percent-coded.
const PLAIN: Ways = &[
    (File, Structured),
    (Http, Structured),
    (Http, Batched),
    (Kafka, Structured),
    (Kafka, Binary),
    (Nats, Structured),
];
const IN_HTTP: Ways = &[(Http, Binary)];
const IN_KAFKA: Ways = &[(Kafka, Binary)];
const IN_NATS: Ways = &[(Nats, Binary)];

const NOT_MEDIA_TYPES: &[&str] = &["json", "application/", "/json", "application json", "a/b c"];

const fn core(
    name: &'static str,
    rules: &'static [&'static str],
    on: Ways,
    change: Change,
) -> Defect {
    defect(name, rules, CloudEvents10, on, change)
}

const fn defect(
    name: &'static str,
    rules: &'static [&'static str],
    profile: Profile,
    on: Ways,
    change: Change,
) -> Defect {
    Defect {
        name,
        rules,
        profile,
        on,
        change,
    }
}

/// The end is missing.
fn truncated(mut body: Vec<u8>) -> Option<Vec<u8>> {
    body.pop();
    Some(body)
}
