use crate::grammar::nl_type::is_reverse_domain_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-1",
    en: Texts {
        title: "`type` is not a reverse domain name",
        explanation: "`type` begins with a domain name in reverse order: at least a top-level label and a domain label, separated by dots, no part empty.",
        why: "Two organisations that choose the same short name mean different things by it; a domain name keeps them apart.",
        fix: "Write `nl.brp.persoon-verhuisd` instead of `persoon-verhuisd`.",
    },
    nl: Texts {
        title: "`type` is geen omgekeerde domeinnaam",
        explanation: "`type` begint met een domeinnaam in omgekeerde volgorde: ten minste een topleveldomein en een domein, gescheiden door punten en zonder lege delen.",
        why: "Twee organisaties die dezelfde korte naam kiezen, bedoelen er iets anders mee. Een domeinnaam houdt ze uit elkaar.",
        fix: "Schrijf `nl.brp.persoon-verhuisd` in plaats van `persoon-verhuisd`.",
    },
    good: Example::Event(r#""type":"nl.brp.persoon-verhuisd""#),
    bad: Example::Event(r#""type":"persoon-verhuisd""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        // An empty type is CE-TYPE-2's.
        found.all(event.failing("type", |ty| ty.is_empty() || is_reverse_domain_name(ty)));
    }),
};
