use crate::grammar::rate::is_rate;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VREQ-6",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1.4",
    title: Text {
        en: "`WebHook-Request-Rate` is not a whole number above zero",
        nl: "`WebHook-Request-Rate` is geen geheel getal boven nul",
    },
    explanation: Text {
        en: "The value of `WebHook-Request-Rate` is a whole number above zero, in decimal digits: requests per minute. The asterisk is for the answer alone.",
        nl: "De waarde van `WebHook-Request-Rate` is een geheel getal boven nul in gewone cijfers: verzoeken per minuut. Het sterretje mag alleen in het antwoord.",
    },
    why: Text {
        en: "A target cannot grant what it cannot read, and refuses the handshake; a rate of 0 asks for no events at all.",
        nl: "Een ontvanger kan niet toestaan wat hij niet kan lezen en weigert de validatie. Met tempo 0 vraagt de afzender om helemaal geen gebeurtenissen.",
    },
    fix: Text {
        en: "Write `WebHook-Request-Rate: 120`, or leave the header out.",
        nl: "Schrijf `WebHook-Request-Rate: 120`, of laat de header weg.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 0\n→ 400",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request.has(RATE) && !request.header(RATE).is_some_and(is_rate) {
            found.header_of(request, RATE);
        }
    }),
};

const RATE: &str = "WebHook-Request-Rate";
