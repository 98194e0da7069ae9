//! Messages that may be refused, and what comes out where they are not.

use cloudevents_nl_conformance::{Mode, Protocol, Shown};

use super::{found, over};
use crate::intermediary::odd::{CONTROL_CHARACTER, UNKNOWN_FORMAT};
use crate::intermediary::story::Story;
use crate::shown::{by, evidence, nothing, why};

/// NATS-ENC-6 and HTTP-ENC-6: a control character comes out as it is.
pub(super) fn control_character(story: &Story, protocol: Protocol) -> Shown {
    let why_not = why(
        "no such event came out in binary mode of this protocol; --odd sends one, and it may be refused",
        "zo\u{2019}n gebeurtenis kwam niet uit in binary mode van dit protocol; --odd verstuurt er een, en weigeren mag",
    );
    over(story.of_specimen(CONTROL_CHARACTER), why_not, |pair| {
        if (pair.event.protocol, pair.event.mode) != (protocol, Mode::Binary) {
            return None;
        }
        let value = pair.came.message.header("ce-subject").unwrap_or_default();
        found((!value.contains("%07")).then(|| format!("ce-subject: {value:?}")))
    })
}

/// KAFKA-DETECT-3 and HTTP-DETECT-3: a message in a format that nobody knows comes out as another.
pub(super) fn unknown_format(story: &Story, protocol: Protocol) -> Shown {
    let sent = story.sent.iter().find(|sent| sent.name == UNKNOWN_FORMAT);
    let Some(sent) = sent.filter(|_| story.from == protocol) else {
        return nothing(
            "none was sent: --odd does, over the binding that the rule is of",
            "er is geen verstuurd: dat doet --odd, over het protocol van de regel",
        );
    };
    let mut came = story.came.iter();
    let Some(came) = came.find(|came| came.message.body() == sent.message.body()) else {
        return nothing(
            "the intermediary does not pass it on, and may refuse it",
            "de intermediair geeft het niet door, en mag het weigeren",
        );
    };
    let (was, is) = (&sent.message, &came.message);
    let (was, is) = (was.header("content-type"), is.header("content-type"));
    let seen = format!("content-type → {}", is.unwrap_or("∅"));
    by((was != is).then(|| evidence(came.line, seen)))
}
