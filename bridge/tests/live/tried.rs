//! The bridge, tried as anybody tries an intermediary: `cenl-conformance-live intermediary` puts events in by
//! one end and awaits them at the other, and `cenl-conformance check` judges what it wrote down.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::sync::Once;

use serde_json::Value;
use tempfile::TempDir;

use super::bridge::PROGRAM;
use super::brokers;
use super::settings::Settings;

const TESTER: &str = "cenl-conformance-live";

/// The checker, which is of another package.
pub(crate) fn checker() -> PathBuf {
    program("cenl-conformance")
}

/// Of another package: built here, as its own tests build it.
fn program(name: &str) -> PathBuf {
    static BUILD: Once = Once::new();
    BUILD.call_once(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--profile", "test", "--locked"])
            .args(["--bin", "cenl-conformance", "--bin", TESTER])
            // With an example dependencies have the features of tests, so that none is compiled anew.
            .args(["--workspace", "--all-features", "--example", "fuzz_seeds"])
            .current_dir(brokers::root())
            .status()
            .unwrap();
        assert!(
            built.success(),
            "the programs of conformance cannot be built"
        );
    });
    Path::new(PROGRAM).with_file_name(name)
}

/// What came of a run.
pub(crate) struct Tried {
    pub(crate) output: Output,
    pub(crate) record: String,
    report: Value,
}

impl Tried {
    /// Runs it between two addresses.
    pub(crate) async fn between(near: &str, far: &str, more: &[&str]) -> Self {
        let addresses = ["--in", near, "--out", far];
        let arguments = addresses.iter().chain(more).map(ToString::to_string);
        let arguments: Vec<String> = arguments.collect();
        let run = tokio::task::spawn_blocking(move || Self::run(&arguments));
        run.await.unwrap()
    }

    fn run(arguments: &[String]) -> Self {
        let directory = TempDir::new().unwrap();
        let record = directory.path().join("record");
        let output = Command::new(program(TESTER))
            .args(["intermediary", "--lang", "en", "--wait", "30s", "--record"])
            .arg(&record)
            .args(arguments)
            .output()
            .unwrap();
        let report = judged(&record);
        Self {
            output,
            record: std::fs::read_to_string(record).unwrap(),
            report,
        }
    }

    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Nothing is wrong, by figure and by rule, and these rules were shown to be met.
    pub(crate) fn is_good(&self, met: &[&str]) {
        assert!(self.output.status.success(), "{}", self.said());
        let findings = self.report["findings"].as_array().unwrap().iter();
        let wrong: Vec<_> = findings
            .map(|finding| finding["rule"].as_str().unwrap())
            .collect();
        assert_eq!(wrong, [""; 0], "{}", self.said());
        for rule in met {
            let line = format!("{{\"live\":\"{rule}\",\"shown\":\"met\"}}");
            let is_met = self.record.lines().any(|of_record| of_record == line);
            assert!(is_met, "{rule} was not shown: {}", self.said());
        }
    }
}

fn judged(record: &Path) -> Value {
    let check = Command::new(checker())
        .args(["check", "--profile", "cloudevents-1.0", "--format", "json"])
        .args(["--stream", "unordered"])
        .arg(record)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&check.stderr).into_owned();
    serde_json::from_slice(&check.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// A bridge that runs by commands, as an operator has them. It is killed when dropped.
pub(crate) struct Operated {
    pub(crate) start: String,
    pub(crate) kill: String,
    _directory: TempDir,
}

impl Operated {
    /// Starts it.
    pub(crate) fn start(settings: &Settings) -> Self {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("bridge.toml");
        std::fs::write(&file, settings.text()).unwrap();
        let (file, pid) = (file.display(), directory.path().join("pid"));
        let pid = pid.display();
        let start = format!("{PROGRAM} run --config {file} >/dev/null 2>&1 & echo $! >{pid}");
        assert!(shell(&start).success());
        Self {
            kill: format!("kill -9 $(cat {pid})"),
            start,
            _directory: directory,
        }
    }
}

impl Drop for Operated {
    fn drop(&mut self) {
        shell(&self.kill);
    }
}

fn shell(command: &str) -> ExitStatus {
    Command::new("sh").args(["-c", command]).status().unwrap()
}
