//! The bridge, as a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tempfile::TempDir;

use super::client::Client;
use super::settings::Settings;
use super::wait::{SOON, eventually, until};

/// The program under test: the bridge, or where another package compiles these files, its own build.
pub(crate) const PROGRAM: &str = match (
    option_env!("CARGO_BIN_EXE_cenl-bridge"),
    option_env!("CARGO_BIN_EXE_cenl-bridge-broken"),
) {
    (Some(program), _) | (None, Some(program)) => program,
    (None, None) => panic!("cargo builds the program for its tests"),
};

/// `CENL_TEST_BRIDGE` puts another build to the test, such as that of a release.
fn program() -> String {
    std::env::var("CENL_TEST_BRIDGE").unwrap_or_else(|_| PROGRAM.to_owned())
}

/// A running bridge. It is killed when dropped, and its log is shown if the test fails.
#[derive(Debug)]
pub(crate) struct Bridge {
    child: Child,
    admin: Client,
    log: Arc<Mutex<Vec<String>>>,
    readers: Vec<JoinHandle<()>>,
    settings: String,
    directory: TempDir,
}

impl Bridge {
    /// Starts a bridge and waits until it is ready.
    pub(crate) async fn start(settings: &Settings) -> Self {
        let mut bridge = Self::spawn(settings);
        bridge.ready().await;
        bridge
    }

    /// Starts a bridge.
    pub(crate) fn spawn(settings: &Settings) -> Self {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("bridge.toml");
        std::fs::write(&file, settings.text()).unwrap();
        let mut child = Command::new(program())
            .args(["run", "--config"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::default();
        let readers = vec![
            collect(child.stdout.take().unwrap(), &log),
            collect(child.stderr.take().unwrap(), &log),
        ];
        Self {
            child,
            admin: Client::new(settings.admin),
            log,
            readers,
            settings: settings.text(),
            directory,
        }
    }

    /// Writes other settings, which the bridge reads when it is asked to (SIGHUP).
    pub(crate) fn rewrite(&self, settings: &Settings) {
        // Never half of them.
        let new = self.directory.path().join("new");
        std::fs::write(&new, settings.text()).unwrap();
        std::fs::rename(new, self.directory.path().join("bridge.toml")).unwrap();
    }

    /// Waits until the bridge says that it is ready.
    pub(crate) async fn ready(&mut self) {
        eventually("the bridge is ready", SOON, async || {
            let ended = self.child.try_wait().unwrap();
            assert_eq!(ended, None, "the bridge ended before it was ready");
            self.is_ready().await.then_some(())
        })
        .await;
    }

    /// What `/readyz` says.
    pub(crate) async fn is_ready(&self) -> bool {
        let answer = self.admin.get("/readyz").await;
        answer.is_some_and(|answer| answer.status == 200)
    }

    /// What `/readyz` says in words.
    pub(crate) async fn readiness(&self) -> String {
        let answer = self.admin.get("/readyz").await;
        answer.map(|answer| answer.text()).unwrap_or_default()
    }

    /// Whether the process lives and `/livez` says so.
    pub(crate) async fn is_alive(&mut self) -> bool {
        let answer = self.admin.get("/livez").await;
        self.child.try_wait().unwrap().is_none()
            && answer.is_some_and(|answer| answer.status == 200)
    }

    /// The sum of all samples whose line begins with `prefix`; nothing if there are none.
    pub(crate) async fn metric(&self, prefix: &str) -> Option<f64> {
        let text = self.metrics().await;
        let samples = text.lines().filter(|line| line.starts_with(prefix));
        let values = samples.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap());
        values.reduce(|sum, value| sum + value)
    }

    /// What `/metrics` says.
    pub(crate) async fn metrics(&self) -> String {
        let answer = self.admin.get("/metrics").await;
        answer.map(|answer| answer.text()).unwrap_or_default()
    }

    /// Bytes of memory that the process holds.
    pub(crate) fn memory(&self) -> usize {
        self.memory_by("VmRSS:")
    }

    /// The same without what is only mapped from files: the program itself.
    pub(crate) fn own_memory(&self) -> usize {
        self.memory_by("RssAnon:")
    }

    fn memory_by(&self, name: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        number(&status.unwrap(), name) * 1024
    }

    /// How many threads the process has.
    pub(crate) fn threads(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        number(&status.unwrap(), "Threads:")
    }

    /// How often threads whose name begins so have waited so far.
    pub(crate) fn wakes(&self, thread: &str) -> usize {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let status = |path: std::path::PathBuf| std::fs::read_to_string(path.join("status")).ok();
        let statuses = threads.filter_map(|entry| status(entry.ok()?.path()));
        let own = statuses.filter(|status| status.starts_with(&format!("Name:\t{thread}")));
        own.map(|status| number(&status, "voluntary_ctxt_switches:"))
            .sum()
    }

    /// Waits until a line of the log holds all of `words`.
    pub(crate) async fn says(&self, words: &[&str]) {
        until(&format!("the log says {words:?}"), SOON, || {
            let log = self.log.lock().unwrap();
            let mut lines = log.iter();
            lines.any(|line| words.iter().all(|word| line.contains(word)))
        })
        .await;
    }

    /// The log so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    /// Asks the bridge to end in good order (SIGTERM).
    pub(crate) fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends the process a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        // The shell's own `kill`: small machines have no other.
        let mut shell = Command::new("sh");
        let sent = shell.args(["-c", "kill -\"$1\" \"$0\"", &pid, name]);
        assert!(sent.status().unwrap().success());
    }

    /// Whether the process is gone, which nobody asked for.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for the end of the process and returns its exit code.
    pub(crate) async fn exit_code(&mut self, deadline: Duration) -> i32 {
        let status = eventually("the bridge ends", deadline, async || {
            self.child.try_wait().unwrap()
        })
        .await;
        // A signal has none.
        status.code().unwrap_or_else(|| panic!("{status}"))
    }

    /// Ends the bridge in good order.
    ///
    /// # Panics
    /// When it does not, or when it has dropped a delivery on the way: nothing is lost by that, but
    /// it is a fault.
    pub(crate) async fn stop(mut self) {
        let dropped = self.metric("cenl_deliveries_dropped_total").await;
        assert_eq!(dropped, Some(0.0), "deliveries were dropped");
        self.terminate();
        assert_eq!(self.exit_code(SOON).await, 0);
    }

    /// Kills the process (SIGKILL) and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.kill_at_once();
    }

    /// The same for one whose log is still wanted: it is gone when this returns, and so are its ports.
    pub(crate) fn kill_at_once(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        for reader in self.readers.drain(..) {
            drop(reader.join());
        }
        if std::thread::panicking() {
            eprintln!("== settings\n{}== log\n{}", self.settings, self.log());
        }
    }
}

/// The number behind the name that a line of `/proc` begins with.
fn number(status: &str, name: &str) -> usize {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    number.parse().unwrap()
}

/// Collects lines until the process closes its end.
fn collect(from: impl Read + Send + 'static, log: &Arc<Mutex<Vec<String>>>) -> JoinHandle<()> {
    let log = Arc::clone(log);
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            log.lock().unwrap().push(line);
        }
    })
}
