use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BATCH-5",
    en: Texts {
        title: "Events of different `specversion` in one batch",
        explanation: "All events of a batch have the same `specversion`. Everything else may differ.",
        why: "A receiver chooses how to read a batch by the version. Events of another version in it make the whole batch unreadable.",
        fix: "Send a batch for each version, or convert all events to `1.0`.",
    },
    nl: Texts {
        title: "Gebeurtenissen met verschillende `specversion` in één batch",
        explanation: "Alle gebeurtenissen in een batch hebben dezelfde `specversion`. Al het andere mag verschillen.",
        why: "Een ontvanger kiest aan de hand van de versie hoe hij een batch leest. Gebeurtenissen van een andere versie maken de hele batch onleesbaar.",
        fix: "Verstuur per versie een aparte batch, of zet alle gebeurtenissen om naar `1.0`.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents-batch+json\n\n[{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"},{\"specversion\":\"1.0\",\"id\":\"2\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}]",
    ),
    bad: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents-batch+json\n\n[{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"},{\"specversion\":\"0.3\",\"id\":\"2\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}]",
    ),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Http, Mode::Batched),
    check: Check::Message(|reading, found| {
        for (event, version) in other_versions(reading) {
            found.in_element(event.element).at(version);
        }
    }),
};

/// The events of a batch whose version is not that of the first.
pub(crate) fn other_versions<'r, 'c>(
    reading: &'r Reading<'c>,
) -> impl Iterator<Item = (&'r Event<'c>, &'r Attribute<'c>)> {
    let versions = || {
        let events = reading.events.iter();
        events.filter_map(|event| Some((event, event.attribute("specversion")?)))
    };
    let first = versions().find_map(|(_, version)| version.text());
    versions().filter(move |(_, version)| version.text().is_some() && version.text() != first)
}
