//! The Kafka brokers of `scripts/brokers`: the shared one, and a private one that may be stopped.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;

use super::ports::free_ports;

/// The place of the nats-server among the ports of a set.
const NATS_LISTENER: u16 = 4;

/// One broker and its listeners.
#[derive(Debug)]
pub(crate) struct Broker {
    base: u16,
    facts: BTreeMap<String, String>,
    /// Where a private broker keeps its data; it ends with this value.
    directory: Option<PathBuf>,
}

/// The shared broker.
///
/// # Panics
/// When it does not run: a live test fails without its broker, it is never skipped.
pub(crate) fn kafka() -> Broker {
    let facts = facts();
    let base = std::env::var("CENL_BROKERS_PORT_BASE")
        .unwrap_or_else(|_| facts["KAFKA_PORT"].clone())
        .parse()
        .unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, base));
    assert!(
        TcpStream::connect(address).is_ok(),
        "no Kafka broker answers on {address}: run scripts/brokers up"
    );
    Broker {
        base,
        facts,
        directory: None,
    }
}

/// A broker of this test alone, freshly started, that may be stopped and killed.
pub(crate) fn private(name: &str) -> Broker {
    // The name is fixed so that the next run clears away what an interrupted one left behind.
    let broker = Broker {
        base: free_ports(8),
        facts: facts(),
        directory: Some(root().join("target/brokers").join(name)),
    };
    broker.script(&["down"]);
    broker.start();
    broker
}

/// The address of the shared nats-server.
///
/// # Panics
/// As [`kafka`].
pub(crate) fn nats() -> String {
    let facts = facts();
    let port = std::env::var("CENL_BROKERS_PORT_BASE").map_or_else(
        |_| facts["NATS_PORT"].parse().unwrap(),
        |base| base.parse::<u16>().unwrap() + NATS_LISTENER,
    );
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    assert!(
        TcpStream::connect(address).is_ok(),
        "no nats-server answers on {address}: run scripts/brokers up"
    );
    address.to_string()
}

impl Broker {
    /// Without encryption or authentication.
    pub(crate) fn plaintext(&self) -> String {
        self.listener(0)
    }

    /// TLS, with a user and a password.
    pub(crate) fn sasl_ssl(&self) -> String {
        self.listener(2)
    }

    /// TLS, with a client certificate.
    pub(crate) fn ssl(&self) -> String {
        self.listener(3)
    }

    /// Without encryption, for a proxy between the broker and its clients.
    pub(crate) fn behind_proxy(&self) -> SocketAddr {
        self.at(6, "KAFKA_PROXIED_PORT")
    }

    /// Where clients of that listener are sent: a test puts its proxy there.
    pub(crate) fn proxy(&self) -> SocketAddr {
        self.at(7, "KAFKA_PROXY_PORT")
    }

    /// Without a base of their own the ports are those of the file, which has NATS between them.
    fn at(&self, number: u16, fact: &str) -> SocketAddr {
        let is_default = self.facts["KAFKA_PORT"] == self.base.to_string();
        let port = match is_default {
            true => self.facts[fact].parse().unwrap(),
            false => self.base + number,
        };
        SocketAddr::from((Ipv4Addr::LOCALHOST, port))
    }

    /// The user of the SASL listener and the password.
    pub(crate) fn credentials(&self) -> (&str, &str) {
        (&self.facts["KAFKA_USER"], &self.facts["KAFKA_PASSWORD"])
    }

    /// Starts a private broker on the data it has, and waits until it answers.
    pub(crate) fn start(&self) {
        self.script(&["start", "kafka"]);
    }

    /// Stops a private broker in good order.
    pub(crate) fn stop(&self) {
        self.script(&["stop", "kafka"]);
    }

    /// Ends a private broker as a crash would.
    pub(crate) fn kill(&self) {
        self.script(&["kill", "kafka"]);
    }

    fn listener(&self, number: u16) -> String {
        format!("127.0.0.1:{}", self.base + number)
    }

    fn script(&self, arguments: &[&str]) {
        let directory = self.directory.as_ref().expect("the broker is private");
        let done = Command::new(root().join("scripts/brokers"))
            .args(arguments)
            .env("CENL_BROKERS_DIR", directory)
            .env("CENL_BROKERS_PORT_BASE", self.base.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.success(),
            "scripts/brokers {arguments:?}: {said}"
        );
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if self.directory.is_some() {
            self.script(&["down"]);
        }
    }
}

/// A file of the test certificates, such as `ca.pem`; scripts/brokers lists them.
pub(crate) fn certificate(file: &str) -> PathBuf {
    let path = root().join("target/brokers/certificates").join(file);
    assert!(path.exists(), "{file} is missing: run scripts/brokers up");
    path
}

/// One of the facts that scripts/brokers starts its brokers with.
pub(crate) fn fact(name: &str) -> String {
    facts()[name].clone()
}

/// The facts that scripts/brokers starts its brokers with.
fn facts() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root().join("scripts/brokers.env")).unwrap();
    let facts = text.lines().filter_map(|line| line.split_once('='));
    facts
        .filter(|(name, _)| !name.starts_with('#'))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    // Another package of this repository, deeper in it, compiles these files too.
    let crate_root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut folders = crate_root.ancestors();
    let root = folders.find(|folder| folder.join("Cargo.lock").exists());
    root.expect("the crate lies in the workspace").to_owned()
}
