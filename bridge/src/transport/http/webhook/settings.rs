//! The settings of a webhook, and what they are proven to mean.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use serde::Deserialize;

use super::{OpenError, tls};
use crate::interval::Interval;
use crate::transport::setting::SettingProblem;

/// Where a webhook is, and how long to wait for it.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where to post: an absolute `https` or `http` URL without credentials or fragment. No default.
    pub url: String,
    /// Whether plain HTTP may leave this machine. Default false: plain HTTP for loopback alone.
    #[serde(default)]
    pub allow_plain_http: bool,
    /// Whether the bearer token may go along then. Default false.
    #[serde(default)]
    pub allow_plain_http_token: bool,
    /// A PEM file of root certificates to trust beside those of the system. Default none.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// A file that holds a bearer token; read at start, and again after an answer 401:
    /// a new one is tried at once. Default none.
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// The environment variable that holds a bearer token. Default none.
    #[serde(default)]
    pub token_env: Option<String>,
    /// Longest wait for name resolution, TCP and TLS together. Default 5 s.
    #[serde(default = "default_connect_timeout")]
    pub connect_timeout: Interval,
    /// Longest wait from the start of the request to the headers of the answer.
    /// Default 15 s.
    #[serde(default = "default_first_byte_timeout")]
    pub first_byte_timeout: Interval,
    /// Longest wait for everything together. Default 30 s.
    #[serde(default = "default_exchange_timeout")]
    pub exchange_timeout: Interval,
}

fn default_connect_timeout() -> Interval {
    Interval::seconds(5)
}

fn default_first_byte_timeout() -> Interval {
    Interval::seconds(15)
}

fn default_exchange_timeout() -> Interval {
    Interval::seconds(30)
}

/// A webhook whose settings were checked.
#[derive(Clone)]
pub struct Target {
    pub(super) url: Uri,
    pub(super) ca_file: Option<PathBuf>,
    pub(super) token: Option<TokenPlace>,
    pub(super) connect_timeout: Duration,
    pub(super) first_byte_timeout: Duration,
    pub(in crate::transport::http) exchange_timeout: Duration,
}

/// Shows no query, which may be secret.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("authority", &self.authority())
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}

impl Target {
    /// Host and port, without anything secret.
    pub(in crate::transport::http) fn authority(&self) -> &str {
        self.url
            .authority()
            .map_or("", |authority| authority.as_str())
    }

    /// TLS with the roots to trust; `None` where the URL asks for plain HTTP.
    pub(super) fn roots(&self) -> Result<Option<rustls::ClientConfig>, OpenError> {
        let is_protected = self.url.scheme() == Some(&Scheme::HTTPS);
        is_protected
            .then(|| tls::client(self.ca_file.as_deref()))
            .transpose()
    }

    /// The path, without the query, which may be secret.
    pub(in crate::transport::http) fn path(&self) -> &str {
        self.url.path()
    }
}

/// Where the bearer token is kept.
#[derive(Clone, Debug)]
pub(super) enum TokenPlace {
    File(PathBuf),
    Variable(String),
}

impl TokenPlace {
    /// The key that says where it is kept.
    pub(super) fn key(&self) -> &'static str {
        match self {
            Self::File(_) => "token_file",
            Self::Variable(_) => "token_env",
        }
    }
}

impl Settings {
    /// Proves the settings, without touching a file or the network.
    ///
    /// # Errors
    /// Every problem there is.
    pub fn check(&self) -> Result<Target, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        let url = match self.checked_url() {
            Ok(url) => Some(url),
            Err(problem) => {
                problems.push(problem);
                None
            }
        };
        problems.extend(
            [
                ("connect_timeout", self.connect_timeout),
                ("first_byte_timeout", self.first_byte_timeout),
                ("exchange_timeout", self.exchange_timeout),
            ]
            .into_iter()
            .filter_map(|(key, value)| SettingProblem::of_zero(key, value)),
        );
        let token = match (&self.token_file, &self.token_env) {
            (Some(_), Some(_)) => {
                let what = "stands beside token_file";
                problems.push(SettingProblem::new(
                    "token_env",
                    what,
                    "keep one of the two",
                ));
                None
            }
            (Some(path), None) => Some(TokenPlace::File(path.clone())),
            (None, Some(variable)) => Some(TokenPlace::Variable(variable.clone())),
            (None, None) => None,
        };
        if let (Some(url), Some(place)) = (&url, &token)
            && leaves_unprotected(url)
            && !self.allow_plain_http_token
        {
            let what = "plain HTTP would show the token to whoever is on the way";
            let remedy =
                "use https, or set allow_plain_http_token = true to send the token unprotected";
            problems.push(SettingProblem::new(place.key(), what, remedy));
        }
        match url {
            Some(url) if problems.is_empty() => Ok(Target {
                url,
                ca_file: self.ca_file.clone(),
                token,
                connect_timeout: self.connect_timeout.0,
                first_byte_timeout: self.first_byte_timeout.0,
                exchange_timeout: self.exchange_timeout.0,
            }),
            _ => Err(problems),
        }
    }

    fn checked_url(&self) -> Result<Uri, SettingProblem> {
        let problem = |what, remedy| SettingProblem::new("url", what, remedy);
        let absolute = "write https://host/path";
        let url: Uri = self
            .url
            .parse()
            .map_err(|_| problem("not a URL", absolute))?;
        let authority = url
            .authority()
            .ok_or_else(|| problem("not an absolute URL", absolute))?;
        if authority.as_str().contains('@') {
            let remedy = "give a bearer token in token_file or token_env instead";
            return Err(problem("credentials in a URL", remedy));
        }
        if self.url.contains('#') {
            return Err(problem("a fragment is never sent", "leave it out"));
        }
        if url.host().is_none_or(str::is_empty) {
            return Err(problem("no host", absolute));
        }
        if url.host() != Some(authority.as_str()) && url.port().is_none() {
            let remedy = "write a number below 65536 behind the colon, or no colon";
            return Err(problem("no port that there is", remedy));
        }
        if ![Some(&Scheme::HTTPS), Some(&Scheme::HTTP)].contains(&url.scheme()) {
            return Err(problem("neither https nor http", absolute));
        }
        if leaves_unprotected(&url) && !self.allow_plain_http {
            let remedy = "use https, or set allow_plain_http = true to send events unprotected";
            return Err(problem("plain HTTP leaves this machine", remedy));
        }
        Ok(url)
    }
}

