use crate::grammar::media_type::is_media_type;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-DCT-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, datacontenttype",
    title: Text {
        en: "`datacontenttype` is not a media type",
        nl: "`datacontenttype` is geen mediatype",
    },
    explanation: Text {
        en: "If present, `datacontenttype` is a media type of RFC 2046: type, slash and subtype, with parameters such as `;charset=utf-8` or without. It is not empty.",
        nl: "Als `datacontenttype` aanwezig is, is het een mediatype volgens RFC 2046: type, schuine streep en subtype, al dan niet met parameters zoals `;charset=utf-8`. Leeg mag niet.",
    },
    why: Text {
        en: "A receiver chooses by this value how to read the data. For `json` it finds no way, and the data stays unread bytes.",
        nl: "Een ontvanger kiest op basis van deze waarde hoe de data wordt gelezen. Bij `json` lukt dat niet en blijft de data een reeks ongelezen bytes.",
    },
    fix: Text {
        en: "Write `application/json` instead of `json`, or leave the attribute out.",
        nl: "Schrijf `application/json` in plaats van `json`, of laat het attribuut weg.",
    },
    good: Example::Event(r#""datacontenttype":"application/json; charset=utf-8","data":{}"#),
    bad: Example::Event(r#""datacontenttype":"json""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("datacontenttype", is_media_type))),
};
