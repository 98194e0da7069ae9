//! What an operator orders and asks at the admin port while the bridge runs.

use std::io::Write as _;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::{Client, Reply};
use crate::support::command::run;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

const BEARER: (&str, &str) = ("authorization", "Bearer hush");

/// The admin port of a bridge, and its token.
struct Operator {
    client: Client,
    token: NamedTempFile,
}

impl Operator {
    fn of(settings: Settings) -> (Self, Settings) {
        let mut token = NamedTempFile::new().unwrap();
        writeln!(token, "hush").unwrap();
        let line = format!("token = {{ file = {:?} }}\n", token.path());
        let client = Client::new(settings.admin);
        (Self { client, token }, settings.admin_line(&line))
    }

    async fn sees(&self, path: &str) -> Value {
        let reply = self.client.get(path).await.unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text());
        serde_json::from_slice(&reply.body).unwrap()
    }

    async fn orders(&self, path: &str, body: &Value) -> Reply {
        let reply = self.client.post(path, &[BEARER], body.to_string()).await;
        let reply = reply.unwrap();
        assert_eq!(reply.header("api-version"), Some("1.0.0"), "{path}");
        reply
    }

    async fn does(&self, path: &str, body: &Value) -> Value {
        let reply = self.orders(path, body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        serde_json::from_slice(&reply.body).unwrap()
    }
}

async fn shows(bridge: &Bridge, name: &str, is: impl Fn(f64) -> bool) {
    eventually(&format!("{name} is as wanted"), SOON, async || {
        bridge
            .metric(name)
            .await
            .filter(|value| is(*value))
            .map(drop)
    })
    .await;
}

#[tokio::test]
async fn a_pause_holds_deliveries_until_it_ends_and_every_id_comes_once() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "pause").await;
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(first([]));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let (operator, settings) = Operator::of(Settings::new(&broker).route(route));
    let mut bridge = Bridge::start(&settings).await;
    let sent = numbered(600, 20);
    let records = |events: &[Numbered]| events.iter().map(|it| it.record(50)).collect::<Vec<_>>();
    topic.write(records(&sent[..300])).await;
    receiver.gets(&sent[..10]).await;
    let paused = operator
        .does("/v1/routes/to-webhook/pause", &Value::Null)
        .await;
    assert_eq!(paused, json!({ "done": "paused" }));
    shows(&bridge, "cenl_route_paused", |paused| paused == 1.0).await;
    shows(&bridge, "cenl_in_flight", |under_way| under_way == 0.0).await;
    let arrived = receiver.requests();
    topic.write(records(&sent[300..])).await;
    shows(&bridge, "cenl_window_events", |taken| taken >= 300.0).await;
    let route = operator.sees("/v1/routes/to-webhook").await;
    assert_eq!(route["state"], "paused", "{route}");
    assert!(bridge.is_ready().await, "an operator wanted it");
    // Back-offs that end and circuits that may be probed are no reason to send.
    operator
        .does("/v1/routes/to-webhook/retry", &Value::Null)
        .await;
    assert_eq!(receiver.requests(), arrived);
    bridge
        .says(&["route is paused by an operator", "to-webhook"])
        .await;
    operator
        .does("/v1/routes/to-webhook/resume", &Value::Null)
        .await;
    receiver.gets(&sent).await;
    Verdict::of("pause", &sent, &receiver.accepted(), &[]).is_clean();
    // A stop is not held up by a pause, and what it holds comes after the next start.
    operator
        .does("/v1/routes/to-webhook/pause", &Value::Null)
        .await;
    let more = numbered(620, 20);
    topic.write(records(&more[600..])).await;
    shows(&bridge, "cenl_window_events", |taken| taken == 20.0).await;
    bridge.stop().await;
    bridge = Bridge::start(&settings).await;
    receiver.gets(&more).await;
    Verdict::of("pause", &more, &receiver.accepted(), &[]).is_clean();
    bridge.stop().await;
}

