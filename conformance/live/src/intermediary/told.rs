//! What is written of a run: what went in and came out, then what it showed of each rule.

use std::collections::BTreeSet;
use std::io;

use cloudevents_nl_conformance::{Capture, Checker, Live, Mode, Profile, Protocol};

use super::load::LOAD;
use super::rules;
use super::story::{Sent, Story};
use crate::record::Record;

/// Broken by what we send: large events, and data of every kind under one type.
const OURS: [&str; 5] = [
    "SIZE-3",
    "NL-TYPE-4",
    "NL-TYPE-5",
    "NL-TYPE-6",
    "CE-DATASCHEMA-2",
];

/// Writes all of it, and notes on which line each message stands. What it showed is handed back.
pub(crate) fn tell(story: &mut Story, mut record: Record) -> io::Result<Vec<Live>> {
    let checkers = Profile::ALL.map(Checker::new);
    // Which rules a message breaks, by any profile.
    let faults = |message: &Capture| -> BTreeSet<&'static str> {
        let found = checkers
            .iter()
            .flat_map(|checker| checker.check(message).findings);
        found.map(|finding| finding.rule.id).collect()
    };
    let index = story.index();
    // A fault that a message had when it went in is none of the intermediary.
    let spared = story.came.iter().map(|came| {
        let own = faults(&came.message);
        let mut rules: BTreeSet<_> = OURS.into_iter().collect();
        for sent in came.events.iter().filter_map(|event| index.find(event)) {
            rules.extend(own.intersection(&faults(&sent.message)));
            rules.extend(lacks_body_or_type(sent).then_some("HOOK-REQ-2"));
        }
        rules.into_iter().map(str::to_owned).collect()
    });
    let spared: Vec<Vec<String>> = spared.collect();
    let taken = story.pairs().filter(|pair| pair.came.is_taken);
    let arrived: BTreeSet<_> = taken.map(|pair| pair.sent.event.id().to_owned()).collect();
    for sent in &mut story.sent {
        // Of the load, what is of interest is what was not taken at once or did not come out.
        let is_dull = sent.name == LOAD && arrived.contains(sent.event.id());
        for exchange in &sent.exchanges {
            if !is_dull || !matches!(exchange.response.status, Some(200..300)) {
                sent.line = record.exchange(exchange)?;
            }
        }
        if sent.exchanges.is_empty() && !is_dull {
            let mut evidence = sent.message.clone();
            evidence.is_evidence = true;
            sent.line = record.message(&evidence)?;
        }
    }
    for handshake in &story.handshakes {
        record.exchange(handshake)?;
    }
    let mut exchanges = story.came.iter().filter_map(|came| came.exchange.as_ref());
    story.given.token |= exchanges.any(|exchange| exchange.request.has_token());
    let mut all = std::mem::take(&mut story.came);
    for (came, not_judged) in all.iter_mut().zip(spared) {
        // What others send to the same place is nobody's to keep.
        let is_ours = came.events.iter().any(|event| story.is_ours(event));
        if came.is_closed() || !is_ours && !story.is_ours_unread(came) {
            continue;
        }
        came.line = if let Some(exchange) = &mut came.exchange {
            story.given.spare(exchange, false);
            exchange.request.not_judged.extend(not_judged);
            record.exchange(exchange)?
        } else {
            came.message.not_judged = not_judged;
            record.message(&came.message)?
        };
    }
    story.came = all;
    let given = story.given.not_shown();
    let given = given.filter(|_| story.to == Protocol::Http && !story.came.is_empty());
    let mut lives = rules::judge(story);
    lives.extend(given);
    for live in &lives {
        record.live(live)?;
    }
    Ok(lives)
}

/// Whether it went in as what no webhook may deliver, which only an exchange shows.
fn lacks_body_or_type(sent: &Sent) -> bool {
    let message = &sent.message;
    let is_untyped = message.header("content-type").is_none_or(str::is_empty);
    sent.event.mode == Mode::Binary && (is_untyped || message.body().is_empty())
}
