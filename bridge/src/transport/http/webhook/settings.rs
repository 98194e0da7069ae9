//! `[route.sink]` with `url`: where a webhook is, and how long to wait for it.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;

use super::handshake::ContractSettings;
use crate::config::url::{checked_url, leaves_unprotected};
use crate::config::{Reported, SecretPlace, Table};
use crate::credentials::{self, Credential, CredentialSettings};
use crate::tls::ClientTls;
use crate::transport::http::signature;

#[derive(Clone)]
pub struct WebhookSettings {
    pub(super) url: Uri,
    pub(super) tls: ClientTls,
    pub(super) credential: Option<CredentialSettings>,
    pub(super) token_in_query: bool,
    pub(super) contract: ContractSettings,
    /// Where the source does not say what part of it this process reads.
    pub(super) processes: usize,
    /// Lives as long as these settings are in effect, also when the route has ended by itself.
    pub(super) route: Arc<()>,
    pub(super) signing_secrets: Vec<SecretPlace>,
    pub(super) connect_timeout: Duration,
    pub(super) first_byte_timeout: Duration,
    pub(super) exchange_timeout: Duration,
}

/// Shows no query, which may be secret.
impl fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSettings")
            .field("authority", &self.url.authority().map(|it| it.as_str()))
            .field("path", &self.url.path())
            .finish_non_exhaustive()
    }
}

impl WebhookSettings {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let client = Self::read_client(table);
        let meaning = "`true` sends the bearer token as `?access_token=…` and not in a header, for receivers that read it \
                       nowhere else; the bridge never shows it, but proxies on the way may log URLs";
        let token_in_query = table.key("access_token_in_query", meaning).or("false");
        let contract = ContractSettings::read(table);
        let meaning = "how many processes run this route and send to this URL: each keeps its part of the rate. Without \
                       meaning for a Kafka topic and for a JetStream stream in order, see below";
        let processes = table.key::<NonZeroUsize>("processes", meaning).or("1");
        let signing_secrets = signature::read(table);
        let (client, token_in_query) = (client?, token_in_query?);
        let credential = client.credential.as_ref();
        if token_in_query && !credential.is_some_and(CredentialSettings::is_bearer) {
            let remedy = "name a bearer token, or leave the key out";
            let what = "there is no bearer token";
            return Err(table.report(&["access_token_in_query"], what, remedy));
        }
        Ok(Self {
            token_in_query,
            contract: contract?,
            processes: processes?.get(),
            signing_secrets: signing_secrets?,
            ..client
        })
    }

    /// For whoever posts something else than events.
    pub(crate) fn read_client(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "where to post: an absolute `https` or `http` URL without credentials or \
                       fragment; a query is sent and never shown";
        let url = table.key::<String>("url", meaning).required();
        let meaning = "`true` lets plain HTTP leave this machine; without it `http` reaches \
                       loopback only";
        let allow_plain_http = table.key("allow_plain_http", meaning).or("false");
        let meaning = "`true` lets what proves who we are go along with it";
        let allow_plain_http_token = table.key("allow_plain_http_token", meaning).or("false");
        let tls = ClientTls::read(table);
        let meaning = "the `NAME` of `[credentials.NAME]`: what proves who we are";
        let credential = table.reference("credentials", meaning, credentials::read);
        let meaning = "file that holds a bearer token; read at start, when it changes, and when the answer is \
                       401: a new token is tried at once";
        let token_file = table.key::<PathBuf>("token_file", meaning).optional("none");
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
        let url = url.and_then(|url| {
            let url = checked_url(&url, Some(allow_plain_http?));
            url.map_err(|fault| table.fault(&["url"], fault))
        });
        let bearer = |key, place| (key, CredentialSettings::bearer(place));
        let file = token_file?.map(|path| bearer("token_file", SecretPlace::File(path)));
        let variable = token_env?.map(|name| bearer("token_env", SecretPlace::Env(name)));
        let credential = credential?.map(|it| ("credentials", it));
        let mut proofs = [credential, file, variable].into_iter().flatten();
        let (proof, other) = (proofs.next(), proofs.next());
        if let (Some((first, _)), Some((key, _))) = (&proof, &other) {
            let what = format!("stands beside {first}");
            table.report(&[key], what, "keep one of the two");
        }
        let url = url?;
        if let Some((key, credential)) = &proof {
            if leaves_unprotected(&url) && !allow_plain_http_token? {
                let what = "plain HTTP would show what proves who we are to whoever is on the way";
                let remedy =
                    "use https, or set allow_plain_http_token = true to send it unprotected";
                table.report(&[key], what, remedy);
            }
            if let Err(what) = Credential::open(credential) {
                let remedy = "make it one token, without spaces, that the bridge can read";
                table.report(&[key], what, remedy);
            }
        }
        let settings = Self {
            url,
            tls: tls?,
            credential: proof.map(|(_, credential)| credential),
            token_in_query: false,
            contract: ContractSettings::default(),
            processes: 1,
            route: Arc::default(),
            signing_secrets: Vec::new(),
            connect_timeout: connect_timeout?,
            first_byte_timeout: first_byte_timeout?,
            exchange_timeout: exchange_timeout?,
        };
        // A file that is named is looked at in any case.
        if settings.is_protected() || settings.tls.names_files() {
            settings.tls.prove(table);
        }
        table.sound().map(|()| settings)
    }

    pub(super) fn is_protected(&self) -> bool {
        self.url.scheme() == Some(&Scheme::HTTPS)
    }
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
        let text = r#"{"url": "/", "token_file": "a", "token_env": "B", "connect_timeout": "0s", "processes": 0}"#;
        assert_eq!(
            faults(text, WebhookSettings::read),
            ["connect_timeout", "processes", "token_env", "url"]
        );
    }

    #[test]
    fn refuses_unknown_keys() {
        let text = r#"{"url": "http://localhost", "urll": "y"}"#;
        assert_eq!(faults(text, WebhookSettings::read), ["urll"]);
    }
}
