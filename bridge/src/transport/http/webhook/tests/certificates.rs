//! Who trusts whom: with a private root and a certificate for 127.0.0.1, made by openssl as an operator would.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, SupportedProtocolVersion};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::config::Document;
use crate::outcome::UntrustedReason;

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
        let certificates = Self { folder };
        certificates.sign(root);
        certificates
            .serve("-CA root.pem -CAkey root.key -addext basicConstraints=critical,CA:FALSE");
        certificates
    }

    /// Gives the receiver a certificate.
    fn serve(&self, arguments: &str) {
        self.sign(&format!(
            "-subj /CN=receiver -keyout server.key -out server.pem \
             -addext subjectAltName=IP:127.0.0.1 {arguments}"
        ));
    }

    fn sign(&self, arguments: &str) {
        self.openssl(&format!(
            "req -x509 -config openssl.cnf -days 2 -nodes \
             -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 {arguments}"
        ));
    }

    fn openssl(&self, arguments: &str) {
        let openssl = Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .output();
        let output = openssl.expect("openssl is installed");
        assert!(output.status.success(), "{output:?}");
    }

    /// Gives the receiver a certificate of that day.
    fn date(&self, day: u32) {
        let settings = "[ca]\ndefault_ca = it\n[it]\ndatabase = index\nserial = serial\n\
            new_certs_dir = .\ndefault_md = sha256\npolicy = any\ncopy_extensions = copy\n\
            [any]\ncommonName = supplied\n";
        for (file, text) in [("ca.cnf", settings), ("index", ""), ("serial", "01\n")] {
            std::fs::write(self.folder.path().join(file), text).unwrap();
        }
        self.openssl(
            "req -new -config openssl.cnf -key server.key -subj /CN=receiver -out server.csr \
                -addext subjectAltName=IP:127.0.0.1",
        );
        self.openssl(&format!(
            "ca -config ca.cnf -batch -notext -in server.csr -cert root.pem -keyfile root.key \
                -startdate {day}000000Z -enddate {day}235959Z -out server.pem"
        ));
    }

    /// A list of an issuer, in which these files are revoked.
    fn revoked(&self, issuer: &str, files: &[&str]) -> PathBuf {
        let settings = "[ca]\ndefault_ca = it\n[it]\ndatabase = index\nserial = serial\n\
            crlnumber = number\ncrl_extensions = list\nnew_certs_dir = .\ndefault_md = sha256\n\
            [list]\nauthorityKeyIdentifier = keyid\n";
        for (file, text) in [
            ("crl.cnf", settings),
            ("index", ""),
            ("serial", "01\n"),
            ("number", "01\n"),
        ] {
            std::fs::write(self.folder.path().join(file), text).unwrap();
        }
        self.sign(
            "-subj /CN=other -keyout other.key -out other.pem \
            -addext basicConstraints=critical,CA:TRUE",
        );
        let ca = format!("ca -config crl.cnf -cert {issuer}.pem -keyfile {issuer}.key");
        let revoke = files.iter().map(|file| format!("{ca} -revoke {file}"));
        let list = format!("{ca} -gencrl -crldays 1 -out {issuer}.crl");
        for arguments in revoke.chain([list]) {
            self.openssl(&arguments);
        }
        self.folder.path().join(format!("{issuer}.crl"))
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("root.pem")
    }

    /// The receiver's side of TLS; it may ask for a certificate that the client does not have.
    pub(super) fn acceptor(&self, asks_for_certificate: bool) -> TlsAcceptor {
        self.acceptor_of(asks_for_certificate, rustls::ALL_VERSIONS)
    }

    fn acceptor_of(
        &self,
        asks_for_certificate: bool,
        versions: &[&'static SupportedProtocolVersion],
    ) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
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

#[test]
fn a_private_root_makes_a_receiver_trusted() {
    run(async {
        let certificates = Certificates::new();
        let acceptor = certificates.acceptor(false);
        let (address, seen) = start(Some(acceptor), |_| Reply::status("200 OK")).await;
        let mut trusting = settings(format!("https://{address}/"));
        trusting.tls.ca_file = Some(certificates.root());
        let webhook = open(&trusting);
        for _ in 0..3 {
            assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        }
        assert_eq!(seen.opened.get(), 1);

        let others = Certificates::new();
        trusting.tls.ca_file = Some(others.root());
        let outcome = open(&trusting).send(batch()).await;
        assert_eq!(outcome, Outcome::Untrusted(UntrustedReason::UnknownCa));
        let localhost = address.replace("127.0.0.1", "localhost");
        trusting = settings(format!("https://{localhost}/"));
        trusting.tls.ca_file = Some(certificates.root());
        let outcome = open(&trusting).send(batch()).await;
        assert_eq!(outcome, Outcome::Untrusted(UntrustedReason::WrongName));
    });
}

#[test]
fn a_certificate_that_has_expired_is_told_from_others() {
    run(async {
        let certificates = Certificates::new();
        certificates.date(20_200_101);
        let acceptor = certificates.acceptor(false);
        let (address, _seen) = start(Some(acceptor), |_| Reply::status("200 OK")).await;
        let mut trusting = settings(format!("https://{address}/"));
        trusting.tls.ca_file = Some(certificates.root());
        let outcome = open(&trusting).send(batch()).await;
        assert_eq!(outcome, Outcome::Untrusted(UntrustedReason::Expired));
    });
}

#[test]
fn a_certificate_that_is_no_server_s_is_told_by_what_it_is() {
    let purpose = "-CA root.pem -CAkey root.key -addext basicConstraints=critical,CA:FALSE \
        -addext extendedKeyUsage=clientAuth";
    for (made, trusted, cause) in [
        (
            "-addext basicConstraints=critical,CA:TRUE",
            "server.pem",
            "CA certificate used as server certificate",
        ),
        (purpose, "root.pem", "certificate not for servers"),
    ] {
        run(async {
            let certificates = Certificates::new();
            certificates.serve(made);
            let acceptor = certificates.acceptor(false);
            let (address, _seen) = start(Some(acceptor), |_| Reply::status("200 OK")).await;
            let mut trusting = settings(format!("https://{address}/"));
            trusting.tls.ca_file = Some(certificates.folder.path().join(trusted));
            let outcome = open(&trusting).send(batch()).await;
            assert_eq!(outcome, Outcome::Untrusted(UntrustedReason::Other(cause)));
        });
    }
}

#[test]
fn a_receiver_that_wants_our_certificate_does_not_trust_us() {
    run(async {
        let certificates = Certificates::new();
        let acceptor = certificates.acceptor(true);
        let (address, seen) = start(Some(acceptor), |_| Reply::status("200 OK")).await;
        let mut settings = settings(format!("https://{address}/"));
        settings.tls.ca_file = Some(certificates.root());
        let outcome = open(&settings).send(batch()).await;
        assert_eq!(
            outcome,
            Outcome::Untrusted(UntrustedReason::Other("client certificate"))
        );
        assert_eq!(seen.requests.borrow().len(), 0);
        let file = |name: &str| certificates.folder.path().join(name);
        settings.tls.identity = Some((file("server.pem"), file("server.key")));
        assert_eq!(open(&settings).send(batch()).await, Outcome::Delivered);
    });
}

#[test]
fn a_revoked_certificate_is_refused_and_one_of_which_nothing_is_known_as_told() {
    run(async {
        let certificates = Certificates::new();
        let acceptor = certificates.acceptor(false);
        let (address, _seen) = start(Some(acceptor), |_| Reply::status("200 OK")).await;
        let sent = async |list: &Path, unknown: &str| {
            let json = serde_json::json!({
                "url": format!("https://{address}/"), "ca_file": certificates.root(),
                "crl_files": [list], "crl_unknown": unknown,
            });
            let settings = crate::config::tests::read(&json.to_string(), WebhookSettings::read);
            open(&settings.unwrap()).send(batch()).await
        };
        let other = |cause| Outcome::Untrusted(UntrustedReason::Other(cause));
        let empty = certificates.revoked("root", &[]);
        assert_eq!(sent(&empty, "refuse").await, Outcome::Delivered);
        let strange = certificates.revoked("other", &[]);
        let unknown = "certificate without a current list of revoked ones";
        assert_eq!(sent(&strange, "refuse").await, other(unknown));
        assert_eq!(sent(&strange, "accept").await, Outcome::Delivered);
        let ours = certificates.revoked("root", &["server.pem"]);
        for unknown in ["refuse", "accept"] {
            assert_eq!(sent(&ours, unknown).await, other("certificate revoked"));
        }
    });
}

#[test]
fn a_receiver_below_the_policy_is_not_spoken_to() {
    run(async {
        let certificates = Certificates::new();
        let acceptor = certificates.acceptor_of(false, &[&rustls::version::TLS12]);
        let (address, _seen) = start(Some(acceptor), |_| Reply::status("200 OK")).await;
        let tls = |policy: &str| {
            let url = format!("https://{address}/");
            let json =
                serde_json::json!({ "url": url, "ca_file": certificates.root(), "tls": policy });
            crate::config::tests::read(&json.to_string(), WebhookSettings::read).unwrap()
        };
        let outcome = open(&tls("ncsc-good")).send(batch()).await;
        assert_eq!(outcome, Outcome::Unreachable("tls"));
        let outcome = open(&tls("ncsc-sufficient")).send(batch()).await;
        assert_eq!(outcome, Outcome::Delivered);
    });
}

#[test]
fn what_is_not_valid_now_is_warned_of() {
    let certificates = Certificates::new();
    let list = certificates.revoked("root", &[]);
    certificates.openssl(
        "ca -config crl.cnf -cert root.pem -keyfile root.key -gencrl -out root.crl \
            -crl_lastupdate 20200101000000Z -crl_nextupdate 20200102000000Z",
    );
    let at = |file: &str| certificates.folder.path().join(file);
    let (own, key) = (at("server.pem"), at("server.key"));
    let text = format!(
        "url = \"https://receiver.example/\"\ncertificate_file = {own:?}\nkey_file = {key:?}\n\
         crl_files = [{list:?}]\n"
    );
    for (day, told) in [
        (20_200_101, "expired at 2020-01-01T23:59:59Z"),
        (20_980_101, "is not valid before 2098-01-01T00:00:00Z"),
    ] {
        certificates.date(day);
        let document = Document::parse(Path::new("test"), &text, [], &[]).unwrap();
        let findings = document.findings();
        let read = WebhookSettings::read(&document.table(&findings));
        let (_, warnings) = findings.conclude(read).unwrap();
        let warnings = warnings.iter().map(|it| format!("{}: {}", it.key, it.what));
        let (own, list) = (own.display(), list.display());
        let expected = [
            format!("certificate_file: {own} {told}"),
            format!("crl_files: {list} expired at 2020-01-02T00:00:00Z"),
        ];
        assert_eq!(warnings.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn tls_and_plain_http_that_meet_are_told_with_the_remedy() {
    run(async {
        let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let https = settings(format!("https://{}/", plain.local_addr().unwrap()));
        tokio::task::spawn_local(async move {
            loop {
                let (mut stream, _) = plain.accept().await.unwrap();
                assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
                let refused = stream.write_all(b"HTTP/1.1 400 x\r\ncontent-length: 0\r\n\r\n");
                refused.await.unwrap();
            }
        });
        let no_tls = Outcome::Unreachable("destination speaks no TLS");
        assert_eq!(open(&https).send(batch()).await, no_tls);
        let answers = https.check(false).await;
        let fault = answers[0].1.as_ref().unwrap_err();
        assert_eq!(fault.remedy, no_tls.remedy());

        let acceptor = Certificates::new().acceptor(false);
        let (address, _seen) = start(Some(acceptor), |_| Reply::status("200 OK")).await;
        let http = settings(format!("http://{address}/"));
        let outcome = open(&http).send(batch()).await;
        let only_tls = Outcome::Unreachable("destination speaks TLS only");
        assert_eq!(outcome, only_tls);
    });
}

#[test]
fn a_root_file_without_a_certificate_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roots.pem");
    let mut broken = settings("https://receiver.example/".to_owned());
    broken.tls.ca_file = Some(path.clone());
    for text in [None, Some(""), Some("-----BEGIN CERTIFICATE-----\nx\n")] {
        if let Some(text) = text {
            std::fs::write(&path, text).unwrap();
        }
        let error = WebhookSink::open(&broken, false, 1).err().unwrap();
        assert!(error.detail.starts_with("ca_file "), "{text:?}");
    }
}
