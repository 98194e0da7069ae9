//! Tokens of a real authorization server, known by the keys at its URL: when they change, and in an outage.

use std::net::SocketAddr;

use serde_json::Value as Json;

use crate::support::authorization::{AUDIENCE, AuthorizationServer, SECRET};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::settings::{Route, Settings, free_address};
use crate::support::wait::{SOON, eventually};

const CLIENT: &str = "client_secret_post";

/// A token of the server, as a header has it.
async fn token(server: SocketAddr) -> String {
    let form = form_urlencoded::Serializer::new(String::new())
        .append_pair("grant_type", "client_credentials")
        .append_pair("scope", "events")
        .append_pair("client_id", CLIENT)
        .append_pair("client_secret", SECRET)
        .finish();
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let answer = Client::new(server)
        .post("/token", &headers, form)
        .await
        .unwrap();
    let answer: Json = serde_json::from_slice(&answer.body).unwrap();
    let token = answer["access_token"].as_str();
    format!("Bearer {}", token.unwrap_or_else(|| panic!("{answer}")))
}

#[tokio::test]
async fn the_keys_of_an_issuer_are_followed_and_outlive_its_outage() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "issuer").await;
    let ingress = free_address();
    let mut server = AuthorizationServer::new(free_address(), 600);
    server.change_signing_key("one");
    server.start().await;
    let issuer = format!("http://{}", server.address);
    let clients = format!(
        "clients = [{{ name = \"zaken\", jwt = {{ issuer = \"{issuer}\", audience = \"{AUDIENCE}\", \
         subject = \"{CLIENT}\", jwks_url = \"{issuer}/jwks\" }} }}]\n"
    );
    let settings = Settings::new(&broker)
        .listen(ingress)
        .connection(&clients)
        .route(Route::to_topic("/events", &topic));
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    let events = numbered(10, 1);
    let mut events = events.iter().map(|event| event.json(0));
    let mut event = || events.next().unwrap();
    let post = async |token: &str, event: &str| {
        let headers = [
            ("content-type", "application/cloudevents+json"),
            ("authorization", token),
        ];
        let answer = client.post("/events", &headers, event.to_owned()).await;
        answer.unwrap().status.as_u16()
    };
    // Whoever is told to wait, waits.
    let accepted = async |token: &str, event: &str, meanwhile: &[u16]| {
        eventually("the token counts", SOON, async || {
            let status = post(token, event).await;
            assert!(status == 202 || meanwhile.contains(&status), "{status}");
            (status == 202).then_some(())
        })
        .await;
    };
    let one = token(server.address).await;
    accepted(&one, &event(), &[503]).await;
    server.kill();
    assert_eq!(post(&one, &event()).await, 202);
    server.change_signing_key("two");
    server.start().await;
    let two = token(server.address).await;
    // The keys are looked for every ten seconds at most.
    accepted(&two, &event(), &[503, 401]).await;
    assert_eq!(post(&one, &event()).await, 401, "its key is gone");
    let (signed, signature) = two.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{}", "A".repeat(signature.len()));
    assert_eq!(post(&forged, &event()).await, 401);
    assert_eq!(topic.len().await, 3);
    bridge.stop().await;
    server.kill();
    // It keeps no keys, and says so.
    let bridge = Bridge::start(&settings).await;
    bridge
        .says(&[
            "the keys of an issuer cannot be fetched",
            "127.0.0.1",
            "serves_on=false",
        ])
        .await;
    assert_eq!(post(&two, &event()).await, 503);
    server.start().await;
    accepted(&two, &event(), &[503]).await;
    let log = bridge.log();
    assert!(!log.contains(two.rsplit('.').next().unwrap()), "{log}");
    bridge.stop().await;
}
