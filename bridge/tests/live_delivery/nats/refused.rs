//! Rights that the user of a route lacks.

use super::{Scene, stays_unready, unchanged};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, always};
use crate::support::settings::{Route, Settings};

fn server_settings(denied: &str) -> String {
    format!(
        "no_auth_user: all\nauthorization {{ users: [\n{{ user: all, password: p }}\n\
         {{ user: u, password: p, permissions: {{ publish: {{ deny: \"{denied}\" }} }} }}\n] }}"
    )
}

#[tokio::test]
async fn a_missing_right_to_reset_is_named_and_nothing_is_lost() {
    missing("$JS.API.CONSUMER.RESET").await;
}

#[tokio::test]
async fn a_missing_right_to_ask_for_messages_is_named_and_nothing_is_lost() {
    missing("$JS.API.CONSUMER.MSG").await;
}

/// What was settled meanwhile is not delivered again.
#[tokio::test]
async fn a_missing_right_to_acknowledge_is_named_and_nothing_is_lost_or_repeated() {
    missing("$JS.ACK").await;
}

async fn missing(denied: &str) {
    let server = Server::start(&server_settings(&format!("{denied}.>"))).await;
    let stream = Stream::create(&server.address(), "rights").await;
    let scene = Scene::over(stream, 60, 6, always(Answer::Status(204)), unchanged).await;
    let (early, late) = scene.sent.split_at(30);
    scene.stream.write(early, 50).await;
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "p").unwrap();
    let secrets = format!("user = \"u\"\nsecrets = {{ password = {{ file = {password:?} }} }}");
    let route = Route::from_stream(&scene.stream, &scene.receiver, &scene.dead);
    let settings = Settings::new(&brokers::kafka())
        .nats(&scene.stream.server, &secrets)
        .route(route);
    let mut bridge = Bridge::spawn(&settings);
    let refused = format!("Publish to {denied}");
    bridge
        .says(&["WARN", &refused, "see docs/operations.md"])
        .await;
    stays_unready(&bridge).await;
    server.reload(&server_settings("none"));
    scene.stream.write(late, 50).await;
    scene.receiver.gets(&scene.sent).await;
    bridge.ready().await;
    scene.verdict(denied, bridge).await.is_clean();
}
