use std::collections::BTreeSet;

use crate::grammar::name::is_attribute_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-STR-3",
    en: Texts {
        title: "Attribute in a header, but not in the body",
        explanation: "In structured mode all attributes are in the body, also those that a `ce-` header repeats.",
        why: "Receivers read the body only. An attribute that stands in a header alone is lost, and without a required one the event is refused.",
        fix: "Write the attribute as a member of the event in the body.",
    },
    nl: Texts {
        title: "Attribuut in een header, maar niet in de body",
        explanation: "In gestructureerde modus staan alle attributen in de body, ook als een `ce-`header ze herhaalt.",
        why: "Ontvangers lezen alleen de body. Een attribuut dat alleen in een header staat, gaat verloren. Is het een verplicht attribuut, dan wordt de gebeurtenis geweigerd.",
        fix: "Schrijf het attribuut als veld van de gebeurtenis in de body.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json\nce-id: 1\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    bad: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json\nce-subject: a\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Structured),
    check: Check::Message(|reading, found| {
        for event in &reading.events {
            let body: BTreeSet<_> = event.set().map(|attribute| &*attribute.name).collect();
            for (name, header) in reading.attribute_headers() {
                if is_attribute_name(&name) && name != "data" && !body.contains(&*name) {
                    found.header(header);
                }
            }
        }
    }),
};