#[tokio::test]
async fn what_waits_is_told_and_tried_at_once_when_somebody_says_so() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "retry").await;
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::RetryAfter(503, 900)));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let (operator, settings) = Operator::of(Settings::new(&broker).route(route));
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(5, 1);
    topic.write(sent.iter().map(|it| it.record(50))).await;
    let path = "/v1/routes/to-webhook/waiting-events?id=k0%2F0";
    let waiting = eventually("the first event waits", SOON, async || {
        let waiting = operator.sees(path).await;
        let first = &waiting["events"][0];
        (first["attempts"] == 1).then(|| waiting["events"].clone())
    })
    .await;
    assert_eq!(waiting.as_array().unwrap().len(), 1, "{waiting}");
    assert_eq!(waiting[0]["lastAnswer"], "status 503");
    let next: jiff::Timestamp = waiting[0]["nextAttempt"].as_str().unwrap().parse().unwrap();
    assert!(
        next.duration_since(jiff::Timestamp::now()).as_secs() > 500,
        "{waiting}"
    );
    let all = operator.sees("/v1/routes/to-webhook/waiting-events").await;
    assert_eq!(all["events"].as_array().unwrap().len(), 5, "{all}");
    assert_eq!(all["more"], false, "{all}");
    let words = ["--route", "to-webhook", "--id", "k0/0"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!(said.values("state"), ["waiting"]);
    assert_eq!(said.values("attempts"), ["1"]);
    assert_eq!(said.values("last-answer"), ["status 503"]);
    let said = eventually("the outage is told", SOON, async || {
        let said = run("status", &settings, &[]).await.ends_with(0);
        said.out
            .contains("status 503, and asked for a pause until")
            .then_some(said)
    })
    .await;
    assert!(said.out.contains("to-webhook: running"), "{}", said.out);
    let said = run("status", &settings, &["--json"]).await.ends_with(0);
    let told: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        told["routes"][0]["outages"][0]["cause"], "status 503",
        "{told}"
    );
    receiver.follow(first([]));
    receiver.forget_waits();
    operator
        .does("/v1/routes/to-webhook/retry", &Value::Null)
        .await;
    receiver.gets(&sent).await;
    Verdict::of("retry", &sent, &receiver.accepted(), &[]).is_clean();
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!(said.values("last-answer"), [""; 0], "{}", said.out);
    bridge.stop().await;
    let said = run("status", &settings, &[]).await.ends_with(1);
    assert!(
        said.errors.contains("no bridge answers at"),
        "{}",
        said.errors
    );
}

#[tokio::test]
async fn what_is_held_goes_in_order_once_its_receiver_is_mended() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "held").await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let sink = format!("url = \"{}\"\n", receiver.url());
    let route = Route::from_topic(&topic, &sink, "").own("on_error = \"hold\"");
    let (operator, settings) = Operator::of(Settings::new(&broker).route(route));
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(3, 1);
    topic.write(sent.iter().map(|it| it.record(50))).await;
    let path = "/v1/routes/from-topic";
    let is_held = async || {
        let waiting = operator.sees(&format!("{path}/waiting-events")).await;
        let first = &waiting["events"][0];
        let is = first["lastAnswer"] == "status 422" && first["attempts"] == 1;
        (is && first["nextAttempt"].is_null()).then_some(())
    };
    eventually("the first event is held", SOON, is_held).await;
    // The receiver is as it was: each order is one attempt more.
    operator.does(&format!("{path}/retry"), &Value::Null).await;
    eventually("it is tried once more", SOON, async || {
        (receiver.requests() == 2).then_some(())
    })
    .await;
    eventually("it is held again", SOON, is_held).await;
    receiver.follow(first([]));
    operator.does(&format!("{path}/retry"), &Value::Null).await;
    receiver.gets(&sent).await;
    Verdict::of("held", &sent, &receiver.accepted(), &[]).is_clean();
    bridge.stop().await;
}

#[tokio::test]
async fn dead_letters_are_replayed_and_dismissed_one_by_one() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "orders").await;
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let route = Route::to_webhook(&topic, &receiver, &dead).dead_letter("stop_after = 0");
    let (operator, settings) = Operator::of(Settings::new(&broker).route(route));
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(3, 1);
    topic.write(sent.iter().map(|it| it.record(50))).await;
    eventually("all are dead letters", SOON, async || {
        (dead.len().await == 3).then_some(())
    })
    .await;
    let path = "/v1/routes/to-webhook/dead-letters";
    let letters = async || {
        let letters = operator.sees(path).await;
        let mut letters = letters.as_array().unwrap().clone();
        letters.sort_by_key(|letter| letter["id"].to_string());
        letters
    };
    let before = letters().await;
    for (letter, event) in before.iter().zip(&sent) {
        assert_eq!(letter["id"], event.id());
        for (key, value) in [("state", "open"), ("kind", "refused"), ("status", "422")] {
            assert_eq!(letter[key], value, "{letter}");
        }
    }
    receiver.follow(first([]));
    let one = |number: usize| json!({ "positions": [before[number]["position"]] });
    let done = operator.does(&format!("{path}/replay"), &one(0)).await;
    assert_eq!(
        (&done["delivered"], &done["leftAlone"]),
        (&json!(1), &json!(0)),
        "{done}"
    );
    let done = operator.does(&format!("{path}/dismiss"), &one(1)).await;
    assert_eq!(done["dismissed"], 1, "{done}");
    // A second click sends nothing again.
    let done = operator.does(&format!("{path}/replay"), &one(0)).await;
    assert_eq!(
        (&done["delivered"], &done["leftAlone"]),
        (&json!(0), &json!(1)),
        "{done}"
    );
    assert_eq!(receiver.accepted(), [sent[0].id()]);
    let states: Vec<_> = letters()
        .await
        .iter()
        .map(|it| it["state"].clone())
        .collect();
    assert_eq!(states, ["replayed", "dismissed", "open"]);
    bridge.stop().await;
}

