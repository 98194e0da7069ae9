//! What is tried out beside, of which no rule says what is right: it is told, and not judged.

use cloudevents_nl_conformance::Text;
use http::Method;

use super::rules::structured_of;
use super::scenario::{Allow, Known, Try};
use super::target::Target;
use crate::client::{Tls, Version};

/// Something to look at.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) does: Text,
    pub(super) allow: Option<Allow>,
    pub(super) tries: fn(&Known) -> Vec<Try>,
}

/// All of them.
pub(super) const NOTES: &[Note] = &[
    Note {
        does: Text {
            en: "other methods than POST",
            nl: "andere methoden dan POST",
        },
        allow: None,
        tries: |known| {
            let methods = [Method::GET, Method::HEAD];
            let tries = methods.map(|method| {
                let what = method.to_string();
                Try::new(what, Target::request(method, &known.target.url))
            });
            tries.into()
        },
    },
    Note {
        does: Text {
            en: "what is no event",
            nl: "wat geen gebeurtenis is",
        },
        allow: None,
        tries: |known| {
            let mixed = ["", r#""specversion":"0.3""#];
            vec![
                Try::new("no id", known.target.structured("-id")),
                Try::new(
                    "specversion 9.9",
                    known.target.structured(r#""specversion":"9.9""#),
                ),
                Try::new("two versions in a batch", known.target.batch(&mixed)),
            ]
        },
    },
    Note {
        does: Text {
            en: "HTTP/2 and versions of TLS",
            nl: "HTTP/2 en versies van TLS",
        },
        allow: None,
        tries: |known| {
            // Only TLS lets both sides agree on a version.
            if known.target.url.scheme_str() != Some("https") {
                return Vec::new();
            }
            let ways = [
                ("HTTP/2", Version::Http2, Tls::Any),
                ("TLS 1.2", Version::Http1, Tls::V12),
                ("TLS 1.3", Version::Http1, Tls::V13),
            ];
            let tries = ways.map(|(what, version, tls)| Try {
                via: Some((version, tls)),
                ..Try::new(what, known.target.structured(""))
            });
            tries.into()
        },
    },
    Note {
        does: Text {
            en: "two requests at once on one connection, before an answer",
            nl: "twee verzoeken tegelijk op een verbinding, voor er een antwoord is",
        },
        allow: None,
        tries: |known| {
            vec![Try {
                twice: true,
                ..Try::new("pipelined", known.target.structured(""))
            }]
        },
    },
    Note {
        does: Text {
            en: "a body that comes in four pieces over three seconds",
            nl: "een body die in vier stukken over drie seconden komt",
        },
        allow: Some(Allow::Slow),
        tries: |known| {
            let mut request = known.target.structured("");
            request.pause = std::time::Duration::from_secs(1);
            vec![Try::new("slow body", request)]
        },
    },
    Note {
        does: Text {
            en: "events above 64 KiB",
            nl: "gebeurtenissen boven 64 KiB",
        },
        allow: Some(Allow::Large),
        tries: |known| {
            let sizes = [128, 256, 512, 1024, 2048, 4096];
            let tries =
                sizes.map(|size| Try::new(format!("{size} KiB"), structured_of(known, size << 10)));
            tries.into()
        },
    },
];
