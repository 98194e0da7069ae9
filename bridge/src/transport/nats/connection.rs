//! `[nats.NAME]`: how to reach the servers, proven without reaching them.

mod credentials;

use std::path::PathBuf;
use std::sync::Arc;

use async_nats::{ConnectOptions, ServerAddr};

use super::link::{self, Link, TlsFailure};
use super::{TRANSPORT, subject};
use crate::config::url::is_loopback;
use crate::config::{Fault, Reported, Table, Words};
use crate::tls::{ClientTls, both};
use crate::transport::address::Address;
use crate::transport::contract::SourceOpening;

/// Status messages, which have no place in the window of a source.
const SPARE: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    Optional,
    Required,
    /// Before the server says anything: its `handshake_first`.
    First,
}

impl Words for Tls {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("optional", Self::Optional),
        ("required", Self::Required),
        ("first", Self::First),
    ];
}

#[derive(Clone, Debug)]
pub(super) struct NatsCluster {
    pub(super) addresses: Vec<ServerAddr>,
    servers: String,
    pub(super) options: ConnectOptions,
}

impl NatsCluster {
    pub(super) fn address(&self, name: String) -> Address {
        Address {
            transport: TRANSPORT.name,
            server: self.servers.clone(),
            name,
        }
    }

    pub(super) async fn connect(&self, tls_failure: &TlsFailure) -> Link {
        let (options, tls_failure) = (self.options.clone(), Arc::clone(tls_failure));
        link::connect(&self.addresses, options, tls_failure).await
    }

    /// For a source: what fits into its window may wait, and its status says whether the connection stands.
    pub(super) async fn connect_source(&self, opening: &SourceOpening) -> Link {
        let SourceOpening { window, status, .. } = opening;
        status.watch_connection(|| Some(false));
        let capacity = window.events.saturating_add(SPARE);
        let options = self.options.clone().subscription_capacity(capacity);
        let link = link::connect(&self.addresses, options, Arc::default()).await;
        let watched = link.clone();
        status.watch_connection(move || Some(watched.is_up()));
        link
    }

    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "servers to try first, as `host:port` with commas between them; the others \
                       of their cluster are found through them. The port is 4222 unless given";
        let servers = table.key::<String>("servers", meaning).required();
        let (options, sends_secret) = credentials::read(table);
        let meaning = "`optional` (where the server asks for it), `required`, or `first` (before \
                       the server says anything, as its `handshake_first` wants). Must be written \
                       where a password or token leaves this machine";
        let without = "`required` where a file of certificates is named or every server is \
                       written with `tls://`, else `optional`";
        let tls = table.key("tls", meaning).optional(without);
        let (options, names_certificates) = certificates(table, options);
        let meaning = "subject below which answers come in, for users who may subscribe only there";
        let inbox_prefix = table
            .key::<String>("inbox_prefix", meaning)
            .must(subject::is_concrete)
            .or("_INBOX");
        let (servers, tls) = (servers?, tls?);
        let addresses: Result<Vec<_>, _> =
            servers.split(',').map(|it| address(it.trim())).collect();
        let addresses = addresses.map_err(|fault| table.fault(&["servers"], fault))?;
        let tls = tls.or_else(|| names_certificates.then_some(Tls::Required));
        if tls.is_none() {
            check_unset_tls(table, &addresses, sends_secret);
        }
        let options = with_tls(link::options(options, &inbox_prefix?), tls, &addresses);
        table.sound()?;
        Ok(Self {
            addresses,
            servers,
            options,
        })
    }
}

/// Where nothing is said of TLS, no password or token may go out in the clear, and either all
/// servers are written with `tls://` or none: nothing would say it of those found through them.
fn check_unset_tls(table: &Table<'_>, addresses: &[ServerAddr], sends_secret: bool) {
    let leaves = |address: &ServerAddr| !is_loopback(address.host()) && !address.tls_required();
    if sends_secret && addresses.iter().any(leaves) {
        let what = "is missing: a password or token would go unprotected to a server that asks for \
                    no TLS";
        let remedy = "write tls = \"required\", or \"optional\" to allow that";
        table.report(&["tls"], what, remedy);
    }
    let protected = ServerAddr::tls_required;
    if addresses.iter().any(protected) && !addresses.iter().all(protected) {
        let remedy = "write tls:// before each, or tls = \"required\" or \"optional\"";
        table.report(&["servers"], "asks only some servers for TLS", remedy);
    }
}

fn with_tls(options: ConnectOptions, tls: Option<Tls>, addresses: &[ServerAddr]) -> ConnectOptions {
    match tls {
        Some(Tls::First) => options.tls_first(),
        Some(Tls::Required) => options.require_tls(true),
        // The servers found through these are protected as these are.
        None => options.require_tls(addresses.iter().all(ServerAddr::tls_required)),
        Some(Tls::Optional) => options,
    }
}

/// The certificates of a connection, proven before it is made. The client reads them again at each
/// connect, so a renewed certificate needs no restart.
fn certificates(table: &Table<'_>, mut options: ConnectOptions) -> (ConnectOptions, bool) {
    let meaning = "PEM file of root certificates to trust instead of those of the system; read \
                   at each connect";
    let mut files = ClientTls::trusting(path(table, "ca_file", meaning));
    let meaning = "PEM file of our certificate, for servers that ask for one; read at each connect";
    let certificate_file = path(table, "certificate_file", meaning);
    let meaning = "PEM file of its key; read at each connect";
    let key_file = path(table, "key_file", meaning);
    files.identity = both(table, certificate_file, key_file).unwrap_or_default();
    if let Some(roots) = files.ca_file.clone() {
        options = options.add_root_certificates(roots);
    }
    if let Some((certificate, key)) = files.identity.clone() {
        options = options.add_client_certificate(certificate, key);
    }
    if files.names_files() {
        files.prove(table);
    }
    (options, files.names_files())
}

fn path(table: &Table<'_>, key: &'static str, meaning: &'static str) -> Option<PathBuf> {
    let path = table.key(key, meaning).optional("none");
    path.unwrap_or_default()
}

fn address(server: &str) -> Result<ServerAddr, Fault> {
    let remedy = "write for example \"nats-1:4222,nats-2:4222\"";
    // The error of the parser may repeat a password.
    let address: ServerAddr = server
        .parse()
        .map_err(|_| Fault::new("is not a list of host:port", remedy))?;
    let url = address.clone().into_inner();
    if address.has_user_pass() || url.password().is_some() {
        let remedy = "write `user`, and where the password is kept under `secrets`";
        return Err(Fault::new("holds user information", remedy));
    }
    let is_bare =
        matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    if !matches!(address.scheme(), "nats" | "tls") || address.host().is_empty() || !is_bare {
        return Err(Fault::new("is not a list of host:port", remedy));
    }
    Ok(address)
}

#[cfg(test)]
mod tests;
