//! Settings that change while events flow, and files with secrets that are replaced.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::support::bridge::Bridge;
use crate::support::brokers::{self, Broker, certificate};
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::flow::Feeder;
use crate::support::kafka::Topic;
use crate::support::nats::Stream;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};

/// A route from Kafka under load.
struct Flow {
    topic: Topic,
    dead: Topic,
    receiver: Receiver,
    name: &'static str,
}

impl Flow {
    async fn new(broker: &Broker, name: &'static str) -> Self {
        let answer = || Answer::Slow(Duration::from_millis(fastrand::u64(1..10)));
        Self {
            topic: Topic::create(broker, name).await,
            dead: Topic::create(broker, "dead").await,
            receiver: Receiver::start(Box::new(move |_| answer())),
            name,
        }
    }

    fn route(&self) -> Route {
        Route::to_webhook(&self.topic, &self.receiver, &self.dead).named(self.name)
    }

    /// Waits until so many more events have arrived.
    async fn flows(&self, more: usize) {
        let goal = self.receiver.arrived() + more;
        let what = format!("events of {} flow", self.name);
        until(&what, SOON, || self.receiver.arrived() >= goal).await;
    }
}

/// Writes the settings, and waits until the log says that they are taken over for the nth time.
async fn reload(bridge: &Bridge, settings: &Settings, counts: &str) {
    let taken = |bridge: &Bridge| bridge.log().matches("settings taken over").count();
    let before = taken(bridge);
    bridge.rewrite(settings);
    bridge.signal("HUP");
    until("the settings are taken over", SOON, || {
        taken(bridge) > before
    })
    .await;
    let log = bridge.log();
    let line = log
        .lines()
        .rfind(|line| line.contains("settings taken over"));
    assert!(line.unwrap().contains(counts), "{counts} in {line:?}");
}

#[tokio::test]
async fn routes_that_stay_the_same_notice_nothing_of_a_reload_under_load() {
    let broker = brokers::kafka();
    let [kept, also_kept, changed] = [
        Flow::new(&broker, "kept").await,
        Flow::new(&broker, "also-kept").await,
        Flow::new(&broker, "changed").await,
    ];
    let [one, other, third] = [kept.route(), also_kept.route(), changed.route()];
    let base = Settings::new(&broker).route(one).route(other);
    let mut bridge = Bridge::start(&base.clone().route(third.clone())).await;
    let flows = [&kept, &also_kept, &changed];
    let feeders = flows.map(|flow| Feeder::start(&flow.topic, 20));
    for flow in flows {
        flow.flows(200).await;
    }
    let members = [member(&kept).await, member(&also_kept).await];
    for most in [1, 2] {
        let third = third.clone().own(&format!("in_flight = {most}"));
        let settings = base.clone().route(third);
        reload(&bridge, &settings, "restarted=1 stopped=0 untouched=2").await;
        for flow in flows {
            flow.flows(100).await;
        }
    }
    bridge.rewrite(
        &base
            .clone()
            .route(third.clone().own("in_flight = \"some\"")),
    );
    bridge.signal("HUP");
    bridge
        .says(&["a fault in the settings", "in_flight", "remedy"])
        .await;
    changed.flows(100).await;
    // The route is removed, and added again: what came meanwhile arrives.
    reload(
        &bridge,
        &base,
        "started=0 restarted=0 stopped=1 untouched=2",
    )
    .await;
    let metrics = bridge.metrics().await;
    assert!(!metrics.contains("route=\"changed\""), "{metrics}");
    let arrived = changed.receiver.arrived();
    kept.flows(500).await;
    assert_eq!(
        changed.receiver.arrived(),
        arrived,
        "a route that is gone delivers"
    );
    reload(
        &bridge,
        &base.route(third),
        "started=1 restarted=0 stopped=0 untouched=2",
    )
    .await;
    changed.flows(100).await;
    assert_eq!([member(&kept).await, member(&also_kept).await], members);
    for (flow, feeder) in flows.into_iter().zip(feeders) {
        let sent = feeder.finish().await;
        flow.receiver.gets(&sent).await;
        // Drained, so that even the changed route repeats nothing.
        Verdict::of(flow.name, &sent, &flow.receiver.accepted(), &[]).is_clean();
    }
    assert!(bridge.is_alive().await);
    bridge.stop().await;
}

/// Of the group: another one, once it has joined anew.
async fn member(flow: &Flow) -> String {
    let members = flow.topic.members().await;
    assert_eq!(members.len(), 1, "{members:?}");
    members.join(" ")
}

