//! The bridge's commands that read and write standard streams, as processes of their own.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

use tempfile::NamedTempFile;

use super::bridge::PROGRAM;
use super::settings::Settings;

/// What a command said, and the exit code it left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) errors: String,
}

impl Said {
    /// The lines of standard output.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.out.lines().collect()
    }

    /// The value of `name=` in each line that has it, without quotes.
    pub(crate) fn values(&self, name: &str) -> Vec<String> {
        let start = format!(" {name}=");
        let value = |line: &str| {
            let (_, rest) = line.split_once(&start)?;
            let value = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next()?,
                None => rest.split(' ').next()?,
            };
            Some(value.to_owned())
        };
        self.out.lines().filter_map(value).collect()
    }

    /// The same, after a look at the exit code.
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A command that runs; its settings stay there as long.
pub(crate) struct Running {
    pub(crate) child: Child,
    _file: NamedTempFile,
}

/// Starts `cenl-bridge COMMAND --config FILE WORDS`.
pub(crate) fn start(command: &str, settings: &Settings, words: &[&str]) -> Running {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(settings.text().as_bytes()).unwrap();
    let child = Command::new(PROGRAM)
        .args([command, "--config"])
        .arg(file.path())
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    Running { child, _file: file }
}

/// Runs it to its end.
pub(crate) async fn run(command: &str, settings: &Settings, words: &[&str]) -> Said {
    start(command, settings, words).end().await
}

impl Running {
    /// Takes what it says and throws it away, so that it never waits for a reader.
    pub(crate) fn discard_output(&mut self) {
        let mut out = self.child.stdout.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    }

    /// # Panics
    /// Where it has ended, with what it said.
    pub(crate) fn assert_running(&mut self) {
        if let Some(status) = self.child.try_wait().unwrap() {
            let errors = self.child.stderr.take().map(std::io::read_to_string);
            panic!("ended with {status}: {errors:?}");
        }
    }

    /// Waits for the end.
    pub(crate) async fn end(self) -> Said {
        let Self { child, _file } = self;
        let waiting = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap());
        let output = waiting.await.unwrap();
        drop(_file);
        output.into()
    }

    /// Sends a signal, such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        // The shell's own `kill`: small machines have no other.
        let mut shell = Command::new("sh");
        let sent = shell.args(["-c", &format!("kill -{name} \"$0\""), &pid]);
        assert!(sent.status().unwrap().success());
    }
}

/// Runs `cenl-bridge convert --to structured` over lines.
pub(crate) async fn convert(lines: String) -> Said {
    let mut child = Command::new(PROGRAM)
        .args(["convert", "--to", "structured"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let waiting = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap());
    let output = waiting.await.unwrap();
    writer.join().unwrap();
    output.into()
}
