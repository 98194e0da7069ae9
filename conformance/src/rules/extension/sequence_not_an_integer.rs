use crate::grammar::integer::{is_canonical, parse_padded};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SEQ-4",
    en: Texts {
        title: "`sequencetype` is `Integer`, but `sequence` is not a 32-bit integer",
        explanation: "With `sequencetype` `Integer`, `sequence` is the decimal text of a whole number from -2147483648 to 2147483647. Zeros in front of it are a notice only, because the extension itself advises padding.",
        why: "Consumers compare these values as 32-bit numbers. With any other text the comparison fails, and the order of the events is lost.",
        fix: "Write `1234`, and go on at `-2147483648` after `2147483647`. Leave `sequencetype` out if the values are no numbers.",
    },
    nl: Texts {
        title: "`sequencetype` is `Integer`, maar `sequence` is geen geheel getal van 32 bits",
        explanation: "Bij `sequencetype` `Integer` is `sequence` de decimale tekst van een geheel getal van -2147483648 tot en met 2147483647. Voorloopnullen geven alleen een opmerking, omdat de extensie aanvullen met nullen zelf aanraadt.",
        why: "Afnemers vergelijken deze waarden als getallen van 32 bits. Bij een andere tekst mislukt dat en gaat de volgorde van de gebeurtenissen verloren.",
        fix: "Schrijf `1234` en ga na `2147483647` verder met `-2147483648`. Laat `sequencetype` weg als de waarden geen getallen zijn.",
    },
    good: Example::Event(r#""sequence":"-2147483648","sequencetype":"Integer""#),
    bad: Example::Event(r#""sequence":"2147483648","sequencetype":"Integer""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    if event.text("sequencetype") != Some("Integer") {
        return;
    }
    for sequence in event.named("sequence") {
        // That it is empty or no text is another rule's.
        let Some(text) = sequence.text().filter(|text| !text.is_empty()) else {
            continue;
        };
        if parse_padded(text).is_none() {
            found.at(sequence);
        } else if !is_canonical(text) {
            found.noticed().at(sequence);
        }
    }
}
