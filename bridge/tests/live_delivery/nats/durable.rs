//! Durables that are there already, that are deleted, and that are made anew.

use std::io::{BufRead, BufReader};

use futures_util::StreamExt;
use tokio::time::timeout;

use super::{Scene, unchanged};
use crate::support::bridge::Bridge;
use crate::support::command::start;
use crate::support::nats::Stream;
use crate::support::receiver::{Answer, always};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};

#[tokio::test]
async fn a_consumer_that_no_server_changes_is_refused_with_both_values() {
    let scene = Scene::new("unfit", 1, 1, always(Answer::Status(204)), unchanged).await;
    let config = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("bridge".to_owned()),
        ack_policy: async_nats::jetstream::consumer::AckPolicy::All,
        ..Default::default()
    };
    let context = &scene.stream.context;
    context
        .create_consumer_on_stream(config, &scene.stream.name)
        .await
        .unwrap();
    let bridge = Bridge::spawn(&scene.settings);
    bridge
        .says(&[
            "route ended by itself",
            "ack_policy is all, needed is explicit",
        ])
        .await;
    println!("an unfit consumer: refused");
}

/// A durable of an earlier version, or of a route without an order, with a part of the stream behind
/// it and a part given out.
#[tokio::test]
async fn a_durable_that_is_there_is_changed_and_keeps_its_place() {
    let scene = Scene::new("changed", 60, 6, always(Answer::Status(204)), unchanged).await;
    let (old, rest) = scene.sent.split_at(20);
    scene.stream.write(old, 50).await;
    let config = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("bridge".to_owned()),
        deliver_policy: async_nats::jetstream::consumer::DeliverPolicy::New,
        max_deliver: 5,
        max_ack_pending: 7,
        max_batch: 10,
        max_bytes: 10_000,
        ..Default::default()
    };
    let context = &scene.stream.context;
    let consumer = context
        .create_consumer_on_stream(config, &scene.stream.name)
        .await
        .unwrap();
    scene.stream.write(rest, 50).await;
    let mut given = consumer.fetch().max_messages(7).messages().await.unwrap();
    for number in 0..7 {
        let message = given.next().await.unwrap().unwrap();
        if number < 3 {
            message.double_ack().await.unwrap();
        }
    }
    let bridge = Bridge::start(&scene.settings).await;
    for setting in ["max_deliver", "max_ack_pending", "priority", "ack_wait"] {
        bridge
            .says(&["WARN", "the consumer is changed", setting])
            .await;
    }
    scene.receiver.gets(&rest[3..]).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
    let accepted = scene.receiver.accepted();
    Verdict::of("a durable changed", &rest[3..], &accepted, &[]).is_clean();
}

/// As where two processes disagree about it. Each session puts it right.
#[tokio::test]
async fn a_durable_that_is_changed_each_time_is_not_told_of_each_time() {
    let scene = Scene::new("contested", 9, 3, always(Answer::Status(204)), unchanged).await;
    let bridge = Bridge::start(&scene.settings).await;
    let Stream { name, context, .. } = &scene.stream;
    let stream = context.get_stream(name).await.unwrap();
    for sent in scene.sent.chunks(3) {
        scene.change(|config| config.max_deliver = 5).await;
        // Ends the session.
        drop(stream.unpin_consumer("bridge", "cenl-bridge").await);
        eventually("it is put right", SOON, async || {
            let config = scene.stream.consumer("bridge").await.config;
            (config.max_deliver == -1).then_some(())
        })
        .await;
        scene.stream.write(sent, 50).await;
    }
    scene.receiver.gets(&scene.sent).await;
    let told = bridge.log().matches("the consumer is changed").count();
    assert!(told < 3, "{}", bridge.log());
    scene.verdict("contested", bridge).await.is_clean();
}

#[tokio::test]
async fn a_consumer_that_is_deleted_ends_the_route_with_a_word() {
    let scene = Scene::new("deleted", 50, 5, always(Answer::Status(204)), unchanged).await;
    let bridge = scene.settles(&scene.sent).await;
    let stream = scene
        .stream
        .context
        .get_stream(&scene.stream.name)
        .await
        .unwrap();
    stream.delete_consumer("bridge").await.unwrap();
    bridge
        .says(&["WARN", "consumer bridge is not found", "reading ends"])
        .await;
    until("the route ends and says why", 3 * SOON, || {
        let log = bridge.log();
        log.contains("route ended by itself") && log.contains("consumer bridge was deleted")
    })
    .await;
}

