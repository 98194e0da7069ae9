//! A real authorization server, as a process of its own: `scripts/authorization-server`.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::net::TcpStream;

use super::brokers::root;
use super::wait::{SOON, eventually};

pub(crate) const SECRET: &str = "geheim & geheim";

/// Killed when dropped, and started again at the same address.
#[derive(Debug)]
pub(crate) struct AuthorizationServer {
    pub(crate) address: SocketAddr,
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
        let clients: Vec<Json> = of_secret.into_iter().chain(of_key).collect();
        let settings =
            json!({ "port": address.port(), "lifetime": lifetime_s, "clients": clients });
        Self {
            address,
            child: None,
            directory,
            settings,
        }
    }

    /// From the next start on tokens are JWTs for this audience, signed with a new key of this id.
    pub(crate) fn signs(&mut self, audience: &str, key_id: &str) {
        let key = self.directory.path().join(key_id);
        openssl(&format!(
            "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out {}",
            key.display()
        ));
        self.settings["audience"] = audience.into();
        self.settings["signing_key_file"] = key.to_str().into();
        self.settings["signing_key_id"] = key_id.into();
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
            algorithm => format!(
                "client_authentication = \"private_key_jwt\"\nalgorithm = \"{algorithm}\"\n\
                 private_key_file = {:?}\n",
                at(&format!("{algorithm}.key"))
            ),
        };
        let url = format!("http://{}/token", self.address);
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
