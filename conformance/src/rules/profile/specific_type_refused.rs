use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-2",
    en: Texts {
        title: "`type` with a part added at the end refused",
        explanation: "A `type` may be made more specific by adding a part: `nl.brp.verhuizing.binnengemeentelijk`.",
        why: "A receiver that expects a fixed number of parts loses the events of producers that refine their types.",
        fix: "Accept any number of parts; subscribe by the beginning of a type where the end does not matter.",
    },
    nl: Texts {
        title: "`type` met een extra deel aan het eind geweigerd",
        explanation: "Een `type` mag specifieker worden gemaakt met een deel erachter: `nl.brp.verhuizing.binnengemeentelijk`.",
        why: "Een ontvanger die een vast aantal delen verwacht, mist de gebeurtenissen van partijen die hun typen verfijnen.",
        fix: "Accepteer elk aantal delen. Abonneer op het begin van een type als het einde niet van belang is.",
    },
    good: Example::Event(r#""type":"nl.brp.verhuizing.binnengemeentelijk""#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
