use crate::grammar::media_type::is_media_type;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-DCT-1",
    en: Texts {
        title: "`datacontenttype` is not a media type",
        explanation: "If present, `datacontenttype` is a media type of RFC 2046: type, slash and subtype, with parameters such as `;charset=utf-8` or without. It is not empty.",
        why: "A receiver chooses by this value how to read the data. For `json` it finds no way, and the data stays unread bytes.",
        fix: "Write `application/json` instead of `json`, or leave the attribute out.",
    },
    nl: Texts {
        title: "`datacontenttype` is geen mediatype",
        explanation: "Als `datacontenttype` aanwezig is, is het een mediatype volgens RFC 2046: type, schuine streep en subtype, al dan niet met parameters zoals `;charset=utf-8`. Leeg mag niet.",
        why: "Een ontvanger kiest op basis van deze waarde hoe de data wordt gelezen. Bij `json` lukt dat niet en blijft de data een reeks ongelezen bytes.",
        fix: "Schrijf `application/json` in plaats van `json`, of laat het attribuut weg.",
    },
    good: Example::Event(r#""datacontenttype":"application/json; charset=utf-8","data":{}"#),
    bad: Example::Event(r#""datacontenttype":"json""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("datacontenttype", is_media_type))),
};
