use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-DCT-5",
    en: Texts {
        title: "`datacontenttype` without data",
        explanation: "An event may have a `datacontenttype` and no data. That alone is no error.",
        why: "Senders often set the content type for all their events, also for those without data. A receiver that refuses these loses valid events.",
        fix: "Read such an event as one without data.",
    },
    nl: Texts {
        title: "`datacontenttype` zonder data",
        explanation: "Een gebeurtenis mag een `datacontenttype` hebben zonder data. Dat alleen is geen fout.",
        why: "Afzenders vullen het content type vaak voor al hun gebeurtenissen, ook als er geen data is. Een ontvanger die deze weigert, verliest geldige gebeurtenissen.",
        fix: "Lees zo’n gebeurtenis als een gebeurtenis zonder data.",
    },
    good: Example::Event(r#""datacontenttype":"application/json""#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
