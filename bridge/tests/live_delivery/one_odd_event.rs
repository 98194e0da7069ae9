//! One event that the receiver refuses or fails on, among good ones: it stops nobody else.

use crate::scene::Scene;
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::{Numbered, SOURCE, TYPE, numbered};
use crate::support::receiver::{Answer, Receiver, Script, first};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};
use crate::support::wire::{self, Seen};

const KEYS: usize = 9;
const ODD: &str = "k1/1";

fn odd(answer: Answer) -> Script {
    Box::new(
        move |events: &[Seen]| match events.iter().any(|event| event.id() == ODD) {
            true => answer.clone(),
            false => Answer::Status(204),
        },
    )
}

/// All but the odd one and what is behind it in its key.
fn others(sent: &[Numbered]) -> Vec<Numbered> {
    let mut sent = sent.to_vec();
    sent.retain(|event| event.key != "k1" || event.number == 0);
    sent
}

/// 54 events of which one is refused: all others arrive; while more come, the odd one is given up, and
/// its key goes on.
async fn refused_alone(answer: Answer, status: &str, mode: &str) {
    let scene = Scene::new(0, odd(answer), &format!("mode = \"{mode}\"")).await;
    let sent = numbered(54, KEYS);
    scene
        .topic
        .write(sent.iter().map(|event| event.record(200)))
        .await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&others(&sent)).await;
    assert_eq!(bridge.metric(RETIRED).await, Some(0.0));
    let mut sent = sent;
    eventually("the odd one is a dead letter", 2 * SOON, async || {
        let more = Numbered {
            key: "more".to_owned(),
            number: sent.len(),
        };
        scene.topic.write([more.record(50)]).await;
        sent.push(more);
        (scene.dead.len().await > 0).then_some(())
    })
    .await;
    let mut good = sent.clone();
    good.retain(|event| event.id() != ODD);
    scene.receiver.gets(&good).await;
    bridge.stop().await;
    let letters = scene.dead.read().await;
    let [letter] = letters.as_slice() else {
        panic!("{} dead letters", letters.len());
    };
    let cenl = |name: &str| letter.text(&format!("cenl-{name}")).unwrap();
    assert_eq!(
        (&*cenl("kind"), &*cenl("status")),
        ("refused-alone", status)
    );
    assert!(cenl("attempts").parse::<u32>().unwrap() >= 8);
    assert_eq!(scene.topic.lag(&scene.topic.name).await, 0);
    let (arrivals, dead) = (scene.receiver.accepted(), wire::ids(&letters));
    Verdict::of(&format!("{status}, {mode}"), &sent, &arrivals, &dead).is_clean();
}

const RETIRED: &str = "cenl_endpoint_state{route=\"to-webhook\",state=\"retired\"}";

#[tokio::test]
async fn one_404_among_good_ones() {
    refused_alone(Answer::Status(404), "404", "structured").await;
}

#[tokio::test]
async fn one_401_among_good_ones() {
    refused_alone(Answer::Status(401), "401", "structured").await;
}

#[tokio::test]
async fn one_redirect_among_good_ones() {
    let nowhere = Answer::Redirect(302, "http://127.0.0.1:1/".to_owned());
    refused_alone(nowhere, "302", "structured").await;
}

#[tokio::test]
async fn one_410_among_good_ones_retires_nothing() {
    refused_alone(Answer::Status(410), "410", "structured").await;
}

#[tokio::test]
async fn one_404_in_a_batch() {
    refused_alone(Answer::Status(404), "404", "batched").await;
}

/// The batch is split, so that the odd one alone waits; it arrives once the receiver takes it.
async fn fails(answer: Answer, mode: &str) {
    let sink = format!("mode = \"{mode}\"\nfirst_byte_timeout = \"300ms\"");
    let scene = Scene::new(59, odd(answer), &sink).await;
    let sent: Vec<_> = scene.sent.clone();
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&others(&sent)).await;
    assert_eq!(scene.dead.len().await, 0);
    scene.receiver.follow(first([]));
    scene.all_arrived().await;
    scene.verdict("one fails", bridge).await.keeps_the_promise();
}

#[tokio::test]
async fn one_500_in_a_batch() {
    fails(Answer::Status(500), "batched").await;
}

#[tokio::test]
async fn one_that_is_never_answered_in_a_batch() {
    fails(Answer::Hang, "batched").await;
}

#[tokio::test]
async fn one_503_among_good_ones() {
    fails(Answer::Status(503), "structured").await;
}

#[tokio::test]
async fn one_that_is_never_answered_among_good_ones() {
    fails(Answer::Hang, "structured").await;
}

/// Nothing more is read behind it, so people are told which one it is.
#[tokio::test]
async fn an_event_behind_which_the_window_is_full_is_named() {
    let mut scene = Scene::new(0, odd(Answer::Status(500)), "").await;
    let route = Route::to_webhook(&scene.topic, &scene.receiver, &scene.dead);
    scene.settings = Settings::new(&brokers::kafka()).route(route.own("window_events = 20"));
    let sent = numbered(90, KEYS);
    scene
        .topic
        .write(sent.iter().map(|event| event.record(50)))
        .await;
    let bridge = Bridge::start(&scene.settings).await;
    bridge
        .says(&["WARN", "window is full behind one event", ODD, SOURCE, TYPE])
        .await;
    scene.receiver.follow(first([]));
    scene.receiver.gets(&sent).await;
    bridge.stop().await;
}

/// The sender of the odd one hears its status at once, and the others are not kept from trying.
#[tokio::test]
async fn a_sender_hears_a_refusal_at_once_and_others_are_taken() {
    let ingress = free_address();
    for code in [404, 401, 403, 302, 410] {
        let receiver = Receiver::start(odd(Answer::Status(code)));
        let route = Route::between_webhooks("/events", &receiver).source("deadline = \"10m\"");
        let settings = Settings::new(&brokers::kafka())
            .listen(ingress)
            .route(route);
        let bridge = Bridge::start(&settings).await;
        let client = Client::new(ingress);
        for event in numbered(54, KEYS) {
            let headers = [("content-type", "application/cloudevents+json")];
            let post = client.post("/events", &headers, event.json(10));
            let reply = tokio::time::timeout(SOON, post).await.unwrap().unwrap();
            let is_odd = event.id() == ODD;
            assert_eq!(reply.status == 502, is_odd, "{}", reply.text());
            assert_eq!(reply.text().contains(&code.to_string()), is_odd);
        }
        assert_eq!((receiver.requests(), receiver.arrived()), (54, 53));
        bridge.stop().await;
    }
}

/// A route may be told that a status means something else.
#[tokio::test]
async fn a_status_means_what_the_route_says() {
    let scene = Scene::new(54, odd(Answer::Status(404)), "").await;
    let route = Route::to_webhook(&scene.topic, &scene.receiver, &scene.dead);
    // The last table of the route goes on behind its own.
    let route = route.retry("[route.outcomes]\n404 = \"dead-letter\"");
    let settings = Settings::new(&brokers::kafka()).route(route);
    let bridge = Bridge::start(&settings).await;
    eventually("all are settled", SOON, async || {
        (scene.topic.lag(&scene.topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    let letters = scene.dead.read().await;
    assert_eq!(wire::ids(&letters), [ODD]);
    assert_eq!(letters[0].text("cenl-kind").as_deref(), Some("refused"));
    assert_eq!(letters[0].text("cenl-attempts").as_deref(), Some("1"));
    assert_eq!(scene.receiver.arrived(), 53);
}
