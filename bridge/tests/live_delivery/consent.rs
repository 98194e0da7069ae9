//! The handshake of the webhook specification with a receiver of others: that of the official Go SDK.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use base64_simd::STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::support::bridge::Bridge;
use crate::support::brokers::{self, root};
use crate::support::client::Client;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::nats::Stream;
use crate::support::receiver::{Answer, Receiver};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

/// `scripts/webhook-receiver`, killed when dropped.
struct GoReceiver {
    child: Child,
    directory: TempDir,
}

impl GoReceiver {
    async fn start(address: SocketAddr, origin: &str, rate: u32) -> Self {
        let directory = TempDir::new().unwrap();
        let at = |name: &str| directory.path().join(name);
        let mut child = Command::new(root().join("scripts/webhook-receiver"))
            .args([&address.port().to_string(), origin, &rate.to_string()])
            .stdin(Stdio::null())
            .stdout(File::create(at("ids")).unwrap())
            .stderr(File::create(at("log")).unwrap())
            .spawn()
            .unwrap();
        // It may have to be built.
        eventually("the receiver listens", 20 * SOON, async || {
            let log = || fs::read_to_string(at("log"));
            assert_eq!(child.try_wait().unwrap(), None, "{:?}", log());
            TcpStream::connect(address).await.ok()
        })
        .await;
        Self { child, directory }
    }

    fn ids(&self) -> Vec<String> {
        let ids = fs::read_to_string(self.directory.path().join("ids")).unwrap();
        ids.lines().map(str::to_owned).collect()
    }
}

impl Drop for GoReceiver {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[tokio::test]
async fn events_wait_for_the_consent_of_the_go_sdk_and_keep_its_rate() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "consent").await;
    let dead = Topic::create(&broker, "consent-dead").await;
    let address = free_address();
    let sink = format!(
        "url = \"http://{address}/\"\nhandshake = \"required\"\norigin = \"bron.example.nl\"\n\
         request_rate = 1000\n"
    );
    let route = Route::from_topic(
        &topic,
        &sink,
        &format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name),
    );
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    let sent = numbered(60, 6);
    let records = sent.iter().map(|event| event.record(20));
    let other = GoReceiver::start(address, "ander.example.nl", 600).await;
    topic.write(records).await;
    bridge
        .says(&["circuit open", "receiver does not consent"])
        .await;
    assert!(other.ids().is_empty());
    drop(other);
    let receiver = GoReceiver::start(address, "bron.example.nl", 600).await;
    eventually("events wait for the rate", SOON, async || {
        let waits = bridge.metric("cenl_route_waits_for_rate").await;
        (waits == Some(1.0)).then_some(())
    })
    .await;
    eventually("every event", 3 * SOON, async || {
        (receiver.ids().len() >= sent.len()).then_some(())
    })
    .await;
    Verdict::of("consent", &sent, &receiver.ids(), &[]).is_clean();
    assert_eq!(dead.len().await, 0);
    bridge.stop().await;
}

/// Where consent is kept that a receiver gives later.
#[derive(Clone, Copy, Debug)]
enum Keeps {
    Kafka,
    JetStream,
    File,
}

/// HOOK-VRES-9, HOOK-CB-1
#[tokio::test]
async fn consent_by_callback_outlives_the_bridge() {
    for keeps in [Keeps::Kafka, Keeps::JetStream, Keeps::File] {
        calls_back(keeps).await;
    }
}

