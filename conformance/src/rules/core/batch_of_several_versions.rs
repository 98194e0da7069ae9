use crate::rules::http::mixed_specversions::other_versions;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-BATCH-1",
    en: Texts {
        title: "Batch with more than one `specversion`",
        explanation: "All events of a batch have the same `specversion`. As only `1.0` can be read, CE-SPECVERSION-3 reports the event with another one too, and so does HTTP-BATCH-5 on HTTP.",
        why: "A receiver reads a whole batch by one version. A single event of another version makes it refuse all of them.",
        fix: "Send events of another version separately, or convert them to `1.0` first.",
    },
    nl: Texts {
        title: "Batch met meer dan één `specversion`",
        explanation: "Alle gebeurtenissen in een batch hebben dezelfde `specversion`. Omdat alleen `1.0` leesbaar is, meldt ook CE-SPECVERSION-3 de gebeurtenis met een andere waarde, en bij HTTP ook HTTP-BATCH-5.",
        why: "Een ontvanger leest een hele batch volgens één versie. Door één gebeurtenis van een andere versie worden ze allemaal geweigerd.",
        fix: "Verstuur gebeurtenissen van een andere versie apart, of zet ze eerst om naar `1.0`.",
    },
    good: Example::Batch(
        r#"[{"specversion":"1.0","id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.zaken.zaak-geopend"}, {"specversion":"1.0","id":"2","source":"urn:nld:kvknr:09220932.zaken","type":"nl.zaken.zaak-geopend"}]"#,
    ),
    bad: Example::Batch(
        r#"[{"specversion":"1.0","id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.zaken.zaak-geopend"}, {"specversion":"0.3","id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.zaken.zaak-geopend"}]"#,
    ),
    decode: Decode::Refuse,
    applies: Applies::Batch,
    check: Check::Message(|reading, found| {
        // CE-SPECVERSION-3 refuses it.
        for (event, version) in other_versions(reading) {
            found.noticed().in_element(event.element).at(version);
        }
    }),
};
