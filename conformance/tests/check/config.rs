//! `cenl-conformance.toml`, and several files and profiles in one run.

use std::fs;
use std::path::Path;
use std::process::Command;

use cloudevents_nl_conformance::{Config, Overlay};
use tempfile::TempDir;

use super::Said;

const GOOD: &str =
    r#"{"specversion":"1.0","id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.a"}"#;
/// Good by CloudEvents, and not by the profile: its type is no reversed domain name.
const FOREIGN: &str = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;

/// A folder with settings and events.
fn folder(config: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("cenl-conformance.toml", config);
    write("good.json", GOOD);
    write("foreign/a.json", FOREIGN);
    write("foreign/deep/b.json", FOREIGN);
    write("foreign/c.txt", "no event");
    folder
}

fn check(folder: &Path, words: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_cenl-conformance"))
        .args(["check", "--today", "2026-11-21"])
        .args(words)
        .current_dir(folder)
        .env_remove("SOURCE_DATE_EPOCH")
        .output()
        .unwrap();
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn settings_are_found_upwards_and_the_command_line_comes_first() {
    let folder = folder("language = \"en\"\nfail-on = \"none\"\nprofile = \"cloudevents-1.0\"\n");
    let below = folder.path().join("foreign");
    for (words, code, told) in [
        (&["a.json"][..], 0, "Complies"),
        (
            &["a.json", "--lang", "nl"],
            0,
            "Voldoet, met aandachtspunten",
        ),
        (&["a.json", "--profile", "nl-gov-1.1"], 0, "error NL-TYPE-1"),
        (
            &["a.json", "--profile", "nl-gov-1.1", "--fail-on", "error"],
            1,
            "error NL-TYPE-1",
        ),
        (&["a.json", "--no-config"], 1, "fout NL-TYPE-1"),
        (&["a.json", "--config", "../good.json"], 2, ""),
    ] {
        let said = check(&below, words);
        assert_eq!(
            said.code,
            Some(code),
            "{words:?}: {}{}",
            said.out,
            said.errors
        );
        assert!(said.out.contains(told), "{words:?}: {}", said.out);
    }
}

#[test]
fn paths_have_profiles_and_each_profile_its_report() {
    let config = "language = \"en\"\n[output]\njson = \"{profile}.json\"\ntable = \"{profile}.txt\"\n\
                  [[path]]\npath = \"foreign/**\"\nprofile = \"cloudevents-1.0\"\n";
    let folder = folder(config);
    let said = check(folder.path(), &["good.json", "foreign/**/*.json"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    for (profile, messages) in [("nl-gov-1.1", 1), ("cloudevents-1.0", 2)] {
        let file = fs::read(folder.path().join(format!("{profile}.json"))).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&file).unwrap();
        assert_eq!(report["counts"]["messages"], messages, "{profile}");
        let table = fs::read_to_string(folder.path().join(format!("{profile}.txt"))).unwrap();
        assert!(
            table.contains("Complies") && !table.contains('\u{1b}'),
            "{table}"
        );
        assert!(said.out.contains(&format!("({profile}, ")), "{}", said.out);
    }
    // One place has no room for two reports.
    let words = ["good.json", "foreign", "--format", "json"];
    let said = check(folder.path(), &words);
    assert_eq!(said.code, Some(2));
    assert!(said.errors.contains("{profile}"), "{}", said.errors);
    // One file by two profiles.
    let said = check(
        folder.path(),
        &["good.json", "--profile", "nl-gov-1.0,cloudevents-1.0"],
    );
    assert_eq!(
        (said.code, said.out.matches("Complies").count()),
        (Some(0), 2)
    );
}

#[test]
fn a_pattern_without_a_file_is_told() {
    let folder = folder("");
    let said = check(folder.path(), &["*.http", "--lang", "en"]);
    assert_eq!(said.code, Some(2));
    let told = "*.http: no file is of this pattern";
    assert!(said.out.contains(told), "{}", said.out);
    // Each report says so.
    let profiles = ["--profile", "nl-gov-1.0,nl-gov-1.1"];
    for named in ["*.http", "empty"] {
        fs::create_dir_all(folder.path().join("empty")).unwrap();
        let said = check(folder.path(), &[&[named][..], &profiles].concat());
        let told = said.out.matches(&format!("{named}: ")).count();
        assert_eq!((said.code, told), (Some(2), 2), "{}", said.out);
    }
}

#[test]
fn rules_are_left_out_or_count_otherwise() {
    for (config, code, told) in [
        ("ignore = [\"NL-TYPE-*\"]", 0, "Complies"),
        ("select = \"CE-*\"", 0, "Complies"),
        (
            "ignore = \"*\"",
            2,
            "No verdict: the settings leave out every rule that messages show",
        ),
        // One that has to be declared is not left out.
        ("select = \"CE-TIME-2\"", 2, "1 rule still to be declared"),
        (
            concat!(
                "ignore = \"*\"\nwaivers = \"",
                env!("CARGO_MANIFEST_DIR"),
                "/tests/check/inputs/expired.toml\""
            ),
            1,
            "Does not comply: a waiver has expired",
        ),
        ("ignore = \"CE-TIME-2\"", 1, ", 1 rule left out by choice"),
        ("select = \"NL-TYPE-*\"", 1, "Does not comply"),
        (
            "[severity]\n\"NL-TYPE-*\" = \"warning\"",
            0,
            "warning NL-TYPE-1",
        ),
        (
            "[severity]\n\"NL-TYPE-*\" = \"notice\"",
            0,
            "notice NL-TYPE-1",
        ),
        (
            "[severity]\n\"NL-TYPE-*\" = \"notice\"",
            0,
            "; counted so by the settings; by the profile: error)",
        ),
        (
            "fail-on = \"warn\"\n[severity]\n\"NL-TYPE-*\" = \"warning\"",
            1,
            "warning NL-TYPE-1",
        ),
    ] {
        let folder = folder(config);
        let words = ["foreign/a.json", "--lang", "en"];
        let said = check(folder.path(), &words);
        assert_eq!(
            said.code,
            Some(code),
            "{config}: {}{}",
            said.out,
            said.errors
        );
        assert!(said.out.contains(told), "{config}: {}", said.out);
        let said = check(folder.path(), &[&words[..], &["--format", "json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let rules = report["rules"].as_array().unwrap().iter();
        let is_asked = rules.clone().any(|rule| rule["id"] == "NL-TYPE-1");
        let is_left_out = report["not_tested"]
            .as_array()
            .unwrap()
            .iter()
            .any(|rule| rule["rule"] == "NL-TYPE-1" && rule["why"] == "left out");
        assert!(is_asked != is_left_out, "{config}");
    }
}

/// A report that settings made milder says so, and claims nothing of what they leave out.
#[test]
fn what_settings_change_is_in_the_report() {
    let config = "ignore = [\"CE-ID-1\", \"CE-TIME-2\"]\n[severity]\n\"CE-ID-2\" = \"notice\"\n";
    let folder = folder(config);
    let empty = GOOD.replace("\"id\":\"1\"", "\"id\":\"\"");
    fs::write(folder.path().join("empty.json"), empty).unwrap();
    let said = check(folder.path(), &["empty.json", "--format", "json"]);
    assert_eq!(said.code, Some(0), "{}", said.errors);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["settings"]["name"], "cenl-conformance.toml");
    let rules = report["rules"].as_array().unwrap();
    let weighed = rules
        .iter()
        .filter(|rule| rule["usual_severity"] == "error");
    let weighed: Vec<_> = weighed.map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(weighed, ["CE-ID-2"]);
    let left_out = report["not_tested"].as_array().unwrap().iter();
    let left_out = left_out.filter(|rule| rule["why"] == "left out");
    let left_out: Vec<_> = left_out
        .map(|rule| rule["rule"].as_str().unwrap())
        .collect();
    // CE-ATTR-1 sums up CE-ID-1.
    for rule in ["CE-ID-1", "CE-ATTR-1", "CE-TIME-2"] {
        assert!(left_out.contains(&rule), "{rule}: {left_out:?}");
    }
    let said = check(folder.path(), &["empty.json", "--format", "html"]);
    for told in [
        &*format!("; {} regels bewust niet gecontroleerd</h2>", left_out.len()),
        ">opmerking</span><br>zwaarte volgens de instellingen; volgens het profiel: fout<",
        "<dt>Instellingen: cenl-conformance.toml (SHA-256)</dt>",
        // In the language of the report.
        "<code class=\"id\">CE-ID-1</code> Elke gebeurtenis heeft een",
    ] {
        assert!(said.out.contains(told), "{told}");
    }
    for (format, told) in [
        ("github", ", # regels bewust"),
        ("sarif", "\"rulesLeftOut\": #"),
    ] {
        let said = check(folder.path(), &["empty.json", "--format", format]);
        let told = told.replace('#', &left_out.len().to_string());
        assert!(said.out.contains(&told), "{told}: {}", said.out);
    }
}

/// What counts as it would by the profile is worse than what settings made as bad.
#[test]
fn the_worst_by_the_profile_is_told() {
    let folder = folder("[severity]\n\"EXT-SEQ-4\" = \"error\"\n");
    let event = |sequence: &str| {
        let sequence = format!(",\"sequence\":\"{sequence}\",\"sequencetype\":\"Integer\"}}");
        GOOD.replace('}', &sequence)
    };
    let events = format!("{}\n{}\n", event("a"), event("01"));
    fs::write(folder.path().join("events.jsonl"), events).unwrap();
    let said = check(folder.path(), &["events.jsonl", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let mut rules = report["rules"].as_array().unwrap().iter();
    let rule = rules.find(|rule| rule["id"] == "EXT-SEQ-4").unwrap();
    assert_eq!(
        (&rule["broken"], &rule["usual_severity"]),
        (&2.into(), &"error".into())
    );
}

#[test]
fn a_first_baseline_may_be_missing_and_no_input_is_written_over() {
    let folder = folder("baseline = \"b.json\"\nlanguage = \"en\"\n");
    let write = ["--write-baseline", "b.json", "foreign/a.json"];
    for (words, code, out, errors) in [
        (&write[2..], 2, "", "b.json: cannot be read"),
        // One by another name is no less missing.
        (
            &["--write-baseline", "c.json", "foreign/a.json"],
            2,
            "",
            "b.json: cannot be read",
        ),
        (&write[..], 0, "", " findings kept as known"),
        (&write[2..], 0, "No new findings", ""),
        (
            &["--write-baseline", "good.json", "good.json"],
            2,
            "",
            "good.json: is an input",
        ),
        (
            &["--write-baseline", "cenl-conformance.toml", "good.json"],
            2,
            "",
            "cenl-conformance.toml: is an input",
        ),
    ] {
        let said = check(folder.path(), words);
        let is_told = said.out.contains(out) && said.errors.contains(errors);
        let told = format!("{words:?}: {}{}", said.out, said.errors);
        assert_eq!((said.code, is_told), (Some(code), true), "{told}");
    }
    for (output, told) in [
        (
            "html = \"new.html\"\njson = \"good.json\"",
            "good.json: is an input",
        ),
        (
            "html = \"a\"\njson = \"a\"",
            "2: html = \"a\": of another form already",
        ),
    ] {
        let config = format!("[output]\n{output}\n");
        fs::write(folder.path().join("cenl-conformance.toml"), config).unwrap();
        let said = check(folder.path(), &["good.json", "--lang", "en"]);
        assert_eq!(said.code, Some(2), "{}", said.out);
        assert!(said.errors.contains(told), "{}", said.errors);
    }
    let good = fs::read_to_string(folder.path().join("good.json"));
    assert_eq!(good.unwrap(), GOOD);
    assert!(!folder.path().join("new.html").exists());
}

#[test]
fn what_a_run_writes_is_no_input_of_the_next() {
    let config =
        "language = \"en\"\nprofile = \"cloudevents-1.0\"\n[output]\njson = \"{profile}.json\"\n";
    let folder = folder(config);
    let write = [".", "--write-baseline", "b.json"];
    for (words, code, skipped) in [
        (&write[..], 0, 0),
        (&write[..], 0, 2),
        (&[".", "--baseline", "b.json"], 0, 2),
        (&["*.json", "--baseline", "b.json"], 0, 0),
    ] {
        let said = check(folder.path(), words);
        let told = format!("{words:?}: {}{}", said.out, said.errors);
        let own = said.out.matches(": a report or a baseline of this check");
        assert_eq!((said.code, own.count()), (Some(code), skipped), "{told}");
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let config = "profiel = 1\nprofile = \"nl-gov\"\nlanguage = 3\nmost-per-rule = -1\n\
                  ignore = [\"CE-ID-22\"]\noutput = 1\n[severity]\n\"NL-TYPE-1\" = \"grave\"\n\
                  [[path]]\npath = \"\"\n";
    let folder = folder(config);
    let said = check(folder.path(), &["good.json", "--lang", "en"]);
    let name = folder
        .path()
        .canonicalize()
        .unwrap()
        .join("cenl-conformance.toml");
    let expected = [
        "1: profiel: unknown; did you mean profile?",
        "2: profile = \"nl-gov\": none of cloudevents-1.0, nl-gov-1.0, nl-gov-1.1",
        "3: language = 3: neither text nor a list of texts",
        "4: most-per-rule = -1: no number",
        "5: ignore = [\"CE-ID-22\"]: no rule is named CE-ID-22; did you mean CE-ID-2?",
        "6: output = 1: no table: write [output]",
        "8: NL-TYPE-1 = \"grave\": none of error, warning, notice",
        "9: profile: missing",
        "10: path = \"\": empty",
    ]
    .map(|line| format!("cenl-conformance: {}:{line}\n", name.display()));
    assert_eq!((said.code, said.errors), (Some(2), expected.concat()));
    assert_eq!(said.out, "");
}

#[test]
fn the_snippets_of_the_readme_are_read() {
    let readme = include_str!("../../README.md");
    let snippet = |begins: &str| {
        let mut all = readme.split("```toml\n").skip(1);
        let found = all.find(|text| text.starts_with(begins)).unwrap();
        found.split("```").next().unwrap().to_owned()
    };
    let config = Config::read(&snippet("profile = ")).unwrap();
    assert_eq!((config.paths.len(), config.outputs.len()), (1, 2));
    assert_eq!(
        Overlay::read(&snippet("overlay = ")).unwrap().rules.len(),
        1
    );
}
