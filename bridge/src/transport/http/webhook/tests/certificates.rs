//! A private root and a certificate for 127.0.0.1, made by openssl as an operator would.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

pub(super) struct Certificates {
    folder: TempDir,
}

impl Certificates {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("openssl.cnf"),
            "[req]\ndistinguished_name = name\n[name]\n",
        )
        .unwrap();
        let root = "-subj /CN=root -keyout root.key -out root.pem \
            -addext basicConstraints=critical,CA:TRUE";
        let server = "-subj /CN=receiver -keyout server.key -out server.pem \
            -CA root.pem -CAkey root.key \
            -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1";
        for arguments in [root, server] {
            let output = Command::new("openssl")
                .args([
                    "req",
                    "-x509",
                    "-config",
                    "openssl.cnf",
                    "-days",
                    "2",
                    "-nodes",
                ])
                .args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
                .args(arguments.split_whitespace())
                .current_dir(folder.path())
                .output()
                .expect("openssl is installed");
            assert!(output.status.success(), "{output:?}");
        }
        Self { folder }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("root.pem")
    }

    /// The receiver's side of TLS; it may ask for a certificate that the client does not have.
    pub(super) fn acceptor(&self, asks_for_certificate: bool) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if asks_for_certificate {
            let mut roots = RootCertStore::empty();
            roots.add(read(&self.root())).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::from_pem_file(self.folder.path().join("server.key")).unwrap();
        let chain = vec![read(&self.folder.path().join("server.pem"))];
        Arc::new(builder.with_single_cert(chain, key).unwrap()).into()
    }
}

fn read(path: &Path) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(path).unwrap()
}
