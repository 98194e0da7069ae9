//! A receiver that takes nothing: the log says where, why, what happens next and what to do, once; a receiver
//! that refuses everything holds its route.

use std::net::TcpListener;

use crate::issued::Issued;
use crate::scene::Scene;
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::wait::{SOON, eventually, until};

/// One route for each cause, from one topic.
#[tokio::test]
async fn every_cause_of_an_outage_is_logged_once_with_address_and_remedy() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "outages").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(6, 3);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let issued = Issued::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free_address();
    let answering = |answer| Receiver::start(always(answer));
    let ok = || always(Answer::Status(204));
    let trusted = format!("ca_file = {:?}\n", issued.path("root.pem"));
    let receivers = [
        (
            "unauthorised",
            answering(Answer::Status(401)),
            "",
            "status 401",
            "token",
        ),
        (
            "missing",
            answering(Answer::Status(404)),
            "",
            "status 404",
            "correct the address",
        ),
        (
            "failing",
            answering(Answer::Status(500)),
            "",
            "status 500",
            "log of the destination",
        ),
        (
            "busy",
            answering(Answer::RetryAfter(503, 30)),
            "",
            "status 503",
            "so little",
        ),
        (
            "hanging",
            answering(Answer::Hang),
            "first_byte_timeout = \"500ms\"",
            "first byte timeout",
            "in time",
        ),
        (
            "unknown",
            Receiver::start_tls(ok()),
            "",
            "unknown CA",
            "ca_file",
        ),
        (
            "other",
            Receiver::start_tls_with(ok(), issued.certificate("other")),
            &trusted,
            "another name",
            "correct the host",
        ),
        (
            "old",
            Receiver::start_tls_with(ok(), issued.certificate("old")),
            &trusted,
            "expired",
            "renew",
        ),
    ];
    let reach = "DNS, network and address";
    let mut outages: Vec<_> = receivers
        .iter()
        .map(|(name, receiver, more, cause, remedy)| {
            let authority = receiver.url().replace("/hook", "");
            let address = authority.split("//").nth(1).unwrap().to_owned();
            (
                *name,
                format!("url = \"{}\"\n{more}", receiver.url()),
                address,
                *cause,
                *remedy,
            )
        })
        .collect();
    let silent_address = silent.local_addr().unwrap().to_string();
    for (name, url, address, cause) in [
        (
            "refused",
            format!("http://{nobody}/"),
            nobody.to_string(),
            "connection refused",
        ),
        (
            "nowhere",
            "https://receiver.invalid/".to_owned(),
            "receiver.invalid:443".to_owned(),
            "name resolution",
        ),
        (
            "silent",
            format!("https://{silent_address}/\"\nconnect_timeout = \"500ms"),
            silent_address.clone(),
            "connect timeout",
        ),
    ] {
        outages.push((name, format!("url = \"{url}\"\n"), address, cause, reach));
    }
    let mut settings = Settings::new(&broker).limits("shutdown_deadline = \"1s\"");
    for (name, sink, ..) in &outages {
        let dead = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
        let route = Route::from_topic(&topic, sink, &dead).group(&format!("{}-{name}", topic.name));
        settings = settings.route(route.named(name));
    }
    let bridge = Bridge::start(&settings).await;
    for (name, _, address, cause, remedy) in &outages {
        let route = format!("route=\"{name}\"");
        bridge
            .says(&[&route, "circuit open", address, cause, "next=", remedy])
            .await;
    }
    let log = bridge.log();
    for (name, ..) in &outages {
        let route = format!("route=\"{name}\"");
        let lines = log
            .lines()
            .filter(|line| line.contains(&route) && line.contains("circuit open"));
        assert_eq!(lines.count(), 1, "{name}");
    }
    assert!(
        bridge.is_ready().await,
        "a receiver that is away is no reason to restart"
    );
    // What hangs may be under way, so nobody waits for a good end.
    bridge.kill();
    assert_eq!(dead.len().await, 0);
}

