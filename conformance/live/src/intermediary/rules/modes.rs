//! The modes of each binding: what went in by one of them comes out, in whatever mode.

use std::collections::HashSet;

use cloudevents_nl_conformance::{Mode, Protocol, Shown, Why};

use super::{Verdict, nothing_came};
use crate::intermediary::story::Story;
use crate::shown::why;

pub(super) const BOTH: &[Mode] = &[Mode::Structured, Mode::Binary];
pub(super) const JSON: &[Mode] = &[Mode::Structured];

/// A mode by which nothing comes out is not supported.
pub(super) fn judge(story: &Story, protocol: Protocol, modes: &[Mode]) -> Shown {
    let usual = story.usual();
    let came: HashSet<_> = usual.iter().map(|pair| pair.sent.event.id()).collect();
    // Who takes nothing at all may have been asked at a wrong address.
    if came.is_empty() {
        return Shown::Nothing(nothing_came());
    }
    let mut verdict = Verdict::default();
    for mode in modes {
        let sent = story.sent.iter().filter(|sent| !sent.is_odd);
        let own = sent.filter(|sent| (sent.event.protocol, sent.event.mode) == (protocol, *mode));
        let own: Vec<_> = own.collect();
        let Some(first) = own.first() else {
            return Shown::Nothing(not_sent(protocol));
        };
        verdict.is_tried = true;
        if !own.iter().any(|sent| came.contains(sent.event.id())) {
            verdict.broken_by(first, &format!("{mode:?} → {}", first.said()));
        }
    }
    verdict.shown(not_sent(protocol))
}

fn not_sent(protocol: Protocol) -> Why {
    let name = protocol.name();
    why(
        format!("events did not go in over {name} in the modes that the rule is about"),
        format!("er gingen over {name} geen gebeurtenissen naar binnen in de modi van de regel"),
    )
}
