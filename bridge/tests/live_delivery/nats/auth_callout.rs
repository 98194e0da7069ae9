//! A NATS server that leaves it to a service who may connect (auth callout): the token of an authorization server is
//! shown at each connect, and a connection ends when its token does.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::{ConnectOptions, jetstream};
use base64_simd::URL_SAFE_NO_PAD;
use futures_util::StreamExt;
use nkeys::KeyPair;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::authorization::AuthorizationServer;
use crate::support::bridge::Bridge;
use crate::support::brokers::{self, certificate};
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;

fn decoded(part: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode_to_vec(part).unwrap()).unwrap()
}

/// The claims of a token that the authorization server has signed.
fn verified(token: &str) -> Option<Value> {
    let (signed, signature) = token.rsplit_once('.')?;
    let keys: Value =
        serde_json::from_slice(&fs::read(certificate("tokens.jwks.json")).unwrap()).unwrap();
    let number =
        |name: &str| URL_SAFE_NO_PAD.decode_to_vec(keys["keys"][0][name].as_str().unwrap());
    let key = RsaPublicKeyComponents {
        n: number("n").unwrap(),
        e: number("e").unwrap(),
    };
    let signature = URL_SAFE_NO_PAD.decode_to_vec(signature).ok()?;
    key.verify(&RSA_PKCS1_2048_8192_SHA256, signed.as_bytes(), &signature)
        .ok()?;
    Some(decoded(signed.split_once('.')?.1))
}

fn signed(issuer: &KeyPair, mut claims: Value) -> String {
    claims["jti"] = json!("test");
    claims["iat"] = json!(jiff::Timestamp::now().as_second());
    claims["iss"] = json!(issuer.public_key());
    let part = |value: &Value| URL_SAFE_NO_PAD.encode_to_string(value.to_string());
    let head = part(&json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let signed = format!("{head}.{}", part(&claims));
    let signature = issuer.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode_to_string(signature))
}

/// What the service says to one who connects, and the token that was shown.
fn judged(account: &KeyPair, request: &[u8]) -> (String, Option<String>) {
    let request = std::str::from_utf8(request).unwrap();
    let asked = &decoded(request.split('.').nth(1).unwrap())["nats"];
    let token = asked["connect_opts"]["auth_token"].as_str();
    let answer = match token.and_then(verified) {
        Some(claims) => json!({ "jwt": signed(account, json!({
            "sub": asked["user_nkey"], "aud": "$G", "name": claims["sub"], "exp": claims["exp"],
            "nats": { "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 },
        })) }),
        None => json!({ "error": "no token that we know" }),
    };
    let mut claims = json!({
        "sub": asked["user_nkey"], "aud": asked["server_id"]["id"], "nats": answer,
    });
    claims["nats"]["type"] = json!("authorization_response");
    claims["nats"]["version"] = json!(2);
    (signed(account, claims), token.map(str::to_owned))
}

#[tokio::test]
async fn a_renewed_token_is_shown_at_each_connect() {
    const LIFETIME: u64 = 3;
    let account = KeyPair::new_account();
    let server = Server::start(&format!(
        "authorization {{ users: [ {{ user: service, password: s }} ], \
         auth_callout {{ issuer: {}, auth_users: [ service ] }} }}",
        account.public_key()
    ))
    .await;
    let own = || ConnectOptions::with_user_and_password("service".into(), "s".into());
    let service = own().connect(server.address()).await.unwrap();
    let mut requests = service.subscribe("$SYS.REQ.USER.AUTH").await.unwrap();
    service.flush().await.unwrap();
    let shown = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&shown);
    let serves = tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let (answer, token) = judged(&account, &request.payload);
            seen.lock().unwrap().extend(token);
            let answer = service.publish(request.reply.unwrap(), answer.into());
            answer.await.unwrap();
        }
    });
    let mut issuer = AuthorizationServer::new(free_address(), LIFETIME);
    issuer.start().await;
    let client = own().connect(server.address()).await.unwrap();
    let stream = Stream::create_with(&server.address(), "callout", jetstream::new(client)).await;
    let dead = Topic::create(&brokers::kafka(), "dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let lines = format!(
        "credentials = \"main\"\n{}",
        issuer.credentials("main", "PS256")
    );
    let settings = Settings::new(&brokers::kafka())
        .nats(&server.address(), &lines)
        .route(Route::from_stream(&stream, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(120, 12);
    for events in sent.chunks(10) {
        stream.write(events, 20).await;
        sleep(Duration::from_secs(1)).await;
    }
    receiver.gets(&sent).await;
    Verdict::of("auth callout", &sent, &receiver.accepted(), &[]).keeps_the_promise();
    let shown = shown.lock().unwrap().clone();
    assert!(shown.len() > 2, "{} tokens", shown.len());
    let log = bridge.log();
    assert!(shown.iter().all(|token| !log.contains(token)));
    bridge.stop().await;
    serves.abort();
}
