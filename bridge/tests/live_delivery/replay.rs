//! `cenl-bridge replay` on a real broker: every dead letter arrives once its cause is gone, and a
//! repeat sends nothing that has arrived.

mod hanging;
mod topics;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::time::Duration;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::{run, start};
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, Script, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire::Seen;

/// A route whose receiver has refused every event, so that each is a dead letter.
struct Refused {
    sent: Vec<Numbered>,
    topic: Topic,
    dead: Topic,
    receiver: Receiver,
    settings: Settings,
}

impl Refused {
    async fn new(events: usize, keys: usize, sink: &str) -> Self {
        let broker = brokers::kafka();
        let topic = Topic::create(&broker, "replay").await;
        let dead = Topic::create(&broker, "dead").await;
        let sent = numbered(events, keys);
        let records = sent.iter().map(|event| match event.number % 2 {
            0 => event.record(100),
            _ => event.binary_record(100),
        });
        topic.write(records).await;
        let receiver = Receiver::start(always(Answer::Status(422)));
        let route = Route::to_webhook(&topic, &receiver, &dead).sink(sink);
        let route = route.dead_letter("stop_after = 0");
        let settings = Settings::new(&broker).route(route);
        let bridge = Bridge::start(&settings).await;
        eventually("all are dead letters", SOON, async || {
            (dead.len().await == sent.len()).then_some(())
        })
        .await;
        bridge.stop().await;
        assert_eq!(receiver.accepted_count(), 0);
        Self {
            sent,
            topic,
            dead,
            receiver,
            settings,
        }
    }

    async fn replay(&self, words: &[&str]) -> crate::support::command::Said {
        let words = [&["--route", "to-webhook"], words].concat();
        run("replay", &self.settings, &words).await
    }

    fn verdict(&self, title: &str) -> Verdict {
        Verdict::of(title, &self.sent, &self.receiver.accepted(), &[])
    }
}

/// Refuses what `is_bad` names, and takes the rest.
fn refusing(is_bad: impl Fn(&Numbered) -> bool + Send + 'static) -> Script {
    Box::new(move |events: &[Seen]| {
        let is_bad = |seen: &Seen| is_bad(&Numbered::of_id(seen.id()).unwrap());
        Answer::Status(if events.iter().any(is_bad) { 400 } else { 204 })
    })
}

fn set(ids: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    ids.into_iter().collect()
}

#[tokio::test]
async fn all_dead_letters_arrive_once_the_receiver_is_repaired() {
    let scene = Refused::new(400, 16, "").await;
    // Before that, nothing changes, however often it is tried.
    for _ in 0..2 {
        let said = scene.replay(&["--all"]).await.ends_with(1);
        assert_eq!(said.lines().len(), 400);
        let is_refused = |line: &&str| line.contains(" kind=refused status=422 attempts=1 ");
        assert!(said.lines().iter().all(is_refused), "{said:#?}");
        assert!(said.errors.contains("400 failed again"), "{}", said.errors);
    }
    scene.receiver.follow(first([]));
    let said = scene.replay(&["--all", "--dry-run"]).await.ends_with(0);
    let all = set(scene.sent.iter().map(Numbered::id));
    assert_eq!(set(said.values("id")), all);
    assert!(
        said.lines()
            .iter()
            .all(|line| line.starts_with("would-send kafka:"))
    );
    assert_eq!(scene.receiver.accepted_count(), 0);

    let said = scene.replay(&["--all"]).await.ends_with(0);
    assert_eq!(set(said.values("id")), all);
    assert!(
        said.lines()
            .iter()
            .all(|line| line.starts_with("delivered kafka:"))
    );
    scene.verdict("replay").is_clean();

    let said = scene.replay(&["--all"]).await.ends_with(0);
    assert_eq!(said.out, "");
    assert!(
        said.errors.contains("400 delivered by an earlier replay"),
        "{}",
        said.errors
    );
    assert_eq!(scene.receiver.accepted_count(), 400);
    assert_eq!(scene.dead.len().await, 400, "dead letters grew or shrank");
    assert_eq!(scene.dead.lag("cenl-replay-to-webhook").await, 0);
    // The route itself noticed nothing.
    assert_eq!(scene.topic.lag(&scene.topic.name).await, 0);
}

