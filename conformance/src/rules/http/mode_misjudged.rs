use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DETECT-1",
    en: Texts {
        title: "Mode not taken from `Content-Type`",
        explanation: "`Content-Type` decides how a message is read. If it begins with `application/cloudevents-batch`, the message is a batch; if it begins with `application/cloudevents` otherwise, it is a structured event; anything else is binary mode.",
        why: "The media type of a batch begins like that of a single event. A reader that tests for the single event first takes every batch for one event and refuses it.",
        fix: "Test for `application/cloudevents-batch` first, and for `application/cloudevents` after that.",
    },
    nl: Texts {
        title: "Modus niet afgeleid uit `Content-Type`",
        explanation: "`Content-Type` bepaalt hoe een bericht wordt gelezen. Begint de waarde met `application/cloudevents-batch`, dan is het bericht een batch. Begint de waarde anders met `application/cloudevents`, dan is het een gestructureerde gebeurtenis. Al het overige is binaire modus.",
        why: "Het mediatype van een batch begint hetzelfde als dat van één gebeurtenis. Een ontvanger die eerst op één gebeurtenis toetst, ziet elke batch daarvoor aan en weigert die.",
        fix: "Toets eerst op `application/cloudevents-batch` en pas daarna op `application/cloudevents`.",
    },
    good: super::batch_as_one_event::RULE.good,
    applies: Applies::On(Protocol::Http),
    ..ACCEPTANCE
};