async fn calls_back(keeps: Keeps) {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let topic = Topic::create(&broker, "callback").await;
    let dead = Topic::create(&broker, "callback-dead").await;
    let stream = Stream::create(&server, "callback").await;
    // It knows OPTIONS no more than most do, and consents by hand.
    let receiver = Receiver::start(Box::new(|events| match events {
        [] => Answer::Status(405),
        _ => Answer::Status(204),
    }));
    let (folder, listen) = (TempDir::new().unwrap(), free_address());
    let secret = folder.path().join("secret");
    fs::write(&secret, "a secret of at least 32 characters").unwrap();
    let mut table = format!(
        "[consent.public]\nurl = \"http://{listen}/consent\"\nlisten = \"{listen}\"\n\
         secret = {{ file = {secret:?} }}\n"
    );
    if let Keeps::File = keeps {
        table += &format!("file = {:?}\n", folder.path().join("consents.json"));
    }
    let route = match keeps {
        Keeps::JetStream => Route::from_stream(&stream, &receiver, &dead),
        _ => Route::to_webhook(&topic, &receiver, &dead),
    };
    let asks = "handshake = \"required\"\norigin = \"bron.example.nl\"\nconsent = \"public\"";
    let settings = Settings::new(&broker)
        .nats(&server, "")
        .connection(&table)
        .route(route.sink(asks));
    let (sent, before) = (numbered(40, 4), 20);
    let write = async |events: &[Numbered]| match keeps {
        Keeps::JetStream => stream.write(events, 20).await,
        _ => {
            topic
                .write(events.iter().map(|event| event.record(20)))
                .await
        }
    };
    write(&sent[..before]).await;
    let first = Bridge::start(&settings).await;
    first
        .says(&["circuit open", "receiver has not consented yet"])
        .await;
    let asked = &receiver.exchanges()[0];
    let callback = asked.headers["webhook-request-callback"].to_str().unwrap();
    let callback = callback.strip_prefix(&format!("http://{listen}")).unwrap();
    assert_eq!(receiver.accepted_count(), 0);
    // The process that is called back need not be the one that asked.
    first.kill();
    let second = Bridge::start(&settings).await;
    let client = Client::new(listen);
    let answer = eventually("the port is open", SOON, async || {
        client.get(callback).await
    })
    .await;
    assert_eq!(answer.status, 200, "{keeps:?} {}", answer.text());
    receiver.gets(&sent[..before]).await;
    let log = second.log();
    let key = callback.split_once("key=").unwrap().1;
    assert!(!log.contains(key), "{log}");
    second.kill();
    let third = Bridge::start(&settings).await;
    write(&sent[before..]).await;
    receiver.gets(&sent).await;
    let asked = receiver.exchanges().into_iter();
    let asked = asked.filter(|exchange| exchange.events.is_empty());
    let asked = asked.count();
    assert!(
        asked <= 3,
        "{keeps:?}: each process asks once, and it was {asked} times"
    );
    Verdict::of("callback", &sent, &receiver.accepted(), &[]).keeps_the_promise();
    assert_eq!(dead.len().await, 0);
    third.stop().await;
}

/// Two bridges: one asks for consent before anyone has allowed it, and is called back by the other, which was
/// killed in between. HOOK-VRES-9, HOOK-CB-1
#[tokio::test]
async fn a_bridge_that_asked_too_early_is_called_back_by_another() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "early").await;
    let (arrived, dead) = (
        Topic::create(&broker, "early-arrived").await,
        Topic::create(&broker, "early-dead").await,
    );
    let (folder, listen, ingress) = (TempDir::new().unwrap(), free_address(), free_address());
    let secret = folder.path().join("secret");
    fs::write(&secret, "a secret of at least 32 characters").unwrap();
    let table = format!(
        "[consent.public]\nurl = \"http://{listen}/consent\"\nlisten = \"{listen}\"\n\
         secret = {{ file = {secret:?} }}\n"
    );
    let sink = format!(
        "url = \"http://{ingress}/events\"\nhandshake = \"required\"\norigin = \"bron.example.nl\"\n\
         consent = \"public\"\n"
    );
    let dead_letter = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    let sends = Settings::new(&broker)
        .connection(&table)
        .route(Route::from_topic(&topic, &sink, &dead_letter));
    let requests = folder.path().join("requests.json");
    let receives = |hosts: &str, origin: &str| {
        let callback =
            format!("consent_requests_file = {requests:?}\ncallback_hosts = [{hosts}]\n");
        let origins = format!("allowed_origins = [\"{origin}\"]\nallowed_rate = 6000");
        Settings::new(&broker)
            .listen(ingress)
            .connection(&callback)
            .route(Route::to_topic("/events", &arrived).source(&origins))
    };
    let receiver = Bridge::start(&receives("", "ander.example.nl")).await;
    let sent = numbered(60, 6);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let sender = Bridge::start(&sends).await;
    receiver
        .says(&["a sender asks for consent", "/events", "bron.example.nl"])
        .await;
    sender
        .says(&["circuit open", "receiver has not consented yet"])
        .await;
    let kept = || fs::read_to_string(&requests).unwrap_or_default();
    let key = eventually("it is kept", SOON, async || {
        let kept = kept();
        let (key, _) = kept.split_once("key=")?.1.split_once('"')?;
        Some(key.to_owned())
    })
    .await;
    let first_log = receiver.log();
    receiver.kill();
    // Who sends and who receives are on one machine here, which nobody outside may say of a machine.
    let settings = receives("", "bron.example.nl");
    let receiver = Bridge::start(&settings).await;
    receiver
        .says(&[
            "a sender cannot be called back yet",
            "not public",
            "callback_hosts",
        ])
        .await;
    assert_eq!(arrived.len().await, 0);
    let mut changed = receives("\"127.0.0.1\"", "bron.example.nl");
    changed.admin = settings.admin;
    receiver.rewrite(&changed);
    receiver.signal("HUP");
    sender
        .says(&["a receiver has called back and consents"])
        .await;
    receiver
        .says(&["a sender was called back and knows of its consent"])
        .await;
    eventually("every event", SOON, async || {
        (arrived.len().await >= sent.len()).then_some(())
    })
    .await;
    let ids = crate::support::wire::ids(&arrived.read().await);
    Verdict::of("early", &sent, &ids, &[]).keeps_the_promise();
    assert_eq!(dead.len().await, 0);
    for log in [&first_log, &receiver.log(), &sender.log()] {
        assert!(!log.contains(&key), "{log}");
    }
    assert!(!kept().contains("key="), "{}", kept());
    sender.stop().await;
    receiver.stop().await;
}