#[tokio::test]
async fn what_a_webhook_gets_is_what_it_would_have_got() {
    let scene = Refused::new(30, 3, "mode = \"as-received\"").await;
    scene.receiver.follow(first([]));
    scene.replay(&["--all"]).await.ends_with(0);
    let refused: Vec<_> = scene.receiver.exchanges();
    let (before, after): (Vec<_>, Vec<_>) =
        refused.into_iter().partition(|exchange| !exchange.accepted);
    assert_eq!((before.len(), after.len()), (30, 30));
    for exchange in after {
        let id = exchange.events[0].id();
        let original = before.iter().find(|other| other.events[0].id() == id);
        let original = original.unwrap();
        assert_eq!(exchange.body, original.body, "{id}");
        assert_eq!(exchange.headers, original.headers, "{id}");
    }
}

#[tokio::test]
async fn what_fails_again_stays_and_the_rest_is_sent_once() {
    let scene = Refused::new(300, 10, "").await;
    let is_bad = |event: &Numbered| event.number % 5 == 2;
    scene.receiver.follow(refusing(is_bad));
    let bad = set(scene
        .sent
        .iter()
        .filter(|event| is_bad(event))
        .map(Numbered::id));
    for round in 0..3 {
        let said = scene.replay(&["--all"]).await.ends_with(1);
        let lines = said.lines();
        let failed = lines.iter().filter(|line| line.starts_with("failed "));
        assert_eq!(failed.count(), bad.len(), "round {round}: {said:#?}");
        assert_eq!(scene.receiver.accepted_count(), 300 - bad.len());
        if round > 0 {
            assert_eq!(set(said.values("id")), bad);
        }
    }
    assert_eq!(scene.dead.len().await, 300);
    scene.receiver.follow(first([]));
    let said = scene.replay(&["--all"]).await.ends_with(0);
    assert_eq!(set(said.values("id")), bad);
    // Within a key the failed ones came later than their successors: that is what a dead letter is.
    let accepted = scene.receiver.accepted();
    assert_eq!(accepted.len(), 300, "no repeats");
    assert_eq!(set(accepted), set(scene.sent.iter().map(Numbered::id)));
    assert_eq!(scene.dead.lag("cenl-replay-to-webhook").await, 0);
}

#[tokio::test]
async fn one_that_is_named_is_sent_again_and_it_is_said() {
    let scene = Refused::new(40, 4, "").await;
    scene.receiver.follow(first([]));
    let said = scene.replay(&["--id", "k1/3", "k2/7"]).await.ends_with(0);
    assert!(
        said.lines()
            .iter()
            .all(|line| line.starts_with("delivered kafka:"))
    );
    assert_eq!(
        set(said.values("id")),
        set(["k1/3".to_owned(), "k2/7".to_owned()])
    );
    let said = scene.replay(&["--id", "k1/3"]).await.ends_with(0);
    assert!(
        said.out.starts_with("delivered again kafka:"),
        "{}",
        said.out
    );
    let said = scene
        .replay(&["--id", "k1/99", "--id", "k1/4"])
        .await
        .ends_with(1);
    assert_eq!(said.values("id"), ["k1/4"]);
    assert!(said.errors.contains("has the id k1/99"), "{}", said.errors);
    // What was named is not sent again with the rest.
    scene.replay(&["--all"]).await.ends_with(0);
    let accepted = scene.receiver.accepted();
    assert_eq!(accepted.len(), 41, "{accepted:?}");
    assert_eq!(set(accepted), set(scene.sent.iter().map(Numbered::id)));
}

