//! The settings of a listener, `[http.NAME]`, and of one path of it, `[route.source]` with `http`.

use std::fmt::Display;
use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderName;

use super::clients::{Client, are_distinct};
use super::handshake::are_origins;
use super::rate::Rate;
use super::tls::TlsSettings;
use crate::config::{Fault, Reported, Table};
use crate::shared::Shared;
use crate::tls::ClientTls;
use crate::transport::contract::OpenError;

#[derive(Clone, Debug)]
pub struct ListenerSettings {
    pub listen: SocketAddr,
    /// A proxy in front does TLS, so other addresses than loopback may be listened on.
    pub behind_proxy: bool,
    pub(super) tls: Option<TlsSettings>,
    /// Set by the proxy.
    pub(super) client_certificate_header: Option<HeaderName>,
    pub(super) clients: Vec<Client>,
    pub(super) consent_requests_file: Option<PathBuf>,
    pub(super) callback_hosts: Vec<String>,
    pub(super) callback_tls: ClientTls,
}

impl ListenerSettings {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let port = read_port(table, "127.0.0.1:8080");
        let meaning = "header in which the proxy names the certificate of the client, see below. Needs \
                       `behind_proxy`";
        let header = (table.key("client_certificate_header", meaning)).optional("none");
        let meaning = "`[[http.NAME.clients]]`: who may send what, see below";
        let clients = table.key::<Vec<Client>>("clients", meaning);
        let clients = (clients.must(are_distinct))
            .optional("none: whoever a path lets in may send everything");
        let meaning = "file in which requests for consent are kept over restarts, of the listeners of one process that name \
                       it; see `allowed_origins`";
        // What is written to it changes no setting.
        let requests_file = table.key::<String>("consent_requests_file", meaning);
        let requests_file = requests_file.optional("in memory: they outlive a reload");
        let meaning = "hosts that senders may be called back at beside those with public addresses";
        let callback_hosts = table.key("callback_hosts", meaning).optional("none");
        let meaning = "PEM file of root certificates to trust beside those of the system when senders are called back";
        let callback_ca_file = table.key("callback_ca_file", meaning).optional("none");
        let (listen, behind_proxy, tls) = port?;
        let settings = Self {
            listen,
            behind_proxy,
            tls,
            client_certificate_header: header?,
            clients: clients?.unwrap_or_default(),
            consent_requests_file: requests_file?.map(|path| table.resolve(&path)),
            callback_hosts: callback_hosts?.unwrap_or_default(),
            callback_tls: ClientTls::trusting(callback_ca_file?),
        };
        settings.check(table);
        table.sound().map(|()| settings)
    }

    fn check(&self, table: &Table<'_>) {
        if self.callback_tls.names_files()
            && let Err(error) = self.callback_tls.client()
        {
            let remedy = "name a readable file in PEM";
            table.report(&["callback_ca_file"], error.to_string(), remedy);
        }
        let has_header = self.client_certificate_header.is_some();
        if has_header && !self.behind_proxy {
            let what = "could be sent by anyone";
            let remedy = "set behind_proxy = true where a proxy sets it, or leave it out";
            table.report(&["client_certificate_header"], what, remedy);
        }
        let asks = has_header || self.tls.as_ref().is_some_and(TlsSettings::asks_clients);
        if !asks && self.clients.iter().any(Client::has_certificate) {
            let what = "names clients by certificates, and none is asked for";
            let remedy =
                "name their roots in client_ca_file, or client_certificate_header behind a proxy";
            table.report(&["clients"], what, remedy);
        }
    }
}

