use cloudevents_nl_codec::{HeaderList, KAFKA};

use tokio::time::Instant;

use super::*;
use crate::delivery::share::Share;
use crate::delivery::{Position, Received, Verdict, Window};
use crate::transport::Outgoing;

const ONE: Capacity = Capacity::SINGLE;
const FOUR: Capacity = Capacity {
    events: 4,
    bytes: usize::MAX,
};
const SECOND: Duration = Duration::from_secs(1);

struct Bench {
    window: Rc<Window>,
    lanes: Lanes,
    sequence: usize,
}

impl Bench {
    fn new() -> Self {
        let capacity = Capacity {
            events: 100,
            bytes: 1_000_000,
        };
        Self {
            window: Window::partition(capacity, &Share::unbounded()),
            lanes: Lanes::default(),
            sequence: 0,
        }
    }

    /// Puts an event with this body into the lane of `key`.
    fn push(&mut self, key: &'static str, body: &'static str) {
        let received = Received {
            binding: &KAFKA,
            headers: HeaderList::default(),
            key: None,
            body: None,
            timestamp_ms: None,
            position: Position::numbered("memory:0/", self.sequence as u64),
            defect: None,
        };
        self.sequence += 1;
        let outgoing = Outgoing {
            body: Some(Bytes::from_static(body.as_bytes())),
            ..Outgoing::default()
        };
        let item = Item::new(self.window.admit(received), outgoing, None);
        let key = (!key.is_empty()).then(|| LaneKey {
            window: 0,
            key: Some(Bytes::from_static(key.as_bytes())),
        });
        self.lanes.push(item, key);
    }

    fn take(&mut self, limits: Capacity) -> Option<(InFlight, String)> {
        let sent = self.lanes.take(Stage::Sink, limits, None, Duration::ZERO)?;
        let bodies = sent.batch.iter().filter_map(|event| event.body.clone());
        let text = bodies
            .map(|body| String::from_utf8_lossy(&body).into_owned())
            .collect::<Vec<_>>();
        Some((sent, text.join(" ")))
    }

    /// Everything that may leave now, each exchange still under way.
    fn leaving(&mut self, limits: Capacity) -> Vec<String> {
        std::iter::from_fn(|| self.take(limits))
            .map(|(_, text)| text)
            .collect()
    }

    fn deliver(&mut self, sent: &InFlight) {
        self.lanes
            .settle(sent, |item| item.delivery.settle(Verdict::Delivered));
    }
}

#[test]
fn a_key_has_one_event_under_way() {
    let mut bench = Bench::new();
    for (key, body) in [("a", "a1"), ("a", "a2"), ("b", "b1"), ("", "x"), ("", "y")] {
        bench.push(key, body);
    }
    let (first, text) = bench.take(ONE).unwrap();
    assert_eq!(text, "a1");
    assert_eq!(bench.leaving(ONE), ["b1", "x", "y"]);
    bench.deliver(&first);
    assert_eq!(bench.leaving(ONE), ["a2"]);
}

#[test]
fn a_lane_that_waits_blocks_only_itself() {
    let mut bench = Bench::new();
    for (key, body) in [("a", "a1"), ("a", "a2"), ("b", "b1")] {
        bench.push(key, body);
    }
    let (first, _) = bench.take(ONE).unwrap();
    bench.lanes.put_back(&first, Requeue::After(SECOND), |_| ());
    assert_eq!(bench.leaving(ONE), ["b1"]);
    bench.lanes.wake(SECOND - Duration::from_nanos(1));
    assert_eq!(bench.leaving(ONE), [""; 0]);
    bench.lanes.wake(SECOND);
    assert_eq!(bench.leaving(ONE), ["a1"]);
}

