//! `[route.sink]` with `url`: where a webhook is, and how long to wait for it.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;

use super::tls;
use super::token::Token;
use crate::config::{Fault, Reported, SecretPlace, Table};
use crate::transport::contract::OpenError;

#[derive(Clone)]
pub struct WebhookSettings {
    pub(super) url: Uri,
    pub(super) ca_file: Option<PathBuf>,
    pub(super) token: Option<SecretPlace>,
    pub(super) connect_timeout: Duration,
    pub(super) first_byte_timeout: Duration,
    pub(super) exchange_timeout: Duration,
}

/// Shows no query, which may be secret.
impl fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSettings")
            .field("authority", &self.url.authority().map(|it| it.as_str()))
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}

impl WebhookSettings {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "where to post: an absolute `https` or `http` URL without credentials or \
                       fragment; a query is sent and never shown";
        let url = table.key::<String>("url", meaning).required();
        let meaning = "`true` lets plain HTTP leave this machine; without it `http` reaches \
                       loopback only";
        let allow_plain_http = table.key("allow_plain_http", meaning).or("false");
        let meaning = "`true` lets the bearer token go along with it";
        let allow_plain_http_token = table.key("allow_plain_http_token", meaning).or("false");
        let meaning = "PEM file of root certificates to trust beside those of the system";
        let ca_file = table.key("ca_file", meaning).optional("none");
        let meaning = "file that holds a bearer token; read at start, when it changes, and when the answer is \
                       401: a new token is tried at once";
        let token_file = table.key("token_file", meaning).optional("none");
        let meaning = "environment variable that holds a bearer token, instead of `token_file`";
        let token_env = table.key("token_env", meaning).optional("none");
        let meaning = "longest wait for name resolution, TCP and TLS together";
        let connect_timeout = table.wait("connect_timeout", meaning).or("5s");
        let meaning = "longest wait from the start of a request to the headers of its answer";
        let first_byte_timeout = table.wait("first_byte_timeout", meaning).or("10s");
        let meaning = "longest wait for everything together, half of it at most for a free \
                       connection; then the event counts as not delivered and is retried. Not above `drain` of a Kafka source and \
                       `shutdown_deadline`, which would leave it in doubt";
        let exchange_timeout = table.wait("exchange_timeout", meaning).or("10s");
        let token = match (token_file?, token_env?) {
            (Some(_), Some(_)) => {
                let what = "stands beside token_file";
                Err(table.report(&["token_env"], what, "keep one of the two"))
            }
            (Some(path), None) => Ok(Some(SecretPlace::File(path))),
            (None, variable) => Ok(variable.map(SecretPlace::Env)),
        };
        let url =
            checked_url(&url?, allow_plain_http?).map_err(|fault| table.fault(&["url"], fault));
        let settings = Self {
            url: url?,
            ca_file: ca_file?,
            token: token?,
            connect_timeout: connect_timeout?,
            first_byte_timeout: first_byte_timeout?,
            exchange_timeout: exchange_timeout?,
        };
        settings.check_files(table, allow_plain_http_token?);
        table.sound().map(|()| settings)
    }

    /// Reports what is wrong with files and variables, nothing of their content.
    fn check_files(&self, table: &Table<'_>, allow_plain_http_token: bool) {
        if let Err(error) = self.roots() {
            let remedy = "name a readable file with certificates in PEM";
            table.report(&["ca_file"], error.detail, remedy);
        }
        let Some(place) = &self.token else { return };
        let key = match place {
            SecretPlace::File(_) => "token_file",
            SecretPlace::Env(_) => "token_env",
        };
        if leaves_unprotected(&self.url) && !allow_plain_http_token {
            let what = "plain HTTP would show the token to whoever is on the way";
            let remedy =
                "use https, or set allow_plain_http_token = true to send the token unprotected";
            table.report(&[key], what, remedy);
        } else if let Err(error) = Token::open(place.clone()) {
            let remedy = "make it one token, without spaces, that the bridge can read";
            table.report(&[key], error.detail, remedy);
        }
    }

    /// Host and port.
    pub(super) fn server(&self) -> String {
        let authority = self.url.authority().map_or("", |it| it.as_str());
        let port = if self.is_protected() { 443 } else { 80 };
        match self.url.port() {
            Some(_) => authority.to_owned(),
            None => format!("{authority}:{port}"),
        }
    }

    /// Without the query, which may be secret.
    pub(super) fn path(&self) -> &str {
        self.url.path()
    }

    fn is_protected(&self) -> bool {
        self.url.scheme() == Some(&Scheme::HTTPS)
    }

    /// `None` where the URL asks for plain HTTP.
    pub(super) fn roots(&self) -> Result<Option<rustls::ClientConfig>, OpenError> {
        let client = || tls::client(self.ca_file.as_deref());
        self.is_protected().then(client).transpose()
    }
}

