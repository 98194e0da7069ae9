//! `on_error` with `[route.dead_letter]`, `outcomes` and `[route.retry]`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use cloudevents_nl_codec::HTTP;

use crate::config::{Reported, Table, Words};
use crate::outcome::Next;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::transport::contract::OpenSink;

impl Words for OnError {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("dead-letter", Self::DeadLetter),
        ("discard", Self::Discard),
        ("hold", Self::Hold),
    ];
}

/// Said in one place, and only where it means something.
pub(super) fn on_error(
    table: &Table<'_>,
    has_waiting_sender: Result<bool, Reported>,
) -> Result<OnError, Reported> {
    let meaning = "what becomes of an event that can never be delivered: `dead-letter` (needs the \
                   table), `discard` (dropped and counted) or `hold` (it waits for an operator, \
                   and its key with it)";
    let said = table.key::<OnError>("on_error", meaning);
    let said = said.optional("`dead-letter` where the table is there, else required")?;
    if has_waiting_sender? {
        let what = "has no meaning where a sender waits for the answer";
        let remedy = "remove it: the sender hears that the event was refused, and keeps it";
        table.refuse(&["on_error", "dead_letter"], what, remedy);
        return Ok(OnError::Refuse);
    }
    match (said, table.has("dead_letter")) {
        (None | Some(OnError::DeadLetter), true) => Ok(OnError::DeadLetter),
        (Some(_), true) => {
            let what = "contradicts [route.dead_letter]";
            Err(table.report(&["on_error"], what, "keep one of the two"))
        }
        (Some(OnError::DeadLetter), false) => {
            let remedy = "add a table [route.dead_letter]";
            Err(table.report(&["dead_letter"], "is missing", remedy))
        }
        (Some(said), false) => Ok(said),
        (None, false) => {
            let what = "is missing: what becomes of an event that can never be delivered?";
            let remedy = "add [route.dead_letter], or write on_error = \"hold\" or \"discard\"";
            Err(table.report(&["on_error"], what, remedy))
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct DeadLetterSettings {
    pub(super) stop_after: usize,
    pub(super) error_body: bool,
}

/// Of a route that has none, and discards.
impl Default for DeadLetterSettings {
    fn default() -> Self {
        Self {
            stop_after: 100,
            error_body: false,
        }
    }
}

/// The keys of `[route.dead_letter]` that every transport shares.
pub(in crate::plan) fn dead_letters(table: &Table<'_>) -> Result<DeadLetterSettings, Reported> {
    let meaning = "so many events that the receiver refused, unless one in ten is delivered, hold \
                   the route: see below. `0` never does";
    let stop_after = table.key("stop_after", meaning).or("100");
    let meaning = "`true` keeps what a webhook said when it refused the event, the first KiB, in \
                   the header `cenl-error-body`";
    let error_body = table.key("error_body", meaning).or("false");
    Ok(DeadLetterSettings {
        stop_after: stop_after?,
        error_body: error_body?,
    })
}

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

pub(in crate::plan) fn retry(
    table: &Table<'_>,
    has_waiting_sender: Result<bool, Reported>,
) -> Result<RetryPolicy, Reported> {
    let meaning = "upper bound of the first wait; it doubles with each attempt, and the wait is \
                   random below it";
    let initial = table.wait("initial", meaning).or("500ms");
    let meaning = "upper bound of every wait";
    let maximum = table.key("maximum", meaning).or("60s");
    let meaning = "most that a `Retry-After` may ask for";
    let retry_after_max = table.key("retry_after_max", meaning).or("24h");
    let meaning = "attempts after which an event is treated as undeliverable, probes of an open circuit \
                   among them";
    let attempts_max = table.key::<NonZeroU32>("attempts_max", meaning);
    let attempts_max = attempts_max.optional("no limit");
    let meaning = "time since the first failure after which an event is treated as undeliverable";
    let age_max = table.key("age_max", meaning).optional("no limit");
    let meaning = "refusals (401 to 405, 407, 410, 421, 426, 451, 3xx, a certificate) after which an \
                   event is treated as undeliverable, if another was delivered after each: a dead \
                   letter of the kind `refused-alone`";
    let refused_alone_max = table.key::<NonZeroU32>("refused_alone_max", meaning);
    let refused_alone_max = refused_alone_max.or("8");
    let (initial, maximum): (Duration, Duration) = (initial?, maximum?);
    if maximum < initial {
        let is_said = table.has("maximum");
        let key = if is_said { "maximum" } else { "initial" };
        let what = "the first wait is longer than the longest";
        table.report(&[key], what, "make `initial` at most `maximum`");
    }
    if has_waiting_sender == Ok(true) {
        let what = "has no meaning where a sender waits for the answer";
        let remedy = "remove it: the deadline of the request ends the attempts";
        let keys = ["attempts_max", "age_max", "refused_alone_max"];
        table.refuse(&keys, what, remedy);
    }
    Ok(RetryPolicy {
        initial,
        maximum,
        retry_after_max: retry_after_max?,
        attempts_max: attempts_max?.map(NonZeroU32::get),
        age_max: age_max?,
        refused_alone_max: refused_alone_max?.get(),
    })
}