/// Lanes that failed are probes in turn, behind those that have not; when the circuit closes, they are
/// handed out.
#[test]
fn a_probe_is_of_another_lane_each_time() {
    let mut bench = Bench::new();
    for (key, body) in [
        ("a", "a1"),
        ("b", "b1"),
        ("c", "c1"),
        ("d", "d1"),
        ("e", "e1"),
    ] {
        bench.push(key, body);
    }
    for _ in 0..3 {
        let (sent, _) = bench.take(ONE).unwrap();
        let wait = Requeue::After(9 * SECOND);
        bench.lanes.put_back(&sent, wait, |_| ());
    }
    let mut probed = Vec::new();
    for _ in 0..5 {
        let now = Duration::ZERO;
        let kind = bench.lanes.next_probe(Stage::Sink);
        let probe = bench.lanes.take(Stage::Sink, ONE, kind, now).unwrap();
        probed.extend(probe.batch[0].body.clone());
        bench.lanes.put_back(&probe, Requeue::Circuit, |_| ());
    }
    assert_eq!(probed, ["d1", "e1", "d1", "e1", "d1"]);
    assert_eq!(bench.lanes.next_probe(Stage::Sink), Some(Probe::Repeat));
    bench.push("f", "f1");
    assert_eq!(bench.lanes.next_probe(Stage::Sink), Some(Probe::First));
    assert!(bench.lanes.close(Stage::DeadLetter).is_empty());
    for failed in bench.lanes.close(Stage::Sink) {
        bench.lanes.put_back(&failed, Requeue::Ready, |_| ());
    }
    // What failed goes behind what did not.
    assert_eq!(bench.leaving(ONE), ["f1", "e1", "d1"]);
    bench.lanes.wake(9 * SECOND);
    assert_eq!(bench.leaving(ONE), ["a1", "b1", "c1"]);
}

#[test]
fn a_first_probe_is_of_no_lane_that_failed() {
    let mut bench = Bench::new();
    bench.push("a", "a1");
    let (failed, _) = bench.take(ONE).unwrap();
    bench.lanes.put_back(&failed, Requeue::Circuit, |_| ());
    let other = Bench::new().window;
    let mine = mem::replace(&mut bench.window, other);
    bench.push("b", "b1");
    bench.window.abandon();
    bench.window = mine;
    let now = Duration::ZERO;
    let kind = bench.lanes.next_probe(Stage::Sink);
    assert_eq!(kind, Some(Probe::First));
    assert!(bench.lanes.take(Stage::Sink, ONE, kind, now).is_none());
    let kind = bench.lanes.next_probe(Stage::Sink);
    assert_eq!(kind, Some(Probe::Repeat));
    assert!(bench.lanes.take(Stage::Sink, ONE, kind, now).is_some());
}

#[test]
fn a_batch_takes_consecutive_events_of_lanes_in_order() {
    let mut bench = Bench::new();
    for (key, body) in [
        ("a", "a1"),
        ("b", "b1"),
        ("a", "a2"),
        ("b", "b2"),
        ("c", "c1"),
    ] {
        bench.push(key, body);
    }
    assert_eq!(bench.leaving(FOUR), ["a1 a2 b1 b2", "c1"]);
}

#[test]
fn a_batch_stays_within_its_bytes_unless_one_event_is_larger() {
    let mut bench = Bench::new();
    for (key, body) in [("a", "12345"), ("b", "12"), ("c", "34"), ("d", "5")] {
        bench.push(key, body);
    }
    assert_eq!(
        bench.leaving(Capacity {
            events: 4,
            bytes: 4
        }),
        ["12345", "12 34", "5"]
    );
}

#[test]
fn a_refused_batch_is_halved_until_the_event_stands_alone() {
    let mut bench = Bench::new();
    for body in ["1", "2", "bad", "4"] {
        bench.push("", body);
    }
    let mut alone = Vec::new();
    let mut delivered = Vec::new();
    while let Some((sent, text)) = bench.take(FOUR) {
        if !text.contains("bad") {
            bench.deliver(&sent);
            delivered.push(text);
        } else if sent.events > 1 {
            let half = sent.events / 2;
            bench
                .lanes
                .put_back(&sent, Requeue::Ready, |item| item.batch_max = half);
        } else {
            bench.deliver(&sent);
            alone.push(text);
        }
    }
    assert_eq!(
        (alone, delivered),
        (
            vec!["bad".to_owned()],
            vec!["1 2".to_owned(), "4".to_owned()]
        )
    );
}

#[test]
fn what_was_abandoned_never_leaves() {
    let mut bench = Bench::new();
    bench.push("a", "a1");
    bench.push("a", "a2");
    bench.window.abandon();
    assert_eq!(bench.leaving(ONE), [""; 0]);
    assert_eq!(bench.lanes.events(), 0);
    bench.push("a", "a3");
    assert_eq!(bench.leaving(ONE), [""; 0]);
}

