//! A private root, and a certificate for 127.0.0.1, made by openssl as an operator would.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tempfile::TempDir;

pub(crate) struct Certificates {
    folder: TempDir,
}

impl Certificates {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = "[req]\ndistinguished_name = name\n[name]\n";
        std::fs::write(folder.path().join("openssl.cnf"), settings).unwrap();
        let root = "-subj /CN=root -keyout root.key -out root.pem \
            -addext basicConstraints=critical,CA:TRUE";
        let server = "-subj /CN=receiver -keyout server.key -out server.pem \
            -CA root.pem -CAkey root.key \
            -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1";
        for arguments in [root, server] {
            let output = Command::new("openssl")
                .args("req -x509 -config openssl.cnf -days 2 -nodes -newkey ec".split(' '))
                .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
                .args(arguments.split_whitespace())
                .current_dir(folder.path())
                .output()
                .expect("openssl is installed");
            assert!(output.status.success(), "{output:?}");
        }
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Of a client that trusts the root alone.
    pub(crate) fn trusting(&self) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_file(self.path("root.pem")).unwrap();
        roots.add(root).unwrap();
        let config = ClientConfig::builder_with_provider(ring::default_provider().into());
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots);
        Arc::new(config.with_no_client_auth())
    }

    /// Of a client that takes any certificate.
    pub(crate) fn credulous() -> Arc<ClientConfig> {
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.dangerous();
        let config = config.with_custom_certificate_verifier(Arc::new(Credulous(provider)));
        Arc::new(config.with_no_client_auth())
    }
}

#[derive(Debug)]
struct Credulous(Arc<CryptoProvider>);

impl ServerCertVerifier for Credulous {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
