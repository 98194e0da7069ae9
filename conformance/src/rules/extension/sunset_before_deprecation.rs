use crate::grammar::timestamp::{instant, is_timestamp};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-DEPR-2",
    en: Texts {
        title: "`deprecationsunset` before `deprecationfrom`, or one of them no timestamp",
        explanation: "`deprecationfrom` and `deprecationsunset` are timestamps of RFC 3339, and the second is not before the first.",
        why: "Consumers plan their migration between these two moments. If the end lies before the announcement, they have no time, or they ignore both.",
        fix: "Correct the two moments; often they are swapped.",
    },
    nl: Texts {
        title: "`deprecationsunset` ligt vóór `deprecationfrom`, of een van beide is geen tijdstip",
        explanation: "`deprecationfrom` en `deprecationsunset` zijn tijdstippen volgens RFC 3339, en het tweede ligt niet vóór het eerste.",
        why: "Afnemers plannen hun overgang tussen deze twee momenten. Ligt het einde vóór de aankondiging, dan is er geen tijd voor, of negeren zij beide.",
        fix: "Corrigeer de twee tijdstippen; vaak zijn ze verwisseld.",
    },
    good: Example::Event(
        r#""deprecated":true,"deprecationfrom":"2024-10-11T00:00:00Z","deprecationsunset":"2024-11-12T00:00:00Z""#,
    ),
    bad: Example::Event(
        r#""deprecated":true,"deprecationfrom":"2024-11-12T00:00:00Z","deprecationsunset":"2024-10-11T00:00:00Z""#,
    ),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let from = event.text("deprecationfrom").and_then(instant);
        found.all(event.failing("deprecationfrom", is_timestamp));
        found.all(event.failing("deprecationsunset", |sunset| {
            instant(sunset).is_some_and(|sunset| from.is_none_or(|from| sunset >= from))
        }));
    }),
};
