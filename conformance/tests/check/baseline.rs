//! Baselines: what is known does not count, and what is new does.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{Said, check};

const EMPTY_ID: &str =
    r#"{"specversion":"1.0","id":"","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.a"}"#;

/// Checks a file of lines against a baseline, after one was written of other lines.
fn after(folder: &TempDir, before: &str, now: &str, words: &[&str]) -> Said {
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (events, baseline) = (path("events.jsonl"), path("baseline.json"));
    fs::write(&events, before).unwrap();
    let said = check(&["--write-baseline", &baseline, &events]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    let kept = match before {
        EMPTY_ID => ": 1 bevinding bewaard als bekend",
        _ => ": 2 bevindingen bewaard als bekend",
    };
    assert!(said.errors.contains(kept), "{}", said.errors);
    fs::write(&events, now).unwrap();
    let words = [&["--baseline", &*baseline, "--lang", "en", &*events], words].concat();
    check(&words)
}

#[test]
fn only_new_findings_count() {
    let other = EMPTY_ID.replace("brp.a", "brp.b");
    let twice = format!("{EMPTY_ID}\n{EMPTY_ID}\n");
    for (before, now, code, told) in [
        (EMPTY_ID, EMPTY_ID, 0, "No new findings"),
        // It stays known on another line, and where its neighbour is mended.
        (EMPTY_ID, &format!("\n\n{EMPTY_ID}"), 0, "1 known finding"),
        (&twice, EMPTY_ID, 0, "1 known finding"),
        // One more of the same is new, and so is one of another event.
        (EMPTY_ID, &twice, 1, "1 error, 0 warnings, 1 known finding"),
        (EMPTY_ID, &other, 1, "Does not comply"),
    ] {
        let folder = TempDir::new().unwrap();
        let said = after(&folder, before, now, &[]);
        assert_eq!(said.code, Some(code), "{now}: {}{}", said.out, said.errors);
        assert!(said.out.contains(told), "{now}: {}", said.out);
    }
}

#[test]
fn machines_are_told_what_is_new() {
    let folder = TempDir::new().unwrap();
    let now = format!("{EMPTY_ID}\n{EMPTY_ID}\n");
    let said = after(&folder, EMPTY_ID, &now, &["--format", "sarif"]);
    let log: Value = serde_json::from_str(&said.out).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["baselineState"], "new");
    let said = after(&folder, EMPTY_ID, &now, &["--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["counts"]["known"], 1);
    assert_eq!(
        report["findings"][0]["fingerprint"],
        results[0]["partialFingerprints"]["cenl/v1"]
    );
    let said = after(&folder, EMPTY_ID, EMPTY_ID, &["--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["verdict"], "known");
}

#[test]
fn a_file_that_is_none_is_told_with_its_line() {
    let said = check(&[
        "--baseline",
        "good.json",
        "--waivers",
        "/no/such/file",
        "good.json",
    ]);
    assert_eq!(said.code, Some(2));
    assert!(said.errors.contains("good.json:"), "{}", said.errors);
    assert!(said.errors.contains("/no/such/file"), "{}", said.errors);
}
