use crate::grammar::nl_type::is_reverse_domain_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPE-3",
    level: Levels::cloudevents(Level::Should),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, type",
    title: Text {
        en: "`type` does not begin with a reverse domain name",
        nl: "`type` begint niet met een omgekeerde domeinnaam",
    },
    explanation: Text {
        en: "`type` begins with the domain name, in reverse order, of the organisation that defines what the type means.",
        nl: "`type` begint met de domeinnaam, in omgekeerde volgorde, van de organisatie die de betekenis van het type vaststelt.",
    },
    why: Text {
        en: "Several organisations may choose a name such as `PersonMoved` and mean different things by it. The domain name tells whose definition counts.",
        nl: "Meerdere organisaties kunnen een naam als `PersoonVerhuisd` kiezen en er iets anders mee bedoelen. De domeinnaam zegt wiens definitie geldt.",
    },
    fix: Text {
        en: "Write `com.example.person-moved` instead of `PersonMoved`, with your own domain name.",
        nl: "Schrijf `com.example.persoon-verhuisd` in plaats van `PersoonVerhuisd`, met de eigen domeinnaam.",
    },
    good: Example::Event(r#""type":"com.github.pull_request.opened""#),
    bad: Example::Event(r#""type":"PersonMoved""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        // That it is empty or no text is another rule's.
        let has_no_domain = |ty: &str| !ty.is_empty() && !is_reverse_domain_name(ty);
        let types = event.named("type");
        found.all(types.filter(|ty| ty.text().is_some_and(has_no_domain)));
    }),
};