/// Of any port that others reach: where it is, whether a proxy in front does TLS, and TLS of its own.
pub(in crate::transport::http) fn read_port(
    table: &Table<'_>,
    default: &'static str,
) -> Result<(SocketAddr, bool, Option<TlsSettings>), Reported> {
    let listen = table.key::<SocketAddr>("listen", "IP address and port");
    let listen = listen.or(default);
    let tls = TlsSettings::read(table);
    let meaning = "`true` says that a proxy in front does TLS; without it, and without TLS of its own, only \
                   loopback can be listened on";
    let behind_proxy = table.key::<bool>("behind_proxy", meaning).or("false");
    let (listen, behind_proxy, tls) = (listen?, behind_proxy?, tls?);
    if !listen.ip().is_loopback() && !behind_proxy && tls.is_none() {
        let remedy = "listen on loopback, name certificate_file and key_file, or set behind_proxy = true \
                      where a proxy does TLS";
        table.report(&["listen"], "what comes in would be unprotected", remedy);
    }
    Ok((listen, behind_proxy, tls))
}

#[derive(Clone, Debug)]
pub struct PathSettings {
    pub(super) listener: ListenerSettings,
    pub(super) path: String,
    pub(super) deadline: Duration,
    pub(super) body_timeout: Duration,
    pub(super) requests_in_flight: usize,
    pub(super) bytes_in_flight: usize,
    pub(super) tokens_file: Option<PathBuf>,
    pub(super) access_token_in_query: bool,
    pub(super) allowed_origins: Option<Vec<String>>,
    pub(super) allowed_rate: Rate,
    pub(super) retired: bool,
    /// Of all settings that name this path: it is gone once none is in effect.
    pub(super) wanted: Arc<()>,
}

/// By listener and path.
static WANTED: Shared<(SocketAddr, String), ()> = Shared::new();

/// Whether settings in effect name this path, so that its route runs or will.
pub(super) fn is_wanted(listen: SocketAddr, path: &str) -> bool {
    WANTED.held(&(listen, path.to_owned())).is_some()
}

impl PathSettings {
    pub(crate) fn read(
        table: &Table<'_>,
        listener: Result<ListenerSettings, Reported>,
    ) -> Result<Self, Reported> {
        let meaning = "path that events are posted to, such as `/events`; a query is ignored, but \
                       for `access_token_in_query`";
        let path = table.key::<String>("path", meaning).must(is_path);
        let path = path.required();
        let meaning =
            "longest wait for the destination; then the answer is 503, and the sender repeats";
        let deadline = table.wait("deadline", meaning).or("10s");
        let meaning = "longest wait for the body of a request; then the answer is 408";
        let body_timeout = table.wait("body_timeout", meaning).or("30s");
        let meaning = "most requests at the same time; further ones are answered 503";
        let requests_in_flight = table.key::<NonZeroUsize>("requests_in_flight", meaning);
        let requests_in_flight = requests_in_flight.or("256");
        let meaning = "most bytes of their bodies together; what the sink still holds after an \
                       answer of 503 counts until its exchange ends. A single request is always \
                       let in";
        let bytes_in_flight = table.key("bytes_in_flight", meaning).or("67108864");
        let meaning = "file with one bearer token per line, of which a request must bring one; \
                       read at start and when it changes. Its bearers are not bound by what clients of the \
                       listener may send";
        let tokens_file = table.key("tokens_file", meaning);
        let without = "none: every request is taken, or with `clients` only theirs";
        let tokens_file = tokens_file.optional(without);
        let meaning = "`true` also takes the token from the query, as `?access_token=…`, for \
                       senders that cannot set a header; the bridge never logs it, but proxies on \
                       the way may log URLs. Needs `tokens_file` or `clients`";
        let access_token_in_query = table.key("access_token_in_query", meaning).or("false");
        let meaning = "senders that get consent in the handshake (`OPTIONS`): DNS names as in \
                       `WebHook-Request-Origin`, or `[\"*\"]` for all; see below";
        let allowed_origins = table.key::<Vec<String>>("allowed_origins", meaning);
        let allowed_origins =
            (allowed_origins.must(are_origins)).optional("none: `OPTIONS` is answered 405");
        let meaning = "most requests per minute of one sender, or `*`; above it the answer is 429";
        let allowed_rate = table.key("allowed_rate", meaning).or("*");
        let meaning = "`true` answers every request with 410: senders stop for good";
        let retired = table.key("retired", meaning).or("false");
        let (tokens_file, access_token_in_query) = (tokens_file?, access_token_in_query?);
        let has_clients = (listener.as_ref()).is_ok_and(|listener| !listener.clients.is_empty());
        if access_token_in_query && tokens_file.is_none() && !has_clients {
            let remedy = "name the tokens in tokens_file, or leave the key out";
            table.report(&["access_token_in_query"], "no token is asked for", remedy);
        }
        table.sound()?;
        let (listener, path) = (listener?, path?);
        let settings = Self {
            wanted: WANTED.get((listener.listen, path.clone()), || ()),
            listener,
            path,
            deadline: deadline?,
            body_timeout: body_timeout?,
            requests_in_flight: requests_in_flight?.get(),
            bytes_in_flight: bytes_in_flight?,
            tokens_file,
            access_token_in_query,
            allowed_origins: allowed_origins?,
            allowed_rate: allowed_rate?,
            retired: retired?,
        };
        if let Err(error) = settings.bearers() {
            let remedy = "name a readable file with one token per line";
            return Err(table.report(&["tokens_file"], error.detail, remedy));
        }
        Ok(settings)
    }

