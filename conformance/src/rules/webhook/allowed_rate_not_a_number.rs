use super::ALLOWED_RATE;
use super::consent_to_another::failing;
use crate::grammar::rate::is_allowed_rate;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-5",
    en: Texts {
        title: "`WebHook-Allowed-Rate` is not `*` or a whole number above zero",
        explanation: "The value of `WebHook-Allowed-Rate` is an asterisk, which means no limit, or a whole number above zero: requests per minute.",
        why: "A sender that cannot read the rate, or reads 0, cannot deliver although the target agreed.",
        fix: "Write `WebHook-Allowed-Rate: 100`. To refuse events, leave out both headers instead of allowing 0.",
    },
    nl: Texts {
        title: "`WebHook-Allowed-Rate` is niet `*` of een geheel getal boven nul",
        explanation: "De waarde van `WebHook-Allowed-Rate` is een sterretje (geen grens) of een geheel getal boven nul: verzoeken per minuut.",
        why: "Een afzender die het tempo niet kan lezen of 0 leest, kan niet afleveren terwijl de ontvanger wel instemt.",
        fix: "Schrijf `WebHook-Allowed-Rate: 100`. Wilt u geen gebeurtenissen, laat dan beide headers weg in plaats van 0 toe te staan.",
    },
    good: super::HANDSHAKE,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: -1",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let response = &exchange.response;
        if let Some(header) = failing(response, ALLOWED_RATE, is_allowed_rate) {
            found.in_response().header(header);
        }
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Purpose};
    use crate::{Checker, Profile};

    #[test]
    fn each_header_is_looked_at() {
        for (second, expected) in [("120", 0), ("*", 0), ("unlimited", 1), ("0", 1)] {
            let response = Capture::new(Protocol::Http)
                .with_header(ALLOWED_RATE, "120")
                .with_header(ALLOWED_RATE, second);
            let request = Capture::new(Protocol::Http);
            let exchange = Exchange::new(Purpose::Validation, request, response);
            let checked = Checker::new(Profile::NlGov11).check_exchange(&exchange);
            let findings = checked.findings.iter();
            let found = findings.filter(|finding| finding.rule.id == RULE.id);
            assert_eq!(found.count(), expected, "{second}");
        }
    }
}
