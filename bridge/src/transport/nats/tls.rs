//! The certificates of a connection, proven before it is made. The client reads them again at each
//! connect, so a renewed certificate needs no restart.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_nats::ConnectOptions;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::config::{Fault, Reported, Table};

/// The files that are named.
pub(super) struct Certificates {
    roots: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

impl Certificates {
    /// Reads their keys of a connection, and looks whether they go together.
    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "PEM file of root certificates to trust instead of those of the system; read \
                       at each connect";
        let roots = table.key("ca_file", meaning).optional("none");
        let meaning =
            "PEM file of our certificate, for servers that ask for one; read at each connect";
        let certificate = table.key("certificate_file", meaning).optional("none");
        let meaning = "PEM file of its key; read at each connect";
        let key = table.key("key_file", meaning).optional("none");
        let certificates = Self {
            roots: roots?,
            certificate: certificate?,
            key: key?,
        };
        certificates.check(table);
        Ok(certificates)
    }

    /// Whether one is named that makes sense with TLS alone.
    pub(super) fn are_named(&self) -> bool {
        self.roots.is_some() || self.certificate.is_some()
    }

    /// Reports what is wrong with the files.
    fn check(&self, table: &Table<'_>) {
        let missing = |key, beside| {
            table.report(
                &[key],
                format!("is missing beside {beside}"),
                "name both files",
            );
        };
        let roots = match self.roots.as_deref().map(roots).transpose() {
            Ok(roots) => roots.unwrap_or_else(RootCertStore::empty),
            Err(what) => {
                table.fault(&["ca_file"], unusable(what));
                RootCertStore::empty()
            }
        };
        match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                if let Err((name, fault)) = pair(roots, certificate, key) {
                    table.fault(&[name], fault);
                }
            }
            (Some(_), None) => missing("key_file", "certificate_file"),
            (None, Some(_)) => missing("certificate_file", "key_file"),
            (None, None) => {}
        }
    }

    /// The options of a client that uses them.
    pub(super) fn apply(&self, options: ConnectOptions) -> ConnectOptions {
        let options = match &self.roots {
            Some(path) => options.add_root_certificates(path.clone()),
            None => options,
        };
        match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                options.add_client_certificate(certificate.clone(), key.clone())
            }
            _ => options,
        }
    }
}

fn unusable(what: String) -> Fault {
    Fault::new(what, "name a PEM file that the bridge may read")
}

fn roots(path: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        let added = roots.add(certificate);
        added.map_err(|error| format!("holds an unusable certificate: {error}"))?;
    }
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(list) if list.is_empty() => Err("holds no certificate".to_owned()),
        Ok(list) => Ok(list),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

/// The key of the setting that does not serve, and why.
type Unfit = (&'static str, Fault);

fn pair(roots: RootCertStore, certificate: &Path, key: &Path) -> Result<(), Unfit> {
    let chain = certificates(certificate).map_err(|what| ("certificate_file", unusable(what)))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| ("key_file", unusable(format!("cannot be read: {error}"))))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key);
    let remedy = "name the key that belongs to certificate_file";
    let unfit = |error| {
        (
            "key_file",
            Fault::new(format!("does not serve: {error}"), remedy),
        )
    };
    config.map(drop).map_err(unfit)
}
