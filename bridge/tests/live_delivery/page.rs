//! The operations page of a real bridge in Chromium: what an operator sees and presses.

use tempfile::NamedTempFile;

use crate::browser::Browser;
use crate::support::bridge::Bridge;
use crate::support::brokers::{self, Broker};
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::wait::{SOON, eventually};

/// A route whose receiver gives one answer to everything, and what it is sent.
struct Line {
    name: &'static str,
    topic: Topic,
    dead: Topic,
    receiver: Receiver,
    sent: Vec<Numbered>,
}

impl Line {
    async fn new(broker: &Broker, name: &'static str, answer: Answer) -> Self {
        Self {
            name,
            topic: Topic::create(broker, name).await,
            dead: Topic::create(broker, "dead").await,
            receiver: Receiver::start(always(answer)),
            sent: numbered(2, 2),
        }
    }

    fn route(&self) -> Route {
        let route = Route::to_webhook(&self.topic, &self.receiver, &self.dead);
        route.named(self.name).with_default_retry()
    }

    async fn write(&self) {
        let records = self.sent.iter().map(|event| event.record(20));
        self.topic.write(records).await;
    }
}

/// A bridge, and a browser of the width of a phone that looks at it in Dutch.
struct Scene {
    bridge: Bridge,
    browser: Browser,
    host: String,
    _token: NamedTempFile,
}

impl Scene {
    async fn set(broker: &Broker, lines: &[&Line]) -> Self {
        let token = NamedTempFile::new().unwrap();
        std::fs::write(token.path(), "a token of tests").unwrap();
        // It stands in `[admin]`, which is open.
        let tables = format!(
            "token = {{ file = \"{}\" }}\n[kafka.main]\nbrokers = \"{}\"\n",
            token.path().display(),
            broker.plaintext()
        );
        let routes = lines.iter().map(|line| line.route());
        let settings = routes.fold(Settings::written(tables), Settings::route);
        let bridge = Bridge::start(&settings).await;
        let mut browser = Browser::start();
        browser.credentials = Some(("anybody", "a token of tests".to_owned()));
        browser.resize(390, 844);
        Self {
            bridge,
            browser,
            host: format!("http://{}", settings.admin),
            _token: token,
        }
    }

    fn open(&mut self, path: &str) {
        self.browser.open(&format!("{}{path}?lang=nl", self.host));
    }

    /// Opens a page until it shows an element.
    async fn shows(&mut self, path: &str, role: &str, name: &str) {
        let what = format!("{path} shows {role} {name:?}");
        eventually(&what, SOON, async || {
            self.open(path);
            self.has(role, name).then_some(())
        })
        .await;
    }

    fn has(&mut self, role: &str, name: &str) -> bool {
        let mut elements = self.browser.elements().into_iter();
        elements.any(|element| element.role == role && element.name.contains(name))
    }
}

#[tokio::test]
async fn an_outage_is_seen_with_its_cause_and_ended_by_retry_now() {
    let broker = brokers::kafka();
    let well = Line::new(&broker, "well", Answer::Status(204)).await;
    let failing = Line::new(&broker, "failing", Answer::RetryAfter(503, 3_600)).await;
    let mut scene = Scene::set(&broker, &[&well, &failing]).await;
    scene.shows("/", "heading", "Alle 2 routes lopen").await;
    failing.write().await;
    well.write().await;
    well.receiver.gets(&well.sent).await;
    scene
        .shows("/", "heading", "1 van 2 routes vraagt aandacht")
        .await;
    assert!(scene.has("StaticText", "503"));
    assert!(scene.has("StaticText", "wacht; blijft het zo"));

    scene.browser.follow("link", "failing");
    let id = failing.sent[0].id();
    scene.shows("/routes/failing", "StaticText", &id).await;
    // Only in an hour would it be tried again.
    failing.receiver.follow(always(Answer::Status(204)));
    scene
        .browser
        .follow("button", "Nu opnieuw proberen failing");
    assert_eq!(scene.browser.challenges, ["cenl-bridge"]);
    failing.receiver.gets(&failing.sent).await;
    scene.shows("/", "heading", "Alle 2 routes lopen").await;
    scene.bridge.stop().await;
}

#[tokio::test]
async fn a_paused_route_sends_nothing_until_it_is_resumed_without_scripts_too() {
    let broker = brokers::kafka();
    let line = Line::new(&broker, "paused", Answer::Status(204)).await;
    let mut scene = Scene::set(&broker, &[&line]).await;
    scene.browser.disable_scripts(true);
    scene.open("/");
    scene.browser.follow("button", "Pauzeren paused");
    assert!(scene.has("StaticText", "paused: gepauzeerd."));
    scene
        .shows("/", "heading", "De route vraagt aandacht")
        .await;
    line.write().await;
    let metric = "cenl_window_events";
    eventually("the events are taken", SOON, async || {
        (scene.bridge.metric(metric).await == Some(2.0)).then_some(())
    })
    .await;
    assert_eq!(line.receiver.came(), 0);
    scene.open("/routes/paused");
    scene.browser.follow("button", "Hervatten paused");
    line.receiver.gets(&line.sent).await;
    scene.bridge.stop().await;
}

#[tokio::test]
async fn ticked_dead_letters_are_replayed_or_dismissed() {
    let broker = brokers::kafka();
    let line = Line::new(&broker, "refusing", Answer::Status(422)).await;
    let mut scene = Scene::set(&broker, &[&line]).await;
    line.write().await;
    eventually("both are dead letters", SOON, async || {
        (line.dead.len().await == 2).then_some(())
    })
    .await;
    line.receiver.follow(always(Answer::Status(204)));
    let [first, second] = [0, 1].map(|event: usize| line.sent[event].id());
    let path = "/routes/refusing";
    scene.shows(path, "checkbox", &second).await;
    scene.browser.click("checkbox", &first);
    scene
        .browser
        .follow("button", "Aangekruiste opnieuw versturen");
    assert!(scene.has("StaticText", "refusing: dead letters: 1 afgeleverd."));
    line.receiver.gets(&line.sent[..1]).await;

    scene.shows(path, "checkbox", &second).await;
    assert!(!scene.has("checkbox", &first), "it is open no more");
    scene.browser.click("checkbox", &second);
    scene
        .browser
        .follow("button", "Aangekruiste terzijde leggen");
    assert!(scene.has("StaticText", "refusing: dead letters: 1 terzijde gelegd."));
    scene.shows(path, "StaticText", "opnieuw verstuurd").await;
    assert!(!scene.has("checkbox", &second), "it is open no more");
    assert_eq!(line.receiver.accepted_count(), 1);
    scene.bridge.stop().await;
}

#[tokio::test]
async fn whoever_brings_no_token_reads_what_is_missing() {
    let broker = brokers::kafka();
    let line = Line::new(&broker, "guarded", Answer::Status(204)).await;
    let mut scene = Scene::set(&broker, &[&line]).await;
    scene.browser.credentials = None;
    scene.open("/");
    scene.browser.follow("button", "Pauzeren guarded");
    assert!(scene.has("heading", "Het token is nodig"));
    scene.open("/");
    assert!(scene.has("heading", "De route loopt"));
    scene.bridge.stop().await;
}
