//! The switch that breaks the watermark rule, so that the proof can show that it sees loss, reaches
//! no build of the bridge: not this one, and no other either.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

const SWITCH: &str = "cenl_broken_watermark";
const BREAKER: &str = "overtake_on_purpose";

fn repository() -> PathBuf {
    let bridge = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    bridge.parent().unwrap().to_path_buf()
}

/// Files below a folder whose text holds `word`, from the root of the repository.
fn mentions(folder: &Path, word: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !matches!(name, "target" | ".git" | "docs") {
                mentions(&path, word, found);
            }
        } else if fs::read_to_string(&path).is_ok_and(|text| text.contains(word)) {
            let path = path.strip_prefix(repository()).unwrap();
            found.push(path.to_str().unwrap().to_owned());
        }
    }
}

/// A build script is the only way in which the switch is set, and it is that of another package.
#[test]
fn only_another_package_sets_the_switch() {
    let mut found = Vec::new();
    mentions(&repository(), SWITCH, &mut found);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "Cargo.toml", // declares the name, for the check of names
            "bridge/broken/build.rs",
            "bridge/src/delivery/slots.rs",
            "bridge/tests/unbroken.rs",
        ]
    );
    let manifest = fs::read_to_string(repository().join("bridge/Cargo.toml")).unwrap();
    for way in ["[features]", "build =", "bridge/broken"] {
        assert!(!manifest.contains(way), "bridge/Cargo.toml has {way}");
    }
    assert!(!repository().join("bridge/build.rs").exists());
}

/// Whatever breaks the rule stands behind the switch.
#[test]
fn what_breaks_the_rule_stands_behind_the_switch() {
    let text = fs::read_to_string(repository().join("bridge/src/delivery/slots.rs")).unwrap();
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let broken = lines.iter().enumerate();
    let broken = broken.filter(|(_, line)| line.contains(BREAKER));
    let mut count = 0;
    for (number, line) in broken {
        let mut before = lines[..number].iter().rev();
        let switch = format!("#[cfg({SWITCH})]");
        let is_guarded = before
            .find(|line| !line.starts_with("#[inline"))
            .is_some_and(|line| **line == switch);
        assert!(is_guarded, "{line}");
        count += 1;
    }
    assert_eq!(count, 2, "its definition and its use");
}

/// The name is in the program of `bridge/broken`, as its own test says.
#[test]
fn the_program_does_not_hold_it() {
    let program = fs::read(env!("CARGO_BIN_EXE_cenl-bridge")).unwrap();
    let holds = |name: &[u8]| program.windows(name.len()).any(|bytes| bytes == name);
    assert!(holds(b"cut_unstarted_tail"), "names of functions are there");
    assert!(!holds(BREAKER.as_bytes()));
}
