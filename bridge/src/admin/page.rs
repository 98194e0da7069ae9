//! The operations page: what is wrong first, in words, with what to do.

mod card;
mod dutch;
mod words;

use std::collections::BTreeMap;

use askama::Template;
use axum::response::Html;
use jiff::Timestamp;

use super::Notice;
use super::overview::{DeadLetterLine, Done, LetterState, Overview, Stage, WaitingEvents};
use crate::server::Language;
pub(super) use card::Card;

pub(super) const STYLE: &str = include_str!("../../templates/page.css");
pub(super) const SCRIPT: &str = include_str!("../../templates/page.js");

/// `notices` say by route what became of the last orders, and by no name of a reload.
pub(super) fn overview(
    overview: &Overview,
    notices: &BTreeMap<String, Notice>,
    language: Language,
) -> Html<String> {
    let cards = overview.routes.iter();
    let cards = cards.map(|route| Card::new(route, language, overview.actions));
    let (mut needy, well): (Vec<_>, Vec<_>) = cards.partition(|card| card.urgency().is_some());
    needy.sort_by_key(Card::urgency);
    rendered(&OverviewPage {
        language,
        at: overview.at,
        overview,
        notices,
        needy,
        well,
    })
}

/// Templates fail where what is shown in them fails, and nothing of it does.
pub(super) fn rendered(page: &impl Template) -> Html<String> {
    Html(page.render().unwrap_or_else(|error| error.to_string()))
}

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage<'a> {
    language: Language,
    at: Timestamp,
    overview: &'a Overview,
    notices: &'a BTreeMap<String, Notice>,
    /// The most urgent first.
    needy: Vec<Card<'a>>,
    well: Vec<Card<'a>>,
}

impl OverviewPage<'_> {
    fn verdict(&self) -> String {
        let (all, needy) = (self.overview.routes.len(), self.needy.len());
        let say = |dutch: String, english| self.language.say(dutch, english);
        match (all, needy) {
            (_, 0) if self.overview.settings_fault.is_some() => say(
                "De instellingen vragen aandacht".into(),
                "The settings need attention".into(),
            ),
            (0, _) => say("Er is geen route".into(), "There is no route".into()),
            (1, 0) => say("De route loopt".into(), "The route runs".into()),
            (1, _) => say(
                "De route vraagt aandacht".into(),
                "The route needs attention".into(),
            ),
            (_, 0) => say(
                format!("Alle {all} routes lopen"),
                format!("All {all} routes run"),
            ),
            (_, 1) => say(
                format!("1 van {all} routes vraagt aandacht"),
                format!("1 of {all} routes needs attention"),
            ),
            _ => say(
                format!("{needy} van {all} routes vragen aandacht"),
                format!("{needy} of {all} routes need attention"),
            ),
        }
    }
}

#[derive(Template)]
#[template(path = "route.html")]
pub(super) struct RoutePage<'a> {
    pub(super) language: Language,
    pub(super) at: Timestamp,
    pub(super) card: Card<'a>,
    /// Or why they are not known, as of what waits.
    pub(super) letters: Result<&'a [DeadLetterLine], &'a str>,
    pub(super) waiting: Result<&'a WaitingEvents, &'a str>,
    pub(super) notice: Option<&'a Notice>,
}

impl RoutePage<'_> {
    fn letter_state(&self, letter: &DeadLetterLine) -> &'static str {
        match letter.state {
            LetterState::Open => self.language.say("open", "open"),
            LetterState::Replayed => self.language.say("opnieuw verstuurd", "replayed"),
            LetterState::Dismissed => self.language.say("terzijde gelegd", "dismissed"),
        }
    }

    fn is_open(&self, letter: &DeadLetterLine) -> bool {
        self.card.actions && letter.state == LetterState::Open
    }

    fn any_is_open(&self, letters: &[DeadLetterLine]) -> bool {
        letters.iter().any(|letter| self.is_open(letter))
    }
}

#[derive(Template)]
#[template(path = "settings.html")]
pub(super) struct SettingsPage<'a> {
    pub(super) language: Language,
    /// As `check-config` prints them.
    pub(super) settings: &'a str,
    pub(super) actions: bool,
    pub(super) notice: Option<&'a Notice>,
}

/// An answer of 4xx or 5xx to a browser.
#[derive(Template)]
#[template(path = "problem.html")]
pub(super) struct ProblemPage<'a> {
    pub(super) language: Language,
    pub(super) status: u16,
    pub(super) detail: &'a str,
}

impl ProblemPage<'_> {
    fn title(&self) -> &'static str {
        let (dutch, english) = match self.status {
            401 => ("Het token is nodig", "The token is needed"),
            403 => ("Dat mag hier niet", "That is not permitted here"),
            404 => ("Dat is er niet", "That is not there"),
            421 => ("Onbekende naam", "Unknown host"),
            500.. => ("Dat lukt nu niet", "That does not work now"),
            _ => ("Dat kan niet", "That cannot be done"),
        };
        self.language.say(dutch, english)
    }
}

#[cfg(test)]
mod tests;
