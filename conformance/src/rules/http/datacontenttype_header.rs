use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-BIN-2",
    level: Levels::everywhere(Level::MustNot),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.1.1",
    title: Text {
        en: "`ce-datacontenttype` in binary mode",
        nl: "`ce-datacontenttype` in binaire modus",
    },
    explanation: Text {
        en: "A message in binary mode has no header `ce-datacontenttype`. The type of the data is the value of `Content-Type`.",
        nl: "Een bericht in binaire modus heeft geen header `ce-datacontenttype`. Het type van de data is de waarde van `Content-Type`.",
    },
    why: Text {
        en: "Two headers can name two types. One reader then takes the data for JSON and another for XML.",
        nl: "Twee headers kunnen twee typen noemen. De ene ontvanger ziet de data dan aan voor JSON en de andere voor XML.",
    },
    fix: Text {
        en: "Leave out `ce-datacontenttype` and give `Content-Type` the type of the data.",
        nl: "Laat `ce-datacontenttype` weg en geef `Content-Type` het type van de data.",
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

/// Reports the header that carries the attribute where the binding has another one for it.
pub(crate) fn report(reading: &Reading<'_>, found: &mut Found<'_>) {
    for (name, header) in reading.attribute_headers() {
        if name == "datacontenttype" {
            found.header(header);
        }
    }
}
