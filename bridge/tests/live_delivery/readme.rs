//! The section "Where is my event?" of the README, done by hand of a shell.

use std::path::Path;
use std::process::Command;

use crate::documents;
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::SOURCE;
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::tried::checker;
use crate::support::wait::{SOON, eventually};

/// The commands, as they stand there.
fn commands() -> String {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    let (_, section) = text.split_once("## Where is my event?\n").unwrap();
    documents::texts(section, "sh").swap_remove(0)
}

#[tokio::test]
async fn the_commands_find_an_event_and_send_it_again() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "readme").await,
        Topic::create(&broker, "readme-dead").await,
    );
    let event = |id: &str| {
        Record::new(None, Some(b"{}"))
            .header("ce_specversion", "1.0")
            .header("ce_id", id)
            .header("ce_source", SOURCE)
            .header("ce_type", "nl.zaken.zaak-geopend.v1")
            .header("content-type", "application/json")
    };
    topic.write(["5f1b", "5f1c", "5f1d"].map(event)).await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let route = Route::to_webhook(&topic, &receiver, &dead).named("zaken-to-webhook");
    let settings = Settings::new(&broker).route(route);
    let bridge = Bridge::start(&settings).await;
    eventually("all are dead letters", SOON, async || {
        (dead.len().await == 3).then_some(())
    })
    .await;
    bridge.stop().await;
    receiver.follow(first([]));

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bridge.toml"), settings.text()).unwrap();
    let checker = tokio::task::spawn_blocking(checker).await.unwrap();
    let programs = [Path::new(env!("CARGO_BIN_EXE_cenl-bridge")), &checker];
    let folders = programs.map(|program| program.parent().unwrap().display().to_string());
    let path = format!("{}:/usr/bin:/bin", folders.join(":"));
    let mut shell = Command::new("sh");
    shell.args(["-ec", &commands()]).env("PATH", path);
    shell.current_dir(folder.path());
    let output = tokio::task::spawn_blocking(move || shell.output().unwrap());
    let output = output.await.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let out = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = out.lines().collect();
    let came_in = format!(" kafka:{}/", topic.name);
    let mut rest = lines.iter();
    let mut says = |words: &[&str]| {
        let line = rest.next().unwrap();
        assert!(
            words.iter().all(|word| line.contains(word)),
            "{words:?} in {out}"
        );
    };
    says(&[&came_in, " state=dead-letter ", " id=5f1c "]);
    for _ in 0..3 {
        says(&[" kind=refused status=422 ", " state=dead-letter "]);
    }
    says(&["delivered ", " id=5f1c "]);
    says(&["delivered "]);
    says(&["delivered "]);
    assert!(
        lines
            .last()
            .unwrap()
            .starts_with("Voldoet: 3 berichten, 3 gebeurtenissen, "),
        "{out}"
    );
    let mut accepted = receiver.accepted();
    assert_eq!(accepted[0], "5f1c");
    accepted.sort();
    assert_eq!(accepted, ["5f1b", "5f1c", "5f1d"]);
}
