//! Citizen service numbers: noticed in attributes, and masked in reports for those who may not see them.

use super::run;

/// Numbers of nobody that pass the eleven-test.
const PERSON: &str = "999990342";
const ORGANISATION: &str = "002564440";

/// A number in every place that a report quotes: attributes, data, headers, names, and where text is cut.
fn input() -> String {
    let event = |members: &str| {
        format!(
            r#"{{"specversion":"1.0","source":"urn:nld:rsin:{ORGANISATION}:systeem:a",{members}}}"#
        )
    };
    let long = "x".repeat(73);
    [
        event(&format!(
            r#""id":"{PERSON}","type":"nl.a.v1.2","subject":"{PERSON}","time":"{PERSON}","bronorganisatie":"{ORGANISATION}""#
        )),
        event(&format!(
            r#""id":"{PERSON}","type":"nl.{PERSON}.v1.2","Naam{PERSON}":"a","subject":{PERSON}"#
        )),
        event(&format!(r#""id":"1","type":"nl.a","time":"{long}{PERSON}""#)),
        event(&format!(r#""id":"2","type":"nl.a","subject":0{PERSON}"#)).replace("099", "09"),
        format!(
            r#"{{"protocol":"kafka","position":"kafka:t-{PERSON}/0/1","headers":[["ce_specversion","1.0"],["ce_id","3"],["ce_source","/{PERSON}"],["ce_type","nl.a"],["ce_x-{PERSON}","{PERSON}"]],"body_base64":"e30="}}"#
        ),
    ]
    .join("\n")
}

#[test]
fn a_number_in_an_attribute_is_noticed_and_fails_nothing() {
    let event = |members: &str| {
        format!(
            r#"{{"specversion":"1.0","id":"1","source":"urn:nld:oin:00000001823288444000:systeem:a","type":"nl.a.b",{members}}}"#
        )
    };
    for (members, place) in [
        (r#""subject":"999990342""#, Some("/subject")),
        (
            r#""dataref":"https://gemeente.nl/api/persoon/999990342""#,
            Some("/dataref"),
        ),
        (r#""partitionkey":"bsn-999990342""#, Some("/partitionkey")),
        (
            r#""dataschema":"https://a.nl/?p=%2F999990342""#,
            Some("/dataschema"),
        ),
        (r#""persoon":999990342"#, Some("/persoon")),
        // Not a number of a person, or not in an attribute.
        (r#""subject":"999990343""#, None),
        (r#""bronorganisatie":"002564440""#, None),
        (r#""rsin":"002564440""#, None),
        (
            r#""dataref":"https://a.nl/?verantwoordelijkeOrganisatie=002564440""#,
            None,
        ),
        (r#""time":"2026-11-21T10:00:00.999990342+01:00""#, None),
        (r#""sequence":"000000012""#, Some("/sequence")),
        (r#""subject":"persoon999990342adres""#, Some("/subject")),
        (r#""subject":"8b4c9c3e-2f0f-4f3b-9d53-abc999990342""#, None),
        (r#""data":{"bsn":"999990342"}"#, None),
    ] {
        for profile in ["cloudevents-1.0", "nl-gov-1.0", "nl-gov-1.1"] {
            let words = [
                "check",
                "--format",
                "json",
                "--fail-on",
                "warn",
                "--profile",
                profile,
                "-",
            ];
            let said = run(&words, event(members).as_bytes());
            let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
            let findings = report["findings"].as_array().unwrap().iter();
            let noticed: Vec<_> = findings
                .filter(|finding| finding["rule"] == "CE-SEC-1")
                .collect();
            let places: Vec<_> = noticed
                .iter()
                .map(|finding| &finding["place"]["name"])
                .collect();
            assert_eq!(places, place.into_iter().collect::<Vec<_>>(), "{members}");
            assert!(
                noticed
                    .iter()
                    .all(|finding| finding["severity"] == "notice")
            );
            // Whether the rule is met remains to be declared.
            assert_eq!(
                (said.code, &report["verdict"]),
                (Some(0), &"pass".into()),
                "{members}"
            );
            let rules = report["rules"].as_array().unwrap();
            assert!(rules.iter().all(|rule| rule["id"] != "CE-SEC-1"));
            let declarations = report["declarations"].as_array().unwrap();
            let declared = declarations.iter().find(|rule| rule["rule"] == "CE-SEC-1");
            assert_eq!(declared.unwrap()["state"], "to be declared");
        }
    }
}

#[test]
fn numbers_are_masked_in_every_form() {
    let input = input();
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join(format!("persoon-{PERSON}.jsonl"));
    std::fs::write(&file, &input).unwrap();
    let missing = folder.path().join(format!("{PERSON}.json"));
    let paths = [file.to_str().unwrap(), missing.to_str().unwrap()];
    for format in ["table", "json", "junit", "sarif", "html"] {
        for language in ["nl", "en"] {
            let words = ["check", "--format", format, "--lang", language];
            let plain = run(&[&words[..], &paths].concat(), b"");
            assert!(plain.out.contains(PERSON), "{format}: {}", plain.out);
            let redacted = run(&[&words[..], &["--redact"], &paths].concat(), b"");
            // Where a text is cut, the beginning of a number is not shown either.
            let shown = [&*redacted.out, &*redacted.errors].concat();
            for part in [PERSON, "9999903", "9990342"] {
                assert!(!shown.contains(part), "{format}: {shown}");
            }
            assert!(
                shown.contains("*********") || shown.contains("%2A"),
                "{format}"
            );
            // Numbers of organisations are public.
            let count = |text: &str| text.matches(ORGANISATION).count();
            assert_eq!(count(&redacted.out), count(&plain.out), "{format}: {shown}");
            let shows_sources = matches!(format, "json" | "html");
            assert!(count(&plain.out) > 0 || !shows_sources, "{format}");
            assert_eq!(plain.code, redacted.code);
        }
    }
}
