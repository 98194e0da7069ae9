//! What is tried out beside, of which no rule says what is right: it is told, and not judged.

use std::time::Duration;

use http::{Method, Version};

use super::rules::{accepts, structured_of};
use super::scenario::{Allow, Known, Scenario, Tries, Try};
use super::target::Target;
use crate::client::{TLS12, TLS13};

const fn note(en: &'static str, nl: &'static str, tries: fn(&Known) -> Vec<Try>) -> Scenario {
    accepts("–", en, nl, Tries::Any(tries))
}

pub(super) const NOTES: &[Scenario] = &[
    note(
        "other methods than POST",
        "andere methoden dan POST",
        |known| {
            let methods = [Method::GET, Method::HEAD];
            let tries = methods.map(|method| {
                let what = method.to_string();
                Try::new(what, Target::request(method, &known.target.url))
            });
            tries.into()
        },
    ),
    note("what is no event", "wat geen gebeurtenis is", |known| {
        let target = &known.target;
        let unknown = target.structured(r#""specversion":"9.9""#);
        let mixed = target.batch(&["", r#""specversion":"0.3""#]);
        vec![
            Try::new("no id", target.structured("-id")),
            Try::new("specversion 9.9", unknown),
            Try::new("two versions in a batch", mixed),
        ]
    }),
    note(
        "HTTP/2 and versions of TLS",
        "HTTP/2 en versies van TLS",
        |known| {
            // Only TLS lets both sides agree on a version.
            if known.target.url.scheme_str() != Some("https") {
                return Vec::new();
            }
            let ways = [
                ("HTTP/2", Version::HTTP_2, None),
                ("TLS 1.2", Version::HTTP_11, Some(&TLS12)),
                ("TLS 1.3", Version::HTTP_11, Some(&TLS13)),
            ];
            let tries = ways.map(|(what, version, tls)| Try {
                via: Some((version, tls)),
                ..Try::new(what, known.target.structured(""))
            });
            tries.into()
        },
    ),
    note(
        "two requests at once on one connection, before an answer",
        "twee verzoeken tegelijk op een verbinding, voor er een antwoord is",
        |known| {
            vec![Try {
                times: 2,
                ..Try::new("pipelined", known.target.structured(""))
            }]
        },
    ),
    Scenario {
        allow: Some(Allow::Slow),
        ..note(
            "a body that comes in four pieces over three seconds",
            "een body die in vier stukken over drie seconden komt",
            |known| {
                let mut request = known.target.structured("");
                request.pause = Duration::from_secs(1);
                vec![Try::new("slow body", request)]
            },
        )
    },
    Scenario {
        allow: Some(Allow::Large),
        ..note(
            "events above 64 KiB",
            "gebeurtenissen boven 64 KiB",
            |known| {
                let sizes = [128, 256, 512, 1024, 2048, 4096];
                let request = |size: usize| structured_of(known, size << 10);
                let tries = sizes.map(|size| Try::new(format!("{size} KiB"), request(size)));
                tries.into()
            },
        )
    },
];