/// Whether what is sent there leaves this machine without TLS.
fn leaves_unprotected(url: &Uri) -> bool {
    url.scheme() == Some(&Scheme::HTTP) && !url.host().is_some_and(is_loopback)
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn settings(text: &str) -> Settings {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn takes_https_anywhere_and_plain_http_on_loopback() {
        for url in [
            "https://receiver.example/hook?x=1",
            "http://127.0.0.1:9/hook",
            "http://[::1]:9/",
            "http://localhost",
            "https://receiver.example?key=1",
            "https://receiver.example:65535?key=1",
            "https://[2001:db8::1]?key=1",
        ] {
            let text = format!(r#"{{"url": "{url}"}}"#);
            assert!(settings(&text).check().is_ok(), "{url}");
        }
        let allowed = r#"{"url": "http://receiver.example/", "allow_plain_http": true}"#;
        assert!(settings(allowed).check().is_ok());
    }

    #[test]
    fn refuses_other_urls_without_showing_what_may_be_secret() {
        for (url, what) in [
            ("http://receiver.example/", "plain HTTP leaves this machine"),
            (
                "http://127.0.0.1.example/",
                "plain HTTP leaves this machine",
            ),
            (
                "https://user:hunter2@receiver.example/",
                "credentials in a URL",
            ),
            (
                "https://receiver.example/?t=hunter2#x",
                "a fragment is never sent",
            ),
            ("ftp://receiver.example/", "neither https nor http"),
            ("/hook", "not an absolute URL"),
            ("https://", "not a URL"),
            ("https:///hook", "not a URL"),
            ("https://?key=hunter2", "not a URL"),
            ("https://:443/", "no host"),
            ("https://[::1", "not a URL"),
            ("https://host#x", "a fragment is never sent"),
            ("https://host?hunter2#x", "a fragment is never sent"),
            ("https://host:65536/", "no port that there is"),
            ("https://host:/", "no port that there is"),
            ("https://[::1]:x/", "no port that there is"),
            ("host:443", "neither https nor http"),
            ("//host/hook", "not an absolute URL"),
            ("https://a b/", "not a URL"),
        ] {
            let text = format!(r#"{{"url": "{url}"}}"#);
            let problems = settings(&text).check().unwrap_err();
            assert_eq!(problems[0].key, "url");
            assert_eq!(problems[0].what, what, "{url}");
            assert!(!format!("{problems:?}").contains("hunter2"), "{url}");
        }
    }

    #[test]
    fn a_token_over_plain_http_needs_a_switch_of_its_own() {
        let check = |text: &str| settings(&format!("{{{text}}}")).check();
        let away = r#""url": "http://receiver.example/", "allow_plain_http": true"#;
        for (key, token) in [("token_file", "/token"), ("token_env", "TOKEN")] {
            let token = format!(r#""{key}": "{token}""#);
            let problems = check(&format!("{away}, {token}")).unwrap_err();
            assert_eq!(problems[0].key, key);
            assert!(problems[0].remedy.contains("allow_plain_http_token = true"));
            let allowed = r#""allow_plain_http_token": true"#;
            assert!(check(&format!("{away}, {token}, {allowed}")).is_ok());
            // It allows the token alone.
            let events = r#""url": "http://receiver.example/""#;
            let problems = check(&format!("{events}, {token}, {allowed}")).unwrap_err();
            assert_eq!(problems[0].key, "url");
            for near in [
                "https://receiver.example/",
                "http://127.0.0.1/",
                "http://[::1]:1/",
            ] {
                assert!(
                    check(&format!(r#""url": "{near}", {token}"#)).is_ok(),
                    "{near}"
                );
            }
        }
    }

    #[test]
    fn reports_every_problem_at_once() {
        let text = r#"{"url": "/", "token_file": "a", "token_env": "B", "connect_timeout": "0s"}"#;
        let keys: Vec<_> = settings(text)
            .check()
            .unwrap_err()
            .into_iter()
            .map(|problem| problem.key)
            .collect();
        assert_eq!(keys, ["url", "connect_timeout", "token_env"]);
    }

    #[test]
    fn refuses_unknown_keys() {
        assert!(serde_json::from_str::<Settings>(r#"{"url": "x", "urll": "y"}"#).is_err());
    }
}
