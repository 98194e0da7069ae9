use super::REQUEST_RATE;
use crate::grammar::rate::is_rate;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VREQ-6",
    en: Texts {
        title: "`WebHook-Request-Rate` is not a whole number above zero",
        explanation: "The value of `WebHook-Request-Rate` is a whole number above zero, in decimal digits: requests per minute. The asterisk is for the answer alone.",
        why: "A target cannot grant what it cannot read, and refuses the handshake; a rate of 0 asks for no events at all.",
        fix: "Write `WebHook-Request-Rate: 120`, or leave the header out.",
    },
    nl: Texts {
        title: "`WebHook-Request-Rate` is geen geheel getal boven nul",
        explanation: "De waarde van `WebHook-Request-Rate` is een geheel getal boven nul in gewone cijfers: verzoeken per minuut. Het sterretje mag alleen in het antwoord.",
        why: "Een ontvanger kan niet toestaan wat hij niet kan lezen en weigert de validatie. Met tempo 0 vraagt de afzender om helemaal geen gebeurtenissen.",
        fix: "Schrijf `WebHook-Request-Rate: 120`, of laat de header weg.",
    },
    good: super::HANDSHAKE,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 0\n→ 400",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request.has(REQUEST_RATE) && !request.header(REQUEST_RATE).is_some_and(is_rate) {
            found.header_of(request, REQUEST_RATE);
        }
    }),
};
