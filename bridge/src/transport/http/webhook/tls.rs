//! Which certificates a receiver may show.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};

use super::cannot_open;
use crate::transport::contract::OpenError;

/// With the roots of the system and those of `ca_file`.
pub(super) fn client(ca_file: Option<&Path>) -> Result<ClientConfig, OpenError> {
    let mut roots = RootCertStore::empty();
    // A broken root of the system is skipped, as other programs do.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        let unusable = |cause: &str| {
            cannot_open(format!(
                "ca_file {} cannot be used: {cause}",
                path.display()
            ))
        };
        let certificates: Result<Vec<_>, pem::Error> =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
        let certificates = certificates.map_err(|error| unusable(&error.to_string()))?;
        if certificates.is_empty() {
            return Err(unusable("no certificate in it"));
        }
        for certificate in certificates {
            let added = roots.add(certificate);
            added.map_err(|error| unusable(&error.to_string()))?;
        }
    }
    if roots.is_empty() {
        return Err(cannot_open(
            "no root certificate was found: install the system's ca-certificates or name a PEM file in ca_file",
        ));
    }
    Ok(trust(roots))
}

/// For a receiver without TLS.
pub(super) fn without_roots() -> ClientConfig {
    trust(RootCertStore::empty())
}

fn trust(roots: RootCertStore) -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth()
}
