//! `[nats.NAME]`: how to reach the servers, proven without reaching them.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

use async_nats::{ConnectOptions, ServerAddr};
use serde::Deserialize;

use super::credentials::{Credentials, Secrets};
use super::link::{self, Link};
use super::subject;
use super::tls;
use crate::transport::secret::Secret;
use crate::transport::setting::SettingProblem;

/// `[nats.NAME]`: servers that routes read from and write to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// Servers to try first, as `host:port` with commas between them; the others of their cluster are
    /// found through them. The port is 4222 unless given. No default.
    pub servers: String,
    /// The name of the user whose password is kept under `secrets`. None by default.
    #[serde(default)]
    pub user: Option<String>,
    /// Where the one secret is kept that proves who we are. None by default.
    #[serde(default)]
    pub secrets: Secrets,
    /// Whether the connection must be protected. `required` where a file of certificates is given
    /// or every server is written with `tls://`, else `optional`; it must be written where a password or token would leave this machine.
    #[serde(default)]
    pub tls: Option<Tls>,
    /// PEM file of root certificates to trust instead of those of the system; read at each connect.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// PEM file of the client certificate, and those that lead to its root; read at each connect.
    #[serde(default)]
    pub certificate_file: Option<PathBuf>,
    /// PEM file of the key of the client certificate; read at each connect.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
    /// Subject below which answers come in, for users who may not subscribe elsewhere. Default `_INBOX`.
    #[serde(default = "inbox_prefix")]
    pub inbox_prefix: String,
}

fn inbox_prefix() -> String {
    "_INBOX".to_owned()
}

/// When a connection is protected.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    /// When the server asks for it.
    Optional,
    /// Always; a server that does not offer it is refused.
    Required,
    /// Always, and before the server says anything (`handshake_first`).
    First,
}

/// Servers whose settings are sound.
#[derive(Clone)]
pub struct Cluster {
    addresses: Vec<ServerAddr>,
    servers: String,
    options: ConnectOptions,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cluster").field(&self.servers).finish()
    }
}

impl Cluster {
    /// The servers as the operator wrote them; they hold no user information.
    #[must_use]
    pub fn servers(&self) -> &str {
        &self.servers
    }

    /// How to connect; a source or sink adds what it needs.
    pub(super) fn options(&self) -> ConnectOptions {
        self.options.clone()
    }

    /// Connects, however long that takes; a lost connection is made again without limit. May be
    /// dropped at any moment.
    pub(super) async fn connect(&self, options: ConnectOptions) -> Link {
        link::connect(&self.addresses, options).await
    }
}

impl Connection {
    /// Reads secrets and certificates and proves that everything goes together. Opens no connection.
    ///
    /// # Errors
    /// Every problem found.
    pub fn prove(
        &self,
        read_secret: impl Fn(&Secret) -> io::Result<String>,
    ) -> Result<Cluster, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        let addresses = self.addresses().unwrap_or_else(|problem| {
            problems.push(problem);
            Vec::new()
        });
        let credentials = self.credentials(read_secret).unwrap_or_else(|found| {
            problems.extend(found);
            Credentials::None
        });
        let certificate = (self.certificate_file.as_deref(), self.key_file.as_deref());
        problems.extend(tls::problems(self.ca_file.as_deref(), certificate));
        problems.extend(self.unprotected(&addresses, &credentials));
        problems.extend(self.mixed(&addresses));
        if !subject::is_concrete(&self.inbox_prefix) {
            let what = "is not a subject without wildcards";
            let remedy = "write for example \"_INBOX_bridge\"";
            problems.push(SettingProblem::new("inbox_prefix", what, remedy));
        }
        let options = self.protection(link::options(&self.inbox_prefix), &addresses);
        let options = credentials.apply(options);
        match (problems.is_empty(), options) {
            (true, Ok(options)) => Ok(Cluster {
                addresses,
                servers: self.servers.clone(),
                options,
            }),
            (_, Err(problem)) => {
                problems.push(problem);
                Err(problems)
            }
            (false, Ok(_)) => Err(problems),
        }
    }

    fn addresses(&self) -> Result<Vec<ServerAddr>, SettingProblem> {
        self.servers
            .split(',')
            .map(|server| address(server.trim()))
            .collect()
    }

    fn credentials(
        &self,
        read_secret: impl Fn(&Secret) -> io::Result<String>,
    ) -> Result<Credentials, Vec<SettingProblem>> {
        self.secrets.prove(self.user.as_deref(), read_secret)
    }

    /// What is said when a password or token would go over the network as it is.
    fn unprotected(
        &self,
        addresses: &[ServerAddr],
        credentials: &Credentials,
    ) -> Option<SettingProblem> {
        let leaves = addresses
            .iter()
            .any(|a| !is_loopback(a) && !a.tls_required());
        (leaves && self.says_nothing_of_tls() && credentials.are_sent_as_they_are()).then(|| {
            let what = "is missing: a password or token would go unprotected to a server that asks \
                        for no TLS";
            let remedy = "write tls = \"required\", or \"optional\" to allow that";
            SettingProblem::new("tls", what, remedy)
        })
    }

    /// What is said when only some of the servers are to be reached with TLS: nothing then says it of
    /// those that are found through them.
    fn mixed(&self, addresses: &[ServerAddr]) -> Option<SettingProblem> {
        let (is_silent, protected) = (self.says_nothing_of_tls(), ServerAddr::tls_required);
        (is_silent && addresses.iter().any(protected) && !addresses.iter().all(protected)).then(
            || {
                let what = "asks only some servers for TLS";
                let remedy = "write tls:// before each, or tls = \"required\" or \"optional\"";
                SettingProblem::new("servers", what, remedy)
            },
        )
    }

    fn says_nothing_of_tls(&self) -> bool {
        self.tls.is_none() && !self.has_certificates()
    }

    fn has_certificates(&self) -> bool {
        self.ca_file.is_some() || self.certificate_file.is_some()
    }

    fn protection(&self, options: ConnectOptions, addresses: &[ServerAddr]) -> ConnectOptions {
        // Servers that are found through these are no others.
        let is_written = !addresses.is_empty() && addresses.iter().all(ServerAddr::tls_required);
        let options = match (self.tls, self.has_certificates()) {
            (Some(Tls::First), _) => options.tls_first(),
            (Some(Tls::Required), _) | (None, true) => options.require_tls(true),
            (None, false) => options.require_tls(is_written),
            (Some(Tls::Optional), _) => options,
        };
        let options = match &self.ca_file {
            Some(path) => options.add_root_certificates(path.clone()),
            None => options,
        };
        match (&self.certificate_file, &self.key_file) {
            (Some(certificate), Some(key)) => {
                options.add_client_certificate(certificate.clone(), key.clone())
            }
            _ => options,
        }
    }
}

