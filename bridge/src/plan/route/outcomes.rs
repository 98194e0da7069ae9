//! `outcomes`: which next step a status of the receiver stands for.

use std::collections::BTreeMap;

use cloudevents_nl_codec::HTTP;

use crate::config::{Reported, Table, Words};
use crate::outcome::Next;
use crate::transport::contract::OpenSink;

impl Words for Next {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("delivered", Self::Delivered),
        ("retry", Self::Retry),
        ("unavailable", Self::Unavailable),
        ("refused", Self::Refused),
        ("dead-letter", Self::DeadLetter),
        ("gone", Self::Gone),
    ];
}

pub(super) fn outcomes(
    table: &Table<'_>,
    sink: Result<&dyn OpenSink, &Reported>,
) -> Result<BTreeMap<u16, Next>, Reported> {
    let meaning = "`STATUS = \"STEP\"` gives a status of the receiver another next step, see below";
    let named = table.key::<BTreeMap<String, Next>>("outcomes", meaning);
    let named = named.optional("none")?.unwrap_or_default();
    if sink.is_ok_and(|sink| *sink.binding() != HTTP) {
        let what = "has no meaning here: only webhooks answer with a status";
        table.refuse(&["outcomes"], what, "remove it");
    }
    let mut outcomes = BTreeMap::new();
    for (status, next) in named {
        match status.parse() {
            Ok(code) if (300..=599).contains(&code) => drop(outcomes.insert(code, next)),
            _ => {
                let keys = ["outcomes", &status];
                table.report(&keys, "is no status from 300 to 599", "write it as 404");
            }
        }
    }
    Ok(outcomes)
}