fn checked_url(text: &str, allow_plain_http: bool) -> Result<Uri, Fault> {
    let absolute = "write https://host/path";
    let url: Uri = text
        .parse()
        .map_err(|_| Fault::new("not a URL", absolute))?;
    let Some(authority) = url.authority() else {
        return Err(Fault::new("not an absolute URL", absolute));
    };
    if authority.as_str().contains('@') {
        let remedy = "give a bearer token in token_file or token_env instead";
        return Err(Fault::new("credentials in a URL", remedy));
    }
    if text.contains('#') {
        return Err(Fault::new("a fragment is never sent", "leave it out"));
    }
    if url.host().is_none_or(str::is_empty) {
        return Err(Fault::new("no host", absolute));
    }
    if url.host() != Some(authority.as_str()) && url.port().is_none() {
        let remedy = "write a number below 65536 behind the colon, or no colon";
        return Err(Fault::new("no port that there is", remedy));
    }
    if ![Some(&Scheme::HTTPS), Some(&Scheme::HTTP)].contains(&url.scheme()) {
        return Err(Fault::new("neither https nor http", absolute));
    }
    if leaves_unprotected(&url) && !allow_plain_http {
        let remedy = "use https, or set allow_plain_http = true to send events unprotected";
        return Err(Fault::new("plain HTTP leaves this machine", remedy));
    }
    Ok(url)
}

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
    use crate::config::Problem;
    use crate::config::tests::{faults, read};

    fn check(json: &str) -> Result<WebhookSettings, Vec<Problem>> {
        read(json, WebhookSettings::read)
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
            assert!(check(&text).is_ok(), "{url}");
        }
        let allowed = r#"{"url": "http://receiver.example/", "allow_plain_http": true}"#;
        assert!(check(allowed).is_ok());
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
            let problems = check(&text).unwrap_err();
            assert_eq!(problems[0].key, "url");
            assert_eq!(problems[0].what, what, "{url}");
            assert!(!format!("{problems:?}").contains("hunter2"), "{url}");
        }
    }

    #[test]
    fn a_token_over_plain_http_needs_a_switch_of_its_own() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "token").unwrap();
        let check = |text: &str| check(&format!("{{{text}}}"));
        let away = r#""url": "http://receiver.example/", "allow_plain_http": true"#;
        let path = file.path().to_str().unwrap();
        for (key, token) in [("token_file", path), ("token_env", "PATH_TO_NOWHERE")] {
            let token = format!(r#""{key}": "{token}""#);
            let problems = check(&format!("{away}, {token}")).unwrap_err();
            assert_eq!(problems[0].key, key);
            assert!(problems[0].remedy.contains("allow_plain_http_token = true"));
        }
        let token = format!(r#""token_file": "{path}""#);
        let allowed = r#""allow_plain_http_token": true"#;
        assert!(check(&format!("{away}, {token}, {allowed}")).is_ok());
        // It allows the token alone.
        let events = r#""url": "http://receiver.example/""#;
        let problems = check(&format!("{events}, {token}, {allowed}")).unwrap_err();
        assert_eq!(problems[0].key, "url");
        for near in ["http://127.0.0.1/", "http://[::1]:1/"] {
            let near = format!(r#""url": "{near}", {token}"#);
            assert!(check(&near).is_ok(), "{near}");
        }
    }

    #[test]
    fn reports_every_problem_at_once() {
        let text = r#"{"url": "/", "token_file": "a", "token_env": "B", "connect_timeout": "0s"}"#;
        assert_eq!(
            faults(text, WebhookSettings::read),
            ["connect_timeout", "token_env", "url"]
        );
    }

    #[test]
    fn refuses_unknown_keys() {
        let text = r#"{"url": "http://localhost", "urll": "y"}"#;
        assert_eq!(faults(text, WebhookSettings::read), ["urll"]);
    }
}
