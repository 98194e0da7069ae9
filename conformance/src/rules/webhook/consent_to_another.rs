use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VRES-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.2.1",
    title: Text {
        en: "`WebHook-Allowed-Origin` is not the requested origin or `*`",
        nl: "`WebHook-Allowed-Origin` is niet de gevraagde naam of `*`",
    },
    explanation: Text {
        en: "`WebHook-Allowed-Origin` repeats the name from `WebHook-Request-Origin`, or is a single asterisk. Patterns and lists do not exist; capitals make no difference.",
        nl: "`WebHook-Allowed-Origin` herhaalt de naam uit `WebHook-Request-Origin` of is één sterretje. Patronen en lijsten bestaan niet; hoofdletters maken niet uit.",
    },
    why: Text {
        en: "A sender that finds another name than its own has no permission and delivers nothing.",
        nl: "Een afzender die een andere naam dan de zijne vindt, heeft geen toestemming en levert niets af.",
    },
    fix: Text {
        en: "Copy the name from the request, or answer `WebHook-Allowed-Origin: *`.",
        nl: "Neem de naam uit het verzoek over, of antwoord met `WebHook-Allowed-Origin: *`.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: *.example.com\nWebHook-Allowed-Rate: 120",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let asked = request.header("WebHook-Request-Origin");
        let is_fine = |allowed: &str| {
            allowed == "*" || asked.is_some_and(|asked| allowed.eq_ignore_ascii_case(asked))
        };
        if response.has(ALLOWED) && !response.header(ALLOWED).is_some_and(is_fine) {
            found.in_response().header_of(response, ALLOWED);
        }
    }),
};

const ALLOWED: &str = "WebHook-Allowed-Origin";
