//! What a process had taken and not delivered when it stopped.

use super::*;

const GONE: &str = "messages that wait have left the stream";

/// For the server it is acknowledged once it is gone, before the stop or behind it.
#[tokio::test]
async fn what_waited_at_a_stop_and_left_the_stream_holds_the_next_process() {
    for leaves_first in [true, false] {
        waited(leaves_first).await;
    }
}

async fn waited(leaves_first: bool) {
    let scene = Scene::new("waited", 10, 5, always(Answer::Status(503)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let limited = scene.settings.clone().limits("shutdown_deadline = \"1s\"");
    let bridge = Bridge::start(&limited).await;
    metric_becomes(&bridge, "cenl_window_events", 10.0).await;
    if leaves_first {
        scene.keep(1).await;
        bridge.says(&[GONE, "messages=9", "a stop loses"]).await;
    }
    bridge.stop().await;
    scene.keep(1).await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    let bridge = Bridge::start(&scene.settings.another()).await;
    bridge
        .says(&["ERROR", "it is read no further", "next=1", "first=10"])
        .await;
    metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
    scene.stream.reset("bridge", 10).await;
    let last = &scene.sent[9..];
    scene.receiver.gets(last).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
    Verdict::of("waited at a stop", last, &scene.receiver.accepted(), &[]).is_clean();
}

/// Others share the consumer, so that it cannot be set back: the process that stops tells it.
#[tokio::test]
async fn what_waited_at_a_stop_without_order_and_left_the_stream_is_told() {
    let change = |route: Route| route.own("order = \"none\"");
    let scene = Scene::new("waited", 10, 5, always(Answer::Status(503)), change).await;
    scene.stream.write(&scene.sent, 50).await;
    let limited = scene.settings.clone().limits("shutdown_deadline = \"1s\"");
    let mut bridge = Bridge::start(&limited).await;
    metric_becomes(&bridge, "cenl_window_events", 10.0).await;
    scene.keep(1).await;
    bridge.terminate();
    bridge.says(&[GONE, "messages=9", "they are lost"]).await;
    bridge.exit_code(SOON).await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    let bridge = Bridge::start(&scene.settings.another()).await;
    let last = &scene.sent[9..];
    scene.receiver.gets(last).await;
    bridge.stop().await;
    Verdict::of("told at a stop", last, &scene.receiver.accepted(), &[]).is_clean();
}
