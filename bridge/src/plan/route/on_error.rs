//! `on_error` and `[route.dead_letter]`: they say one thing together.

use crate::config::Table;
use crate::config::route::{OnErrorSetting, RouteSettings};
use crate::route::steps::OnError;

/// What becomes of events that can never be delivered: said in one place, and only where it means
/// something.
pub(super) fn on_error(
    table: &Table<'_>,
    settings: Option<&RouteSettings>,
    has_waiting_sender: Option<bool>,
) -> Option<OnError> {
    let has_dead_letter = table.has("dead_letter");
    let said = settings?.on_error;
    if has_waiting_sender? {
        let remedy = "remove it: the sender hears that the event was refused, and keeps it";
        for (key, is_set) in [
            ("on_error", said.is_some()),
            ("dead_letter", has_dead_letter),
        ] {
            if is_set {
                table.report(
                    key,
                    "has no meaning where a sender waits for the answer",
                    remedy,
                );
            }
        }
        return Some(OnError::Hold);
    }
    match (said, has_dead_letter) {
        (None | Some(OnErrorSetting::DeadLetter), true) => Some(OnError::DeadLetter),
        (Some(OnErrorSetting::Discard), false) => Some(OnError::Discard),
        (Some(OnErrorSetting::Hold), false) => Some(OnError::Hold),
        (Some(_), true) => {
            table.report(
                "on_error",
                "contradicts [route.dead_letter]",
                "keep one of the two",
            );
            None
        }
        (Some(OnErrorSetting::DeadLetter), false) => {
            table.report(
                "dead_letter",
                "is missing",
                "add a table [route.dead_letter]",
            );
            None
        }
        (None, false) => {
            table.report(
                "on_error",
                "is missing: what becomes of an event that can never be delivered?",
                "add [route.dead_letter], or write on_error = \"hold\" or \"discard\"",
            );
            None
        }
    }
}
