//! Many routes in one process: how soon they run, and what they take while nothing happens.

use std::fmt::Write as _;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::nats::Stream;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Settings, free_address};
use crate::support::wait::{SOON, eventually, until};

const MANY: usize = 500;
const MEBIBYTE: usize = 1 << 20;

/// Topics, streams and receivers that routes of every kind share.
struct Ends {
    topic: Topic,
    stream: Stream,
    written: Stream,
    receiver: Receiver,
}

impl Ends {
    async fn new() -> Self {
        let (broker, server) = (brokers::kafka(), brokers::nats());
        Self {
            topic: Topic::create(&broker, "many").await,
            stream: Stream::create(&server, "many").await,
            written: Stream::create(&server, "written").await,
            receiver: Receiver::start(always(Answer::Status(204))),
        }
    }

    /// So many routes, by turns from and to these.
    fn settings(&self, count: usize, pairs: &[(&str, &str)]) -> Settings {
        let (broker, server) = (brokers::kafka().plaintext(), brokers::nats());
        let mut tables = format!(
            "[kafka.main]\nbrokers = \"{broker}\"\n[nats.main]\nservers = \"{server}\"\n\
             [http.in]\nlisten = \"{}\"\n",
            free_address()
        );
        for (number, (from, to)) in pairs.iter().cycle().take(count).enumerate() {
            writeln!(
                tables,
                "[[route]]\nname = \"r{number}\"\n[route.source]\n{}\n[route.sink]\n{}",
                self.source(from, number),
                self.sink(to, number)
            )
            .unwrap();
            if *from != "http" {
                let dead = &self.topic.name;
                writeln!(
                    tables,
                    "[route.dead_letter]\nkafka = \"main\"\ntopic = \"{dead}-dead\""
                )
                .unwrap();
            }
        }
        Settings::written(tables)
    }

    fn source(&self, kind: &str, number: usize) -> String {
        match kind {
            "kafka" => format!(
                "kafka = \"main\"\ntopic = \"{0}\"\ngroup = \"{0}-{number}\"",
                self.topic.name
            ),
            "stream" => format!(
                "nats = \"main\"\nstream = \"{}\"\ndurable = \"d{number}\"",
                self.stream.name
            ),
            _ => format!("http = \"in\"\npath = \"/p{number}\""),
        }
    }

    fn sink(&self, kind: &str, number: usize) -> String {
        match kind {
            "kafka" => format!("kafka = \"main\"\ntopic = \"{}-out\"", self.topic.name),
            "stream" => format!(
                "nats = \"main\"\nstream = \"{}\"\nsubject = \"{}\"",
                self.written.name,
                self.written.subject("out")
            ),
            "https" => format!("url = \"https://receiver-{number}.example/hook\""),
            _ => format!("url = \"{}\"", self.receiver.url()),
        }
    }
}

/// Starts, and says how long that took and what is taken then: mebibytes and threads.
async fn measured(title: &str, settings: &Settings) -> (Bridge, usize, usize) {
    let began = Instant::now();
    let bridge = Bridge::start(settings).await;
    let took = began.elapsed();
    let (mebibytes, threads) = (bridge.memory() / MEBIBYTE, bridge.threads());
    println!("{title}: ready after {took:.1?}, {mebibytes} MiB, {threads} threads");
    (bridge, mebibytes, threads)
}

#[tokio::test]
async fn five_hundred_streams_are_read_by_one_process() {
    let ends = Ends::new().await;
    let settings = ends.settings(MANY, &[("stream", "webhook")]);
    let (bridge, mebibytes, threads) = measured("500 from JetStream", &settings).await;
    assert!(mebibytes < 300, "{mebibytes} MiB");
    assert!(threads < 40, "{threads} threads");
    ends.stream.write(&numbered(1, 1), 100).await;
    until("each route delivers", SOON, || {
        ends.receiver.requests() == MANY
    })
    .await;
    let mebibytes = bridge.memory() / MEBIBYTE;
    assert!(mebibytes < 300, "{mebibytes} MiB");
    bridge.stop().await;
}

/// Receivers with TLS, topics whose limits are asked for, and streams.
#[tokio::test]
async fn five_hundred_paths_are_served_by_one_process() {
    let ends = Ends::new().await;
    let pairs = [("http", "https"), ("http", "kafka"), ("http", "stream")];
    let settings = ends.settings(MANY, &pairs);
    let (bridge, mebibytes, threads) = measured("500 from HTTP", &settings).await;
    assert!(mebibytes < 300, "{mebibytes} MiB");
    assert!(threads < 40, "{threads} threads");
    bridge.stop().await;
}

#[tokio::test]
async fn a_hundred_groups_take_seven_threads_each_at_most() {
    let ends = Ends::new().await;
    let settings = ends.settings(100, &[("kafka", "webhook")]);
    let (bridge, mebibytes, threads) = measured("100 from Kafka", &settings).await;
    assert!(mebibytes < 300, "{mebibytes} MiB");
    assert!(threads < 40 + 7 * 100, "{threads} threads");
    let event = numbered(1, 1).remove(0);
    ends.topic.write([event.record(100)]).await;
    until("each route delivers", SOON, || {
        ends.receiver.requests() >= 100
    })
    .await;
    bridge.stop().await;
}

/// Three transports, and every pair of them.
#[tokio::test]
async fn routes_with_nothing_to_do_hardly_wake() {
    const ROUTES: usize = 30;
    const WINDOW: Duration = Duration::from_secs(5);
    let ends = Ends::new().await;
    let pairs = [
        ("kafka", "webhook"),
        ("kafka", "stream"),
        ("stream", "kafka"),
        ("stream", "webhook"),
        ("http", "kafka"),
        ("http", "stream"),
    ];
    let settings = ends.settings(ROUTES, &pairs);
    let (bridge, _, threads) = measured("30 of all kinds", &settings).await;
    assert!(threads < 40 + 7 * ROUTES / 3, "{threads} threads");
    let processor = async || bridge.metric("process_cpu_seconds_total").await.unwrap();
    eventually("few wakes", 2 * SOON, async || {
        let (wakes, seconds) = (bridge.wakes("routes-"), processor().await);
        sleep(WINDOW).await;
        let wakes = (bridge.wakes("routes-") - wakes) as f64 / WINDOW.as_secs_f64();
        let share = (processor().await - seconds) / WINDOW.as_secs_f64() * 100.0;
        println!(
            "idle: {wakes} wakes a second of the routes' threads, {share:.1} % of a core in all"
        );
        // Requests to servers that end after a second, and fetches that brokers end.
        (wakes < 3.0 * ROUTES as f64).then_some(())
    })
    .await;
    bridge.stop().await;
}
