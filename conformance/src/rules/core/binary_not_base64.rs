use crate::grammar::base64::is_base64;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-9",
    en: Texts {
        title: "Binary attribute that is not Base64",
        explanation: "As text, a Binary value is Base64 of RFC 4648 section 4, with padding. Judged on attributes that are known to be Binary: so far `dssematerial`, which comes from a draft, so a breach is a notice. For data there is JSON-DATA-4.",
        why: "A receiver cannot turn the text into bytes. Without padding, or with the alphabet for URLs, it works with one library and fails with another.",
        fix: "Encode with the standard alphabet of Base64, and keep the `=` at the end.",
    },
    nl: Texts {
        title: "Binair attribuut dat geen Base64 is",
        explanation: "Als tekst is een binaire waarde Base64 volgens RFC 4648, paragraaf 4, met opvulling. Beoordeeld bij attributen waarvan dit type bekend is: tot nu toe `dssematerial`, uit een concept. Een afwijking is daarom een opmerking. Voor data geldt JSON-DATA-4.",
        why: "Een ontvanger kan de tekst niet omzetten in bytes. Zonder opvulling, of met het alfabet voor URL’s, lukt het met de ene bibliotheek wel en met de andere niet.",
        fix: "Codeer met het standaardalfabet van Base64 en laat de `=` aan het einde staan.",
    },
    good: Example::Event(
        r#""dssematerial":"eyJwYXlsb2FkIjoiZTMwPSIsInBheWxvYWRUeXBlIjoiaHR0cHM6Ly9jbG91ZGV2ZW50cy5pby92ZXJpZmlhYmlsaXR5L2Rzc2UvdjAuMSIsInNpZ25hdHVyZXMiOlt7InNpZyI6IllRPT0ifV19""#,
    ),
    bad: Example::Event(r#""dssematerial":"TWE""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let binaries = event.failing("dssematerial", is_base64);
        found.noticed().all(binaries);
    }),
};
