use super::{ALLOWED_ORIGIN, REQUEST_ORIGIN};
use crate::capture::Capture;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-2",
    en: Texts {
        title: "`WebHook-Allowed-Origin` is not the requested origin or `*`",
        explanation: "`WebHook-Allowed-Origin` repeats the name from `WebHook-Request-Origin`, or is a single asterisk. Patterns and lists do not exist; capitals make no difference.",
        why: "A sender that finds another name than its own has no permission and delivers nothing.",
        fix: "Copy the name from the request, or answer `WebHook-Allowed-Origin: *`.",
    },
    nl: Texts {
        title: "`WebHook-Allowed-Origin` is niet de gevraagde naam of `*`",
        explanation: "`WebHook-Allowed-Origin` herhaalt de naam uit `WebHook-Request-Origin` of is één sterretje. Patronen en lijsten bestaan niet; hoofdletters maken niet uit.",
        why: "Een afzender die een andere naam dan de zijne vindt, heeft geen toestemming en levert niets af.",
        fix: "Neem de naam uit het verzoek over, of antwoord met `WebHook-Allowed-Origin: *`.",
    },
    good: super::HANDSHAKE,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: *.example.com\nWebHook-Allowed-Rate: 120",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let asked = request.header(REQUEST_ORIGIN);
        let is_fine = |allowed: &str| {
            allowed == "*" || asked.is_some_and(|asked| allowed.eq_ignore_ascii_case(asked))
        };
        if let Some(header) = failing(response, ALLOWED_ORIGIN, is_fine) {
            found.in_response().header(header);
        }
    }),
};

/// The first header of a name that is no text of which this is true: a sender may read any of several.
pub(super) fn failing<'c>(
    capture: &'c Capture,
    name: &'c str,
    is_fine: impl Fn(&str) -> bool,
) -> Option<&'c Header> {
    capture.headers_named(name).find(|header| {
        let value = header.value.as_deref().unwrap_or_default();
        let text = str::from_utf8(value).ok();
        !text.is_some_and(|text| is_fine(text.trim_ascii()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Purpose;
    use crate::{Checker, Profile};

    #[test]
    fn each_header_is_looked_at() {
        let request =
            Capture::new(Protocol::Http).with_header("WebHook-Request-Origin", "a.example");
        for (second, expected) in [("a.example", 0), ("*", 0), ("b.example", 1)] {
            let response = Capture::new(Protocol::Http)
                .with_header(ALLOWED_ORIGIN, "a.example")
                .with_header(ALLOWED_ORIGIN, second);
            let exchange = Exchange::new(Purpose::Validation, request.clone(), response);
            let checked = Checker::new(Profile::NlGov11).check_exchange(&exchange);
            let findings = checked.findings.iter();
            let found = findings.filter(|finding| finding.rule.id == RULE.id);
            assert_eq!(found.count(), expected, "{second}");
        }
    }
}
