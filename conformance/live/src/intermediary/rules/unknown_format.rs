//! KAFKA-DETECT-3 and HTTP-DETECT-3: a message in a format that nobody knows comes out as another.

use cloudevents_nl_conformance::{Evidence, Protocol, Shown};

use super::why;
use crate::intermediary::odd::UNKNOWN_FORMAT;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story, protocol: Protocol) -> Shown {
    let sent = story.sent.iter().find(|sent| sent.name == UNKNOWN_FORMAT);
    let Some(sent) = sent.filter(|_| story.from == protocol) else {
        return Shown::Nothing(why(
            "none was sent: --odd does, over the binding that the rule is of",
            "er is geen verstuurd: dat doet --odd, over het protocol van de regel",
        ));
    };
    let format = sent.message.header("content-type");
    let mut came = story.came.iter();
    match came.find(|came| came.message.body() == sent.message.body()) {
        Some(came) if came.message.header("content-type") == format => Shown::Met,
        Some(came) => Shown::Broken(vec![Evidence {
            line: came.line,
            in_response: false,
            seen: format!(
                "content-type → {}",
                came.message.header("content-type").unwrap_or("∅")
            ),
        }]),
        None => Shown::Nothing(why(
            "the intermediary does not pass it on, and may refuse it",
            "de intermediair geeft het niet door, en mag het weigeren",
        )),
    }
}
