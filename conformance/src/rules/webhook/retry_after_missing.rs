use jiff::fmt::strtime::{self, BrokenDownTime};

use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-RESP-9",
    en: Texts {
        title: "429 without `Retry-After`",
        explanation: "A target that answers 429 says in `Retry-After` when the sender may deliver again, in seconds or as a date. A value that is neither counts as missing. A number of nine digits or more, which may be a moment, and a weekday that is not that of the date are noticed.",
        why: "Without it a sender has to guess: it comes back too soon and is refused again, or waits longer than needed while events pile up.",
        fix: "Add `Retry-After: 30` to every answer 429, with the time that fits.",
    },
    nl: Texts {
        title: "429 zonder `Retry-After`",
        explanation: "Een ontvanger die met 429 antwoordt, zegt in `Retry-After` wanneer de afzender weer mag afleveren: in seconden of als datum. Een waarde die geen van beide is, telt als ontbrekend. Een getal van negen of meer cijfers, dat een tijdstip kan zijn, en een weekdag die niet bij de datum hoort worden opgemerkt.",
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
        let is_limited = response.status == Some(429);
        let told = response.header("Retry-After").filter(|text| is_told(text));
        let mut found = found.in_response();
        match told {
            None if is_limited => found.header_of(response, "Retry-After"),
            Some(text) if is_limited && is_odd(text) => {
                found.noticed().header_of(response, "Retry-After");
            }
            _ => {}
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
    is_seconds(text) || date(text).is_some()
}

/// Whether that is years from now, as Unix time is, or on a day that there is not.
fn is_odd(text: &str) -> bool {
    let is_far = is_seconds(text) && text.len() > 8;
    is_far || date(text).is_some_and(|date| date.to_date().is_err())
}

fn is_seconds(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn date(text: &str) -> Option<BrokenDownTime> {
    let mut dates = DATES.iter();
    dates.find_map(|format| strtime::parse(format, text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;
    use crate::{Capture, Checker, Profile, Purpose, Severity};

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

    #[test]
    fn what_cannot_be_meant_is_noticed() {
        for (text, expected) in [
            ("31536000", None),
            ("Sun, 06 Nov 1994 08:49:37 GMT", None),
            ("1795809797", Some(Severity::Notice)),
            ("Mon, 06 Nov 1994 08:49:37 GMT", Some(Severity::Notice)),
            ("Monday, 06-Nov-94 08:49:37 GMT", Some(Severity::Notice)),
            ("soon", Some(Severity::Error)),
        ] {
            let mut response = Capture::new(Protocol::Http).with_header("Retry-After", text);
            response.status = Some(429);
            let request = Capture::new(Protocol::Http);
            let exchange = Exchange::new(Purpose::Delivery, request, response);
            let checked = Checker::new(Profile::NlGov11).check_exchange(&exchange);
            let mut findings = checked.findings.iter();
            let own = findings.find(|finding| finding.rule.id == RULE.id);
            assert_eq!(own.map(|finding| finding.severity), expected, "{text}");
        }
    }
}
