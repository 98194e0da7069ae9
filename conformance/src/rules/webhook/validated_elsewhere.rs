use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VREQ-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1",
    title: Text {
        en: "Validation request not `OPTIONS` on the address being registered",
        nl: "Validatieverzoek niet als `OPTIONS` op het te registreren adres",
    },
    explanation: Text {
        en: "The validation request is `OPTIONS` on exactly the address that is being registered. The address is compared where the registration is known.",
        nl: "Het validatieverzoek is een `OPTIONS` op precies het adres dat wordt geregistreerd. Het adres wordt vergeleken als de registratie bekend is.",
    },
    why: Text {
        en: "The answer of another resource says nothing about this one: a sender could be made to deliver to an address that never agreed.",
        nl: "Het antwoord van een ander adres zegt niets over dit adres. Een afzender kan zo gaan afleveren op een adres dat nooit heeft ingestemd.",
    },
    fix: Text {
        en: "Send `OPTIONS` to the registered URL itself, with its path and query.",
        nl: "Stuur `OPTIONS` naar de geregistreerde URL zelf, met pad en query.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
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
