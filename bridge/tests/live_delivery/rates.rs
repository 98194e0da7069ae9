//! One rate over the processes of a route, counted by the receiver.

use tokio::time::{Duration, Instant};

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::nats::Stream;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

const PER_SECOND: usize = 20;
/// A second's worth may come at once; requests that a busy machine held up come closer together.
const AT_ONCE: f64 = 2.5;

/// What came, all of it or to one path.
fn came(receiver: &Receiver, path: &str) -> Vec<Instant> {
    let exchanges = receiver.exchanges().into_iter();
    let exchanges = exchanges.filter(|exchange| exchange.path.starts_with(path));
    let mut came: Vec<_> = exchanges.map(|exchange| exchange.came).collect();
    came.sort_unstable();
    came
}

/// In no time more than the rate and what may come at once.
fn is_kept(came: &[Instant], per_second: usize) {
    let per_second = per_second as f64;
    for (first, began) in came.iter().enumerate() {
        for (last, ended) in came.iter().enumerate().skip(first) {
            let most = per_second * ((*ended - *began).as_secs_f64() + AT_ONCE);
            let count = last + 1 - first;
            assert!(
                count as f64 <= most + 1.0,
                "{count} in {:?}",
                *ended - *began
            );
        }
    }
}

async fn arrive(receiver: &Receiver, count: usize) {
    eventually("they arrive", 3 * SOON, async || {
        (receiver.arrived() >= count).then_some(())
    })
    .await;
}

/// The whole rate is used until the last event but those of the second in which lanes run dry.
fn is_used(came: &[Instant], per_second: usize) {
    let count = 5 * per_second;
    let end = came.len() - per_second;
    let took = came[end] - came[end - count];
    assert!(took < Duration::from_millis(8500), "{count} took {took:?}");
}

#[tokio::test]
async fn each_process_has_the_rate_of_its_partitions_and_takes_over_that_of_a_killed_one() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "rate").await;
    let dead = Topic::create(&broker, "rate-dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let route = route.sink(&format!("rate = \"{PER_SECOND}/s\""));
    let settings = Settings::new(&broker).route(route);
    let one = Bridge::start(&settings.posting_to("/one")).await;
    let other = Bridge::start(&settings.posting_to("/other")).await;
    for bridge in [&one, &other] {
        eventually("each has two partitions", SOON, async || {
            let windows = bridge.metric("cenl_windows{").await;
            (windows == Some(2.0)).then_some(())
        })
        .await;
    }
    let sent = numbered(600, 60);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    arrive(&receiver, 150).await;
    one.kill();
    arrive(&receiver, sent.len()).await;
    let of_one = came(&receiver, "/one");
    assert!(of_one.len() > 50, "{} came of it", of_one.len());
    is_kept(&of_one, PER_SECOND / 2);
    is_kept(&came(&receiver, ""), PER_SECOND);
    is_used(&came(&receiver, "/other"), PER_SECOND);
    Verdict::of("rate", &sent, &receiver.accepted(), &[]).keeps_the_promise();
    assert_eq!(dead.len().await, 0);
    other.stop().await;
}

/// It reads all of the stream; `processes` means nothing there.
#[tokio::test]
async fn the_process_with_the_pin_has_the_whole_rate() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let stream = Stream::create(&server, "rate").await;
    let dead = Topic::create(&broker, "rate-dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::from_stream(&stream, &receiver, &dead);
    let route = route.sink(&format!("rate = \"{PER_SECOND}/s\"\nprocesses = 2"));
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let sent = numbered(500, 50);
    stream.write(&sent, 20).await;
    let one = Bridge::start(&settings.posting_to("/one")).await;
    one.says(&["this process reads the stream"]).await;
    let other = Bridge::start(&settings.posting_to("/other")).await;
    arrive(&receiver, 200).await;
    one.kill();
    arrive(&receiver, sent.len()).await;
    let of_one = came(&receiver, "/one");
    is_used(&of_one, PER_SECOND);
    is_kept(&came(&receiver, ""), PER_SECOND);
    is_used(&came(&receiver, "/other"), PER_SECOND);
    Verdict::of("pinned", &sent, &receiver.accepted(), &[]).keeps_the_promise();
    assert_eq!(dead.len().await, 0);
    other.stop().await;
}

/// A rate that is divided by their number: the server shares an unordered consumer as it likes.
#[tokio::test]
async fn where_nobody_knows_its_part_each_process_has_one_of_processes() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let stream = Stream::create(&server, "unordered").await;
    let dead = Topic::create(&broker, "rate-dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::from_stream(&stream, &receiver, &dead).own("order = \"none\"");
    let route = route.sink(&format!("rate = \"{PER_SECOND}/s\"\nprocesses = 2"));
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let one = Bridge::start(&settings.posting_to("/one")).await;
    let other = Bridge::start(&settings.posting_to("/other")).await;
    let sent: Vec<Numbered> = numbered(200, 200);
    stream.write(&sent, 20).await;
    arrive(&receiver, sent.len()).await;
    for path in ["/one", "/other"] {
        is_kept(&came(&receiver, path), PER_SECOND / 2);
    }
    Verdict::of("divided", &sent, &receiver.accepted(), &[]).keeps_the_promise();
    one.stop().await;
    other.stop().await;
}
