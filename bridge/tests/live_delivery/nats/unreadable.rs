//! Messages that no client reads: the stream hands them out in another form.

use super::{Scene, unchanged, without_order};
use crate::support::bridge::Bridge;
use crate::support::nats::write_raw;
use crate::support::receiver::{Answer, always};
use crate::support::settings::Route;
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

/// Publishes a message under `k0` whose headers no client reads.
async fn poison(scene: &Scene) {
    let stream = &scene.stream;
    let block = b"NATS/1.0\r\nce-id: \xff\r\n\r\n";
    write_raw(&stream.server, &stream.subject("k0"), block, b"poison").await;
}

/// Runs the bridge until what was sent has arrived and so many others are dead letters.
async fn carried(scene: &Scene, dead: usize) {
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    eventually("the others are dead letters", 2 * SOON, async || {
        (scene.dead.len().await >= dead).then_some(())
    })
    .await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
}

/// The client ends its connection on such a message, and on each redelivery.
#[tokio::test]
async fn headers_that_no_client_reads_go_to_the_dead_letters() {
    let scene = Scene::new("poison", 60, 6, always(Answer::Status(204)), unchanged).await;
    let (stream, (before, after)) = (&scene.stream, scene.sent.split_at(30));
    stream.write(before, 50).await;
    let blocks: [&[u8]; 4] = [
        b"NATS/1.0\r\nce-id: kept\r\nce-type: \xff\xfe\r\n\r\n",
        b"NATS/1.0\r\nno colon here\r\n\r\n",
        b"NATS/1.0\r\nce-source: a\xe9\r\n\r\n",
        // The client does not end its connection on this one: it panics.
        b"NATS/1.0\r\nce-source: a\rb\r\n\r\n",
    ];
    write_raw(
        &stream.server,
        &stream.subject("k0"),
        blocks[0],
        b"{\"kept\": \x00true}",
    )
    .await;
    write_raw(&stream.server, &stream.subject("k0"), blocks[1], b"second").await;
    stream.write(&after[..10], 50).await;
    write_raw(&stream.server, &stream.subject("k1"), blocks[2], b"").await;
    write_raw(&stream.server, &stream.subject("k2"), blocks[3], b"fourth").await;
    stream.write(&after[10..], 50).await;
    carried(&scene, blocks.len()).await;
    Verdict::of(
        "unreadable headers",
        &scene.sent,
        &scene.receiver.accepted(),
        &[],
    )
    .is_clean();
    let letters = scene.dead.read().await;
    let mut bodies: Vec<_> = letters
        .iter()
        .map(|letter| letter.value.clone().unwrap())
        .collect();
    bodies.sort();
    assert_eq!(
        bodies,
        [
            b"".to_vec(),
            b"fourth".to_vec(),
            b"second".to_vec(),
            b"{\"kept\": \x00true}".to_vec()
        ]
    );
    for letter in &letters {
        assert_eq!(letter.text("cenl-kind").as_deref(), Some("undecodable"));
        let place = letter.text("cenl-source").unwrap();
        assert!(
            place.starts_with(&format!("nats:{}/", stream.name)),
            "{place}"
        );
    }
    let kept = letters
        .iter()
        .find(|letter| letter.value.as_deref() == Some(b"{\"kept\": \x00true}"));
    assert_eq!(kept.unwrap().text("ce-id").as_deref(), Some("kept"));
}

/// The same where nobody keeps an order and the server sends it again when it is due.
#[tokio::test]
async fn headers_that_no_client_reads_hold_up_nobody_without_order() {
    let change = |route: Route| without_order(route).source("ack_wait = \"2s\"");
    let scene = Scene::new("poison", 60, 6, always(Answer::Status(204)), change).await;
    let stream = &scene.stream;
    stream.write(&scene.sent[..30], 50).await;
    poison(&scene).await;
    stream.write(&scene.sent[30..], 50).await;
    carried(&scene, 1).await;
    // A connection that breaks takes what was on its way along; some of it may have arrived.
    let arrivals: std::collections::BTreeSet<_> = scene.receiver.accepted().into_iter().collect();
    assert_eq!(arrivals.len(), scene.sent.len());
    println!(
        "unreadable header without order: {} sent, {} arrived, 1 dead letter",
        scene.sent.len(),
        arrivals.len()
    );
}

/// No other message helps this process to its place.
#[tokio::test]
async fn headers_that_no_client_reads_are_found_where_nothing_else_is() {
    fn short(route: Route) -> Route {
        route.source("ack_wait = \"2s\"")
    }
    let scene = Scene::new("alone", 0, 1, always(Answer::Status(204)), short).await;
    poison(&scene).await;
    carried(&scene, 1).await;
    println!("an unreadable header alone: 1 sent, 1 dead letter");
}

/// The client ends its connection on such a message, and on each redelivery.
#[tokio::test]
async fn subjects_that_no_client_reads_go_to_the_dead_letters() {
    let scene = Scene::new("subject", 40, 4, always(Answer::Status(204)), unchanged).await;
    let (stream, (before, after)) = (&scene.stream, scene.sent.split_at(20));
    stream.write(before, 50).await;
    for last in [&b"\xff"[..], "\u{a0}".as_bytes()] {
        let subject = [stream.subject("k0").as_bytes(), last].concat();
        write_raw(&stream.server, subject, b"NATS/1.0\r\n\r\n", last).await;
    }
    stream.write(after, 50).await;
    carried(&scene, 2).await;
    println!("unreadable subjects: 2 sent, 2 dead letters");
}

/// Only a place where nothing was given out yet can be set for a consumer of new messages alone.
#[tokio::test]
async fn headers_that_no_client_reads_are_passed_by_a_durable_for_new_messages() {
    let scene = Scene::new("new", 20, 2, always(Answer::Status(204)), unchanged).await;
    let stream = &scene.stream;
    let config = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("bridge".to_owned()),
        deliver_policy: async_nats::jetstream::consumer::DeliverPolicy::New,
        ..Default::default()
    };
    let made = stream
        .context
        .create_consumer_on_stream(config, &stream.name);
    made.await.unwrap();
    stream.write(&scene.sent[..10], 50).await;
    poison(&scene).await;
    stream.write(&scene.sent[10..], 50).await;
    carried(&scene, 1).await;
    let accepted = scene.receiver.accepted();
    Verdict::of("new messages alone", &scene.sent, &accepted, &[]).is_clean();
}
