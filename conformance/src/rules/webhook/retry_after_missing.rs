use jiff::fmt::strtime;

use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-RESP-9",
    en: Texts {
        title: "429 without `Retry-After`",
        explanation: "A target that answers 429 says in `Retry-After` when the sender may deliver again, in seconds or as a date. A value that is neither counts as missing.",
        why: "Without it a sender has to guess: it comes back too soon and is refused again, or waits longer than needed while events pile up.",
        fix: "Add `Retry-After: 30` to every answer 429, with the time that fits.",
    },
    nl: Texts {
        title: "429 zonder `Retry-After`",
        explanation: "Een ontvanger die met 429 antwoordt, zegt in `Retry-After` wanneer de afzender weer mag afleveren: in seconden of als datum. Een waarde die geen van beide is, telt als ontbrekend.",
        why: "Zonder deze header moet de afzender gokken. Hij komt te vroeg terug en wordt opnieuw geweigerd, of wacht langer dan nodig terwijl gebeurtenissen zich ophopen.",
        fix: "Voeg aan elk antwoord 429 een `Retry-After: 30` toe, met de tijd die past.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 429\nRetry-After: 30",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 429",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let response = &exchange.response;
        let is_told = response.header("Retry-After").is_some_and(is_told);
        if response.status == Some(429) && !is_told {
            found.in_response().header_of(response, "Retry-After");
        }
    }),
};

/// Dates of HTTP: as they are written now, and as RFC 850 and C wrote them, which all are still to read.
const DATES: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];

/// Whether a text says when: in whole seconds, or as a date of HTTP.
fn is_told(text: &str) -> bool {
    let is_seconds = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut dates = DATES.iter();
    is_seconds || dates.any(|format| strtime::parse(format, text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_what_says_when() {
        let passes = [
            "0",
            "120",
            "99999999999999999999",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ];
        let fails = [
            "",
            "soon",
            "-1",
            "1.5",
            "30 s",
            "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994",
            "Sun, 06 Nov 1994 08:49:37 +0100",
            "Sun, 66 Nov 1994 08:49:37 GMT",
        ];
        check(is_told, &passes, &fails);
    }
}
