use std::collections::BTreeSet;

use crate::grammar::name::is_attribute_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-STR-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.2.3",
    title: Text {
        en: "Attribute in a header, but not in the body",
        nl: "Attribuut in een header, maar niet in de body",
    },
    explanation: Text {
        en: "In structured mode all attributes are in the body, also those that a `ce-` header repeats.",
        nl: "In gestructureerde modus staan alle attributen in de body, ook als een `ce-`header ze herhaalt.",
    },
    why: Text {
        en: "Receivers read the body only. An attribute that stands in a header alone is lost, and without a required one the event is refused.",
        nl: "Ontvangers lezen alleen de body. Een attribuut dat alleen in een header staat, gaat verloren. Is het een verplicht attribuut, dan wordt de gebeurtenis geweigerd.",
    },
    fix: Text {
        en: "Write the attribute as a member of the event in the body.",
        nl: "Schrijf het attribuut als veld van de gebeurtenis in de body.",
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
