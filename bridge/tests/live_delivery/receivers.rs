//! Receivers that fail, ask for time, refuse, hang and lie.

use std::time::Duration;

use crate::scene::{KEYS, Scene};
use crate::support::bridge::Bridge;
use crate::support::receiver::{Answer, Receiver, first};
use crate::support::wait::{SOON, eventually, until};

/// Everything arrives exactly once behind these answers, which accept nothing.
async fn passes(title: &str, answers: Vec<Answer>, sink: &str) {
    let requests = answers.len();
    let scene = Scene::new(200, first(answers), sink).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.all_arrived().await;
    scene.verdict(title, bridge).await.is_clean();
    assert_eq!(
        scene.receiver.requests(),
        scene.sent.len() + requests,
        "{title}"
    );
}

#[tokio::test]
async fn answers_500_are_retried() {
    let answers = [500, 502, 504, 500, 500, 408, 425, 599, 500, 500];
    passes("500", answers.map(Answer::Status).to_vec(), "").await;
}

#[tokio::test]
async fn answer_503_with_retry_after_is_honoured() {
    let mut answers = vec![Answer::RetryAfter(503, 2)];
    answers.extend([Answer::Status(503), Answer::RetryAfter(503, 1)]);
    passes("503 with Retry-After", answers, "").await;
}

#[tokio::test]
async fn answer_429_is_honoured() {
    let answers = vec![
        Answer::RetryAfter(429, 1),
        Answer::Status(429),
        Answer::RetryAfter(429, 2),
    ];
    passes("429 with Retry-After", answers, "").await;
}

#[tokio::test]
async fn a_receiver_that_hangs_is_given_up_on_and_tried_again() {
    let sink = "first_byte_timeout = \"3s\"";
    passes("hangs", vec![Answer::Hang; 5], sink).await;
}

#[tokio::test]
async fn a_receiver_that_closes_early_is_tried_again() {
    passes("closes early", vec![Answer::Close; 12], "").await;
}

#[tokio::test]
async fn an_answer_200_counts_whatever_becomes_of_its_body() {
    let script = first(vec![Answer::BrokenBody; 50]);
    let scene = Scene::new(200, script, "").await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.all_arrived().await;
    scene
        .verdict("200 and a broken body", bridge)
        .await
        .is_clean();
}

#[tokio::test]
async fn an_answer_200_counts_although_its_body_never_ends() {
    let scene = Scene::new(40, first(vec![Answer::StuckBody; 16]), "").await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.all_arrived().await;
    let verdict = scene.verdict("200 and an endless body", bridge).await;
    verdict.is_clean();
}

#[tokio::test]
async fn a_redirect_is_never_followed() {
    let elsewhere = Receiver::start(first([]));
    let place = elsewhere.url();
    let mut code = [301, 302, 303, 307, 308].into_iter().cycle();
    let script = move |_: &[_]| Answer::Redirect(code.next().unwrap_or(307), place.clone());
    let scene = Scene::new(40, Box::new(script), "").await;
    let bridge = Bridge::start(&scene.settings).await;
    until("every kind of redirect", SOON, || {
        scene.receiver.requests() >= KEYS + 5
    })
    .await;
    scene.receiver.follow(first([]));
    scene.all_arrived().await;
    scene
        .verdict("redirected, then accepted", bridge)
        .await
        .is_clean();
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn a_receiver_that_is_gone_holds_the_route_until_an_operator_acts() {
    let mut served = 0;
    let script = move |_: &[_]| {
        served += 1;
        Answer::Status(if served <= 20 { 204 } else { 410 })
    };
    let mut scene = Scene::new(200, Box::new(script), "").await;
    // What the receiver refuses is never finished, so there is nothing to wait for.
    scene.settings = scene.settings.limits("shutdown_deadline = \"1s\"");
    let bridge = Bridge::start(&scene.settings).await;
    bridge.says(&["to-webhook", "410"]).await;
    let retired = "cenl_endpoint_state{route=\"to-webhook\",state=\"retired\"}";
    eventually("the metric says so", SOON, async || {
        (bridge.metric(retired).await == Some(1.0)).then_some(())
    })
    .await;
    // It leaves in order although nothing moves any more, and settles nothing.
    bridge.stop().await;
    assert_eq!(scene.receiver.accepted_count(), 20);
    let requests = scene.receiver.requests();
    assert!(
        requests <= 20 + KEYS,
        "{requests} requests: it went on after 410"
    );
    assert_eq!(scene.dead.len().await, 0);
    let lag = scene.topic.lag(&scene.topic.name).await;
    assert!(
        lag >= scene.sent.len() - 20,
        "410 settled something: lag {lag}"
    );
    // The operator has acted.
    scene.receiver.follow(first([]));
    let bridge = Bridge::start(&scene.settings.another()).await;
    scene.all_arrived().await;
    let verdict = scene.verdict("410, then mended", bridge).await;
    verdict.keeps_the_promise();
    assert!(verdict.repeats <= 20, "{verdict}");
}

#[tokio::test]
async fn a_receiver_that_refuses_the_token_is_probed_until_it_accepts() {
    let scene = Scene::new(200, Box::new(|_| Answer::Status(401)), "").await;
    let bridge = Bridge::start(&scene.settings).await;
    until("several probes", SOON, || {
        scene.receiver.requests() >= KEYS + 4
    })
    .await;
    assert!(
        bridge.is_ready().await,
        "a receiver that refuses is no reason to restart the bridge"
    );
    assert_eq!(scene.dead.len().await, 0);
    // Behind the first volley, which was under way together, and a probe of another key at once, one probe
    // at a time.
    let came: Vec<_> = scene
        .receiver
        .exchanges()
        .iter()
        .map(|exchange| exchange.came)
        .collect();
    for pair in came.windows(2).skip(KEYS + 2) {
        let pause = pair[1] - pair[0];
        assert!(
            pause >= Duration::from_millis(200),
            "probed again after {pause:?}"
        );
    }
    scene.receiver.follow(first([]));
    scene.all_arrived().await;
    scene.verdict("401, then accepted", bridge).await.is_clean();
}

#[tokio::test]
async fn a_receiver_with_every_fault_gets_everything_in_order() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let script = move |_: &[_]| match random.u8(..100) {
        0..4 => Answer::Status(500),
        4..6 => Answer::Close,
        6 => Answer::Hang,
        7 => Answer::RetryAfter(503, 1),
        8 => Answer::RetryAfter(429, 1),
        9..12 => Answer::BrokenBody,
        12..30 => Answer::Slow(Duration::from_millis(random.u64(1..20))),
        _ => Answer::Status(202),
    };
    let scene = Scene::new(800, Box::new(script), "first_byte_timeout = \"500ms\"").await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.all_arrived().await;
    scene
        .verdict("every fault", bridge)
        .await
        .keeps_the_promise();
}
