use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-BAM-1",
    en: Texts {
        title: "Attributes of business activity monitoring missing or empty",
        explanation: "Where the extension for business activity monitoring is used, `bamtxid`, `bampid`, `bamptxid` and `bamptxsid` are all there, as text with at least one character.",
        why: "Only the four together tell which step of which transaction an event belongs to. If one is missing, the process seems to stand still.",
        fix: "Set all four attributes, or none of this extension.",
    },
    nl: Texts {
        title: "Attributen voor business activity monitoring ontbreken of zijn leeg",
        explanation: "Wie de extensie voor business activity monitoring gebruikt, geeft `bamtxid`, `bampid`, `bamptxid` en `bamptxsid` alle vier mee, als tekst van ten minste één teken.",
        why: "Alleen samen zeggen deze vier bij welke stap van welke transactie een gebeurtenis hoort. Als er een ontbreekt, lijkt het proces stil te staan.",
        fix: "Vul alle vier de attributen, of gebruik deze extensie niet.",
    },
    good: Example::Event(r#""bamtxid":"1","bampid":"p","bamptxid":"t","bamptxsid":"s""#),
    bad: Example::Event(r#""bamtxid":"1""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let needed = ["bamtxid", "bampid", "bamptxid", "bamptxsid"];
    let optional = ["bamptxsstatus", "bamptxcompleted"];
    let is_set = |name: &&str| event.attribute(name).is_some();
    if !needed.iter().chain(&optional).any(is_set) {
        return;
    }
    for name in needed {
        found.missing(event, name);
        found.all(event.failing(name, |text| !text.is_empty()));
    }
}
