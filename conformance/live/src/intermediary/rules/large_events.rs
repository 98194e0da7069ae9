//! SIZE-1: an event of 64 KiB, as it is sent, does not come out.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::specimens::LARGE;
use crate::intermediary::story::{Outcome, Story};

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let pairs = story.pairs();
    for sent in story.sent.iter().filter(|sent| sent.name == LARGE) {
        match pairs
            .iter()
            .find(|pair| pair.sent.event.id() == sent.event.id())
        {
            Some(pair) => verdict.of(*pair, None),
            None => match &sent.outcome {
                Outcome::Refused(said) | Outcome::Unknown(said) => verdict.broken_by(sent, said),
                Outcome::Taken => verdict.broken_by(sent, "→ ∅"),
            },
        }
    }
    verdict.shown(nothing_came())
}
