use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-TYPE-2",
    level: Levels::nl_gov(Level::May),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0/1.1, 3.3.4 type",
    title: Text {
        en: "`type` with a part added at the end refused",
        nl: "`type` met een extra deel aan het eind geweigerd",
    },
    explanation: Text {
        en: "A `type` may be made more specific by adding a part: `nl.brp.verhuizing.binnengemeentelijk`.",
        nl: "Een `type` mag specifieker worden gemaakt met een deel erachter: `nl.brp.verhuizing.binnengemeentelijk`.",
    },
    why: Text {
        en: "A receiver that expects a fixed number of parts loses the events of producers that refine their types.",
        nl: "Een ontvanger die een vast aantal delen verwacht, mist de gebeurtenissen van partijen die hun typen verfijnen.",
    },
    fix: Text {
        en: "Accept any number of parts; subscribe by the beginning of a type where the end does not matter.",
        nl: "Accepteer elk aantal delen. Abonneer op het begin van een type als het einde niet van belang is.",
    },
    good: Example::Event(r#""type":"nl.brp.verhuizing.binnengemeentelijk""#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
