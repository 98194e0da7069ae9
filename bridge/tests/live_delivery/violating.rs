//! Events that violate the profile which a route checks: dead letters by themselves, replayed once a waiver
//! explains them; or refused to who posts them.

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::command::run;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire;

fn violates(event: &Numbered) -> bool {
    event.number % 10 == 5
}

/// Every second one in binary mode.
fn record(event: &Numbered) -> Record {
    let record = match event.number % 2 {
        0 => return event.record(50),
        _ => event.binary_record(50),
    };
    match violates(event) {
        true => record.header("ce_time", "gisteren"),
        false => record,
    }
}

#[tokio::test]
async fn what_violates_the_profile_is_a_dead_letter_until_a_waiver_explains_it() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "checked").await;
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(300, 3);
    topic.write(sent.iter().map(record)).await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let folder = tempfile::tempdir().unwrap();
    let waivers = folder.path().join("waivers.toml");
    std::fs::write(&waivers, "").unwrap();
    let check = format!(
        "[route.check]\nprofile = \"nl-gov-1.1\"\non_violation = \"dead-letter\"\nwaivers = \"{}\"",
        waivers.display()
    );
    let route = Route::to_webhook(&topic, &receiver, &dead).dead_letter(&check);
    let settings = Settings::new(&broker).route(route);
    let bridge = Bridge::start(&settings).await;
    let violating = sent.iter().filter(|event| violates(event)).count();
    until("the good ones arrived", SOON, || {
        receiver.accepted_count() >= sent.len() - violating
    })
    .await;
    eventually("the others are dead letters", SOON, async || {
        (dead.len().await >= violating).then_some(())
    })
    .await;
    for metric in [
        "cenl_profile_violations_total{route=\"to-webhook\",rule=\"CE-TIME-1\"}",
        "cenl_dead_letters_total{route=\"to-webhook\",kind=\"profile\"}",
    ] {
        eventually(metric, SOON, async || {
            (bridge.metric(metric).await == Some(violating as f64)).then_some(())
        })
        .await;
    }
    let log = bridge.log();
    bridge.stop().await;
    assert!(log.contains("CE-TIME-1"), "{log}");
    assert_eq!(topic.lag(&topic.name).await, 0);
    let letters = dead.read().await;
    for letter in &letters {
        let cenl = |name: &str| letter.text(&format!("cenl-{name}")).unwrap();
        assert_eq!((&*cenl("kind"), &*cenl("status")), ("profile", "CE-TIME-1"));
        assert_eq!(cenl("attempts"), "0");
    }
    let ids = wire::ids(&letters);
    assert_eq!(ids.len(), violating);
    Verdict::of("profile", &sent, &receiver.accepted(), &ids).is_clean();

    let words = ["--route", "to-webhook", "--all"];
    run("replay", &settings, &words).await.ends_with(1);
    assert_eq!(receiver.accepted_count(), sent.len() - violating);
    let waiver =
        "[[waiver]]\nrule = \"CE-TIME-1\"\nreason = \"r\"\nowner = \"o\"\nuntil = 9999-12-31\n";
    std::fs::write(&waivers, waiver).unwrap();
    run("replay", &settings, &words).await.ends_with(0);
    let mut arrived = receiver.accepted();
    arrived.sort_unstable();
    let mut all: Vec<_> = sent.iter().map(Numbered::id).collect();
    all.sort_unstable();
    assert_eq!(arrived, all);
}

#[tokio::test]
async fn a_sender_hears_what_its_event_violates_and_nothing_of_the_request_is_written() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "checked").await;
    let ingress = free_address();
    let check = "[route.check]\nprofile = \"nl-gov-1.1\"\non_violation = \"refuse\"";
    let route = Route::to_topic("/events", &topic).sink(check);
    let settings = Settings::new(&broker).listen(ingress).route(route);
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    let sent = numbered(3, 3);
    let events = sent.iter().map(|event| event.json(50)).collect::<Vec<_>>();
    let wrong = events[1].replacen('{', r#"{"time":"gisteren","#, 1);
    let post = async |mode: &str, language: &str, body: String| {
        let content_type = format!("application/cloudevents{mode}+json");
        let headers = [
            ("content-type", &*content_type),
            ("accept-language", language),
        ];
        let reply = client.post("/events", &headers, body).await.unwrap();
        let text = reply.text();
        let problem: Option<serde_json::Value> = serde_json::from_str(&text).ok();
        (reply.status.as_u16(), problem.unwrap_or_default())
    };
    let batch = |second: &str| format!("[{},{second},{}]", events[0], events[2]);
    let (status, dutch) = post("-batch", "nl", batch(&wrong)).await;
    assert_eq!((status, &dutch["element"]), (422, &1.into()), "{dutch}");
    let (status, english) = post("", "en", wrong.clone()).await;
    assert_eq!(status, 422, "{english}");
    for problem in [&dutch, &english] {
        let finding = &problem["findings"][0];
        assert_eq!(finding["rule"], "CE-TIME-1", "{problem}");
        assert_eq!(finding["place"], "/time", "{problem}");
        assert!(!problem.to_string().contains("gisteren"), "{problem}");
    }
    let title = |problem: &serde_json::Value| problem["findings"][0]["title"].clone();
    assert_ne!(title(&dutch), title(&english));
    assert_eq!(post("-batch", "nl", batch(&events[1])).await.0, 202);
    let log = bridge.log();
    bridge.stop().await;
    assert!(
        log.contains("the event violates nl-gov-1.1: CE-TIME-1"),
        "{log}"
    );
    assert!(!log.contains("gisteren"), "{log}");
    let mut written = wire::ids(&topic.read().await);
    written.sort_unstable();
    assert_eq!(written, sent.iter().map(Numbered::id).collect::<Vec<_>>());
}
