//! Tokens of a real authorization server: each way to prove who we are, expiry, an outage in mid-flow, clocks
//! that are wrong, and keys that change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::support::authorization::{AuthorizationServer, OTHER_TLS, TLS};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::run;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

const METHODS: [&str; 6] = [
    "client_secret_basic",
    "client_secret_post",
    "RS256",
    "PS256",
    "ES256",
    TLS,
];

#[tokio::test]
async fn a_token_is_had_in_each_way_to_prove_who_we_are() {
    let mut server = AuthorizationServer::new(free_address(), 60);
    server.start().await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let mut tables = format!("[http.in]\nlisten = \"{}\"\n", free_address());
    for method in METHODS {
        let name = method.to_lowercase().replace('_', "-");
        tables += &server.credentials(&name, method);
        write!(
            tables,
            "[[route]]\nname = \"{name}\"\n[route.source]\nhttp = \"in\"\npath = \"/{name}\"\n\
             [route.sink]\nurl = \"{}\"\ncredentials = \"{name}\"\n",
            receiver.url()
        )
        .unwrap();
    }
    // Tables of connections stand before those of routes for whoever reads them, and need not.
    let settings = Settings::written(tables);
    let said = run("check-config", &settings, &["--check-connections"]).await;
    let said = said.ends_with(0);
    assert_eq!(
        said.out.matches("OPTIONS: answered 204").count(),
        METHODS.len(),
        "{}",
        said.out
    );
    for secret in server.secrets() {
        assert!(!said.out.contains(&secret) && !said.errors.contains(&secret));
    }
    server.kill();
    let said = run("check-config", &settings, &["--check-connections"]).await;
    let said = said.ends_with(1);
    let failed = said.out.matches("token endpoint does not answer").count();
    assert_eq!(failed, METHODS.len(), "{}", said.out);
}

#[tokio::test]
async fn a_certificate_of_somebody_else_gets_no_token() {
    let mut server = AuthorizationServer::new(free_address(), 60);
    server.start().await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::between_webhooks("/events", &receiver).sink("credentials = \"main\"");
    let settings = Settings::written(server.credentials("main", OTHER_TLS))
        .listen(free_address())
        .route(route);
    let said = run("check-config", &settings, &["--check-connections"]).await;
    let said = said.ends_with(1);
    assert!(
        said.out.contains("token endpoint refuses us"),
        "{}",
        said.out
    );
}

