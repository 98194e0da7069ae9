//! Each way to prove to a NATS server who we are, and what is said when it does not believe us.

use std::path::{Path, PathBuf};

use async_nats::{ConnectOptions, jetstream};
use base64_simd::URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::issued::Issued;
use crate::support::bridge::Bridge;
use crate::support::brokers::{self, certificate};
use crate::support::client::Client;
use crate::support::command::run;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

/// A file of a test, and its path as TOML.
fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn kept(name: &str, path: &Path) -> String {
    format!("secrets = {{ {name} = {{ file = {path:?} }} }}")
}

/// A stream on a server with these settings, read by a bridge with these lines.
async fn carries(title: &str, server: &str, own: ConnectOptions, lines: &str) {
    let server = Server::start(server).await;
    let client = own.connect(server.address()).await.unwrap();
    let context = jetstream::new(client);
    let stream = Stream::create_with(&server.address(), "secure", context).await;
    let broker = brokers::kafka();
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(50, 5);
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::from_stream(&stream, &receiver, &dead);
    let settings = Settings::new(&broker)
        .nats(&server.address(), lines)
        .route(route);
    let bridge = Bridge::start(&settings).await;
    stream.write(&sent, 50).await;
    receiver.gets(&sent).await;
    bridge.stop().await;
    stream.is_drained("bridge").await;
    Verdict::of(title, &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn a_user_with_a_password_reads() {
    let folder = TempDir::new().unwrap();
    let password = file(&folder, "password", "s3cret with space\n");
    let own = ConnectOptions::with_user_and_password("u".into(), "s3cret with space".into());
    let server = "authorization { user: u, password: \"s3cret with space\" }";
    let lines = format!("user = \"u\"\n{}", kept("password", &password));
    carries("NATS with a password", server, own, &lines).await;
}

#[tokio::test]
async fn a_token_reads() {
    let folder = TempDir::new().unwrap();
    let token = file(&folder, "token", "t0ken\n");
    let own = ConnectOptions::with_token("t0ken".into());
    let server = "authorization { token: t0ken }";
    carries("NATS with a token", server, own, &kept("token", &token)).await;
}

#[tokio::test]
async fn a_token_of_a_table_of_credentials_reads() {
    let folder = TempDir::new().unwrap();
    let token = file(&folder, "token", "t0ken\n");
    let own = ConnectOptions::with_token("t0ken".into());
    let server = "authorization { token: t0ken }";
    let lines =
        format!("credentials = \"main\"\n[credentials.main]\ntoken = {{ file = {token:?} }}");
    carries("NATS with a token of [credentials]", server, own, &lines).await;
}

#[tokio::test]
async fn a_user_of_a_table_of_credentials_reads() {
    let folder = TempDir::new().unwrap();
    let password = file(&folder, "password", "s3cret with space\n");
    let own = ConnectOptions::with_user_and_password("u".into(), "s3cret with space".into());
    let server = "authorization { user: u, password: \"s3cret with space\" }";
    let lines = format!(
        "credentials = \"main\"\n[credentials.main]\nuser = \"u\"\npassword = {{ file = {password:?} }}"
    );
    carries("NATS with a password of [credentials]", server, own, &lines).await;
}

#[tokio::test]
async fn an_nkey_reads() {
    let folder = TempDir::new().unwrap();
    let pair = KeyPair::new_user();
    let seed = file(&folder, "seed", &format!("{}\n", pair.seed().unwrap()));
    let own = ConnectOptions::with_nkey(pair.seed().unwrap());
    let server = format!(
        "authorization {{ users: [ {{ nkey: {} }} ] }}",
        pair.public_key()
    );
    carries("NATS with an NKey", &server, own, &kept("nkey", &seed)).await;
}

#[tokio::test]
async fn a_credentials_file_reads() {
    let folder = TempDir::new().unwrap();
    let (operator, account, user) = (
        KeyPair::new_operator(),
        KeyPair::new_account(),
        KeyPair::new_user(),
    );
    let system = KeyPair::new_account();
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let token = |issuer: &KeyPair, subject: &KeyPair, nats: Value| jwt(issuer, subject, nats);
    let operator_jwt = token(
        &operator,
        &operator,
        json!({ "type": "operator", "version": 2 }),
    );
    let account_jwt = token(
        &operator,
        &account,
        json!({ "type": "account", "version": 2, "limits": limits }),
    );
    // The account of the server itself may keep no streams.
    let system_jwt = token(
        &operator,
        &system,
        json!({ "type": "account", "version": 2 }),
    );
    let user_jwt = token(
        &account,
        &user,
        json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 }),
    );
    let credentials = format!(
        "-----BEGIN NATS USER JWT-----\n{user_jwt}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        user.seed().unwrap()
    );
    let server = format!(
        "operator: {operator_jwt}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {account_jwt}, {}: {system_jwt} }}",
        system.public_key(),
        account.public_key(),
        system.public_key()
    );
    let path = file(&folder, "bridge.creds", &credentials);
    let own = ConnectOptions::with_credentials(&credentials).unwrap();
    carries(
        "NATS with a credentials file",
        &server,
        own,
        &kept("credentials", &path),
    )
    .await;
}

