//! What machines read: every form for them is of its schema.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::forms::{BESIDE, INPUTS, report, snapshot};
use super::{check, run};

#[test]
fn code_hosts_get_a_line_or_an_entry_for_each_finding() {
    for language in ["nl", "en"] {
        for format in ["github", "gitlab"] {
            snapshot(&format!("{format}_{language}"), &report(format, language));
        }
    }
    let said = check(&[
        "--format",
        "gitlab",
        "--lang",
        "en",
        "bad.json",
        "/no/such/file",
    ]);
    let all: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let prints: HashSet<_> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["fingerprint"].as_str())
        .collect();
    assert_eq!(prints.len(), all.as_array().unwrap().len());
    assert_eq!(
        all.as_array().unwrap().last().unwrap()["severity"],
        "blocker"
    );
    let said = check(&["--format", "github", "--lang", "en", "/no/such/100%,file"]);
    assert!(
        said.out
            .starts_with("::error file=/no/such/100%25%2Cfile::/no/such/100%25,file: "),
        "{}",
        said.out
    );
}

/// Every member that is written is described, and all that is described as there is there.
#[test]
fn json_is_of_its_schema() {
    fn close(schema: &mut serde_json::Value) {
        if let Some(object) = schema.as_object_mut() {
            if object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), false.into());
            }
            object.values_mut().for_each(close);
        }
        schema.as_array_mut().into_iter().flatten().for_each(close);
    }
    let said = run(&["report-schema"], b"");
    let mut schema: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    close(&mut schema);
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let bad = ["bad.json", "/no/such/file", "."];
    let folder = tempfile::TempDir::new().unwrap();
    let settings = folder.path().join("cenl-conformance.toml");
    fs::write(&settings, "[severity]\n\"CE-ID-2\" = \"warning\"\n").unwrap();
    let weighed = ["--config", settings.to_str().unwrap(), "bad.json"];
    let good = ["good.json"];
    for words in [&INPUTS[..], &["live.jsonl"], &bad, &good, &weighed] {
        for language in ["nl", "en"] {
            let words = [
                &["--format", "json", "--lang", language],
                &BESIDE[..],
                words,
            ]
            .concat();
            let said = check(&words);
            let mut report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
            let faults = schema.iter_errors(&report).map(|fault| fault.to_string());
            assert_eq!(faults.collect::<Vec<_>>(), [""; 0], "{words:?}");
            report["counts"]["knwon"] = 1.into();
            assert!(!schema.is_valid(&report), "the schema would notice");
        }
    }
}

#[test]
fn rules_are_listed_as_json_too() {
    let said = run(&["rules", "--format", "json", "--lang", "en"], b"");
    let all: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let lines = run(&["rules", "--lang", "en"], b"").out;
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), lines.lines().count());
    for (rule, line) in all.iter().zip(lines.lines()) {
        let text = |name: &str| rule[name].as_str().unwrap();
        assert!(line.starts_with(&format!("{} ", text("id"))), "{line}");
        assert!(line.ends_with(text("title")), "{line}");
        assert!(text("address").starts_with("https://"), "{line}");
    }
}

#[test]
fn junit_is_of_its_schema() {
    for language in ["nl", "en"] {
        let text = report("junit", language);
        assert_eq!(faults(&text), "", "{text}");
        let cases: Vec<&str> = text.split_inclusive("    <testcase").collect();
        let told: String = cases
            .iter()
            .filter(|case| case.contains("<failure") || case.contains("system-out"))
            .copied()
            .collect();
        snapshot(&format!("junit_{language}"), &told);
        let count = |part: &str| text.matches(part).count();
        assert!(text.contains(&format!("tests=\"{}\"", count("<testcase"))));
        assert!(text.contains(&format!("failures=\"{}\"", count("<failure"))));
        assert!(text.contains(&format!("skipped=\"{}\"", count("<skipped "))));
    }
    let said = check(&[
        "--format",
        "junit",
        "--waivers",
        "expired.toml",
        "bad.json",
        "/no/such/<file>",
    ]);
    assert_eq!(faults(&said.out), "");
    assert!(said.out.contains("errors=\"1\"") && said.out.contains("classname=\"waivers\""));
    assert_ne!(
        faults(&said.out.replace("<skipped ", "<skip ")),
        "",
        "the schema would notice"
    );
}

/// What `xmllint` says of a text, nothing when it is of the schema.
fn faults(text: &str) -> String {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("junit.xml");
    fs::write(&file, text).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/junit-10.xsd");
    let output = Command::new("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(schema)
        .arg(&file)
        .output()
        .expect("xmllint is missing: apt-get install libxml2-utils");
    match output.status.success() {
        true => String::new(),
        false => String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