/// Nothing is sent with a token that has expired, and nothing is lost or given up while none can be had.
#[tokio::test]
async fn tokens_are_renewed_in_time_and_an_outage_of_their_server_is_waited_for() {
    const LIFETIME: u64 = 3;
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "tokens").await;
    let dead = Topic::create(&broker, "tokens-dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let mut server = AuthorizationServer::new(free_address(), LIFETIME);
    server.start().await;
    let route = Route::to_webhook(&topic, &receiver, &dead).sink("credentials = \"main\"");
    let settings = Settings::new(&broker)
        .connection(&server.credentials("main", "ES256"))
        .route(route);
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(240, 12);
    for (second, events) in sent.chunks(20).enumerate() {
        topic
            .write(events.iter().map(|event| event.record(20)))
            .await;
        match second {
            4 => server.kill(),
            9 => {
                // The last token has expired by now, and what was written since waits.
                eventually("the circuit opens", SOON, async || {
                    bridge
                        .log()
                        .contains("token endpoint does not answer")
                        .then_some(())
                })
                .await;
                server.start().await;
            }
            _ => {}
        }
        sleep(Duration::from_millis(700)).await;
    }
    receiver.gets(&sent).await;
    Verdict::of("tokens", &sent, &receiver.accepted(), &[]).is_clean();
    assert_eq!(dead.len().await, 0);
    let mut used = BTreeMap::<String, (Instant, Instant)>::new();
    for exchange in receiver.exchanges() {
        let token = exchange.headers["authorization"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(token.starts_with("Bearer "));
        let (_, last) = used.entry(token).or_insert((exchange.came, exchange.came));
        *last = exchange.came;
    }
    assert!(used.len() > 2, "{}", used.len());
    // A busy machine may take a second from one to the other.
    let most = Duration::from_secs(LIFETIME + 1);
    assert!(used.values().all(|(first, last)| *last - *first < most));
    let log = bridge.log();
    for token in used.keys().map(|token| token.trim_start_matches("Bearer ")) {
        assert!(!log.contains(token));
    }
    bridge.stop().await;
}

/// A route from a topic to a receiver that takes tokens of this server.
struct Scene {
    server: AuthorizationServer,
    topic: Topic,
    dead: Topic,
    receiver: Receiver,
    settings: Settings,
}

impl Scene {
    async fn new(lifetime_s: u64, method: &str) -> Self {
        let broker = brokers::kafka();
        let topic = Topic::create(&broker, "tokens").await;
        let dead = Topic::create(&broker, "tokens-dead").await;
        let receiver = Receiver::start(always(Answer::Status(204)));
        let server = AuthorizationServer::new(free_address(), lifetime_s);
        let route = Route::to_webhook(&topic, &receiver, &dead).sink("credentials = \"main\"");
        let settings = Settings::new(&broker)
            .connection(&server.credentials("main", method))
            .route(route);
        Self {
            server,
            topic,
            dead,
            receiver,
            settings,
        }
    }

    /// Slowly enough that tokens expire meanwhile.
    async fn write(&self, events: &[Numbered]) {
        for events in events.chunks(10) {
            let records = events.iter().map(|event| event.record(20));
            self.topic.write(records).await;
            sleep(Duration::from_millis(500)).await;
        }
    }

    fn tokens(&self) -> usize {
        let exchanges = self.receiver.exchanges().into_iter();
        let tokens = exchanges.map(|it| it.headers["authorization"].to_str().unwrap().to_owned());
        tokens.collect::<BTreeSet<_>>().len()
    }

    async fn ends(&self, title: &str, sent: &[Numbered], bridge: Bridge) {
        self.receiver.gets(sent).await;
        bridge.stop().await;
        Verdict::of(title, sent, &self.receiver.accepted(), &[]).is_clean();
        assert_eq!(self.dead.len().await, 0);
    }
}

/// A token is good for the time that the server names, whatever moment its own clock or ours has by then.
#[tokio::test]
async fn a_clock_of_the_authorization_server_that_is_an_hour_off_costs_nothing() {
    for ahead_s in [-3600, 3600] {
        let mut scene = Scene::new(3, "client_secret_basic").await;
        scene.server.set_clock(ahead_s);
        scene.server.start().await;
        // Its moments are whole seconds.
        scene.receiver.admit(scene.server.takes(-1));
        let bridge = Bridge::start(&scene.settings).await;
        let sent = numbered(160, 8);
        scene.write(&sent).await;
        scene
            .ends(&format!("{ahead_s} s ahead"), &sent, bridge)
            .await;
        assert!(scene.tokens() > 2, "{}", scene.tokens());
        assert_eq!(scene.receiver.requests(), sent.len(), "refused none");
    }
}

/// What we sign is too old for it. Then the route waits until the clock is right.
#[tokio::test]
async fn a_server_whose_clock_is_ahead_of_what_we_sign_is_waited_for() {
    let mut scene = Scene::new(60, "ES256").await;
    scene.server.set_clock(3600);
    scene.server.start().await;
    let bridge = Bridge::start(&scene.settings).await;
    let sent = numbered(40, 8);
    scene.write(&sent).await;
    bridge
        .says(&["circuit open", "token endpoint refuses us"])
        .await;
    assert_eq!(scene.receiver.came(), 0);
    scene.server.kill();
    scene.server.set_clock(0);
    scene.server.start().await;
    scene.receiver.admit(scene.server.takes(0));
    scene.ends("clock set right", &sent, bridge).await;
}

#[tokio::test]
async fn a_token_that_the_receiver_takes_for_expired_is_replaced() {
    let mut scene = Scene::new(5, "client_secret_basic").await;
    scene.server.start().await;
    scene.receiver.admit(scene.server.takes(3));
    let bridge = Bridge::start(&scene.settings).await;
    let sent = numbered(160, 8);
    scene.write(&sent).await;
    scene.ends("expired by the receiver", &sent, bridge).await;
    let refused = scene.receiver.requests() - sent.len();
    assert!(refused > 0 && scene.tokens() > 2, "{refused} refused");
}

/// The receiver knows the new key before the server signs with it, and the old one no more.
#[tokio::test]
async fn a_signing_key_that_changes_is_waited_for() {
    let mut scene = Scene::new(60, "ES256").await;
    scene.server.start().await;
    scene.receiver.admit(scene.server.takes(0));
    let bridge = Bridge::start(&scene.settings).await;
    let sent = numbered(120, 8);
    let parts: Vec<_> = sent.chunks(40).collect();
    scene.write(parts[0]).await;
    scene.receiver.gets(parts[0]).await;
    scene.server.change_signing_key("another");
    scene.receiver.admit(scene.server.takes(0));
    scene.write(parts[1]).await;
    bridge.says(&["circuit open", "status 401"]).await;
    assert_eq!(scene.receiver.arrived(), parts[0].len());
    scene.server.kill();
    scene.server.start().await;
    scene.write(parts[2]).await;
    scene.ends("another key", &sent, bridge).await;
}
