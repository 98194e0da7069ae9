//! Whom a client trusts, and what it offers.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use http::Version;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion, version};

use super::{Options, Tls};

pub(super) fn client_config(options: &Options) -> anyhow::Result<Arc<ClientConfig>> {
    let versions: &[&SupportedProtocolVersion] = match options.tls {
        Tls::Any => &[&version::TLS13, &version::TLS12],
        Tls::V12 => &[&version::TLS12],
        Tls::V13 => &[&version::TLS13],
    };
    let mut config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_protocol_versions(versions)?
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
        let certificates = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
        let certificates = certificates.with_context(cannot)?;
        anyhow::ensure!(!certificates.is_empty(), "{}: there is none", cannot());
        for certificate in certificates {
            roots.add(certificate).with_context(cannot)?;
        }
    }
    Ok(roots)
}
