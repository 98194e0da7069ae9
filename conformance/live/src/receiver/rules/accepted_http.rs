//! What a receiver may not refuse of messages of HTTP.
//!
//! Where it can be, a message is valid only for those who read it right: `ce-specversion: 1%2E0` is no
//! version for a reader that leaves percent codes as they are.

use serde_json::json;

use super::text;
use crate::receiver::scenario::{Known, Scenario, Try, accepted};

/// Messages in binary mode, each with a header; the text of the body is JSON.
fn with_headers(known: &Known, headers: &[(&str, &str)]) -> Vec<Try> {
    let tries = headers.iter().map(|(name, value)| {
        let request = known.target.binary(&[(name, value)], "{\"test\":true}");
        Try::new(format!("{name}: {value}"), request)
    });
    tries.collect()
}

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "HTTP-DETECT-2",
        does: text(
            "Sends a structured event whose `Content-Type` is in capitals and has a parameter; it must not be refused.",
            "Stuurt een gestructureerde gebeurtenis met een `Content-Type` in hoofdletters en met een parameter; die mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let media = "Application/CloudEvents+Json;Charset=UTF-8";
            let mut request = known.target.structured(json!({}));
            request.headers.retain(|(name, _)| name != "content-type");
            Ok(vec![Try::new(media, request.with("content-type", media))])
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-DETECT-4",
        does: text(
            "Sends an event whose attributes are all in headers; it must not be refused.",
            "Stuurt een gebeurtenis met alle attributen in headers; die mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_structured()?;
            let request = known.target.binary(&[], "{\"test\":true}");
            Ok(vec![Try::new("ce-… headers", request)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-STR-4",
        does: text(
            "Sends an event whose attributes are all in the body; it must not be refused.",
            "Stuurt een gebeurtenis met alle attributen in de body; die mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            let request = known.target.structured(json!({}));
            Ok(vec![Try::new("body alone", request)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-BIN-1",
        does: text(
            "Sends data in binary mode with other content types than JSON; it must not be refused.",
            "Stuurt data in binaire modus met andere content types dan JSON; dat mag niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            let bodies = [
                ("application/xml", "<test/>"),
                ("text/plain; charset=utf-8; title=%41", "Súdwest"),
            ];
            let tries = bodies.map(|(media, body)| {
                Try::new(media, known.target.binary(&[("content-type", media)], body))
            });
            Ok(tries.into())
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-BIN-3",
        does: text(
            "Sends extensions and optional attributes in headers; they must not be refused.",
            "Stuurt extensies en optionele attributen in headers; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            known.needs_extensions()?;
            Ok(with_headers(
                known,
                &[
                    ("ce-nlbrpnationaliteit", "0083"),
                    ("ce-subject", "test"),
                    ("ce-time", "2018-04-05T17:31:00.10Z"),
                ],
            ))
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-BIN-6",
        does: text(
            "Sends headers whose names are written with capitals; they must not be refused.",
            "Stuurt headers met hoofdletters in hun naam; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            let mut request = known.target.binary(&[], "{\"test\":true}");
            request.capitals = true;
            Ok(vec![Try::new("Ce-Id, Ce-Source, …", request)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-BIN-7",
        does: text(
            "Sends bytes that are no text as the body; they must not be refused.",
            "Stuurt bytes die geen tekst zijn als body; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            let media = [("content-type", "application/octet-stream")];
            let request = known.target.binary(&media, *b"\x00\xFF ");
            Ok(vec![Try::new("application/octet-stream", request)])
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-DEC-1",
        does: text(
            "Sends header values in double quotes, as older senders do; they must not be refused.",
            "Stuurt headerwaarden tussen dubbele aanhalingstekens, zoals oudere verzenders doen; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            Ok(with_headers(
                known,
                &[
                    ("ce-subject", r#""Euro \"5\"""#),
                    ("ce-specversion", "\"1.0\""),
                ],
            ))
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-DEC-2",
        does: text(
            "Sends a percent sign that is coded; the event must not be refused, as one is that was decoded twice.",
            "Stuurt een gecodeerd procentteken; de gebeurtenis mag niet worden geweigerd, zoals bij dubbel decoderen gebeurt.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            // Decoded twice, they are no text in UTF-8, and no reference to a URI.
            Ok(with_headers(
                known,
                &[
                    ("ce-subject", "%25FF"),
                    ("ce-dataschema", "urn:nld:cenl-conformance:a%2520b"),
                ],
            ))
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-DEC-3",
        does: text(
            "Sends percent codes with small letters; they must not be refused.",
            "Stuurt procentcodes met kleine letters; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            Ok(with_headers(
                known,
                &[("ce-subject", "%e2%82%ac"), ("ce-specversion", "1%2e0")],
            ))
        },
        judge: accepted,
    },
    Scenario {
        rule: "HTTP-DEC-4",
        does: text(
            "Sends percent codes of characters that need none; they must not be refused.",
            "Stuurt procentcodes voor tekens die er geen nodig hebben; die mogen niet worden geweigerd.",
        ),
        allow: None,
        tries: |known| {
            known.needs_binary()?;
            Ok(with_headers(
                known,
                &[("ce-subject", "%41%2D%7A"), ("ce-specversion", "%31.0")],
            ))
        },
        judge: accepted,
    },
];