#[tokio::test]
async fn a_kill_in_the_middle_loses_nothing() {
    let scene = Refused::new(1_500, 50, "").await;
    scene
        .receiver
        .follow(always(Answer::Slow(Duration::from_millis(100))));
    let mut kills = 0;
    for share in [200, 500, 900] {
        let mut running = start(
            "replay",
            &scene.settings,
            &["--route", "to-webhook", "--all"],
        );
        running.discard_output();
        let arrived = || scene.receiver.arrived() >= share;
        until("a part has arrived", SOON, arrived).await;
        running.child.kill().unwrap();
        running.end().await;
        kills += 1;
    }
    assert!(
        scene.receiver.arrived() < scene.sent.len(),
        "killed too late to show anything"
    );
    let said = scene.replay(&["--all"]).await.ends_with(0);
    assert!(
        said.errors.contains("delivered by an earlier replay"),
        "{}",
        said.errors
    );
    let verdict = scene.verdict("replay, killed");
    verdict.keeps_the_promise();
    // What was delivered since the last note: a tenth of a second, or some more on a busy machine.
    println!("{kills} kills, {} repeats", verdict.repeats);
    let said = scene.replay(&["--all"]).await.ends_with(0);
    assert_eq!(said.out, "");
}

#[tokio::test]
async fn a_second_replay_is_refused_while_one_runs() {
    let scene = Refused::new(20, 4, "").await;
    let before = scene.receiver.came();
    scene.receiver.follow(always(Answer::Hang));
    let words = ["--route", "to-webhook", "--all"];
    let running = start("replay", &scene.settings, &words);
    until("it sends", SOON, || scene.receiver.came() > before).await;
    let said = scene.replay(&["--all"]).await.ends_with(1);
    assert!(said.errors.contains("another replay"), "{}", said.errors);
    running.signal("INT");
    running.end().await.ends_with(130);
    scene.receiver.follow(first([]));
    scene.replay(&["--all"]).await.ends_with(0);
    scene.verdict("replay, a second refused").is_clean();
}

#[tokio::test]
async fn ctrl_c_notes_what_was_delivered() {
    let scene = Refused::new(1_000, 50, "").await;
    scene
        .receiver
        .follow(always(Answer::Slow(Duration::from_millis(200))));
    let mut running = start(
        "replay",
        &scene.settings,
        &["--route", "to-webhook", "--all"],
    );
    let mut out = BufReader::new(running.child.stdout.take().unwrap());
    let mut line = String::new();
    assert!(out.read_line(&mut line).unwrap() > 0);
    running.signal("INT");
    let reader = std::thread::spawn(move || out.lines().map(Result::unwrap).collect::<Vec<_>>());
    let said = running.end().await.ends_with(130);
    assert!(said.errors.contains("interrupted"), "{}", said.errors);
    reader.join().unwrap();
    assert!(
        scene.receiver.arrived() < scene.sent.len(),
        "stopped too late to show anything"
    );
    scene.replay(&["--all"]).await.ends_with(0);
    scene.verdict("replay, ctrl-c").is_clean();
}

#[tokio::test]
async fn a_destination_that_refuses_us_or_is_away_ends_it_soon() {
    let scene = Refused::new(200, 20, "").await;
    scene.receiver.follow(always(Answer::Status(403)));
    let said = scene.replay(&["--all"]).await.ends_with(1);
    assert!(
        said.errors
            .contains("refuses the bridge, whatever the event (403)"),
        "{}",
        said.errors
    );
    scene.receiver.follow(always(Answer::Status(503)));
    let said = scene
        .replay(&["--all", "--deadline", "2s"])
        .await
        .ends_with(1);
    assert!(
        said.errors
            .contains("took nothing for the time of --deadline"),
        "{}",
        said.errors
    );
    assert_eq!(scene.receiver.accepted_count(), 0);
    scene
        .receiver
        .follow(first([Answer::Status(503), Answer::Close]));
    scene.replay(&["--all"]).await.ends_with(0);
    scene.verdict("replay, after failures").is_clean();
}
