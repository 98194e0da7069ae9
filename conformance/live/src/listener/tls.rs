//! The certificate and key that a listener shows.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// TLS with the certificates and the key of two files in PEM.
///
/// # Errors
/// When a file cannot be read, holds none, or they do not belong together.
pub fn server_config(certificates: &Path, key: &Path) -> anyhow::Result<Arc<ServerConfig>> {
    let read = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
    let config = from_pem(&read(certificates)?, &read(key)?);
    config.with_context(|| format!("{} with {}", certificates.display(), key.display()))
}

/// The same, from the texts of such files.
pub(crate) fn from_pem(certificates: &[u8], key: &[u8]) -> anyhow::Result<Arc<ServerConfig>> {
    let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
    let key = PrivateKeyDer::from_pem_slice(key).context("the key")?;
    let mut config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain.context("the certificates")?, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config.into())
}
