//! Every form of a report in both languages, and the schemas that machines read them by.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::check;

const INPUTS: [&str; 4] = ["events.jsonl", "good.json", "batch.json", "requests.http"];
const BESIDE: [&str; 4] = [
    "--waivers",
    "waivers.toml",
    "--declarations",
    "declarations.toml",
];

pub(super) fn report(format: &str, language: &str) -> String {
    let words = [
        "--format",
        format,
        "--lang",
        language,
        "--date",
        "2026-11-21",
    ];
    let said = check(&[&words[..], &BESIDE, &INPUTS].concat());
    assert_eq!(said.code, Some(1), "{}", said.errors);
    said.out
}

/// What changes with every rule that is added is not part of a snapshot.
pub(super) fn snapshot(name: &str, text: &str) {
    let catalogue = cloudevents_nl_conformance::catalogue::sha256();
    let counts_rules = |line: &&str| {
        let words = ["niet getest", "not tested"];
        words.iter().any(|word| line.ends_with(word)) || line.contains("\"rulesNotShown\"")
    };
    let lines: Vec<_> = text.lines().filter(|line| !counts_rules(line)).collect();
    insta::assert_snapshot!(name, lines.join("\n").replace(&catalogue, "[catalogue]"));
}

#[test]
fn table() {
    for language in ["nl", "en"] {
        snapshot(&format!("table_{language}"), &report("table", language));
    }
}

#[test]
fn json() {
    for language in ["nl", "en"] {
        let text = report("json", language);
        let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["format"], "cenl-report/1");
        // Every rule has its row.
        let rules = report["rules"].as_array_mut().unwrap();
        assert!(rules.len() > 20);
        rules.retain(|rule| rule["broken"] != 0 || rule["explained"] != 0);
        report["declarations"]
            .as_array_mut()
            .unwrap()
            .retain(|rule| rule["state"] == "declared");
        report["not_tested"].as_array_mut().unwrap().truncate(0);
        snapshot(
            &format!("json_{language}"),
            &serde_json::to_string_pretty(&report).unwrap(),
        );
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

#[test]
fn html_is_one_file_with_everything_escaped() {
    for language in ["nl", "en"] {
        let text = report("html", language);
        assert!(text.starts_with(&format!("<!DOCTYPE html>\n<html lang=\"{language}\">")));
        for banned in [
            "<script",
            "src=",
            "url(",
            "<link",
            "javascript:",
            "<gisteren",
            "@import",
        ] {
            assert!(!text.contains(banned), "{banned}");
        }
        assert!(text.contains("&lt;gisteren &amp; &quot;vroeg&quot;&gt;"));
        // A heading of every part, and each element that begins ends.
        assert_eq!(text.matches("<h2").count(), 7 + 1);
        for element in [
            "section", "article", "table", "tr", "td", "th", "div", "p", "code", "dl", "span",
        ] {
            let begins = text.matches(&format!("<{element}>")).count()
                + text.matches(&format!("<{element} ")).count();
            assert_eq!(
                begins,
                text.matches(&format!("</{element}>")).count(),
                "{element}"
            );
        }
        let findings = text.split("<h2 id=\"waivers\"").next().unwrap();
        snapshot(
            &format!("html_{language}"),
            findings.split("</style>").last().unwrap(),
        );
    }
}

#[test]
fn a_verdict_says_what_it_is_about() {
    for (words, expected) in [
        (&["good.json"][..], "Voldoet:"),
        (&["bad.json"], "Voldoet niet:"),
        (
            &["bad.json", "--waivers", "waivers.toml"],
            "Voldoet, met uitgelegde afwijkingen:",
        ),
        (
            &["good.json", "--waivers", "expired.toml"],
            "Voldoet niet: een uitgelegde afwijking is verlopen:",
        ),
        (
            &["good.json", "/no/such/file"],
            "Geen oordeel: niet alles kon worden gelezen:",
        ),
    ] {
        let said = check(words);
        let last = said.out.lines().last().unwrap();
        assert!(last.starts_with(expected), "{words:?}: {}", said.out);
    }
}
