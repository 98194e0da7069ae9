//! The command line as a process: what it prints and the exit code it leaves.

use std::fs::File;
use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

fn bridge(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_cenl-bridge");
    Command::new(program)
        .args(arguments)
        .output()
        .expect("the program starts")
}

#[test]
fn the_schema_is_json_that_knows_every_table() {
    let output = bridge(&["schema"]);
    assert_eq!(output.status.code(), Some(0));
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let tables = schema["properties"].as_object().expect("a table");
    let names: Vec<_> = tables.keys().map(String::as_str).collect();
    let expected = [
        "admin",
        "consent",
        "credentials",
        "extensions",
        "http",
        "kafka",
        "limits",
        "log",
        "nats",
        "route",
        "traces",
    ];
    assert_eq!(names, expected);
    let deadline = &schema["properties"]["limits"]["properties"]["shutdown_deadline"];
    assert_eq!(deadline["default"], "20s");
}

/// As `check-config | head -1` does.
#[test]
fn a_reader_who_goes_away_is_no_failure() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/bridge.toml");
    for arguments in [&["check-config", "--config", example][..], &["schema"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

/// As on a disk that is full.
#[test]
fn output_that_is_not_taken_is_told() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/bridge.toml");
    for arguments in [
        &["check-config", "--config", example][..],
        &["schema"],
        &["completions", "bash"],
        &["demo"],
        &["--help"],
        &["--version"],
    ] {
        let full = File::options().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
            .args(arguments)
            .stdout(full.expect("a device"))
            .output()
            .expect("the program starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
        let words = "cenl-bridge: the output cannot be written: No space left";
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

#[test]
fn help_teaches_and_is_no_failure() {
    for (arguments, words) in [
        (&["--help"][..], &["check-config", "demo"][..]),
        (
            &["run", "--help"],
            &["Signals:", "SIGTERM", "a second one", "/readyz", "  1 "],
        ),
        (
            &["check-config", "--help"],
            &["remedy", "never shown", "--check-connections", "  1 "],
        ),
        (
            &["tail", "--help"],
            &[
                "joins no group",
                "--dead-letters",
                "earliest",
                "  1 ",
                "  130 ",
            ],
        ),
        (
            &["status", "--help"],
            &["[admin] listen", "--json", "no bridge answers", "  1 "],
        ),
        (
            &["replay", "--help"],
            &[
                "safe to repeat",
                "cenl-replay-ROUTE",
                "--dry-run",
                "  1 ",
                "  130 ",
            ],
        ),
    ] {
        let output = bridge(arguments);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8_lossy(&output.stdout);
        let common = [
            "Examples:",
            "Environment:",
            "CENL__",
            "Exit codes:",
            "  0 ",
            "  64 ",
        ];
        for word in common.iter().chain(words) {
            assert!(text.contains(word), "{word} in {text}");
        }
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    }
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    for arguments in [
        &[][..],
        &["fly"],
        &["run"],
        &["check-config", "--konfig", "x"],
        &["tail", "--config", "x"],
        &[
            "tail",
            "--config",
            "x",
            "--route",
            "a",
            "--dead-letters",
            "a",
        ],
        &["tail", "--config", "x", "--kafka", "main"],
        &["tail", "--config", "x", "--topic", "zaken"],
        &["tail", "--config", "x", "--nats", "main"],
        &[
            "tail",
            "--config",
            "x",
            "--route",
            "a",
            "--since",
            "yesterday",
        ],
        &["tail", "--config", "x", "--route", "a", "--count", "0"],
        &["replay", "--config", "x", "--route", "a"],
        &["replay", "--config", "x", "--all"],
        &[
            "replay", "--config", "x", "--route", "a", "--all", "--id", "1",
        ],
        &["replay", "--config", "x", "--route", "a", "--id"],
        &[
            "replay", "--config", "x", "--route", "a", "--all", "--source", "s",
        ],
        &["tail", "--config", "x", "--route", "a", "--source", "s"],
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
}

#[test]
fn a_file_that_cannot_be_read_is_a_usage_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path
    };
    for (path, words) in [
        (folder.path().join("missing.toml"), "No such file"),
        (folder.path().to_owned(), "Is a directory"),
        (write("broken.toml", b"[log]\nlevel =\n"), ":2: is not TOML"),
        (write("binary.toml", b"\xff"), "UTF-8"),
        (write("empty.toml", b""), "route: is missing"),
    ] {
        let path = path.to_str().expect("a path in UTF-8");
        for command in ["run", "check-config"] {
            let output = bridge(&[command, "--config", path]);
            assert_eq!(output.status.code(), Some(64), "{command} {path}");
            assert!(output.stdout.is_empty());
            let text = String::from_utf8_lossy(&output.stderr);
            for word in [path, words, "remedy: ", "1 problem; nothing was started"] {
                assert!(text.contains(word), "{word} in {text}");
            }
        }
    }
}

#[test]
fn a_port_that_is_taken_ends_the_start() {
    let holder = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = holder.local_addr().expect("an address").to_string();
    for (admin, listen, words) in [
        (address.as_str(), "127.0.0.1:0", "[admin] listen"),
        ("127.0.0.1:0", address.as_str(), "route in cannot start"),
    ] {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        write!(
            file,
            r#"
[admin]
listen = "{admin}"
[http.in]
listen = "{listen}"
[[route]]
name = "in"
source = {{ http = "in", path = "/" }}
sink = {{ url = "http://127.0.0.1:1/" }}
"#
        )
        .expect("written");
        let output = bridge(&["run", "--config", file.path().to_str().expect("a path")]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        for word in [words, &address, "in use"] {
            assert!(text.contains(word), "{word} in {text}");
        }
        assert!(!text.contains("running"), "{text}");
    }
}

#[test]
fn a_place_that_is_none_is_a_usage_error_that_says_so() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(
        br#"
[kafka.main]
brokers = "127.0.0.1:1"
[http.in]
listen = "127.0.0.1:0"
[[route]]
name = "in"
source = { http = "in", path = "/" }
sink = { kafka = "main", topic = "zaken" }
[[route]]
name = "out"
on_error = "hold"
source = { kafka = "main", topic = "zaken", group = "g" }
sink = { url = "http://127.0.0.1:1/" }
"#,
    )
    .expect("written");
    let path = file.path().to_str().expect("a path");
    for (command, words, said) in [
        ("tail", &["--route", "oud"][..], "did you mean \"out\"?"),
        ("tail", &["--route", "in"], "nothing is kept to look at"),
        ("tail", &["--dead-letters", "out"], "has no dead letters"),
        (
            "tail",
            &["--kafka", "other", "--topic", "t"],
            "[kafka.other]",
        ),
        (
            "tail",
            &["--kafka", "main", "--topic", "a b"],
            "is not a topic name",
        ),
        ("tail", &["--nats", "main", "--subject", "s"], "[nats.main]"),
        ("replay", &["--route", "in", "--all"], "has no dead letters"),
        (
            "replay",
            &["--route", "other", "--all"],
            "no route \"other\"",
        ),
    ] {
        let output = bridge(&[&[command, "--config", path], words].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{words:?}: {text}");
        assert!(text.contains(said), "{words:?}: {text}");
        assert!(output.stdout.is_empty());
    }
    // Nobody listens on the port of the broker.
    let output = bridge(&["tail", "--config", path, "--route", "out"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("cannot be read"), "{text}");
}

#[test]
fn the_version_names_the_commit_and_librdkafka() {
    let version = String::from_utf8(bridge(&["--version"]).stdout).expect("text");
    let lines: Vec<_> = version.lines().collect();
    let [name, commit, librdkafka] = lines[..] else {
        panic!("{version}");
    };
    assert_eq!(name, concat!("cenl-bridge ", env!("CARGO_PKG_VERSION")));
    assert!(commit.starts_with("commit: "), "{commit}");
    assert!(librdkafka.starts_with("librdkafka: 2."), "{librdkafka}");
    for feature in ["ssl", "sasl_scram", "zstd"] {
        assert!(librdkafka.contains(feature), "{librdkafka}");
    }
}

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().to_str().expect("text");
    assert_eq!(bridge(&["man", path]).status.code(), Some(0));
    let bash = String::from_utf8(bridge(&["completions", "bash"]).stdout).expect("text");
    for command in ["run", "check-config", "status", "tail", "replay", "convert"] {
        let page = directory.path().join(format!("cenl-bridge-{command}.1"));
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
        assert!(bash.contains(command), "{command}");
    }
    let missing = bridge(&["man", "/nowhere/at/all"]);
    assert_eq!(missing.status.code(), Some(1));
    let told = String::from_utf8_lossy(&missing.stderr);
    assert!(
        told.contains("/nowhere/at/all: manual pages cannot be written"),
        "{told}"
    );
}
