//! The certificates of a connection, proven before it is made. The client reads them again at each
//! connect, so a renewed certificate needs no restart.

use std::path::{Path, PathBuf};

use async_nats::ConnectOptions;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use crate::config::{Fault, Table};

pub(super) fn read(table: &Table<'_>, mut options: ConnectOptions) -> (ConnectOptions, bool) {
    let meaning = "PEM file of root certificates to trust instead of those of the system; read \
                   at each connect";
    let roots = path(table, "ca_file", meaning);
    let meaning = "PEM file of our certificate, for servers that ask for one; read at each connect";
    let certificate = path(table, "certificate_file", meaning);
    let meaning = "PEM file of its key; read at each connect";
    let key = path(table, "key_file", meaning);
    let are_named = roots.is_some() || certificate.is_some();
    if let Some(roots) = roots {
        if let Err(what) = check_roots(&roots) {
            table.fault(&["ca_file"], unusable(what));
        }
        options = options.add_root_certificates(roots);
    }
    match (certificate, key) {
        (Some(certificate), Some(key)) => {
            if let Err((name, fault)) = check_pair(&certificate, &key) {
                table.fault(&[name], fault);
            }
            options = options.add_client_certificate(certificate, key);
        }
        (None, None) => {}
        (certificate, _) => {
            let (missing, what) = match certificate {
                Some(_) => ("key_file", "is missing beside certificate_file"),
                None => ("certificate_file", "is missing beside key_file"),
            };
            table.report(&[missing], what, "name both files");
        }
    }
    (options, are_named)
}

fn path(table: &Table<'_>, key: &'static str, meaning: &'static str) -> Option<PathBuf> {
    let path = table.key(key, meaning).optional("none");
    path.unwrap_or_default()
}

fn unusable(what: String) -> Fault {
    Fault::new(what, "name a PEM file that the bridge may read")
}

fn check_roots(path: &Path) -> Result<(), String> {
    let mut roots = RootCertStore::empty();
    let mut certificates = certificates(path)?.into_iter();
    let added = certificates.try_for_each(|certificate| roots.add(certificate));
    added.map_err(|error| format!("holds an unusable certificate: {error}"))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(list) if list.is_empty() => Err("holds no certificate".to_owned()),
        Ok(list) => Ok(list),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

/// Else the key of the faulty setting, and why.
fn check_pair(certificate: &Path, key: &Path) -> Result<(), (&'static str, Fault)> {
    let chain = certificates(certificate).map_err(|what| ("certificate_file", unusable(what)))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| ("key_file", unusable(format!("cannot be read: {error}"))))?;
    let provider = rustls::crypto::ring::default_provider();
    let pair = CertifiedKey::from_der(chain, key, &provider);
    pair.map(drop).map_err(|error| {
        let remedy = "name the key that belongs to certificate_file";
        let what = format!("does not serve: {error}");
        ("key_file", Fault::new(what, remedy))
    })
}
