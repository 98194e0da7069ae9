//! The command line: exit codes and the last line.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn vectors(arguments: &[&str]) -> (Option<i32>, String, String) {
    let program = env!("CARGO_BIN_EXE_cenl-conformance");
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(program)
        .arg("vectors")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// A folder with one file of cases.
fn folder(kind: &str, cases: &str, count: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    let format = "cloudevents-nl-vectors/1";
    let text = format!(
        r#"{{"format":"{format}","kind":"{kind}","profiles":[],"count":{count},"vectors":[{cases}]}}"#
    );
    fs::write(folder.path().join("cases.json"), text).unwrap();
    folder
}

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().unwrap()
}

const MET: &str = r#"{"name":"broken","event":"{","allowed":["decode-error"]}"#;
const NOT_MET: &str = r#"{"name":"odd","event":"{","allowed":["event"]}"#;

fn list(folder: &TempDir, case: &str) -> String {
    let list = folder.path().join("list");
    let entry = format!(r#"{{"file":"cases.json","case":"{case}","reason":"because"}}"#);
    let text = format!(r#"{{"format":"cenl-vectors-not-met/1","cases":[{entry}]}}"#);
    fs::write(&list, text).unwrap();
    list.to_str().unwrap().to_owned()
}

#[test]
fn all_met_is_zero() {
    let folder = folder("events-invalid", MET, 1);
    let (code, out, _) = vectors(&[path(&folder)]);
    assert_eq!(
        (code, out.lines().last()),
        (Some(0), Some("1 passed, 0 failed"))
    );
}

#[test]
fn a_difference_is_printed_and_is_one() {
    let folder = folder("events-invalid", &[MET, NOT_MET].join(","), 2);
    let (code, out, _) = vectors(&[path(&folder)]);
    assert_eq!(
        (code, out.lines().last()),
        (Some(1), Some("1 passed, 1 failed"))
    );
    assert!(
        out.contains("cases.json, odd: outcome\n    expected event\n    got      decode-error")
    );
}

#[test]
fn the_runner_sees_a_wrong_attribute_header_body_and_hop() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/events-valid.json");
    let text = fs::read_to_string(own).unwrap();
    for (from, to, what) in [
        (
            r#""value": "999990342""#,
            r#""value": "999990343""#,
            "attribute subject",
        ),
        (
            r#""ce-comexampleothervalue","#,
            r#""ce-comexampleothervalui","#,
            "headers on ",
        ),
        (
            r#""body_base64": "ZmFsc2U=""#,
            r#""body_base64": "dHJ1ZQ==""#,
            "body on http",
        ),
        (r#""kind": "none""#, r#""kind": "json""#, "kind of data"),
        (
            r#""value_base64": null"#,
            r#""value_base64": """#,
            "body on kafka",
        ),
    ] {
        let changed = text
            .replace(from, to)
            .replace(&from.replace("\",", "\""), to);
        assert_ne!(changed, text, "{from}");
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("events.json"), changed).unwrap();
        let (code, out, _) = vectors(&[path(&folder)]);
        assert_eq!(code, Some(1), "{from}");
        assert!(out.contains(what), "{what}: {out}");
    }
}

#[test]
fn a_listed_case_is_no_failure_until_it_is_met() {
    let folder = folder("events-invalid", &[MET, NOT_MET].join(","), 2);
    for (case, code, last) in [
        ("odd", 0, "1 passed, 0 failed"),
        ("broken", 1, "0 passed, 2 failed"),
        ("unheard", 1, "1 passed, 2 failed"),
    ] {
        let list = list(&folder, case);
        let (found, out, _) = vectors(&[path(&folder), "--not-met", &list]);
        assert_eq!(
            (found, out.lines().last()),
            (Some(code), Some(last)),
            "{case}"
        );
    }
}

#[test]
fn rules_are_held_against_the_cases_too() {
    let case = |level: &str, rules: &str| {
        format!(
            r#"{{"value":"urn:a","verdict":{{"nl-gov-1.1":{{"level":"{level}","rules":[{rules}]}}}}}}"#
        )
    };
    let met = case("warn", r#""NL-SOURCE-1""#);
    let (code, out, _) = vectors(&[path(&folder("sources", &met, 1))]);
    assert_eq!(code, Some(0));
    let codec = "Codec\ncases.json: 1 not judged\n0 passed, 0 failed\n";
    assert!(out.starts_with(codec), "{out}");
    assert!(out.ends_with("\n\n1 passed, 0 failed\n"), "{out}");

    let not_met = case("pass", "");
    let (code, out, _) = vectors(&[path(&folder("sources", &not_met, 1))]);
    assert_eq!(code, Some(1));
    let difference =
        "cases.json, urn:a: level under nl-gov-1.1\n    expected pass\n    got      warn\n";
    assert!(out.contains(difference), "{out}");
    assert!(out.ends_with("\n\n0 passed, 1 failed\n"), "{out}");

    // What says nothing of rules is not judged by them.
    let (code, out, _) = vectors(&[path(&folder("sources", r#"{"value":"urn:a"}"#, 1))]);
    assert_eq!(code, Some(0));
    assert!(out.ends_with("\n\n0 passed, 0 failed\n"), "{out}");
}

#[test]
fn what_cannot_run_is_two() {
    let empty = TempDir::new().unwrap();
    let unknown = folder("unheard-of", MET, 1);
    let wrong_count = folder("events-invalid", MET, 2);
    let other_format = TempDir::new().unwrap();
    let text = r#"{"format":"other/9","kind":"streams","count":0,"vectors":[]}"#;
    fs::write(other_format.path().join("cases.json"), text).unwrap();
    for (arguments, message) in [
        (&["/no/such/folder"][..], "/no/such/folder"),
        (&[path(&empty)], "holds no *.json file"),
        (&[path(&unknown)], "kind \"unheard-of\" is not known"),
        (&[path(&wrong_count)], "says it holds 2 cases, but holds 1"),
        (&[path(&other_format)], "format \"other/9\" is not known"),
        (
            &[path(&unknown), "--not-met", "/no/such/list"],
            "/no/such/list",
        ),
        (&[], "Usage"),
        (&[path(&unknown), "--unheard-of"], "--unheard-of"),
    ] {
        let (code, out, err) = vectors(arguments);
        assert_eq!((code, &*out), (Some(2), ""), "{arguments:?}");
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn help_teaches() {
    let (code, out, _) = vectors(&["--help"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("Examples:") && out.contains("--not-met"));
}

#[test]
fn a_cause_is_told_once() {
    let (code, _, errors) = vectors(&["/no/such/folder"]);
    assert_eq!(code, Some(2));
    assert_eq!(errors.matches("No such file").count(), 1, "{errors}");
    let folder = folder("events-invalid", MET, 1);
    fs::write(folder.path().join("other.json"), "{").unwrap();
    let (code, _, errors) = vectors(&[path(&folder)]);
    assert_eq!(code, Some(2));
    assert_eq!(errors.matches("EOF while parsing").count(), 1, "{errors}");
}