/// A token as `nsc` makes it: its id is a digest that servers do not check.
fn jwt(issuer: &KeyPair, subject: &KeyPair, nats: Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode_to_string(value.to_string());
    let head = part(&json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let claims = part(&json!({
        "jti": "test", "iat": 1, "iss": issuer.public_key(), "name": "test",
        "sub": subject.public_key(), "nats": nats,
    }));
    let signed = format!("{head}.{claims}");
    let signature = issuer.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode_to_string(signature))
}

fn tls(verify: bool) -> String {
    format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: {verify} }}",
        certificate("server.pem"),
        certificate("server.key"),
        certificate("ca.pem"),
    )
}

#[tokio::test]
async fn tls_protects() {
    let own = ConnectOptions::new().add_root_certificates(certificate("ca.pem"));
    let lines = format!("ca_file = {:?}", certificate("ca.pem"));
    carries("NATS over TLS", &tls(false), own, &lines).await;
}

#[tokio::test]
async fn a_client_certificate_reads() {
    let own = ConnectOptions::new()
        .add_root_certificates(certificate("ca.pem"))
        .add_client_certificate(certificate("client.pem"), certificate("client.key"));
    let lines = format!(
        "ca_file = {:?}\ncertificate_file = {:?}\nkey_file = {:?}",
        certificate("ca.pem"),
        certificate("client.pem"),
        certificate("client.key"),
    );
    carries("NATS with a client certificate", &tls(true), own, &lines).await;
}

/// The client hands on that it was "IO error".
#[tokio::test]
async fn a_certificate_that_has_expired_is_told_with_its_remedy_when_the_client_connects_again() {
    let issued = Issued::new();
    let tls = |name: &str| {
        let (certificate, key) = issued.certificate(name);
        format!("tls {{ cert_file: {certificate:?}, key_file: {key:?} }}")
    };
    let mut server = Server::start(&tls("good")).await;
    let root = issued.path("root.pem");
    let own = ConnectOptions::new().add_root_certificates(root.clone());
    let client = own.connect(server.address()).await.unwrap();
    let stream = Stream::create_with(&server.address(), "expired", jetstream::new(client)).await;
    let sink = format!(
        "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\nack_timeout = \"1s\"\n",
        stream.subject("k1"),
        stream.name
    );
    let ingress = free_address();
    let settings = Settings::written(String::new())
        .nats(&server.address(), &format!("ca_file = {root:?}"))
        .listen(ingress)
        .route(Route::from_webhook("/events", &sink));
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(1, 1);
    let post = async || {
        let headers = [("content-type", "application/cloudevents+json")];
        let client = Client::new(ingress);
        client.post("/events", &headers, sent[0].json(20)).await
    };
    server.stop();
    server.configure(&tls("old"));
    server.again().await;
    let (cause, remedy) = (
        "certificate expired",
        "let the destination renew its certificate",
    );
    bridge.says(&["WARN", "nats", cause, remedy]).await;
    assert_eq!(post().await.unwrap().status.as_u16(), 502);
    bridge.says(&["did not accept", cause]).await;
    let said = run("check-config", &settings, &["--check-connections"]).await;
    let said = said.ends_with(1);
    assert!(
        said.out.contains(cause) && said.out.contains(remedy),
        "{}",
        said.out
    );
    server.stop();
    server.configure(&tls("good"));
    server.again().await;
    eventually("it is written", SOON, async || {
        let reply = post().await?;
        reply.status.is_success().then_some(())
    })
    .await;
    bridge.stop().await;
}

#[tokio::test]
async fn a_wrong_secret_is_told_and_tried_again() {
    let folder = TempDir::new().unwrap();
    let token = file(&folder, "token", "hush-wrong\n");
    let server = Server::start("authorization { token: t0ken }").await;
    let broker = brokers::kafka();
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let own = ConnectOptions::with_token("t0ken".into());
    let client = own.connect(server.address()).await.unwrap();
    let stream = Stream::create_with(&server.address(), "wrong", jetstream::new(client)).await;
    let route = Route::from_stream(&stream, &receiver, &dead);
    let settings = Settings::new(&broker)
        .nats(&server.address(), &kept("token", &token))
        .route(route);
    let mut bridge = Bridge::spawn(&settings);
    let cause = ["ERROR", "refuses the credentials"];
    let remedy = ["correct user and secrets", "a file is taken over by itself"];
    bridge.says(&[cause, remedy].concat()).await;
    assert!(!bridge.is_ready().await);
    assert!(!bridge.log().contains("hush-wrong"));
    std::fs::write(&token, "t0ken\n").unwrap();
    bridge.ready().await;
    println!("a wrong token: told, not shown");
}