    /// At least one where there is a file.
    pub(super) fn bearers(&self) -> Result<Vec<Client>, OpenError> {
        let Some(file) = &self.tokens_file else {
            return Ok(Vec::new());
        };
        // The error does not say which file: somebody may have put a token there.
        let unusable = |cause: &dyn Display| OpenError {
            reason: "path",
            detail: format!("tokens_file cannot be used: {cause}"),
        };
        let text = fs::read_to_string(file).map_err(|error| unusable(&error))?;
        // Editors of Windows begin a file with a byte order mark.
        let tokens = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let tokens = tokens.filter(|it| !it.is_empty());
        let bearers: Vec<_> = tokens.enumerate().map(Client::bearer).collect();
        match bearers.is_empty() {
            true => Err(unusable(&"nothing in it")),
            false => Ok(bearers),
        }
    }
}

fn is_path(path: &str) -> Result<(), Fault> {
    let is_letter = |byte: u8| byte.is_ascii_graphic() && !b"?#".contains(&byte);
    let is_path = path.starts_with('/') && path.bytes().all(is_letter);
    let what = "is not an absolute path without query and fragment";
    let remedy = "write a path such as /events, percent-encoded where needed";
    Fault::unless(is_path, what, remedy)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::config::tests::{faults, read};

    #[test]
    fn another_address_than_loopback_needs_a_proxy() {
        for sound in [
            "{}",
            r#"{"listen": "[::1]:80"}"#,
            r#"{"listen": "localhost:80"}"#,
            r#"{"listen": ":80", "behind_proxy": true}"#,
            r#"{"listen": "0.0.0.0:80", "behind_proxy": true}"#,
        ] {
            assert!(read(sound, ListenerSettings::read).is_ok(), "{sound}");
        }
        for listen in [
            "0.0.0.0:80",
            "[::]:80",
            "192.0.2.1:80",
            ":80",
            "127.0.0.1:99999",
            "receiver.example:80",
            "80",
        ] {
            let json = format!(r#"{{"listen": "{listen}"}}"#);
            assert_eq!(
                faults(&json, ListenerSettings::read),
                ["listen"],
                "{listen}"
            );
        }
    }

    #[test]
    fn reports_every_problem_of_a_path_at_once() {
        let listener = read("{}", ListenerSettings::read).unwrap();
        let listener = || Ok(listener.clone());
        let faults = |json: &str| faults(json, |table| PathSettings::read(table, listener()));
        let json = r#"{"path": "events", "deadline": "0s", "requests_in_flight": 0}"#;
        assert_eq!(faults(json), ["deadline", "path", "requests_in_flight"]);
        let json = r#"{"path": "/events", "access_token_in_query": true}"#;
        assert_eq!(faults(json), ["access_token_in_query"]);
        for path in ["", "/a?b", "/a b", "/é", "/a#b"] {
            let json = format!(r#"{{"path": "{path}"}}"#);
            assert_eq!(faults(&json), ["path"], "{path}");
        }
    }
}
