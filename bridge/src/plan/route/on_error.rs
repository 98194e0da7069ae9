//! `on_error` and `[route.dead_letter]`: they say one thing together.

use crate::config::{Reported, Table, Words};
use crate::route::steps::OnError;

impl Words for OnError {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("dead-letter", Self::DeadLetter),
        ("discard", Self::Discard),
        ("hold", Self::Hold),
    ];
}

/// What becomes of events that can never be delivered: said in one place, and only where it means
/// something.
pub(super) fn resolved(
    table: &Table<'_>,
    said: Result<Option<OnError>, Reported>,
    has_waiting_sender: Result<bool, Reported>,
) -> Result<OnError, Reported> {
    let said = said?;
    if has_waiting_sender? {
        let what = "has no meaning where a sender waits for the answer";
        let remedy = "remove it: the sender hears that the event was refused, and keeps it";
        table.refuse(&["on_error", "dead_letter"], what, remedy);
        return Ok(OnError::Hold);
    }
    match (said, table.has("dead_letter")) {
        (None | Some(OnError::DeadLetter), true) => Ok(OnError::DeadLetter),
        (Some(said @ (OnError::Discard | OnError::Hold)), false) => Ok(said),
        (Some(_), true) => {
            let what = "contradicts [route.dead_letter]";
            Err(table.report(&["on_error"], what, "keep one of the two"))
        }
        (Some(OnError::DeadLetter), false) => {
            let remedy = "add a table [route.dead_letter]";
            Err(table.report(&["dead_letter"], "is missing", remedy))
        }
        (None, false) => {
            let what = "is missing: what becomes of an event that can never be delivered?";
            let remedy = "add [route.dead_letter], or write on_error = \"hold\" or \"discard\"";
            Err(table.report(&["on_error"], what, remedy))
        }
    }
}
