//! A broker set of a test's own, which it may stop and kill without disturbing the others.

use std::path::Path;
use std::process::{Command, Output};

/// Runs `scripts/brokers` for a set with its own data and ports; the set is taken down on drop.
pub(crate) struct PrivateBrokers {
    folder: String,
    port_base: u16,
}

impl PrivateBrokers {
    /// A set that does not run yet. It takes the eight ports from `port_base` on, Kafka's first, which
    /// no other test may use.
    pub(crate) fn new(name: &str, port_base: u16) -> Self {
        Self {
            folder: format!("target/brokers/{name}"),
            port_base,
        }
    }

    /// Where its Kafka listens without TLS.
    pub(crate) fn kafka(&self) -> String {
        format!("127.0.0.1:{}", self.port_base)
    }

    /// Runs `scripts/brokers` with these arguments.
    ///
    /// # Panics
    /// When it fails; the message has all that it printed.
    pub(crate) fn run(&self, arguments: &[&str]) {
        let output = self.output(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:#?}");
    }

    /// The same for a command that may fail.
    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        // Another package of this repository, deeper in it, compiles this file too.
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let mut scripts = folders.map(|folder| folder.join("scripts/brokers"));
        let script = scripts.find(|script| script.exists());
        Command::new(script.expect("the crate lies in the repository"))
            .args(arguments)
            .env("CENL_BROKERS_DIR", &self.folder)
            .env("CENL_BROKERS_PORT_BASE", self.port_base.to_string())
            .output()
            .expect("scripts/brokers can be run")
    }
}

impl Drop for PrivateBrokers {
    fn drop(&mut self) {
        let output = self.output(&["down"]);
        if !output.status.success() {
            eprintln!("{output:#?}");
        }
    }
}
