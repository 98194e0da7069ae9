//! `test`, with a script in the place of the program that opens connections.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::Said;

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check/inputs/live.jsonl");

/// A folder with the checker and, beside it, a script.
fn folder(script: Option<&str>) -> TempDir {
    let folder = TempDir::new().unwrap();
    install(
        Path::new(env!("CARGO_BIN_EXE_cenl-conformance")),
        &folder.path().join("cenl-conformance"),
    );
    if let Some(script) = script {
        program(folder.path(), script);
    }
    folder
}

fn program(folder: &Path, script: &str) {
    let text = folder.join("script");
    fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
    install(&text, &folder.join("cenl-conformance-live"));
}

/// An executable copy, written by a process of its own: what this one writes, a process that another
/// test starts meanwhile holds open as well, and a program that is open for writing does not start
/// (ETXTBSY).
fn install(from: &Path, to: &Path) {
    let status = Command::new("install")
        .args(["-m", "755"])
        .args([from, to])
        .status();
    assert!(status.unwrap().success());
}

fn test(folder: &Path, path: &str, words: &[&str]) -> Said {
    let output = Command::new(folder.join("cenl-conformance"))
        .args(["test", "--today", "2026-11-21"])
        .args(words)
        .env("PATH", path)
        .env_remove("SOURCE_DATE_EPOCH")
        .current_dir(folder)
        .output()
        .unwrap();
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn the_program_gets_the_words_and_its_record_is_reported() {
    let script = format!("echo \"$@\" >&2; cat {RECORD}");
    let folder = folder(Some(&script));
    let words = [
        "--lang",
        "en",
        "receiver",
        "https://a.example/hook",
        "--lang",
        "x",
    ];
    let said = test(folder.path(), "/bin:/usr/bin", &words);
    assert_eq!(said.code, Some(1), "{}", said.errors);
    assert_eq!(said.errors, "receiver https://a.example/hook --lang x\n");
    assert!(
        said.out
            .contains("receiver:2  response, message  «text/plain → 204»"),
        "{}",
        said.out
    );
}

#[test]
fn the_record_is_kept_and_makes_the_same_report() {
    let folder = folder(Some(&format!("cat {RECORD}")));
    let words = [
        "--format",
        "json",
        "--evidence",
        "kept.jsonl",
        "receiver",
        "u",
    ];
    let said = test(folder.path(), "/bin:/usr/bin", &words);
    assert_eq!(said.code, Some(1), "{}", said.errors);
    let kept = fs::read(folder.path().join("kept.jsonl")).unwrap();
    assert_eq!(kept, fs::read(RECORD).unwrap());
    let again = Command::new(folder.path().join("cenl-conformance"))
        .args([
            "check",
            "--today",
            "2026-11-21",
            "--format",
            "json",
            "kept.jsonl",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(said.out, String::from_utf8(again.stdout).unwrap());
}

#[test]
fn a_program_that_breaks_off_gives_no_verdict() {
    let good = r#"echo '{"live":"HOOK-AUTH-2","shown":"met"}'"#;
    let broken = r#"echo '{"live":"HOOK-RESP-2","shown":"broken"}'"#;
    let no_event = r#"echo '{"exchange":"validation","under_test":"request","request":{"protocol":"http","method":"OPTIONS","target":"https://a.example/hook","headers":[["WebHook-Request-Origin","a.example"]]},"response":{"protocol":"http","status":200,"headers":[]}}'
        echo '{"exchange":"delivery","under_test":"request","request":{"protocol":"http","method":"POST","target":"https://a.example/hook","headers":[["Content-Type","text/plain"],["Authorization","Bearer ***"]],"body_base64":"YQ=="},"response":{"protocol":"http","status":204,"headers":[]}}'"#;
    for (script, code, told) in [
        (good.to_owned(), 0, "Voldoet: "),
        (
            format!("{good}; exit 1"),
            1,
            "Voldoet niet: gebeurtenissen zijn verloren",
        ),
        (
            format!("{good}; exit 3"),
            2,
            "Geen oordeel: niet alles kon worden gelezen",
        ),
        ("true".to_owned(), 2, "Geen oordeel"),
        (format!("{no_event}; {good}"), 2, "Geen oordeel"),
        (format!("{no_event}; {broken}"), 1, "Voldoet niet"),
    ] {
        let folder = folder(Some(&script));
        let said = test(folder.path(), "/bin:/usr/bin", &["receiver", "u"]);
        assert_eq!(
            said.code,
            Some(code),
            "{script}: {}{}",
            said.out,
            said.errors
        );
        assert!(said.out.contains(told), "{script}: {}", said.out);
    }
}

#[test]
fn a_dry_run_is_shown_and_not_judged() {
    let folder = folder(Some("echo would send; exit $STATUS"));
    let said = test(
        folder.path(),
        "/bin:/usr/bin",
        &["receiver", "u", "--dry-run"],
    );
    assert_eq!((said.code, &*said.out), (Some(0), "would send\n"));
}

#[test]
fn the_program_is_found_beside_or_on_path_or_its_remedy_told() {
    let (alone, elsewhere) = (folder(None), TempDir::new().unwrap());
    program(elsewhere.path(), "echo here");
    let path = elsewhere.path().to_str().unwrap();
    let said = test(alone.path(), path, &["receiver", "--dry-run"]);
    assert_eq!(said.out, "here\n");
    for (language, remedy) in [("en", "install it there"), ("nl", "installeer het daar")] {
        let said = test(
            alone.path(),
            "/nowhere",
            &["--lang", language, "receiver", "u"],
        );
        assert_eq!(said.code, Some(2));
        assert!(said.errors.contains(remedy), "{}", said.errors);
    }
}

#[test]
fn a_file_of_its_own_would_leave_nothing_to_report() {
    let folder = folder(Some("true"));
    for out in [&["--record", "f"][..], &["--record=f"]] {
        let said = test(folder.path(), "/bin", &[&["receiver", "u"], out].concat());
        assert_eq!(said.code, Some(2));
        assert!(said.errors.contains("--evidence"), "{}", said.errors);
    }
}
