//! Overlays: rules that are data.

use serde_json::{Value, json};

use super::{check, run};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/overlays/");

/// An event that all overlays of the repository accept.
fn good() -> Value {
    json!({
        "specversion": "1.0", "id": "1", "source": "urn:nld:kvknr:09220932.zaken",
        "type": "nl.overheid.zaken.zaak-geopend", "dataversion": "1.0",
        "subject": "0f2b1cde-0f2b-4cde-8f2b-0f2b1cde0f2b", "time": "2026-11-21T16:00:00.000000Z",
    })
}

#[test]
fn each_rule_of_the_overlays_is_met_and_broken() {
    let large = "a".repeat(256_000);
    for (overlay, rule, name, bad) in [
        (
            "normo",
            "NORMO-TIME-1",
            "time",
            json!("2026-11-21T17:00:00.000000+01:00"),
        ),
        ("normo", "NORMO-TIME-1", "time", Value::Null),
        ("normo", "NORMO-DATAVERSION-1", "dataversion", Value::Null),
        ("normo", "NORMO-SIZE-1", "data", json!(large)),
        (
            "mijn-zaken",
            "ZAKEN-TYPE-1",
            "type",
            json!("nl.overheid.zaken.zaak"),
        ),
        ("mijn-zaken", "ZAKEN-SUBJECT-1", "subject", json!("1")),
        ("mijn-zaken", "ZAKEN-SUBJECT-1", "subject", Value::Null),
        (
            "api-design-rules",
            "ADR-TIME-1",
            "time",
            json!("2026-11-21t16:00:00z"),
        ),
    ] {
        let file = format!("{FOLDER}{overlay}.toml");
        let found = |event: &Value| {
            let words = ["check", "--format", "json", "--overlay", &file, "-"];
            let said = run(&words, event.to_string().as_bytes());
            let report: Value = serde_json::from_str(&said.out).unwrap();
            let of_profile = |id: &str| {
                id.starts_with("CE-") || id.starts_with("NL-") || id.starts_with("SIZE-")
            };
            let findings = report["findings"].as_array().unwrap().iter();
            let found = findings.map(|one| one["rule"].as_str().unwrap().to_owned());
            found.filter(|id| !of_profile(id)).collect::<Vec<_>>()
        };
        assert_eq!(found(&good()), [""; 0]);
        let mut event = good();
        event[name] = bad;
        assert_eq!(found(&event), [rule], "{event}");
    }
}

/// A rule of an overlay is told of in every form, like others.
#[test]
fn every_form_tells_of_an_overlay() {
    let file = format!("{FOLDER}normo.toml");
    for (format, parts) in [
        (
            "table",
            &[
                "fout NORMO-DATAVERSION-1 Geen `dataversion`",
                "(nl-gov-1.1 + Normo 1.1",
            ][..],
        ),
        (
            "json",
            &[
                "\"NORMO-DATAVERSION-1\"",
                "\"Normo 1.1 (draft of 2025-09-22)\"",
            ],
        ),
        ("junit", &["<failure message=\"Geen `dataversion` (1)\""]),
        ("sarif", &["\"id\": \"NORMO-DATAVERSION-1\""]),
        (
            "html",
            &[
                "<code>NORMO-DATAVERSION-1</code> Geen <code>dataversion</code>",
                "1.1 + Normo 1.1",
            ],
        ),
        ("github", &["title=NORMO-DATAVERSION-1"]),
        ("gitlab", &["\"check_name\": \"NORMO-DATAVERSION-1\""]),
    ] {
        let said = check(&["--format", format, "--overlay", &file, "good.json"]);
        assert_eq!(said.code, Some(1), "{format}: {}", said.errors);
        for part in parts {
            assert!(said.out.contains(part), "{format}: {part}: {}", said.out);
        }
        assert!(!said.out.contains("\"helpUri\": null"), "{}", said.out);
    }
}

#[test]
fn an_overlay_that_is_named_twice_is_one() {
    let (one, other) = (
        format!("{FOLDER}normo.toml"),
        format!("{FOLDER}../overlays/normo.toml"),
    );
    let overlays = ["--overlay", &one, "--overlay", &other];
    let said = check(&[&overlays[..], &["--format", "github", "good.json"]].concat());
    let found = said.out.matches("title=NORMO-DATAVERSION-1").count();
    assert_eq!(found, 1, "{}", said.out);
    // A copy of it has rules of the same names.
    let folder = tempfile::TempDir::new().unwrap();
    let copy = folder.path().join("copy.toml");
    std::fs::copy(&one, &copy).unwrap();
    let copy = copy.to_str().unwrap();
    let said = check(&["--overlay", &one, "--overlay", copy, "good.json"]);
    let told = format!("{copy}: NORMO-SIZE-1: een regel van een andere overlay");
    assert!(said.errors.contains(&told), "{}", said.errors);
    assert_eq!(said.code, Some(2), "{}", said.out);
}

#[test]
fn rules_of_an_overlay_that_are_left_out_are_told() {
    let folder = tempfile::TempDir::new().unwrap();
    let config = folder.path().join("settings.toml");
    let text = format!("ignore = \"NORMO-*\"\noverlay = '{FOLDER}normo.toml'\n");
    std::fs::write(&config, text).unwrap();
    let config = config.to_str().unwrap();
    for (format, told) in [
        ("table", "3 regels bewust niet gecontroleerd"),
        ("json", "\"rule\": \"NORMO-SIZE-1\""),
        ("html", "; 3 regels bewust niet gecontroleerd</h2>"),
        ("html", "<code class=\"id\">NORMO-DATAVERSION-1</code>"),
    ] {
        let said = check(&["--config", config, "--format", format, "good.json"]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
        assert!(said.out.contains(told), "{told}: {}", said.out);
    }
}

#[test]
fn all_that_is_wrong_in_an_overlay_is_told() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("overlay.toml");
    let text = "overlay = 'a'\nversoin = '1'\n[[rule]]\nid = 'CE-A-1'\nattribute = 'time'\nrequired = 1\n\
                pattern = '('\nlevel = 'MOET'\nclause = 'c'\ntitle = { en = 't' }\nfix = 'f'\n\
                [[rule]]\nid = 'B-1'\nlevel = 'MUST'\nclause = 'c'\ntitle = 't'\nfix = 'f'\n";
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let said = check(&["--lang", "en", "--overlay", path, "good.json"]);
    let expected = [
        "1: version: missing",
        "2: versoin: unknown; did you mean version?",
        "4: id = \"CE-A-1\": begins like a rule of the catalogue: take a beginning of your own",
        "6: required = 1: neither true nor false",
        "7: pattern = \"(\": no regular expression",
        "8: level = \"MOET\": none of MUST, MUST NOT, SHOULD, SHOULD NOT",
        "10: nl: missing",
        "13: id = \"B-1\": nothing is demanded: write required, pattern, one-of or max-bytes",
    ];
    let expected = expected.map(|line| format!("cenl-conformance: {path}:{line}\n"));
    assert_eq!((said.code, said.errors), (Some(2), expected.concat()));
}
