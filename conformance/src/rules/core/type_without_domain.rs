use crate::grammar::nl_type::is_reverse_domain_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPE-3",
    en: Texts {
        title: "`type` does not begin with a reverse domain name",
        explanation: "`type` begins with the domain name, in reverse order, of the organisation that defines what the type means.",
        why: "Several organisations may choose a name such as `PersonMoved` and mean different things by it. The domain name tells whose definition counts.",
        fix: "Write `com.example.person-moved` instead of `PersonMoved`, with your own domain name.",
    },
    nl: Texts {
        title: "`type` begint niet met een omgekeerde domeinnaam",
        explanation: "`type` begint met de domeinnaam, in omgekeerde volgorde, van de organisatie die de betekenis van het type vaststelt.",
        why: "Meerdere organisaties kunnen een naam als `PersoonVerhuisd` kiezen en er iets anders mee bedoelen. De domeinnaam zegt wiens definitie geldt.",
        fix: "Schrijf `com.example.persoon-verhuisd` in plaats van `PersoonVerhuisd`, met de eigen domeinnaam.",
    },
    good: Example::Event(r#""type":"com.github.pull_request.opened""#),
    bad: Example::Event(r#""type":"PersonMoved""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        // That it is empty or no text is another rule's.
        let has_no_domain = |ty: &str| !ty.is_empty() && !is_reverse_domain_name(ty);
        found.all(event.matching("type", has_no_domain));
    }),
};
