//! NATS-ENC-6 and HTTP-ENC-6: a control character comes out as it is.

use cloudevents_nl_conformance::{Mode, Protocol, Shown};

use super::{Verdict, why};
use crate::intermediary::odd::CONTROL_CHARACTER;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story, protocol: Protocol) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.of_specimen(CONTROL_CHARACTER) {
        if pair.event.protocol == protocol && pair.event.mode == Mode::Binary {
            let value = pair.came.message.header("ce-subject").unwrap_or_default();
            let is_coded = value.contains("%07");
            verdict.of(pair, (!is_coded).then(|| format!("ce-subject: {value:?}")));
        }
    }
    verdict.shown(why(
        "no such event came out in binary mode of this protocol; --odd sends one, and it may be refused",
        "zo\u{2019}n gebeurtenis kwam niet uit in binary mode van dit protocol; --odd verstuurt er een, en weigeren mag",
    ))
}
