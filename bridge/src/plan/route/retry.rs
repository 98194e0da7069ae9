//! `[route.retry]`: how long to wait, and for how long to go on.

use std::num::NonZeroU32;

use crate::config::Table;
use crate::config::route::RetrySettings;
use crate::interval::Interval;
use crate::route::retry::RetryPolicy;

pub(super) fn retry(table: &Table<'_>, has_waiting_sender: Option<bool>) -> Option<RetryPolicy> {
    let Some(part) = table.table("retry") else {
        return Some(RetryPolicy::default());
    };
    let settings: Option<RetrySettings> = part.read();
    let settings = settings.inspect(|settings| check_retry(&part, settings, has_waiting_sender));
    part.finish();
    let settings = settings?;
    let default = RetryPolicy::default();
    let or = |interval: Option<Interval>, other| interval.map_or(other, |it| it.0);
    Some(RetryPolicy {
        initial: or(settings.initial, default.initial),
        maximum: or(settings.maximum, default.maximum),
        retry_after_max: or(settings.retry_after_max, default.retry_after_max),
        attempts_max: settings.attempts_max.map(NonZeroU32::get),
        age_max: settings.age_max.map(|interval| interval.0),
        refused_alone_max: settings
            .refused_alone_max
            .map_or(default.refused_alone_max, NonZeroU32::get),
    })
}

fn check_retry(part: &Table<'_>, settings: &RetrySettings, has_waiting_sender: Option<bool>) {
    let default = RetryPolicy::default();
    let initial = settings.initial.map_or(default.initial, |it| it.0);
    let maximum = settings.maximum.map_or(default.maximum, |it| it.0);
    if initial.is_zero() {
        part.report(
            "initial",
            "would retry without any wait",
            "give a span above 0",
        );
    }
    if maximum < initial {
        let key = if settings.maximum.is_some() {
            "maximum"
        } else {
            "initial"
        };
        part.report(
            key,
            format!("the first wait, {initial:?}, is longer than the longest, {maximum:?}"),
            "make `initial` at most `maximum`",
        );
    }
    if has_waiting_sender == Some(true) {
        for (key, is_set) in [
            ("attempts_max", settings.attempts_max.is_some()),
            ("age_max", settings.age_max.is_some()),
            ("refused_alone_max", settings.refused_alone_max.is_some()),
        ] {
            if is_set {
                let what = "has no meaning where a sender waits for the answer";
                part.report(
                    key,
                    what,
                    "remove it: the deadline of the request ends the attempts",
                );
            }
        }
    }
}
