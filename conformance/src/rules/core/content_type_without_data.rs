use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-DCT-5",
    level: Levels::everywhere(Level::May),
    status: Status::Draft,
    clause: "CloudEvents core 1.0.3-wip, datacontenttype",
    title: Text {
        en: "`datacontenttype` without data",
        nl: "`datacontenttype` zonder data",
    },
    explanation: Text {
        en: "An event may have a `datacontenttype` and no data. That alone is no error.",
        nl: "Een gebeurtenis mag een `datacontenttype` hebben zonder data. Dat alleen is geen fout.",
    },
    why: Text {
        en: "Senders often set the content type for all their events, also for those without data. A receiver that refuses these loses valid events.",
        nl: "Afzenders vullen het content type vaak voor al hun gebeurtenissen, ook als er geen data is. Een ontvanger die deze weigert, verliest geldige gebeurtenissen.",
    },
    fix: Text {
        en: "Read such an event as one without data.",
        nl: "Lees zo’n gebeurtenis als een gebeurtenis zonder data.",
    },
    good: Example::Event(r#""datacontenttype":"application/json""#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