#[tokio::test]
async fn a_changed_connection_restarts_its_routes_and_an_ended_route_starts_again() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let other = Flow::new(&broker, "other").await;
    let stream = Stream::create(&server, "connection").await;
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::from_stream(&stream, &receiver, &dead).named("stream");
    let base = Settings::new(&broker).route(other.route()).route(route);
    let settings = |lines: &str| base.clone().nats(&stream.server, lines);
    let mut bridge = Bridge::start(&settings("")).await;
    let sent = numbered(60, 6);
    let mut parts = sent.chunks(20);
    let mut arrive = async || {
        stream.write(parts.next().unwrap(), 50).await;
        let until_now = &sent[..sent.len() - parts.len() * 20];
        receiver.gets(until_now).await;
        stream.is_drained("bridge").await;
    };
    arrive().await;
    let settings = settings("inbox_prefix = \"_INBOX_other\"");
    let counts = "started=0 restarted=1 stopped=0 untouched=1";
    reload(&bridge, &settings, counts).await;
    arrive().await;
    Verdict::of("stream", &sent[..40], &receiver.accepted(), &[]).is_clean();
    let context = &stream.context;
    let held = context.get_stream(&stream.name).await.unwrap();
    held.delete_consumer("bridge").await.unwrap();
    // It may be made again within half a minute.
    let ended = || bridge.log().contains("route ended by itself");
    until("the consumer is given up", 2 * SOON, ended).await;
    bridge.says(&["was deleted"]).await;
    eventually("the bridge is not ready", SOON, async || {
        (!bridge.is_ready().await).then_some(())
    })
    .await;
    // Nothing has changed, but it is to be tried again.
    let counts = "started=1 restarted=0 stopped=0 untouched=1";
    reload(&bridge, &settings, counts).await;
    bridge.ready().await;
    arrive().await;
    bridge.stop().await;
}

/// The listener is shared, so what is left of the route before stands on in it while the next one opens.
#[tokio::test]
async fn a_route_of_a_shared_listener_leaves_its_port_to_the_next() {
    let (broker, ingress, callback) = (brokers::kafka(), free_address(), free_address());
    let folder = TempDir::new().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "a secret of at least 32 characters").unwrap();
    let receiver = Receiver::start(always(Answer::Status(204)));
    let settings = |path: &str| {
        let consent = format!(
            "[consent.public]\nurl = \"http://{callback}/{path}\"\nlisten = \"{callback}\"\n\
             secret = {{ file = {secret:?} }}\n"
        );
        let asks = "handshake = \"if-supported\"\norigin = \"bron.example.nl\"\nconsent = \"public\"\n\
                    rate = \"6000/min\"";
        let asking = Route::between_webhooks("/asking", &receiver).named("asking");
        let other = Route::between_webhooks("/other", &receiver).named("other");
        Settings::new(&broker)
            .listen(ingress)
            .connection(&consent)
            .route(asking.sink(asks))
            .route(other)
    };
    let bridge = Bridge::start(&settings("one")).await;
    let client = Client::new(ingress);
    let sent = numbered(4, 1);
    for (number, event) in sent.iter().enumerate() {
        if number == 2 {
            reload(
                &bridge,
                &settings("two"),
                "restarted=1 stopped=0 untouched=1",
            )
            .await;
        }
        let headers = [("content-type", "application/cloudevents+json")];
        let path = ["/asking", "/other"][number % 2];
        let reply = client.post(path, &headers, event.json(10)).await.unwrap();
        assert_eq!(reply.status, 202, "{number}");
    }
    receiver.gets(&sent).await;
    assert!(!bridge.log().contains("in use"), "{}", bridge.log());
    bridge.stop().await;
}

#[tokio::test]
async fn a_certificate_that_is_replaced_ends_the_hold_of_a_route() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "renewed").await;
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(50, 5);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let receiver = Receiver::start_tls(always(Answer::Status(204)));
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("ca.pem");
    // A certificate that signed nothing.
    std::fs::copy(certificate("client.pem"), &root).unwrap();
    let route = Route::to_webhook(&topic, &receiver, &dead)
        .sink(&format!("ca_file = {root:?}"))
        .named("renewed");
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    bridge.says(&["renewed", "certificate"]).await;
    replace(
        &root,
        &std::fs::read_to_string(certificate("ca.pem")).unwrap(),
    );
    receiver.gets(&sent).await;
    bridge.stop().await;
    Verdict::of("a root renewed", &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn a_password_that_is_replaced_lets_the_routes_of_its_connection_join() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "password").await;
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(50, 5);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let (user, password) = broker.credentials();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "not-the-password").unwrap();
    let mut tables = format!("[kafka.main]\nbrokers = \"{}\"\n", broker.sasl_ssl());
    let roots = certificate("ca.pem");
    write!(
        tables,
        "secrets = {{ \"sasl.password\" = {{ file = {file:?} }} }}\n[kafka.main.properties]\n\
         \"security.protocol\" = \"sasl_ssl\"\n\"ssl.ca.location\" = {roots:?}\n\
         \"sasl.mechanism\" = \"PLAIN\"\n\"sasl.username\" = \"{user}\"\n"
    )
    .unwrap();
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let mut bridge = Bridge::spawn(&Settings::written(tables).route(route));
    bridge.says(&["uthentication"]).await;
    replace(&file, password);
    bridge.ready().await;
    receiver.gets(&sent).await;
    assert!(!bridge.log().contains(password));
    bridge.stop().await;
    Verdict::of("a password renewed", &sent, &receiver.accepted(), &[]).is_clean();
}

/// Never half of it.
fn replace(file: &Path, content: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, content).unwrap();
    std::fs::rename(new, file).unwrap();
}
