//! The contestants as processes: the bridge as it is shipped, and the bare pipe.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{self, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::bare;
use crate::end::{Brokers, Table};
use crate::party::Party;
use crate::path::Path;

/// A contestant at work.
pub(crate) struct Child {
    process: std::process::Child,
    /// Kept until the process has ended.
    _settings: Option<NamedTempFile>,
}

/// Builds the bridge as it is handed out, for a smoke run as the tests do, and returns its path.
/// `CENL_TEST_BRIDGE` names another build, as it does for tests.
pub(crate) fn build_bridge() -> PathBuf {
    if let Some(built) = std::env::var_os("CENL_TEST_BRIDGE") {
        return built.into();
    }
    let executable = std::env::current_exe().expect("this program has a path");
    let mut folder = executable
        .ancestors()
        .nth(2)
        .expect("it lies in target/PROFILE/deps")
        .to_owned();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--bin", "cenl-bridge"]);
    if folder.ends_with("release") {
        cargo.args(["--profile", "dist", "--package", "cloudevents-nl-bridge"]);
        folder.set_file_name("dist");
    } else {
        // With an example dependencies have the features of tests, so that none is compiled anew.
        cargo.args(["--profile", "test", "--workspace", "--all-features"]);
        cargo.args(["--example", "fuzz_seeds"]);
    }
    assert!(
        cargo.status().expect("cargo starts").success(),
        "the bridge does not build"
    );
    folder.join("cenl-bridge")
}

/// Starts the bridge with a settings file of this content, and variables in its environment.
pub(crate) fn bridge(program: &path::Path, settings: &str, variables: &[(&str, String)]) -> Child {
    let mut file = tempfile::Builder::new()
        .suffix(".toml")
        .tempfile()
        .expect("a temporary file");
    file.write_all(settings.as_bytes())
        .expect("a writable file");
    let mut command = Command::new(program);
    command.arg("run").arg("--config").arg(file.path());
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    Child {
        process: start(&mut command),
        _settings: Some(file),
    }
}

/// Starts this program as the bare pipe of a path, told what its ends need.
pub(crate) fn bare(path: Path, ends: &[String]) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args([bare::ROLE, path.name()]).args(ends);
    Child {
        process: start(&mut command),
        _settings: None,
    }
}

/// Settings that are not the default only where a port, topic or stream must be named.
pub(crate) fn settings(brokers: &Brokers, tables: &[Table]) -> String {
    let mut text = format!("[admin]\nlisten = \"{}\"\n", free_address());
    let connections = [
        (
            "kafka",
            (
                "[kafka.main]",
                vec![("brokers", brokers.kafka.brokers.clone())],
            ),
        ),
        (
            "nats",
            (
                "[nats.main]",
                vec![("servers", brokers.nats.server.clone())],
            ),
        ),
    ];
    let names = |(_, keys): &Table, name| keys.iter().any(|(key, _)| *key == name);
    let used = connections
        .iter()
        .filter(|(name, _)| tables.iter().any(|table| names(table, *name)));
    for (table, keys) in used.map(|(_, connection)| connection).chain(tables) {
        writeln!(text, "{table}").expect("a String takes all text");
        for (key, value) in keys {
            writeln!(text, "{key} = {value:?}").expect("a String takes all text");
        }
    }
    text
}

fn start(command: &mut Command) -> std::process::Child {
    // What it logs belongs to a failed run only; errors are what the bench itself finds missing.
    let log = if std::env::var_os("CENL_BENCH_LOG").is_some() {
        Stdio::inherit()
    } else {
        Stdio::null()
    };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("it starts")
}

/// A loopback address that nobody listens on now.
pub(crate) fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound")
}

/// Waits until somebody listens there.
pub(crate) fn wait_for_listener(address: SocketAddr) {
    for _ in 0..600 {
        if TcpStream::connect(address).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nobody listens on {address} after 30 s; CENL_BENCH_LOG=1 shows what it says");
}

impl Child {
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    pub(crate) fn party(&self) -> Party {
        Party::of(self.process.id())
    }

    /// Asks it to leave and waits until it has.
    pub(crate) fn stop(mut self) {
        self.signal("-TERM");
        self.process.wait().expect("it is our child");
    }

    /// As `kill` names it.
    pub(crate) fn signal(&self, name: &str) {
        let process = self.process.id().to_string();
        let sent = Command::new("kill").args([name, &process]).status();
        assert!(
            sent.expect("kill starts").success(),
            "the contestant left by itself"
        );
    }

    /// Kills it (SIGKILL) and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("it still runs");
        self.process.wait().expect("it is our child");
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A run that failed leaves nothing behind; after `stop` there is nothing to kill.
        self.process.kill().ok();
    }
}
