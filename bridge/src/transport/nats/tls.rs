//! The certificates of a connection, proven before it is made. The client reads them again at each
//! connect, so a renewed certificate needs no restart.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::transport::setting::SettingProblem;

/// What is wrong with the files.
pub(super) fn problems(
    ca_file: Option<&Path>,
    certificate: (Option<&Path>, Option<&Path>),
) -> Vec<SettingProblem> {
    let mut problems = Vec::new();
    let missing = |key, beside| {
        SettingProblem::new(
            key,
            format!("is missing beside {beside}"),
            "name both files",
        )
    };
    let roots = match ca_file.map(roots).transpose() {
        Ok(roots) => roots.unwrap_or_else(RootCertStore::empty),
        Err(what) => {
            problems.push(unusable("ca_file", what));
            RootCertStore::empty()
        }
    };
    match certificate {
        (Some(certificate), Some(key)) => problems.extend(pair(roots, certificate, key)),
        (Some(_), None) => problems.push(missing("key_file", "certificate_file")),
        (None, Some(_)) => problems.push(missing("certificate_file", "key_file")),
        (None, None) => {}
    }
    problems
}

fn unusable(key: &str, what: String) -> SettingProblem {
    SettingProblem::new(key, what, "name a PEM file that the bridge may read")
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

fn pair(roots: RootCertStore, certificate: &Path, key: &Path) -> Option<SettingProblem> {
    let chain = match certificates(certificate) {
        Ok(chain) => chain,
        Err(what) => return Some(unusable("certificate_file", what)),
    };
    let key = match PrivateKeyDer::from_pem_file(key) {
        Ok(key) => key,
        Err(error) => return Some(unusable("key_file", format!("cannot be read: {error}"))),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key);
    let error = config.err()?;
    let remedy = "name the key that belongs to certificate_file";
    Some(SettingProblem::new(
        "key_file",
        format!("does not serve: {error}"),
        remedy,
    ))
}
