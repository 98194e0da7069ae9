//! The command line as a process: what it prints and the exit code it leaves.

use std::io::Write;
use std::process::{Command, Output};

fn bridge(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_cenl-bridge");
    Command::new(program)
        .args(arguments)
        .output()
        .expect("the program starts")
}

#[test]
fn help_teaches_and_is_no_failure() {
    let output = bridge(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    for word in ["check-config", "Examples:", "Exit codes:"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    for arguments in [
        &[][..],
        &["fly"],
        &["run"],
        &["check-config", "--konfig", "x"],
    ] {
        assert_eq!(bridge(arguments).status.code(), Some(64), "{arguments:?}");
    }
}

#[test]
fn wrong_settings_are_a_usage_error_with_every_problem() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(b"[log]\nlevel = \"loud\"\n[limits]\ndepth = -1\n")
        .expect("written");
    let path = file.path().to_str().expect("a path in UTF-8");
    for command in ["run", "check-config"] {
        let output = bridge(&[command, "--config", path]);
        assert_eq!(output.status.code(), Some(64), "{command}");
        assert!(output.stdout.is_empty());
        let text = String::from_utf8_lossy(&output.stderr);
        for word in [
            ":2: log.level",
            ":4: limits.depth",
            "route: is missing",
            "3 problems",
        ] {
            assert!(text.contains(word), "{word} in {text}");
        }
    }
    let output = bridge(&["run", "--config", "/nowhere/bridge.toml"]);
    assert_eq!(output.status.code(), Some(64));
}
