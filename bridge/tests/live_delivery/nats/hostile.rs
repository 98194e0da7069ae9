//! Messages that anybody may publish, and that look like the word of a server or like nothing at all.

use super::{Scene, unchanged};
use crate::support::bridge::Bridge;
use crate::support::nats::write_raw;
use crate::support::receiver::{Answer, always};

#[tokio::test]
async fn a_stored_message_with_a_status_is_a_message() {
    let scene = Scene::new("status", 60, 6, always(Answer::Status(204)), unchanged).await;
    let stream = &scene.stream;
    let blocks = [
        "NATS/1.0 503\r\nX: y\r\n\r\n",
        "NATS/1.0 100 Idle Heartbeat\r\nX: y\r\n\r\n",
        "NATS/1.0 409 Consumer Deleted\r\nX: y\r\n\r\n",
        "NATS/1.0 423 Nats-Pin-Id mismatch\r\nX: y\r\n\r\n",
        "NATS/1.0 408 Request Timeout\r\nX: y\r\n\r\n",
    ];
    for (index, event) in scene.sent.iter().enumerate() {
        match (index % 10, blocks.get(index / 10)) {
            (5, Some(block)) => {
                let (subject, body) = (stream.subject(&event.key), event.json(50));
                write_raw(&stream.server, subject, block.as_bytes(), body.as_bytes()).await;
            }
            _ => stream.write(std::slice::from_ref(event), 50).await,
        }
    }
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("stored statuses", bridge).await.is_clean();
}

/// A message is what tells a process that it may read.
#[tokio::test]
async fn a_stored_header_names_nobody_who_reads() {
    let scene = Scene::new("pin", 20, 2, always(Answer::Status(204)), unchanged).await;
    let stream = &scene.stream;
    let block = b"NATS/1.0\r\nNats-Pin-Id: somebody\r\n\r\n";
    for event in &scene.sent {
        let (subject, body) = (stream.subject(&event.key), event.json(50));
        write_raw(&stream.server, subject, block, body.as_bytes()).await;
    }
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("a stored pin", bridge).await.is_clean();
}
