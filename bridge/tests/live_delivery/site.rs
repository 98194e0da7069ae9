//! The pages of the site, followed as a reader would: each in a shell of its own, on real brokers.

mod session;

use std::io::Write as _;
use std::path::Path;

use async_nats::jetstream;
use tempfile::NamedTempFile;

use crate::documents::{Chapter, blocks, chapters};
use crate::support::bridge::{Bridge, PROGRAM};
use crate::support::brokers::{self, root};
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::tried::checker;
use crate::support::wait::{SOON, eventually};
use session::Session;

/// Pages with commands that are followed here, one test each.
const FOLLOWED: [&str; 6] = [
    "README.md",
    "first-route.md",
    "webhooks.md",
    "ci.md",
    "docs/operations.md",
    "conformance/README.md",
];

/// Pages that say how something was measured, for hours, and by which command it is repeated.
fn is_record(path: &str) -> bool {
    path == "docs/scaling.md" || path.starts_with("docs/evidence/") || path.contains("/reports/")
}

fn chapter(path: &str) -> Chapter {
    let mut chapters = chapters(&root()).into_iter();
    chapters.find(|chapter| chapter.path == path).unwrap()
}

/// Follows a page to its end; `replaced` are words of the page and what stands for them here.
async fn follow(path: &'static str, replaced: Vec<(String, String)>) {
    let done = tokio::task::spawn_blocking(move || {
        let programs = [Path::new(PROGRAM), &checker()].map(|it| it.parent().unwrap().to_owned());
        let mut session = Session::start(&programs, replaced);
        if path == "conformance/README.md" {
            let event = r#"{"specversion":"1.0","id":"1","source":"urn:nld:oin:00000001823288444000:systeem:zaken","type":"nl.zaken.zaak-geopend","time":"2026-11-25T09:00:00Z"}"#;
            for file in ["event.json", "events.jsonl"] {
                std::fs::write(session.folder().join(file), event).unwrap();
            }
        }
        session.follow(&chapter(path))
    });
    assert!(done.await.unwrap() > 0, "{path} has no command");
}

fn replaced<const N: usize>(pairs: [(&str, String); N]) -> Vec<(String, String)> {
    pairs.map(|(from, to)| (from.to_owned(), to)).into()
}

#[tokio::test]
async fn the_front_page_is_followed() {
    follow("README.md", Vec::new()).await;
}

#[tokio::test]
async fn the_first_route_is_followed() {
    let (kafka, nats) = (brokers::kafka().plaintext(), brokers::nats());
    let word = format!("zaken{}", std::process::id());
    let stream = jetstream::stream::Config {
        name: word.to_uppercase(),
        subjects: vec![format!("{word}.>")],
        ..Default::default()
    };
    let context = jetstream::new(async_nats::connect(&nats).await.unwrap());
    context.create_stream(stream).await.unwrap();
    let (listener, receiver) = (free_address(), free_address());
    let replaced = replaced([
        ("127.0.0.1:19092", kafka),
        ("127.0.0.1:14222", nats),
        ("127.0.0.1:8080", listener.to_string()),
        ("127.0.0.1:8081", receiver.to_string()),
        (", 8081)", format!(", {})", receiver.port())),
        ("zaken", word.clone()),
        ("ZAKEN", word.to_uppercase()),
    ]);
    follow("first-route.md", replaced).await;
    context.delete_stream(word.to_uppercase()).await.unwrap();
}

#[tokio::test]
async fn the_page_of_webhooks_is_followed() {
    follow("webhooks.md", Vec::new()).await;
}

#[tokio::test]
async fn the_page_of_ci_is_followed() {
    follow("ci.md", Vec::new()).await;
}

#[tokio::test]
async fn the_page_of_operations_is_followed() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "site").await;
    let dead = Topic::create(&broker, "site-dead").await;
    let sent = numbered(1, 1);
    topic.write([sent[0].record(50)]).await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let route = Route::to_webhook(&topic, &receiver, &dead).named("zaken-to-webhook");
    let mut token = NamedTempFile::new().unwrap();
    writeln!(token, "hush").unwrap();
    let line = format!("token = {{ file = {:?} }}\n", token.path());
    let settings = Settings::new(&broker).route(route).admin_line(&line);
    let bridge = Bridge::start(&settings).await;
    eventually("it is a dead letter", SOON, async || {
        (dead.len().await == 1).then_some(())
    })
    .await;
    receiver.follow(first([]));
    let (partition, offset) = dead.read().await[0].place;
    let place = format!("kafka:{}/{partition}/{offset}", dead.name);
    let replaced = replaced([
        ("$(cat admin-token)", "hush".to_owned()),
        ("127.0.0.1:9464", settings.admin.to_string()),
        ("kafka:dead-letters/0/17", place),
    ]);
    follow("docs/operations.md", replaced).await;
    assert_eq!(receiver.accepted(), [sent[0].id()]);
    assert_eq!(bridge.metric("cenl_route_paused").await, Some(1.0));
}

#[tokio::test]
async fn the_page_of_the_checker_is_followed() {
    follow("conformance/README.md", Vec::new()).await;
}

/// A page with a command that nobody follows, or a command that says without a reason that it is not run.
#[test]
fn every_command_is_run_or_says_why_not() {
    let mut not_run = String::new();
    for chapter in chapters(&root()) {
        let blocks = blocks(&chapter.text);
        let commands = blocks.iter().filter(|block| block.language == "sh");
        let mut is_followed = false;
        for block in commands.filter(|_| !is_record(&chapter.path)) {
            match block.not_run() {
                Some(why) => {
                    assert!(why.len() > 10, "{}:{}", chapter.path, block.line);
                    let first = block.text.lines().next().unwrap();
                    not_run += &format!("{}: {first}\n  {why}\n", chapter.path);
                }
                None => is_followed = true,
            }
        }
        let expected = FOLLOWED.contains(&&*chapter.path);
        assert_eq!(is_followed, expected, "{}", chapter.path);
    }
    insta::assert_snapshot!(not_run);
}

#[test]
fn the_page_about_installing_names_this_version() {
    let package = format!("./cenl-bridge_{}_amd64.deb", env!("CARGO_PKG_VERSION"));
    assert!(chapter("install.md").text.contains(&package), "{package}");
}
