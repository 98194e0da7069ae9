//! The settings of a listener and of its paths, and what they are proven to mean.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::OpenError;
use crate::interval::Interval;
use crate::transport::http::secret::Secret;
use crate::transport::setting::SettingProblem;

/// A listener: `[http.NAME]`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ListenerSettings {
    /// IP address and port to listen on. Default `127.0.0.1:8080`.
    #[serde(default = "default_listen")]
    pub listen: String,
    /// Says that a proxy in front does TLS, so that another address than loopback may be listened
    /// on. Default false.
    #[serde(default)]
    pub behind_proxy: bool,
}

fn default_listen() -> String {
    "127.0.0.1:8080".to_owned()
}

/// An address that may be listened on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub(super) socket: SocketAddr,
    pub(super) is_behind_proxy: bool,
}

impl Address {
    /// The address for the system.
    #[must_use]
    pub fn socket(self) -> SocketAddr {
        self.socket
    }
}

impl ListenerSettings {
    /// Proves the settings, without opening a port.
    ///
    /// # Errors
    /// When the address is none, or not this machine's own and no proxy was promised.
    pub fn check(&self) -> Result<Address, SettingProblem> {
        let problem = |what, remedy| SettingProblem::new("listen", what, remedy);
        let address: SocketAddr = self.listen.parse().map_err(|_| {
            let remedy = "write an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080";
            problem("not an IP address with a port", remedy)
        })?;
        if !address.ip().is_loopback() && !self.behind_proxy {
            let remedy = "listen on loopback, or set behind_proxy = true where a proxy does TLS";
            return Err(problem("events would arrive unprotected", remedy));
        }
        Ok(Address {
            socket: address,
            is_behind_proxy: self.behind_proxy,
        })
    }
}

/// One path of a listener: the source of a route.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PathSettings {
    /// The path that events are posted to, such as `/events`; a query is ignored. No default.
    pub path: String,
    /// Longest wait for the destination before the answer is 503. Default 10 s.
    #[serde(default = "default_deadline")]
    pub deadline: Interval,
    /// Longest wait for the body of a request before the answer is 408.
    /// Default 30 s.
    #[serde(default = "default_body_timeout")]
    pub body_timeout: Interval,
    /// Most requests at the same time; further ones are answered 503. Default 256.
    #[serde(default = "default_requests_in_flight")]
    pub requests_in_flight: usize,
    /// Most bytes of their bodies together, until no exchange goes on with them; a single request is
    /// always let in. Default 64 MiB.
    #[serde(default = "default_bytes_in_flight")]
    pub bytes_in_flight: usize,
    /// A file with one bearer token per line; a request must bring one of them. Read at start.
    /// Default none: every request is taken.
    #[serde(default)]
    pub tokens_file: Option<PathBuf>,
    /// Whether a request may bring its token as the query parameter `access_token` instead of in
    /// the `authorization` header. Proxies tend to log URLs. Default false.
    #[serde(default)]
    pub access_token_in_query: bool,
}

fn default_deadline() -> Interval {
    Interval::seconds(10)
}

fn default_body_timeout() -> Interval {
    Interval::seconds(30)
}

fn default_requests_in_flight() -> usize {
    256
}

fn default_bytes_in_flight() -> usize {
    64 << 20
}

/// A path whose settings were checked.
#[derive(Clone, Debug)]
pub struct PathPlan {
    pub(super) path: String,
    pub(super) deadline: Duration,
    pub(super) body_timeout: Duration,
    pub(super) requests_in_flight: usize,
    pub(super) bytes_in_flight: usize,
    pub(super) tokens_file: Option<PathBuf>,
    pub(super) access_token_in_query: bool,
}

impl PathPlan {
    /// The path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The tokens of which a request must bring one, if there are any.
    pub(super) fn tokens(&self) -> Result<Option<Vec<Secret>>, OpenError> {
        // The error does not say which file: somebody may have put a token there.
        let read =
            |path: &PathBuf| Secret::read_lines(path).map_err(|cause| OpenError::Tokens { cause });
        self.tokens_file.as_ref().map(read).transpose()
    }

    /// What is wrong with the file that the settings name; nothing of its content.
    pub(in crate::transport::http) fn file_problem(&self) -> Option<SettingProblem> {
        let error = self.tokens().err()?;
        let remedy = "name a readable file with one token per line";
        Some(SettingProblem::new(
            "tokens_file",
            error.to_string(),
            remedy,
        ))
    }
}

impl PathSettings {
    /// Proves the settings, without touching a file.
    ///
    /// # Errors
    /// Every problem there is.
    pub fn check(&self) -> Result<PathPlan, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        let is_path = self.path.starts_with('/')
            && self
                .path
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b"?#".contains(&byte));
        if !is_path {
            problems.push(SettingProblem::new(
                "path",
                "is not an absolute path without query and fragment",
                "write a path such as /events, percent-encoded where needed",
            ));
        }
        problems.extend(
            [
                ("deadline", self.deadline),
                ("body_timeout", self.body_timeout),
            ]
            .into_iter()
            .filter_map(|(key, value)| SettingProblem::of_zero(key, value)),
        );
        if self.requests_in_flight == 0 {
            problems.push(SettingProblem::new(
                "requests_in_flight",
                "lets no request in",
                "give a number above 0, or leave the key out",
            ));
        }
        if self.access_token_in_query && self.tokens_file.is_none() {
            problems.push(SettingProblem::new(
                "access_token_in_query",
                "no token is asked for",
                "name the tokens in tokens_file, or leave the key out",
            ));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(PathPlan {
            path: self.path.clone(),
            deadline: self.deadline.0,
            body_timeout: self.body_timeout.0,
            requests_in_flight: self.requests_in_flight,
            bytes_in_flight: self.bytes_in_flight,
            tokens_file: self.tokens_file.clone(),
            access_token_in_query: self.access_token_in_query,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn another_address_than_loopback_needs_a_proxy() {
        let check = |text: &str| {
            serde_json::from_str::<ListenerSettings>(text)
                .unwrap()
                .check()
        };
        assert!(check("{}").is_ok());
        assert!(check(r#"{"listen": "[::1]:80"}"#).is_ok());
        assert!(check(r#"{"listen": "0.0.0.0:80", "behind_proxy": true}"#).is_ok());
        for listen in [
            "0.0.0.0:80",
            "[::]:80",
            "192.0.2.1:80",
            "localhost:80",
            "80",
        ] {
            let problem = check(&format!(r#"{{"listen": "{listen}"}}"#)).unwrap_err();
            assert_eq!(problem.key, "listen", "{listen}");
        }
    }

    #[test]
    fn reports_every_problem_of_a_path_at_once() {
        let text = r#"{"path": "events", "deadline": "0s", "requests_in_flight": 0,
            "access_token_in_query": true}"#;
        let settings: PathSettings = serde_json::from_str(text).unwrap();
        let keys: Vec<_> = settings
            .check()
            .unwrap_err()
            .into_iter()
            .map(|problem| problem.key)
            .collect();
        assert_eq!(
            keys,
            [
                "path",
                "deadline",
                "requests_in_flight",
                "access_token_in_query"
            ]
        );
        for path in ["", "/a?b", "/a b", "/é", "/a#b"] {
            let settings = PathSettings {
                path: path.to_owned(),
                ..settings.clone()
            };
            assert_eq!(settings.check().unwrap_err()[0].key, "path");
        }
    }
}
