use crate::grammar::base64;
use crate::grammar::dsse::is_envelope;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-DSSE-1",
    en: Texts {
        title: "`dssematerial` is not a DSSE envelope",
        explanation: "`dssematerial` is Base64 of a DSSE envelope in JSON: a payload, `payloadType` `https://cloudevents.io/verifiability/dsse/v0.1`, and at least one signature.",
        why: "Without an envelope that can be read, the signature cannot be verified. A receiver that demands signatures then refuses the event as if it were forged.",
        fix: "Let the library that signs write the envelope, and encode it in Base64 once, with padding.",
    },
    nl: Texts {
        title: "`dssematerial` is geen DSSE-envelop",
        explanation: "`dssematerial` is Base64 van een DSSE-envelop in JSON: een payload, `payloadType` `https://cloudevents.io/verifiability/dsse/v0.1` en ten minste één handtekening.",
        why: "Zonder leesbare envelop is de handtekening niet te controleren. Een ontvanger die handtekeningen eist, weigert de gebeurtenis dan alsof zij vervalst is.",
        fix: "Laat de bibliotheek die ondertekent de envelop schrijven, en codeer die één keer in Base64, met opvulling.",
    },
    good: Example::Event(
        r#""dssematerial":"eyJwYXlsb2FkIjoiZTMwPSIsInBheWxvYWRUeXBlIjoiaHR0cHM6Ly9jbG91ZGV2ZW50cy5pby92ZXJpZmlhYmlsaXR5L2Rzc2UvdjAuMSIsInNpZ25hdHVyZXMiOlt7InNpZyI6IllRPT0ifV19""#,
    ),
    bad: Example::Event(r#""dssematerial":"plain text""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("dssematerial", |material| {
            base64::decode(material).is_some_and(|envelope| is_envelope(&envelope))
        }));
    }),
};
