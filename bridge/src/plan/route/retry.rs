//! `[route.retry]`: how long to wait, and for how long to go on.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::config::{Reported, Table};
use crate::route::retry::RetryPolicy;

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
    let attempts_max = table
        .key::<NonZeroU32>("attempts_max", meaning)
        .optional("no limit");
    let meaning = "time since the first failure after which an event is treated as undeliverable";
    let age_max = table.key("age_max", meaning).optional("no limit");
    let meaning = "refusals (401 to 405, 407, 410, 421, 426, 451, 3xx, a certificate) after which an \
                   event is treated as undeliverable, if another was delivered after each: a dead \
                   letter of the kind `refused-alone`";
    let refused_alone_max = table
        .key::<NonZeroU32>("refused_alone_max", meaning)
        .or("8");
    let (initial, maximum): (Duration, Duration) = (initial?, maximum?);
    if maximum < initial {
        let key = if table.has("maximum") {
            "maximum"
        } else {
            "initial"
        };
        let what = format!("the first wait, {initial:?}, is longer than the longest, {maximum:?}");
        table.report(&[key], what, "make `initial` at most `maximum`");
    }
    if has_waiting_sender == Ok(true) {
        let what = "has no meaning where a sender waits for the answer";
        let remedy = "remove it: the deadline of the request ends the attempts";
        table.refuse(
            &["attempts_max", "age_max", "refused_alone_max"],
            what,
            remedy,
        );
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
