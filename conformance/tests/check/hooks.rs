//! The commands that hooks and actions of code hosts run.

use std::fs;
use std::path::Path;
use std::process::Command;

fn text(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(name)).unwrap()
}

/// Runs a script with the checker on PATH, in the folder of inputs.
fn run(script: &str, words: &[&str]) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_cenl-conformance"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let output = Command::new("bash")
        .args(["-ec", script, "bash"])
        .args(words)
        .env("PATH", path)
        .env("FORMAT", "github")
        .env("ARGUMENTS", "--lang en g*d.json")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/inputs"))
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn the_hook_checks_the_files_that_it_is_given() {
    let hooks = text(".pre-commit-hooks.yaml");
    let entry = hooks
        .lines()
        .find_map(|line| line.trim().strip_prefix("entry: "))
        .unwrap();
    let script = format!("{entry} \"$@\"");
    assert_eq!(run(&script, &["good.json", "batch.json"]).0, Some(1));
    assert_eq!(run(&script, &["good.json"]).0, Some(0));
}

#[test]
fn the_action_runs_the_checker() {
    let action = text("action.yml");
    let (_, script) = action.rsplit_once("run: |\n").unwrap();
    let (code, out) = run(script, &[]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("::notice::Complies: 1 message"), "{out}");
}
