//! Where the test brokers answer and who may use them, as `scripts/brokers.env` says.

use std::path::PathBuf;

const SETTINGS: &str = include_str!("../../../scripts/brokers.env");

/// The value of one setting.
///
/// # Panics
/// When there is no such setting.
#[must_use]
pub(crate) fn setting(name: &str) -> &'static str {
    settings()
        .find_map(|(key, value)| (key == name).then_some(value))
        .unwrap_or_else(|| panic!("scripts/brokers.env has no {name}"))
}

/// Every setting in order.
pub(crate) fn settings() -> impl Iterator<Item = (&'static str, &'static str)> {
    SETTINGS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
}

/// A listener of the default brokers: `address("KAFKA_PORT")` is `127.0.0.1:19092`.
#[must_use]
pub(crate) fn address(port: &str) -> String {
    format!("127.0.0.1:{}", setting(port))
}

/// A file that `scripts/brokers up` made: `ca.pem`, `client.pem`, `client.key`, `server.pem` or
/// `server.key`.
#[must_use]
pub(crate) fn certificate(name: &str) -> PathBuf {
    repository().join("target/brokers/certificates").join(name)
}

/// The root of the repository.
#[must_use]
pub(crate) fn repository() -> PathBuf {
    let bridge = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    bridge
        .parent()
        .expect("the crate lies in the repository")
        .to_path_buf()
}
