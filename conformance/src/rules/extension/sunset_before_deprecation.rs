use crate::grammar::timestamp::{instant, is_timestamp};
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "EXT-DEPR-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "Extension deprecation 1.0.3-wip",
    title: Text {
        en: "`deprecationsunset` before `deprecationfrom`, or one of them no timestamp",
        nl: "`deprecationsunset` ligt vóór `deprecationfrom`, of een van beide is geen tijdstip",
    },
    explanation: Text {
        en: "`deprecationfrom` and `deprecationsunset` are timestamps of RFC 3339, and the second is not before the first.",
        nl: "`deprecationfrom` en `deprecationsunset` zijn tijdstippen volgens RFC 3339, en het tweede ligt niet vóór het eerste.",
    },
    why: Text {
        en: "Consumers plan their migration between these two moments. If the end lies before the announcement, they have no time, or they ignore both.",
        nl: "Afnemers plannen hun overgang tussen deze twee momenten. Ligt het einde vóór de aankondiging, dan is er geen tijd voor, of negeren zij beide.",
    },
    fix: Text {
        en: "Correct the two moments; often they are swapped.",
        nl: "Corrigeer de twee tijdstippen; vaak zijn ze verwisseld.",
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
