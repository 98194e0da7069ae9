//! The rules that an intermediary is tried by, each with what makes a verdict of what went in and what
//! came out: a file for each thing that they are about.

mod arrival;
mod attributes;
mod data;
mod key;

use cloudevents_nl_conformance::{Evidence, Live, Shown, Why, catalogue};

use super::story::{Pair, Sent, Story};
use crate::shown::{by, evidence, why};

type Judge = fn(&Story) -> Shown;

/// All of them. A test holds them against the catalogue.
const RULES: [&[(&str, Judge)]; 4] = [arrival::RULES, attributes::RULES, data::RULES, key::RULES];

/// What every rule shows of a run, in the order of the catalogue.
pub(crate) fn judge(story: &Story) -> Vec<Live> {
    let lives = catalogue::entries().iter().filter_map(|entry| {
        let mut rules = RULES.iter().copied().flatten();
        let (rule, judge) = rules.find(|(rule, _)| *rule == entry.id)?;
        Live::new(rule, judge(story))
    });
    lives.collect()
}

/// What was seen of a pair, if it is not as it should be.
fn broken(pair: Pair<'_>, seen: Option<String>) -> Option<Evidence> {
    let seen = format!("{}: {}", pair.sent.name, seen?);
    Some(evidence(pair.came.line, seen))
}

/// What went in shows it broken, as it should have come out.
fn broken_by(sent: &Sent, seen: &str) -> Evidence {
    Evidence {
        in_response: !sent.exchanges.is_empty(),
        ..evidence(sent.line, format!("{}: {seen}", sent.name))
    }
}

/// What is seen of a pair: nothing of the rule, or that it is as it should be, or what is wrong.
type Seen = Option<Result<(), String>>;

/// That it is as it should be, but for what is wrong, if anything is.
fn found(wrong: Option<String>) -> Seen {
    Some(wrong.map_or(Ok(()), Err))
}

/// What pairs show of a rule, looked at one by one.
fn over<'s>(
    pairs: impl IntoIterator<Item = Pair<'s>>,
    why_not: Why,
    look: impl Fn(&Pair<'s>) -> Seen,
) -> Shown {
    let pairs = pairs.into_iter();
    let mut seen = pairs
        .filter_map(|pair| Some((pair, look(&pair)?)))
        .peekable();
    match seen.peek() {
        Some(_) => by(seen.filter_map(|(pair, seen)| broken(pair, seen.err()))),
        None => Shown::Nothing(why_not),
    }
}

fn nothing_came() -> Why {
    why(
        "no event that would show it came out",
        "er kwam geen gebeurtenis uit waaraan het te zien is",
    )
}

#[cfg(test)]
mod tests;
