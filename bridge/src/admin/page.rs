//! The operations page. A stub: what is shown, as text.

use super::language::Language;
use super::overview::{DeadLetterLine, Done, Overview, RouteOverview, WaitingEvent};

pub(super) const STYLE: &str = "";
pub(super) const SCRIPT: &str = "";

pub(super) fn overview(overview: &Overview, _: Language) -> String {
    format!("{overview:?}")
}

/// `notice` is what became of the last order for this route; `dead_letters` may say why they cannot be read.
pub(super) fn route(
    route: &RouteOverview,
    dead_letters: Result<&[DeadLetterLine], &str>,
    waiting: &[WaitingEvent],
    _: Language,
    actions: bool,
    notice: Option<&Result<Done, String>>,
) -> String {
    format!("{route:?} {dead_letters:?} {waiting:?} {actions} {notice:?}")
}

/// `effective` is as `check-config` prints it.
pub(super) fn settings(effective: &str, _: Language) -> String {
    effective.to_owned()
}

/// An answer of 4xx or 5xx to a browser.
pub(super) fn problem(status: u16, detail: &str, _: Language) -> String {
    format!("{status} {detail}")
}