/// The backlog stays in the topic, people are told, and the route goes on by itself.
#[tokio::test]
async fn a_receiver_that_refuses_everything_holds_the_route() {
    let scene = Scene::new(400, always(Answer::Status(400)), "").await;
    let bridge = Bridge::spawn(&scene.settings);
    let words = ["ERROR", "to-webhook", "refuses every event, route is held"];
    bridge.says(&words).await;
    bridge
        .says(&["status 400", "next=", "correct the receiver"])
        .await;
    let unready = eventually("it is not ready", SOON, async || {
        let ready = bridge.readiness().await;
        ready.contains("to-webhook: held").then_some(ready)
    })
    .await;
    assert!(unready.contains("status 400"), "{unready}");
    assert_eq!(bridge.metric("cenl_route_held").await, Some(1.0));
    let requests = scene.receiver.requests();
    until("it is probed", SOON, || {
        scene.receiver.requests() > requests + 2
    })
    .await;
    let log = bridge.log();
    let named = log
        .lines()
        .filter(|line| line.contains("event cannot be delivered"));
    assert_eq!(named.count(), 5, "the others are counted");
    eventually("the letters are written", SOON, async || {
        (scene.dead.len().await == 99).then_some(())
    })
    .await;
    scene.receiver.follow(first([]));
    eventually("it is ready again", SOON, async || {
        bridge.is_ready().await.then_some(())
    })
    .await;
    until("the others arrive", SOON, || {
        scene.receiver.arrived() == 301
    })
    .await;
    bridge.stop().await;
    assert_eq!(scene.topic.lag(&scene.topic.name).await, 0);
    assert_eq!(scene.dead.len().await, 99);
}

/// An operator may want all of them there.
#[tokio::test]
async fn stop_after_0_holds_nothing_and_the_answer_is_kept_in_dead_letters() {
    let scene = Scene::new(150, always(Answer::Explained(422, "no such zaak")), "").await;
    let route = Route::to_webhook(&scene.topic, &scene.receiver, &scene.dead);
    let route = route.dead_letter("stop_after = 0\nerror_body = true");
    let bridge = Bridge::start(&Settings::new(&brokers::kafka()).route(route)).await;
    eventually("all are dead letters", SOON, async || {
        (scene.dead.len().await == 150).then_some(())
    })
    .await;
    bridge.stop().await;
    let letters = scene.dead.read().await;
    let said = letters[0].text("cenl-error-body");
    assert_eq!(said.as_deref(), Some("no such zaak"));
}

/// What waits for another attempt is let go, and a sender that waits with it hears 503.
#[tokio::test]
async fn a_stop_does_not_wait_for_a_receiver_that_is_away() {
    let ingress = free_address();
    for answer in [Answer::Status(500), Answer::RetryAfter(503, 60)] {
        let scene = Scene::new(20, always(answer.clone()), "").await;
        let posted = Receiver::start(always(answer));
        let posting = Route::between_webhooks("/events", &posted);
        let posting = posting.source("deadline = \"10m\"");
        let settings = scene.settings.clone().listen(ingress).route(posting);
        let mut bridge = Bridge::start(&settings.limits("shutdown_deadline = \"10m\"")).await;
        let client = Client::new(ingress);
        let headers = [("content-type", "application/cloudevents+json")];
        let post = client.post("/events", &headers, numbered(1, 1)[0].json(10));
        let stop = async {
            until("both are tried", SOON, || {
                scene.receiver.requests() > 0 && posted.requests() > 0
            })
            .await;
            bridge.terminate();
        };
        let (reply, ()) = tokio::join!(post, stop);
        assert_eq!(reply.unwrap().status, 503);
        assert_eq!(bridge.exit_code(SOON).await, 0);
        assert_eq!(scene.topic.lag(&scene.topic.name).await, 20);
    }
}
