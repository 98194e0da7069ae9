//! A real authorization server, as a process of its own: `scripts/authorization-server`. Its tokens are signed with the
//! key by which the brokers of `scripts/brokers` know them, unless a test says otherwise.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use base64_simd::URL_SAFE_NO_PAD;
use hyper::HeaderMap;
use jiff::Timestamp;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::net::TcpStream;

use super::brokers::{certificate, root};
use super::receiver::Guard;
use super::settings::free_address;
use super::wait::{SOON, eventually};

pub(crate) const SECRET: &str = "geheim & geheim";
pub(crate) const AUDIENCE: &str = "urn:cenl:events";
/// Of the key that brokers know.
pub(crate) const KEY_ID: &str = "tokens";
pub(crate) const TLS: &str = "tls_client_auth";
/// A client with the certificate of another one.
pub(crate) const OTHER_TLS: &str = "another-certificate";

/// Killed when dropped, and started again at the same address.
#[derive(Debug)]
pub(crate) struct AuthorizationServer {
    pub(crate) address: SocketAddr,
    /// For clients that show a certificate.
    tls: SocketAddr,
    child: Option<Child>,
    directory: TempDir,
    settings: Json,
}

impl AuthorizationServer {
    /// It knows a client for each way to prove who it is, called as that is.
    pub(crate) fn new(address: SocketAddr, lifetime_s: u64) -> Self {
        let directory = TempDir::new().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("secret"), SECRET).unwrap();
        let keys = [
            ("RS256", "RSA -pkeyopt rsa_keygen_bits:2048"),
            ("PS256", "RSA -pkeyopt rsa_keygen_bits:2048"),
            ("ES256", "EC -pkeyopt ec_paramgen_curve:prime256v1"),
        ];
        let of_secret = ["client_secret_basic", "client_secret_post"].map(|method| {
            json!({ "client_id": method, "client_secret": SECRET, "token_endpoint_auth_method": method })
        });
        let of_key = keys.map(|(algorithm, kind)| {
            let (private, public) = (
                at(&format!("{algorithm}.key")),
                at(&format!("{algorithm}.pub")),
            );
            openssl(&format!(
                "genpkey -algorithm {kind} -out {}",
                private.display()
            ));
            openssl(&format!(
                "pkey -in {} -pubout -out {}",
                private.display(),
                public.display()
            ));
            json!({
                "client_id": algorithm, "token_endpoint_auth_method": "private_key_jwt",
                "token_endpoint_auth_signing_alg": algorithm, "public_key_file": public,
            })
        });
        let of_certificate = [(TLS, "CN=bridge"), (OTHER_TLS, "CN=somebody else")].map(|(id, subject)| {
            json!({
                "client_id": id, "token_endpoint_auth_method": TLS, "tls_client_auth_subject_dn": subject,
            })
        });
        let clients: Vec<Json> = of_secret
            .into_iter()
            .chain(of_key)
            .chain(of_certificate)
            .collect();
        let tls = free_address();
        let settings = json!({
            "port": address.port(), "lifetime": lifetime_s, "ahead": 0, "clients": clients,
            "audience": AUDIENCE, "signing_key_file": certificate("tokens.key"), "signing_key_id": KEY_ID,
            "tls": {
                "port": tls.port(), "certificate_file": certificate("server.pem"),
                "key_file": certificate("server.key"), "ca_file": certificate("ca.pem"),
            },
        });
        Self {
            address,
            tls,
            child: None,
            directory,
            settings,
        }
    }

    /// From its next start on its clock is so many seconds ahead.
    pub(crate) fn set_clock(&mut self, ahead_s: i64) {
        self.settings["ahead"] = ahead_s.into();
    }

    /// To one that brokers do not know, from its next start on.
    pub(crate) fn change_signing_key(&mut self, key_id: &str) {
        let key = self.directory.path().join("signing.key");
        openssl(&format!(
            "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out {}",
            key.display()
        ));
        self.settings["signing_key_file"] = json!(key);
        self.settings["signing_key_id"] = key_id.into();
    }

    /// Takes tokens that the key of now has signed, until they expire by a clock that is so many seconds ahead
    /// of that of the server.
    pub(crate) fn takes(&self, ahead_s: i64) -> Guard {
        let private = self.settings["signing_key_file"].as_str().unwrap();
        let public = self.directory.path().join("signing.der");
        openssl(&format!(
            "rsa -in {private} -RSAPublicKey_out -outform DER -out {}",
            public.display()
        ));
        let public = fs::read(public).unwrap();
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public);
        let ahead = self.settings["ahead"].as_i64().unwrap() + ahead_s;
        Box::new(move |headers: &HeaderMap| {
            let decoded = |text: &str| URL_SAFE_NO_PAD.decode_to_vec(text).unwrap();
            let token = headers["authorization"].to_str().unwrap();
            let token = token.strip_prefix("Bearer ").unwrap();
            let (signed, signature) = token.rsplit_once('.').unwrap();
            let claims = signed.split_once('.').unwrap().1;
            let claims: Json = serde_json::from_slice(&decoded(claims)).unwrap();
            let now = Timestamp::now().as_second() + ahead;
            let is_good = claims["exp"].as_i64().unwrap() > now;
            is_good && key.verify(signed.as_bytes(), &decoded(signature)).is_ok()
        })
    }

    /// Tokens since the last start.
    pub(crate) fn granted(&self) -> usize {
        let log = fs::read_to_string(self.directory.path().join("log"));
        log.unwrap().matches("granted").count()
    }

    pub(crate) async fn start(&mut self) {
        let at = |name: &str| self.directory.path().join(name);
        fs::write(at("settings.json"), self.settings.to_string()).unwrap();
        let log = File::create(at("log")).unwrap();
        let mut child = Command::new(root().join("scripts/authorization-server"))
            .arg(at("settings.json"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        // It may have to be installed.
        eventually("the authorization server listens", 20 * SOON, async || {
            let log = || fs::read_to_string(at("log"));
            assert_eq!(child.try_wait().unwrap(), None, "{:?}", log());
            TcpStream::connect(self.address).await.ok()
        })
        .await;
        self.child = Some(child);
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// `[credentials.NAME]` of the client that proves itself so.
    pub(crate) fn credentials(&self, name: &str, method: &str) -> String {
        let at = |name: &str| self.directory.path().join(name);
        let proof = match method {
            "client_secret_basic" | "client_secret_post" => {
                format!(
                    "client_authentication = \"{method}\"\nclient_secret = {{ file = {:?} }}\n",
                    at("secret")
                )
            }
            TLS | OTHER_TLS => format!(
                "client_authentication = \"{TLS}\"\nca_file = {:?}\ncertificate_file = {:?}\nkey_file = {:?}\n",
                certificate("ca.pem"),
                certificate("client.pem"),
                certificate("client.key")
            ),
            algorithm => format!(
                "client_authentication = \"private_key_jwt\"\nalgorithm = \"{algorithm}\"\n\
                 private_key_file = {:?}\n",
                at(&format!("{algorithm}.key"))
            ),
        };
        let url = match method {
            TLS | OTHER_TLS => format!("https://{}/token", self.tls),
            _ => format!("http://{}/token", self.address),
        };
        format!(
            "[credentials.{name}]\ntoken_url = \"{url}\"\nclient_id = \"{method}\"\nscopes = [\"events\"]\n{proof}"
        )
    }

    /// What must be seen nowhere.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let key = fs::read_to_string(self.key("ES256")).unwrap();
        let line = key.lines().nth(1).unwrap().to_owned();
        vec![SECRET.to_owned(), line]
    }

    fn key(&self, algorithm: &str) -> PathBuf {
        let directory: &Path = self.directory.path();
        directory.join(format!("{algorithm}.key"))
    }
}

impl Drop for AuthorizationServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn openssl(arguments: &str) {
    let made = Command::new("openssl")
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
}
