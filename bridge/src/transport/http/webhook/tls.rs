//! Which certificates a receiver may show: those that chain up to a root we have.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::OpenError;

/// TLS 1.2 and 1.3 with the roots of the system and those of `ca_file`.
pub(super) fn client(ca_file: Option<&Path>) -> Result<ClientConfig, OpenError> {
    let mut roots = RootCertStore::empty();
    // A broken root of the system is left out, as every other program does.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        let unusable = |cause: String| OpenError::Roots {
            path: path.display().to_string(),
            cause,
        };
        let before = roots.len();
        for certificate in
            CertificateDer::pem_file_iter(path).map_err(|e| unusable(e.to_string()))?
        {
            let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| unusable(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(unusable("no certificate in it".to_owned()));
        }
    }
    if roots.is_empty() {
        return Err(OpenError::NoRoots);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth())
}
