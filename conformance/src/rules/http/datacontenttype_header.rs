use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-2",
    en: Texts {
        title: "`ce-datacontenttype` in binary mode",
        explanation: "A message in binary mode has no header `ce-datacontenttype`. The type of the data is the value of `Content-Type`.",
        why: "Two headers can name two types. One reader then takes the data for JSON and another for XML.",
        fix: "Leave out `ce-datacontenttype` and give `Content-Type` the type of the data.",
    },
    nl: Texts {
        title: "`ce-datacontenttype` in binaire modus",
        explanation: "Een bericht in binaire modus heeft geen header `ce-datacontenttype`. Het type van de data is de waarde van `Content-Type`.",
        why: "Twee headers kunnen twee typen noemen. De ene ontvanger ziet de data dan aan voor JSON en de andere voor XML.",
        fix: "Laat `ce-datacontenttype` weg en geef `Content-Type` het type van de data.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/json\n\n{\"a\":1}",
    ),
    bad: Example::Message(
        Protocol::Http,
        "ce-datacontenttype: application/json\ncontent-type: application/xml\n\n<a/>",
    ),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(report),
};

/// Reports the header that carries the attribute where the binding has another one for it. Null carries none.
pub(crate) fn report(reading: &Reading<'_>, found: &mut Found<'_>) {
    for (name, header) in reading.attribute_headers() {
        if name == "datacontenttype" && header.value.is_some() {
            found.header(header);
        }
    }
}
