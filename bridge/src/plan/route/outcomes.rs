//! `[route.outcomes]`: which next step a status of the receiver stands for.

use std::collections::BTreeMap;

use cloudevents_nl_codec::HTTP;

use crate::config::Table;
use crate::outcome::Next;
use crate::transport::registry::OpenSink;

/// Every step under its name.
const STEPS: [(&str, Next); 6] = [
    ("delivered", Next::Delivered),
    ("retry", Next::Retry),
    ("unavailable", Next::Unavailable),
    ("refused", Next::Refused),
    ("dead-letter", Next::DeadLetter),
    ("gone", Next::Gone),
];

pub(super) fn outcomes(
    table: &Table<'_>,
    sink: Option<&dyn OpenSink>,
) -> Option<BTreeMap<u16, Next>> {
    let Some(part) = table.table("outcomes") else {
        return Some(BTreeMap::new());
    };
    if sink.is_some_and(|sink| *sink.binding() != HTTP) {
        let what = "has no meaning here: only webhooks answer with a status";
        table.report("outcomes", what, "remove it");
    }
    let (mut outcomes, mut is_sound) = (BTreeMap::new(), true);
    for key in part.keys() {
        let code = key.parse().ok().filter(|code| (300..=599).contains(code));
        let word = part.text(key);
        let named = STEPS.iter().find(|(name, _)| Some(*name) == word);
        if let (Some(code), Some((_, next))) = (code, named) {
            outcomes.insert(code, *next);
            continue;
        }
        is_sound = false;
        if code.is_none() {
            part.report(key, "is no status from 300 to 599", "write it as 404");
        } else if word.is_some() {
            let names = STEPS.map(|(name, _)| name).join(", ");
            part.report(key, "names no step", format!("write one of {names}"));
        }
    }
    is_sound.then_some(outcomes)
}