fn address(server: &str) -> Result<ServerAddr, SettingProblem> {
    let problem = |what, remedy| SettingProblem::new("servers", what, remedy);
    let remedy = "write for example \"nats-1:4222,nats-2:4222\"";
    // The error of the parser may repeat a password.
    let address: ServerAddr = server
        .parse()
        .map_err(|_| problem("is not a list of host:port", remedy))?;
    let url = address.clone().into_inner();
    if address.has_user_pass() || url.password().is_some() {
        let remedy = "write `user`, and where the password is kept under `secrets`";
        return Err(problem("holds user information", remedy));
    }
    let is_bare =
        matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    if !matches!(address.scheme(), "nats" | "tls") || address.host().is_empty() || !is_bare {
        return Err(problem("is not a list of host:port", remedy));
    }
    Ok(address)
}

fn is_loopback(address: &ServerAddr) -> bool {
    let host = address.host();
    let is_address = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    host.eq_ignore_ascii_case("localhost") || is_address
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn connection(json: &str) -> Connection {
        serde_json::from_str(json).unwrap()
    }

    fn problems(json: &str) -> Vec<SettingProblem> {
        let read = |_: &Secret| Ok("hush".to_owned());
        let problems = connection(json).prove(read).err().unwrap_or_default();
        assert!(!format!("{problems:?}").contains("hush"), "{problems:?}");
        problems
    }

    fn keys(json: &str) -> Vec<String> {
        problems(json).into_iter().map(|p| p.key).collect()
    }

    #[test]
    fn servers_are_a_list_without_user_information() {
        for servers in [
            "a",
            "a:4222",
            "a:1, b:2",
            "nats://a:4222",
            "tls://a",
            "[::1]:4222",
        ] {
            assert_eq!(
                keys(&format!(r#"{{ "servers": "{servers}" }}"#)),
                [""; 0],
                "{servers}"
            );
        }
        for servers in [
            "",
            "a,",
            "a:99999",
            "http://a",
            "ws://a",
            "a/b",
            "hush:hush@a",
            "nats://hush@a",
        ] {
            let found = keys(&format!(r#"{{ "servers": "{servers}" }}"#));
            assert_eq!(found, ["servers"], "{servers}");
        }
    }

    #[test]
    fn a_password_does_not_leave_the_machine_unprotected_by_silence() {
        let with = |servers: &str, more: &str| {
            keys(&format!(
                r#"{{ "servers": "{servers}", "user": "u", "secrets": {{ "password": {{ "env": "P" }} }} {more} }}"#
            ))
        };
        assert_eq!(with("nats.example", ""), ["tls"]);
        assert_eq!(with("127.0.0.1,nats.example", ""), ["tls"]);
        for (servers, more) in [
            ("127.0.0.1:4222,localhost", ""),
            ("[::1]", ""),
            ("tls://nats.example", ""),
            ("nats.example", r#", "tls": "required""#),
            ("nats.example", r#", "tls": "optional""#),
            ("nats.example", r#", "tls": "first""#),
        ] {
            assert_eq!(with(servers, more), [""; 0], "{servers} {more}");
        }
        assert_eq!(keys(r#"{ "servers": "nats.example" }"#), [""; 0]);
    }

    #[test]
    fn tls_for_all_servers_is_tls_for_those_that_are_found() {
        let requires = |json: &str| {
            let cluster = connection(json).prove(|_| Ok(String::new())).unwrap();
            format!("{:?}", cluster.options()).contains("\"tls_required\": true")
        };
        assert!(requires(r#"{ "servers": "tls://a,tls://b" }"#));
        assert!(!requires(r#"{ "servers": "a,b" }"#));
        assert!(!requires(r#"{ "servers": "tls://a", "tls": "optional" }"#));
        assert_eq!(keys(r#"{ "servers": "tls://a,b" }"#), ["servers"]);
        assert_eq!(
            keys(r#"{ "servers": "tls://a,b", "tls": "required" }"#),
            [""; 0]
        );
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let json = r#"{ "servers": "a b", "user": "u", "certificate_file": "/nonexistent",
            "ca_file": "/nonexistent", "inbox_prefix": "a.*" }"#;
        let expected = ["servers", "secrets", "ca_file", "key_file", "inbox_prefix"];
        assert_eq!(keys(json), expected);
    }

    #[test]
    fn nothing_secret_is_printed() {
        let json = r#"{ "servers": "127.0.0.1", "secrets": { "token": { "env": "T" } } }"#;
        let cluster = connection(json).prove(|_| Ok("hush".into())).unwrap();
        assert!(!format!("{cluster:?} {:?}", cluster.options()).contains("hush"));
    }
}
