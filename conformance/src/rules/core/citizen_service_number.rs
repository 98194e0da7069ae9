//! Only somebody who knows the values can declare that the rule is met, so this is a notice.

use crate::grammar::bsn;
use crate::grammar::timestamp::is_timestamp;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SEC-1",
    en: Texts {
        title: "What looks like a citizen service number (BSN) in an attribute",
        explanation: "Sensitive values stay out of attributes. Nine digits that pass the eleven-test are reported as a notice, because chance makes such a number too; not reported are numbers behind `oin`, `rsin`, `bronorganisatie` and `verantwoordelijkeOrganisatie`, and those within a hash or a UUID.",
        why: "Attributes are read, copied and logged by every system on the way, also where nobody may process citizen service numbers.",
        fix: "Move the number to the data, encrypted if need be, and refer to the person in attributes by an identifier that means nothing elsewhere. `check --redact` makes a report without these numbers.",
    },
    nl: Texts {
        title: "Mogelijk een burgerservicenummer (BSN) in een attribuut",
        explanation: "Gevoelige gegevens staan niet in attributen. Negen cijfers die voldoen aan de elfproef worden als opmerking gemeld, want ook toeval levert zo’n nummer op; niet gemeld worden nummers achter `oin`, `rsin`, `bronorganisatie` en `verantwoordelijkeOrganisatie`, en die binnen een hash of een UUID.",
        why: "Attributen worden gelezen, gekopieerd en gelogd door elk systeem onderweg, ook waar niemand burgerservicenummers mag verwerken.",
        fix: "Verplaats het nummer naar de data, zo nodig versleuteld, en verwijs in attributen naar de persoon met een kenmerk dat elders niets betekent. `check --redact` maakt een rapport zonder deze nummers.",
    },
    good: Example::Event(
        r#""subject":"8b4c9c3e-2f0f-4f3b-9d53-6a1c2e5b7f10","bronorganisatie":"002564440""#,
    ),
    bad: Example::Event(r#""subject":"999990342""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let holds_number = |attribute: &&Attribute<'_>| {
            let value = attribute.value.shown();
            // The fraction of a second may have nine digits.
            !bsn::numbers(&attribute.name, value).is_empty() && !is_timestamp(value)
        };
        found.noticed().all(event.set().filter(holds_number));
    }),
};
