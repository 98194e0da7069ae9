//! Which certificates a receiver may show.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{Error, PemObject};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::Instant;

use super::cannot_open;
use crate::transport::contract::OpenError;

/// Routes that start together share what they trust, which takes time to read and memory to keep.
const SHARED_FOR: Duration = Duration::from_secs(10);

/// With the roots of the system and those of `ca_file`.
pub(super) fn client(ca_file: Option<&Path>) -> Result<ClientConfig, OpenError> {
    type ByContent = HashMap<Option<Vec<u8>>, (Instant, ClientConfig)>;
    static SHARED: LazyLock<Mutex<ByContent>> = LazyLock::new(Mutex::default);
    let unusable = |cause: &dyn std::fmt::Display| {
        let path = ca_file.unwrap_or_else(|| Path::new("")).display();
        cannot_open(format!("ca_file {path} cannot be used: {cause}"))
    };
    let pem = ca_file.map(fs::read).transpose();
    let pem = pem.map_err(|error| unusable(&Error::Io(error)))?;
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.retain(|_, (read, _)| read.elapsed() < SHARED_FOR);
    if let Some((_, client)) = shared.get(&pem) {
        return Ok(client.clone());
    }
    let mut roots = RootCertStore::empty();
    // A broken root of the system is skipped, as other programs do.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = &pem {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates = certificates.map_err(|error| unusable(&error))?;
        if certificates.is_empty() {
            return Err(unusable(&"no certificate in it"));
        }
        for certificate in certificates {
            roots.add(certificate).map_err(|error| unusable(&error))?;
        }
    }
    if roots.is_empty() {
        return Err(cannot_open(
            "no root certificate was found: install the system's ca-certificates or name a PEM file in ca_file",
        ));
    }
    let client = trust(roots);
    shared.insert(pem, (Instant::now(), client.clone()));
    Ok(client)
}

/// For a receiver without TLS.
pub(super) fn without_roots() -> ClientConfig {
    static CLIENT: LazyLock<ClientConfig> = LazyLock::new(|| trust(RootCertStore::empty()));
    CLIENT.clone()
}

fn trust(roots: RootCertStore) -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth()
}
