//! TLS of a listener: its certificate, and the roots of those of its clients. Files that have changed are taken
//! over by the next connection, once they are read anew with the settings; those that are open go on.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::config::{FollowedFile, Reported, Table, Words};
use crate::server::ServedTls;
use crate::shared::{Shared, lock};
use crate::tls::{
    FileError, Revocation, TlsPolicy, UnknownStatus, both, certificates, warn_of_validity,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::transport::http) struct TlsSettings {
    certificate_file: PathBuf,
    key_file: PathBuf,
    policy: TlsPolicy,
    /// `None` asks clients for no certificate.
    clients: Option<ClientCertificates>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ClientCertificates {
    ca_file: PathBuf,
    presence: Presence,
    revocation: Revocation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

impl Words for Presence {
    const WORDS: &'static [(&'static str, Self)] =
        &[("required", Self::Required), ("optional", Self::Optional)];
}

/// Of listeners that serve, by their settings.
static SERVED: Shared<TlsSettings, ServedTls> = Shared::new();

impl TlsSettings {
    /// `None` without a certificate.
    pub(in crate::transport::http) fn read(table: &Table<'_>) -> Result<Option<Self>, Reported> {
        let file = |key, meaning: &'static str, without| {
            let file = table.key::<FollowedFile>(key, meaning).optional(without);
            Ok(file?.map(PathBuf::from))
        };
        let meaning = "PEM file of the certificate, with those between it and the root; with it the listener \
                       speaks TLS. Read at start, and every 10 s when it has changed";
        let certificate_file = file("certificate_file", meaning, "none: plain HTTP");
        let meaning = "PEM file of its key; read as it is";
        let key_file = file("key_file", meaning, "required with `certificate_file`");
        let meaning = "`ncsc-good` or `ncsc-sufficient`: what the NCSC rates so, see below";
        let policy = table.key("tls", meaning).optional("`ncsc-good`");
        let meaning = "PEM file of the roots that sign certificates of clients; read as the others";
        let without = "none: no client is asked for one";
        let ca_file = file("client_ca_file", meaning, without);
        let meaning = "`required`, or `optional`: a client without a certificate must then bring a token where one \
                       is needed";
        let presence = table.key("client_certificates", meaning);
        let presence = presence.optional("`required`");
        let revocation = Revocation::read::<FollowedFile>(table);
        let (certificate_file, key_file) = (certificate_file?, key_file?);
        let (policy, ca_file, presence) = (policy?, ca_file?, presence?);
        if ca_file.is_none() {
            let what = "means nothing where no client is asked for a certificate";
            let remedy = "name the roots of clients in client_ca_file, or leave it out";
            table.refuse(&["crl_files", "crl_unknown"], what, remedy);
        }
        let Some((certificate_file, key_file)) = both(table, certificate_file, key_file)? else {
            let what = "means nothing without a certificate of the listener";
            let remedy = "name certificate_file and key_file, or leave it out";
            let keys = ["tls", "client_ca_file", "client_certificates"];
            table.refuse(&keys, what, remedy);
            table.sound()?;
            return Ok(None);
        };
        let revocation = revocation?;
        warn_of_validity(table, Some(&certificate_file), &revocation);
        let settings = Self {
            certificate_file,
            key_file,
            policy: policy.unwrap_or(TlsPolicy::NcscGood),
            clients: ca_file.map(|ca_file| ClientCertificates {
                ca_file,
                presence: presence.unwrap_or(Presence::Required),
                revocation,
            }),
        };
        let config = settings.server_config().map_err(|error| {
            let remedy = "name a readable PEM file that fits the others";
            table.report(&[error.key], error.to_string(), remedy)
        })?;
        // A listener that serves begins connections with what is in the files now.
        if let Some(served) = SERVED.held(&settings) {
            *lock(&served) = config;
        }
        Ok(Some(settings))
    }

    pub(in crate::transport::http) fn open(&self) -> io::Result<Arc<ServedTls>> {
        let config = self.server_config().map_err(io::Error::other)?;
        let (policy, clients) = (self.policy.word(), self.clients.as_ref());
        let lists_of_revoked = clients.map_or(0, |clients| clients.revocation.crl_files.len());
        tracing::info!(policy, lists_of_revoked, "a listener speaks TLS");
        Ok(SERVED.get(self.clone(), || Mutex::new(config)))
    }

    pub(super) fn asks_clients(&self) -> bool {
        self.clients.is_some()
    }

    fn server_config(&self) -> Result<Arc<ServerConfig>, FileError> {
        let builder = ServerConfig::builder_with_provider(TlsPolicy::provider())
            .with_protocol_versions(self.policy.versions())
            .expect("ring offers TLS 1.2 and 1.3");
        let builder = match &self.clients {
            Some(clients) => builder.with_client_cert_verifier(clients.verifier()?),
            None => builder.with_no_client_auth(),
        };
        let chain = certificates("certificate_file", &self.certificate_file)?;
        let key = PrivateKeyDer::from_pem_file(&self.key_file);
        let key = key.map_err(FileError::of("key_file", &self.key_file))?;
        let config = builder.with_single_cert(chain, key);
        let unfit = FileError::of_pair(&self.certificate_file, &self.key_file);
        let mut config = config.map_err(unfit)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

impl ClientCertificates {
    fn verifier(&self) -> Result<Arc<dyn ClientCertVerifier>, FileError> {
        let (key, path) = ("client_ca_file", &self.ca_file);
        let mut roots = RootCertStore::empty();
        for root in certificates(key, path)? {
            roots.add(root).map_err(FileError::of(key, path))?;
        }
        let verifier =
            WebPkiClientVerifier::builder_with_provider(roots.into(), TlsPolicy::provider());
        let verifier = verifier.with_crls(self.revocation.lists()?);
        let verifier = match self.revocation.unknown {
            UnknownStatus::Refuse => verifier.enforce_revocation_expiration(),
            UnknownStatus::Accept => verifier.allow_unknown_revocation_status(),
        };
        let verifier = match self.presence {
            Presence::Required => verifier,
            Presence::Optional => verifier.allow_unauthenticated(),
        };
        let verifier = verifier.build();
        verifier.map_err(|error| self.revocation.unusable(error))
    }
}
