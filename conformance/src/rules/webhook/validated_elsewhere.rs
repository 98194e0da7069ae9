use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VREQ-1",
    en: Texts {
        title: "Validation request not `OPTIONS` on the address being registered",
        explanation: "The validation request is `OPTIONS` on exactly the address that is being registered. The address is compared where the registration is known.",
        why: "The answer of another resource says nothing about this one: a sender could be made to deliver to an address that never agreed.",
        fix: "Send `OPTIONS` to the registered URL itself, with its path and query.",
    },
    nl: Texts {
        title: "Validatieverzoek niet als `OPTIONS` op het te registreren adres",
        explanation: "Het validatieverzoek is een `OPTIONS` op precies het adres dat wordt geregistreerd. Het adres wordt vergeleken als de registratie bekend is.",
        why: "Het antwoord van een ander adres zegt niets over dit adres. Een afzender kan zo gaan afleveren op een adres dat nooit heeft ingestemd.",
        fix: "Stuur `OPTIONS` naar de geregistreerde URL zelf, met pad en query.",
    },
    good: super::HANDSHAKE,
    bad: Example::Validation(
        "HEAD https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 405\nAllow: POST",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(check),
};

fn check(exchange: &Exchange, found: &mut Found<'_>) {
    let request = &exchange.request;
    if request
        .method
        .as_deref()
        .is_some_and(|method| method != "OPTIONS")
    {
        found.method(request);
    }
    if let (Some(target), Some(registered)) = (&request.target, &exchange.registered_url)
        && !is_same(target, registered)
    {
        found.target(request);
    }
}

/// Whether a target, which may be a path alone, is that of a URL.
fn is_same(target: &str, url: &str) -> bool {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find('/').and_then(|at| after_scheme.get(at..));
    target == url || target == path.unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_the_whole_address() {
        let url = "https://a.example/hook?id=1";
        for (target, is_expected) in [
            (url, true),
            ("/hook?id=1", true),
            ("/hook", false),
            ("/", false),
            ("https://a.example/hook", false),
            ("https://b.example/hook?id=1", false),
        ] {
            assert_eq!(is_same(target, url), is_expected, "{target}");
        }
        assert!(is_same("/", "https://a.example"));
    }
}
