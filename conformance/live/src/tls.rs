//! TLS of both sides: whom a client trusts, and what it offers; the certificate and key that a listener shows.

use std::path::Path;
use std::sync::Arc;
use std::{fs, slice};

use anyhow::Context;
use http::Version;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, DEFAULT_VERSIONS, RootCertStore, ServerConfig};

use crate::client::Options;

pub(crate) fn client_config(options: &Options) -> anyhow::Result<Arc<ClientConfig>> {
    let one = options.tls.as_ref().map(slice::from_ref);
    let mut config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_protocol_versions(one.unwrap_or(DEFAULT_VERSIONS))?
        .with_root_certificates(roots(options.ca_file.as_deref())?)
        .with_no_client_auth();
    config.alpn_protocols = match options.version {
        Version::HTTP_2 => vec![b"h2".to_vec()],
        _ => vec![b"http/1.1".to_vec()],
    };
    Ok(config.into())
}

fn roots(ca_file: Option<&Path>) -> anyhow::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    // A broken root of the system is skipped, as other programs do.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        let cannot = || format!("cannot take root certificates from {}", path.display());
        let pem = fs::read(path).with_context(cannot)?;
        let certificates = certificates(&pem).with_context(cannot)?;
        anyhow::ensure!(!certificates.is_empty(), "{}: there is none", cannot());
        for certificate in certificates {
            roots.add(certificate).with_context(cannot)?;
        }
    }
    Ok(roots)
}

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
pub(crate) fn from_pem(chain: &[u8], key: &[u8]) -> anyhow::Result<Arc<ServerConfig>> {
    let chain = certificates(chain).context("the certificates")?;
    let key = PrivateKeyDer::from_pem_slice(key).context("the key")?;
    let mut config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config.into())
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, pem::Error> {
    CertificateDer::pem_slice_iter(pem).collect()
}
