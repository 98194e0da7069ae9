//! Loss is seen: a bridge whose watermark overtakes what is not settled is caught by the very harness that
//! finds nothing wrong with the bridge itself, and by the program with which anybody tries an intermediary.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../../tests/proof/harness/parts.rs"]
#[allow(dead_code, reason = "a part of the proof is enough")]
mod harness;

#[path = "../../tests/live/support.rs"]
#[allow(dead_code, reason = "each binary of live tests uses its part")]
mod support;

use std::time::Duration;

use harness::fault::Fault;
use harness::options::Options;
use harness::pair::ALL;
use harness::receiver::Mood;
use harness::run::play;
use harness::script::Scene;
use harness::world::World;
use support::brokers;
use support::client::Client;
use support::exclusive::alone;
use support::kafka::Topic;
use support::settings::{Route, Settings, free_address};
use support::tried::{Operated, Tried};
use support::wait::{SOON, eventually};

/// Half of the keys fail for a while, and the bridge is killed meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watermark_that_overtakes_is_caught() {
    let _turn = alone().await;
    let pairs = ALL.into_iter();
    let options = Options {
        pairs: pairs
            .filter(|pair| pair.name == "kafka-to-webhook")
            .collect(),
        ..Options::from_environment()
    };
    let world = World::build("proof-broken", &options).await;
    let storm = Mood::Fails {
        code: 500,
        half: true,
    };
    let scene = Scene {
        fault: Fault::Receiver(storm, Duration::from_secs(4)),
        kill_after: Some(Duration::from_secs(3)),
    };
    let enough = Duration::from_secs(15);
    // The first loss ends it: on a slow machine a kill may come before anything was overtaken.
    let three = |incidents: &[_], _| incidents.len() == 3;
    let report = play(world, &options, || scene, three, enough).await;
    let judgement = &report.judgements[0];
    println!("{:?}", report.faults());
    assert!(!judgement.lost.is_empty(), "the loss was not seen");
    assert!(judgement.strange.is_empty(), "{:?}", judgement.strange);
    // It says itself that all is done: nothing of this will ever come.
    assert!(
        !report
            .complaints
            .iter()
            .any(|what| what.contains("not committed")),
        "{:?}",
        report.complaints
    );
}

/// One event of five is not answered at first, so that later ones are settled before it; the bridge is killed
/// meanwhile.
#[tokio::test]
async fn whoever_tries_it_as_an_intermediary_catches_it_too() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let (far, topic) = (free_address(), Topic::create(&broker, "tried").await);
    let dead = Topic::create(&broker, "dead").await;
    // Longer than until the kill: what is not answered stays under way.
    let sink = format!("url = \"http://{far}/hook\"\nfirst_byte_timeout = \"5s\"\n");
    let dead_letter = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    let route = Route::from_topic(&topic, &sink, &dead_letter);
    let settings = Settings::new(&broker).route(route);
    let bridge = Operated::start(&settings);
    let admin = Client::new(settings.admin);
    eventually("the bridge is ready", SOON, async || {
        let answer = admin.get("/readyz").await?;
        (answer.status == 200).then_some(())
    })
    .await;
    let near = format!("kafka://{}/{}", broker.plaintext(), topic.name);
    let (kill, start) = (&*bridge.kill, &*bridge.start);
    // An event that waits keeps back those of its own key alone.
    let load = ["--events", "400", "--keys", "40", "--rate", "100"];
    let fails = ["--receiver-fails", "timeout"];
    let commands = ["--kill", kill, "--restart", start];
    let arguments = [&load[..], &fails, &commands].concat();
    let tried = Tried::between(&near, &format!("http://{far}/hook"), &arguments).await;
    let said = tried.said();
    assert!(said.contains("killed\nrestarted\n"), "{said}");
    assert_eq!(tried.output.status.code(), Some(1), "{said}");
    let (_, lost) = said.split_once("\nlost").expect("the figures");
    let mut lost = lost.lines().map(str::trim);
    let count: usize = lost.next().unwrap().parse().unwrap();
    assert!(count > 0, "the loss was not seen: {said}");
    let first = lost.next().unwrap();
    assert!(first.starts_with("cenl-"), "no event is named: {said}");
    assert!(said.contains("SIZE-1 broken"), "no rule is named: {said}");
    // It says itself that all is done: nothing of this will ever come.
    eventually("all is committed", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    assert_eq!(dead.len().await, 0, "nothing was given up");
}

/// The switch is in this program, where the test of the bridge looks for it in vain.
#[test]
fn this_program_is_broken() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_cenl-bridge-broken")).unwrap();
    let name = b"overtake_on_purpose";
    assert!(program.windows(name.len()).any(|bytes| bytes == name));
}
