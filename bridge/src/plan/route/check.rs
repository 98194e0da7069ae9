//! `[route.check]`

use std::fs;
use std::path::PathBuf;

use cloudevents_nl_conformance::{Checker, Profile, Severity, Waivers};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::config::{Reported, Table, Words};
use crate::route::check::{Check, OnViolation};
use crate::route::steps::OnError;

impl Words for Profile {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("cloudevents-1.0", Self::CloudEvents10),
        ("nl-gov-1.0", Self::NlGov10),
        ("nl-gov-1.1", Self::NlGov11),
    ];
}

impl Words for Severity {
    const WORDS: &'static [(&'static str, Self)] =
        &[("must", Self::Error), ("should", Self::Warning)];
}

impl Words for OnViolation {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("count", Self::Count),
        ("dead-letter", Self::DeadLetter),
        ("refuse", Self::Refuse),
    ];
}

pub(in crate::plan) fn check(
    table: &Table<'_>,
    has_waiting_sender: Result<bool, Reported>,
    on_error: Result<OnError, Reported>,
) -> Result<Check, Reported> {
    let meaning = "`nl-gov-1.1`, `nl-gov-1.0` or `cloudevents-1.0`: the rules that events are \
                   judged by, those of `cenl-conformance`";
    let profile = table.key("profile", meaning).required();
    let meaning = "`must` (an event that breaks a MUST or MUST NOT violates the profile) or \
                   `should` (a SHOULD or SHOULD NOT too)";
    let least = table.key("level", meaning).or("must");
    let meaning = "what becomes of an event that violates the profile: `count` (it goes on and is \
                   counted), `dead-letter` (of the kind `profile`; needs [route.dead_letter]) or \
                   `refuse` (`http` sources: the sender hears 422 with the findings)";
    let on_violation = table.key("on_violation", meaning).or("count");
    let waivers = waivers(table);
    let on_violation = on_violation?;
    let fault = match (on_violation, has_waiting_sender?, on_error?) {
        (OnViolation::Refuse, false, _) => Some((
            "no sender waits for the answer: only an `http` source can refuse",
            "use \"dead-letter\" or \"count\"",
        )),
        (OnViolation::DeadLetter, true, _) => Some((
            "has no meaning where a sender waits for the answer",
            "use \"refuse\": the sender hears what is wrong, and keeps the event",
        )),
        (OnViolation::DeadLetter, false, OnError::Discard | OnError::Hold) => Some((
            "there is no place for dead letters",
            "add a table [route.dead_letter], or use \"count\"",
        )),
        _ => None,
    };
    if let Some((what, remedy)) = fault {
        table.report(&["on_violation"], what, remedy);
    }
    Ok(Check {
        checker: Checker::new(profile?),
        least: least?,
        waivers: waivers?,
        on_violation,
    })
}

fn waivers(table: &Table<'_>) -> Result<Waivers, Reported> {
    let meaning = "file with `[[waiver]]` tables as `cenl-conformance` reads them: what one \
                   explains violates nothing, up to its last day (UTC); read at start and when it \
                   changes";
    let file = table.key::<PathBuf>("waivers", meaning).optional("none")?;
    let Some(file) = file else {
        return Ok(Waivers::default());
    };
    let text = fs::read_to_string(&file).map_err(|error| {
        let what = format!("cannot be read: {error}");
        table.report(&["waivers"], what, "name a readable file in UTF-8")
    })?;
    let waivers = Waivers::read(&text).map_err(|faults| {
        for fault in faults {
            let what = format!("{}:{fault}", file.display());
            table.report(&["waivers"], what, "correct that line of the file");
        }
        Reported
    })?;
    let today = TimeZone::UTC.to_datetime(Timestamp::now()).date();
    for waiver in waivers.all.iter().filter(|it| it.is_expired(today)) {
        let (rule, owner, until) = (&waiver.rule.id, &waiver.owner, waiver.until);
        let what = format!("the waiver of {rule} ({owner}) explains nothing since {until}");
        let remedy = "correct the events, or agree on a later day";
        table.warn(&["waivers"], what, remedy);
    }
    Ok(waivers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_called_as_the_checker_calls_it() {
        let words = Profile::WORDS
            .iter()
            .map(|(word, profile)| (*word, *profile));
        let names = Profile::ALL.map(|profile| (profile.name(), profile));
        assert_eq!(words.collect::<Vec<_>>(), names);
    }
}
