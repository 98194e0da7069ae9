//! What the README shows is true. Its Rust snippet runs as a doctest of conformance.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/documents.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod documents;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// The code blocks of a language, in order.
fn blocks(language: &str) -> Vec<String> {
    documents::texts(&readme(), language)
}

fn bridge(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn is_short() {
    assert!(readme().lines().count() < 150);
}

#[test]
fn every_command_exists() {
    let shell = blocks("sh").join("\n");
    let mut found = Vec::new();
    for line in shell.lines() {
        for part in line.split('|') {
            let words: Vec<_> = part.split_whitespace().collect();
            let (command, options) = match words.as_slice() {
                ["cenl-bridge", command, options @ ..]
                | [
                    "cargo",
                    "run",
                    "--bin",
                    "cenl-bridge",
                    "--",
                    command,
                    options @ ..,
                ] => (*command, options),
                [script, ..] if script.starts_with("scripts/") => {
                    assert!(root().join(script).is_file(), "{script}");
                    continue;
                }
                _ => continue,
            };
            let help = bridge(&[command, "--help"]);
            assert!(help.status.success(), "{command}");
            let help = String::from_utf8(help.stdout).unwrap();
            for option in options.iter().filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "{command} {option}");
            }
            found.push(command.to_owned());
        }
    }
    let expected = [
        "demo",
        "check-config",
        "run",
        "tail",
        "tail",
        "replay",
        "replay",
        "tail",
        "convert",
        "convert",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_conversion_gives_back_what_went_in() {
    let shell = blocks("sh");
    let pipeline = shell
        .iter()
        .find(|block| block.contains("convert"))
        .unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_cenl-bridge"));
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let output = Command::new("sh")
        .args(["-c", pipeline])
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let event = String::from_utf8(output.stdout).unwrap();
    assert!(pipeline.contains(event.trim_end()), "{event}");
}

#[test]
fn every_link_leads_somewhere() {
    let text = readme();
    let links: Vec<_> = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|link| !link.starts_with("https://"))
        .collect();
    assert!(links.len() > 4);
    for link in links {
        assert!(root().join(link).exists(), "{link}");
    }
}

#[test]
fn the_tables_name_what_there_is() {
    for place in ["bridge", "codec", "conformance", "benches"] {
        assert!(readme().contains(&format!("`{place}/`")));
        assert!(root().join(place).is_dir());
    }
}