#[test]
fn a_drain_lets_go_of_what_nobody_has_seen() {
    let mut bench = Bench::new();
    for (key, body) in [("a", "a1"), ("b", "b1"), ("a", "a2")] {
        bench.push(key, body);
    }
    let (a, _) = bench.take(ONE).unwrap();
    let (b, _) = bench.take(ONE).unwrap();
    bench.window.drain(Instant::now() + SECOND);
    bench.deliver(&a);
    bench.deliver(&b);
    assert_eq!(bench.leaving(ONE), [""; 0]);
    assert!(bench.window.is_empty());
    assert_eq!(bench.window.dropped(), 0);
}

#[test]
fn a_sweep_forgets_what_was_abandoned_wherever_it_stands() {
    let mut bench = Bench::new();
    for (key, body) in [
        ("a", "a1"),
        ("b", "b1"),
        ("c", "c1"),
        ("d", "d1"),
        ("d", "d2"),
    ] {
        bench.push(key, body);
    }
    let (parked, _) = bench.take(ONE).unwrap();
    bench
        .lanes
        .put_back(&parked, Requeue::Ready, |item| item.stage = None);
    let (waiting, _) = bench.take(ONE).unwrap();
    bench
        .lanes
        .put_back(&waiting, Requeue::After(SECOND), |_| ());
    let (under_way, _) = bench.take(ONE).unwrap();
    bench.lanes.sweep(Duration::ZERO, false, |_| Duration::ZERO);
    assert_eq!(bench.lanes.events(), 5);
    bench.window.abandon();
    bench.lanes.sweep(Duration::ZERO, false, |_| Duration::ZERO);
    assert_eq!(bench.lanes.events(), 1, "what is under way is heard of");
    assert_eq!(bench.lanes.next_probe(Stage::Sink), None);
    bench.deliver(&under_way);
    bench.lanes.wake(SECOND);
    assert_eq!(bench.lanes.events(), 0);
    assert_eq!(bench.leaving(ONE), [""; 0]);
}

#[test]
fn a_drain_gives_up_at_once_what_cannot_move_before_its_end() {
    let mut bench = Bench::new();
    for (key, body) in [("a", "a1"), ("a", "a2"), ("b", "b1"), ("c", "c1")] {
        bench.push(key, body);
    }
    for (_, due) in [("a", 10 * SECOND), ("b", 60 * SECOND)] {
        let (sent, _) = bench.take(ONE).unwrap();
        bench.lanes.put_back(&sent, Requeue::After(due), |_| ());
    }
    let (under_way, _) = bench.take(ONE).unwrap();
    bench.window.drain(Instant::now() + 20 * SECOND);
    bench.lanes.sweep(Duration::ZERO, false, |_| Duration::ZERO);
    assert_eq!(
        bench.lanes.events(),
        3,
        "b waits for longer than the drain lasts"
    );
    bench.deliver(&under_way);
    assert!(!is_finished(&bench.window), "a moves in time");
    bench.lanes.sweep(Duration::ZERO, false, |_| 30 * SECOND);
    assert!(
        is_finished(&bench.window),
        "the endpoint opens too late for a"
    );
    assert_eq!(
        (bench.window.watermark(), bench.window.dropped()),
        (None, 0)
    );
}

#[test]
fn a_stop_lets_go_of_what_waits_and_of_nothing_else() {
    let mut bench = Bench::new();
    for (key, body) in [("a", "a1"), ("b", "b1"), ("c", "c1"), ("d", "d1")] {
        bench.push(key, body);
    }
    let (waiting, _) = bench.take(ONE).unwrap();
    let due = Requeue::After(SECOND);
    bench.lanes.put_back(&waiting, due, |_| ());
    let (under_way, _) = bench.take(ONE).unwrap();
    bench.window.let_go();
    bench.lanes.sweep(Duration::ZERO, false, |_| Duration::ZERO);
    assert_eq!(
        bench.lanes.events(),
        3,
        "what is ready goes, and b is heard of"
    );
    bench.lanes.sweep(Duration::ZERO, false, |_| SECOND);
    assert_eq!(bench.lanes.events(), 1, "they wait for the circuit");
    assert!(!is_finished(&bench.window));
    bench.deliver(&under_way);
    assert!(is_finished(&bench.window));
    assert_eq!(bench.window.dropped(), 0);
}

fn is_finished(window: &Window) -> bool {
    use futures_util::FutureExt;
    window.finished().now_or_never().is_some()
}