#[tokio::test]
async fn a_reload_and_only_by_whoever_may() {
    let receiver = Receiver::start(first([]));
    let ingress = free_address();
    let written = format!("[http.in]\nlisten = \"{ingress}\"\n");
    let route = Route::between_webhooks("/events", &receiver);
    let base = Settings::written(written);
    let (operator, base) = Operator::of(base);
    let settings = base.clone().route(route.clone());
    let bridge = Bridge::start(&settings).await;
    for (headers, status) in [
        (&[][..], 401),
        (&[("authorization", "Bearer hush!")], 401),
        (&[BEARER, ("origin", "http://evil.example")], 403),
        (&[BEARER, ("host", "evil.example")], 421),
    ] {
        let reply = operator
            .client
            .post("/v1/reload", headers, "")
            .await
            .unwrap();
        assert_eq!(reply.status, status, "{headers:?} {}", reply.text());
        assert_eq!(
            reply.header("content-type"),
            Some("application/problem+json")
        );
    }
    bridge.rewrite(
        &base
            .clone()
            .route(route.clone().own("in_flight = \"some\"")),
    );
    let reply = operator.orders("/v1/reload", &Value::Null).await;
    assert_eq!(reply.status, 422, "{}", reply.text());
    let problem: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(
        problem["errors"][0]["key"], "route[0].in_flight",
        "{problem}"
    );
    assert!(problem["errors"][0]["remedy"].is_string(), "{problem}");
    // The page says the same of its button.
    let reply = operator.client.post("/reload", &[BEARER], "").await;
    assert_eq!(reply.unwrap().status, 303);
    let page = operator.client.get("/settings").await.unwrap().text();
    assert!(page.contains("route[0].in_flight"), "{page}");
    bridge.rewrite(&base.route(route.own("in_flight = 3")));
    let taken = operator.does("/v1/reload", &Value::Null).await;
    assert_eq!(
        (&taken["restarted"], &taken["untouched"]),
        (&json!(1), &json!(0)),
        "{taken}"
    );
    let lines = operator.sees("/v1/settings").await["lines"].to_string();
    assert!(lines.contains("in_flight = 3"), "{lines}");
    assert!(!lines.contains("hush"), "{lines}");

    // Who posts to a route that is paused hears 503 at once, and all that is not accepted is told.
    let sender = Client::new(ingress);
    let post = async |path: &str| {
        let headers = [("content-type", "application/cloudevents+json")];
        let event = numbered(1, 1)[0].json(10);
        sender.post(path, &headers, event).await.unwrap().status
    };
    eventually("events are accepted", SOON, async || {
        (post("/events").await == 202).then_some(())
    })
    .await;
    operator
        .does("/v1/routes/between-webhooks/pause", &Value::Null)
        .await;
    assert_eq!(post("/events").await, 503);
    assert_eq!(post("/else").await, 404);
    let refusals = operator.sees("/v1/ingress-refusals").await;
    assert_eq!(refusals[0]["status"], 404, "{refusals}");
    assert_eq!(refusals[1]["path"], "/events", "{refusals}");
    operator
        .does("/v1/routes/between-webhooks/resume", &Value::Null)
        .await;
    assert_eq!(post("/events").await, 202);
    // A token that is renewed counts at once.
    std::fs::write(operator.token.path(), "other").unwrap();
    assert_eq!(
        operator.orders("/v1/reload", &Value::Null).await.status,
        401
    );
    bridge.stop().await;
}