/// One bridge signs, as the other knows it, with both kinds of keys and one that the other does not know.
#[tokio::test]
async fn a_bridge_is_known_by_its_signature() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "signed").await;
    let (arrived, dead) = (
        Topic::create(&broker, "signed-arrived").await,
        Topic::create(&broker, "signed-dead").await,
    );
    let (folder, ingress) = (TempDir::new().unwrap(), free_address());
    let key = |name: &str, secret: String| {
        let path = folder.path().join(name);
        fs::write(&path, secret).unwrap();
        format!("{{ file = {path:?} }}")
    };
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let encoded = |bytes: &[u8]| STANDARD.encode_to_string(bytes);
    let [new, known] = ["new", "known"].map(|name| {
        let secret = format!("a secret that is {name}, 24 bytes");
        key(name, format!("whsec_{}", encoded(secret.as_bytes())))
    });
    let private = key("private", format!("whsk_{}", encoded(&[7; 32])));
    let public = key(
        "public",
        format!("whpk_{}", encoded(pair.public_key().as_ref())),
    );
    let dead_letter = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    let sends = |secrets: &str| {
        let sink = format!("url = \"http://{ingress}/events\"\nsigning_secrets = [{secrets}]\n");
        Settings::new(&broker).route(Route::from_topic(&topic, &sink, &dead_letter))
    };
    let clients =
        format!("clients = [{{ name = \"bridge\", signing_secrets = [{known}, {public}] }}]\n");
    let receives = Settings::new(&broker)
        .listen(ingress)
        .connection(&clients)
        .route(Route::to_topic("/events", &arrived));
    let receiver = Bridge::start(&receives).await;
    let settings = sends(&new);
    let sender = Bridge::start(&settings).await;
    let sent = numbered(60, 6);
    let write = async |events: &[Numbered]| {
        topic
            .write(events.iter().map(|event| event.record(20)))
            .await;
    };
    let arrive = async |count: usize| {
        eventually("events arrive", SOON, async || {
            (arrived.len().await >= count).then_some(())
        })
        .await;
    };
    write(&sent[..20]).await;
    receiver
        .says(&["401", "the signature is that of no client"])
        .await;
    assert_eq!(arrived.len().await, 0);
    for (secrets, until) in [(format!("{new}, {known}"), 40), (private, 60)] {
        let mut changed = sends(&secrets);
        changed.admin = settings.admin;
        sender.rewrite(&changed);
        sender.signal("HUP");
        write(&sent[until - 20..until]).await;
        arrive(until).await;
    }
    let ids = crate::support::wire::ids(&arrived.read().await);
    Verdict::of("signed", &sent, &ids, &[]).keeps_the_promise();
    assert_eq!(dead.len().await, 0);
    sender.stop().await;
    receiver.stop().await;
}
