//! What senders trust: the root of a receiver alone, whatever name it vouches for, or anything.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use super::certificates::Certificates;

impl Certificates {
    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_file(self.path("root.pem")).unwrap();
        roots.add(root).unwrap();
        roots
    }

    /// Of a client that trusts the root alone.
    pub(crate) fn trusting(&self) -> Arc<ClientConfig> {
        let roots = self.roots();
        let config = ClientConfig::builder_with_provider(ring::default_provider().into());
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots);
        Arc::new(config.with_no_client_auth())
    }

    /// Of a client that takes any certificate.
    pub(crate) fn credulous() -> Arc<ClientConfig> {
        believing(None)
    }

    /// Of a client that trusts the root alone, and looks at no name.
    pub(crate) fn careless(&self) -> Arc<ClientConfig> {
        let provider = Arc::new(ring::default_provider());
        let roots = Arc::new(self.roots());
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider);
        believing(Some(verifier.build().unwrap()))
    }
}

fn believing(chain: Option<Arc<WebPkiServerVerifier>>) -> Arc<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let verifier = Arc::new(Credulous { provider, chain });
    let config = config
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    Arc::new(config.with_no_client_auth())
}

#[derive(Debug)]
struct Credulous {
    provider: Arc<CryptoProvider>,
    /// What is looked at beside the name, if anything.
    chain: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for Credulous {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verify = |chain: &Arc<WebPkiServerVerifier>| {
            chain.verify_server_cert(certificate, others, name, ocsp, now)
        };
        match self.chain.as_ref().map(verify) {
            None
            | Some(Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            ))) => Ok(ServerCertVerified::assertion()),
            Some(verified) => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