/// A server that starts may find it again, so it is asked for a while.
#[tokio::test]
async fn who_follows_a_stream_that_is_deleted_learns_that_it_is_gone() {
    let scene = Scene::new("followed", 1, 1, always(Answer::Status(204)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let words = ["--route", "to-webhook", "--follow", "--since", "earliest"];
    let mut tail = start("tail", &scene.settings, &words);
    let mut out = BufReader::new(tail.child.stdout.take().unwrap());
    assert!(out.read_line(&mut String::new()).unwrap() > 0);
    let Stream { name, context, .. } = &scene.stream;
    context.delete_stream(name).await.unwrap();
    let said = timeout(3 * SOON, tail.end()).await.unwrap().ends_with(1);
    let asked = said.errors.matches("the stream is asked again").count();
    assert!(asked < 5, "{}", said.errors);
    let gone = format!("stream {name} was deleted");
    assert!(said.errors.contains(&gone), "{}", said.errors);
}

/// An operator needs more than a moment for it.
#[tokio::test]
async fn a_consumer_that_is_deleted_and_made_anew_is_read() {
    let scene = Scene::new("remade", 60, 6, always(Answer::Status(204)), unchanged).await;
    let (before, after) = scene.sent.split_at(30);
    let bridge = scene.settles(before).await;
    let Stream { name, context, .. } = &scene.stream;
    let stream = context.get_stream(name).await.unwrap();
    let asked = format!("$JS.API.CONSUMER.INFO.{name}.bridge");
    let mut asked = context.client().subscribe(asked).await.unwrap();
    context.client().flush().await.unwrap();
    stream.delete_consumer("bridge").await.unwrap();
    bridge
        .says(&["WARN", "consumer bridge is not found", "reading ends"])
        .await;
    eventually("it is not ready", SOON, async || {
        (!bridge.is_ready().await).then_some(())
    })
    .await;
    for _ in 0..6 {
        asked.next().await.unwrap();
    }
    let durable = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("bridge".to_owned()),
        deliver_policy: async_nats::jetstream::consumer::DeliverPolicy::ByStartSequence {
            start_sequence: 31,
        },
        ..Default::default()
    };
    stream.create_consumer(durable).await.unwrap();
    scene.stream.write(after, 50).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("a consumer remade", bridge).await.is_clean();
}

/// Its sequences are those of messages that were delivered before, and mean others.
#[tokio::test]
async fn a_stream_that_is_made_anew_under_its_name_is_read_from_the_beginning() {
    let scene = Scene::new("anew", 200, 5, always(Answer::Status(204)), unchanged).await;
    let (before, after) = scene.sent.split_at(100);
    let bridge = scene.settles(before).await;
    let context = &scene.stream.context;
    let mut stream = context.get_stream(&scene.stream.name).await.unwrap();
    let config = stream.info().await.unwrap().config.clone();
    let durable = scene.stream.consumer("bridge").await.config;
    context.delete_stream(&scene.stream.name).await.unwrap();
    let stream = context.create_stream(config).await.unwrap();
    let durable = async_nats::jetstream::consumer::pull::Config {
        durable_name: durable.durable_name,
        ack_wait: durable.ack_wait,
        max_ack_pending: durable.max_ack_pending,
        max_deliver: durable.max_deliver,
        priority_policy: durable.priority_policy,
        priority_groups: durable.priority_groups,
        priority_timeout: durable.priority_timeout,
        ..Default::default()
    };
    stream.create_consumer(durable).await.unwrap();
    scene.stream.write(after, 50).await;
    bridge.says(&["the consumer was made anew"]).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("a stream made anew", bridge).await.is_clean();
}

/// Makes the stream again, as soon as its server takes it.
pub(super) async fn made_anew(
    stream: &Stream,
    config: async_nats::jetstream::stream::Config,
) -> async_nats::jetstream::stream::Stream {
    eventually("the stream is made anew", SOON, async || {
        stream.context.create_stream(config.clone()).await.ok()
    })
    .await
}
