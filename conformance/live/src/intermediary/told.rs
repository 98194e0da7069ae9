//! What is written of a run: what went in and came out, then what it showed of each rule.

use std::collections::{BTreeSet, HashMap};
use std::io;

use cloudevents_nl_conformance::{Capture, Checker, Profile, Protocol};

use super::load::LOAD;
use super::plain::Plain;
use super::rules;
use super::specimens::LARGE;
use super::story::Story;
use crate::record::Record;

/// Broken by binary mode over HTTP as such, whatever the event.
const OF_THE_MODE: &str = "NL-GL-HTTP-1";

/// Writes all of it, and notes on which line each message stands.
pub(crate) fn tell(story: &mut Story, mut record: Record) -> io::Result<()> {
    let faults = Faults::new();
    let mut of_sent = HashMap::new();
    let pairs = story.pairs().into_iter();
    let taken = pairs.filter(|pair| pair.came.is_taken);
    let arrived: BTreeSet<_> = taken.map(|pair| pair.sent.event.id().to_owned()).collect();
    for sent in &mut story.sent {
        let id = sent.event.id();
        let own = of_sent.entry(id.to_owned());
        own.or_insert_with(|| faults.of(&sent.message));
        // Of the load, what is of interest is what did not come out.
        if sent.name == LOAD && arrived.contains(id) {
            continue;
        }
        sent.line = match &sent.exchange {
            Some(exchange) => record.exchange(exchange)?,
            None => record.message(&evidence(&sent.message))?,
        };
    }
    let mut exchanges = story.came.iter().filter_map(|came| came.exchange.as_ref());
    story.given.token |= exchanges.any(|exchange| exchange.request.has_token());
    let mut all = std::mem::take(&mut story.came);
    for came in &mut all {
        // What others send to the same place is nobody's to keep.
        let is_ours = came.events.iter().any(|event| story.is_ours(event));
        if !is_ours && !story.is_ours_unread(came) {
            continue;
        }
        let own = faults.of(&came.message);
        // A fault that it had when it went in is none of the intermediary; nor is how large it is.
        let ids = || came.events.iter().map(Plain::id);
        let before: BTreeSet<_> = ids().filter_map(|id| of_sent.get(id)).flatten().collect();
        let is_large = ids().any(|id| id.ends_with(LARGE));
        // What the mode alone breaks is no reason to judge a message that had faults before.
        let is_told = |rule: &&str| *rule != OF_THE_MODE || own.len() == 1;
        let mut told = own.iter().filter(|rule| is_told(rule));
        let is_judged = own.is_empty() || !is_large && told.any(|rule| !before.contains(rule));
        if let Some(exchange) = &mut came.exchange {
            story.given.spare(exchange);
        }
        came.line = match &came.exchange {
            _ if !is_judged => record.message(&evidence(&came.message))?,
            Some(exchange) => record.exchange(exchange)?,
            None => record.message(&came.message)?,
        };
    }
    story.came = all;
    let given = story.given.not_shown();
    let given = given.filter(|_| story.to == Protocol::Http && !story.came.is_empty());
    for live in rules::judge(story).into_iter().chain(given) {
        record.live(&live)?;
    }
    Ok(())
}

fn evidence(message: &Capture) -> Capture {
    let mut evidence = message.clone();
    evidence.is_evidence = true;
    evidence
}

/// Which rules a message breaks, by any profile.
struct Faults([Checker; 3]);

impl Faults {
    fn new() -> Self {
        Self(Profile::ALL.map(Checker::new))
    }

    fn of(&self, message: &Capture) -> BTreeSet<&'static str> {
        let checkers = self.0.iter();
        let found = checkers.flat_map(|checker| checker.check(message).findings);
        found.map(|finding| finding.rule.id).collect()
    }
}
