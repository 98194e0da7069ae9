//! Without an order: several processes may share the durable, and nobody sets it back.

use super::super::without_order;
use super::*;

/// The consumer has passed it, and nobody could hold it there: it is counted.
#[tokio::test]
async fn a_gap_in_the_middle_of_what_comes_without_order_is_counted() {
    // A look between the pause and the end of it tells the same.
    let change = |route: Route| without_order(route.source("on_offset_lost = \"earliest\""));
    let script = always(Answer::Status(204));
    let scene = Scene::new("middle-beside", 61, 61, script, change).await;
    let (early, late) = scene.sent.split_at(6);
    let bridge = scene.settles(early).await;
    scene.stream.pause("bridge").await;
    scene.stream.write(late, 50).await;
    scene.keep(10).await;
    scene.stream.resume("bridge").await;
    bridge
        .says(&["ERROR", "they are lost", "next=7", "first=52"])
        .await;
    metric_becomes(&bridge, "cenl_messages_lost_total", 45.0).await;
    let expected = [early, &late[45..]].concat();
    scene.receiver.gets(&expected).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
    let accepted = scene.receiver.accepted();
    Verdict::of("a gap without order", &expected, &accepted, &[]).is_clean();
}

/// Without an order no delivery tells that others are missing before it.
#[tokio::test]
async fn limits_that_pass_a_full_window_without_order_are_noticed() {
    let small = |route| small(route).own("order = \"none\"");
    let scene = Scene::new("beside", 60, 6, always(Answer::Status(503)), small).await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    metric_becomes(&bridge, "cenl_window_events", 5.0).await;
    scene.keep(10).await;
    bridge
        .says(&["ERROR", "it is read no further", "next=6", "first=51"])
        .await;
    metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    scene.receiver.gets(&scene.sent[..5]).await;
    assert_eq!(scene.receiver.accepted_count(), 5);
    bridge.stop().await;
}
