#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use futures_util::join;
use tracing::Span;

use super::super::{ClientEvents, KafkaCluster, SourceSettings, SourceStatus, config};
use super::*;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Position, Received, Verdict};

const CAPACITY: Capacity = Capacity {
    events: 9,
    bytes: 9,
};

fn window() -> Rc<Window> {
    Window::partition(CAPACITY, &Share::unbounded())
}

fn admit(window: &Rc<Window>, offset: u64) -> Delivery {
    window.admit(Received {
        binding: &cloudevents_nl_codec::KAFKA,
        headers: cloudevents_nl_codec::HeaderList::default(),
        key: None,
        body: None,
        timestamp_ms: None,
        position: Position::numbered("kafka:t/0/", offset),
        defect: None,
    })
}

fn partition(window: &Rc<Window>) -> Partition {
    Partition {
        window: Rc::clone(window),
        reader: JoinSet::new(),
        stored: Cell::new(-1),
        waits: Cell::new(true),
    }
}

#[test]
fn what_is_committed_lies_behind_the_last_settled_record() {
    let window = window();
    assert_eq!(to_commit(&window), None);
    let mut taken = [40, 43].map(|offset| Some(admit(&window, offset)));
    for (index, expected) in [(1, None), (0, Some(44))] {
        if let Some(delivery) = taken[index].take() {
            delivery.settle(Verdict::Delivered);
        }
        assert_eq!(to_commit(&window), expected);
    }
}

#[test]
fn what_is_no_record_is_committed_where_all_before_it_is_settled() {
    let window = window();
    let opened = partition(&window);
    let passed = |next| {
        lag::pass(&opened, next);
        to_commit(&window)
    };
    opened.waits.set(false);
    assert_eq!(passed(21), None, "its reader has one in hand");
    opened.waits.set(true);
    assert_eq!(passed(21), Some(21));
    let [first, second] = [21, 22].map(|offset| admit(&window, offset));
    assert_eq!(passed(24), Some(21));
    second.settle(Verdict::Delivered);
    assert_eq!(passed(24), Some(21), "the first one is stuck");
    first.settle(Verdict::Delivered);
    assert_eq!(passed(22), Some(23), "there is no way back");
    assert_eq!(passed(24), Some(24));
    let waiting = admit(&window, 24);
    window.drain(Instant::now());
    assert!(window.is_empty() && waiting.is_gone());
    assert_eq!(passed(25), Some(24), "a drain cut it off");
}

#[test]
fn nothing_is_passed_behind_a_delivery_that_was_dropped_or_given_up() {
    for end in [drop::<Delivery>, Delivery::give_up] {
        let window = window();
        end(admit(&window, 40));
        lag::pass(&partition(&window), 42);
        assert_eq!(to_commit(&window), None);
    }
}

/// Nobody listens on the port: a partition is assigned without a broker.
#[tokio::test(start_paused = true)]
async fn a_commit_is_due_when_a_watermark_has_moved_and_until_it_is_stored() {
    const LONG: Duration = Duration::from_secs(3600);
    let cluster = KafkaCluster::new("127.0.0.1:1", &[]);
    let settings = SourceSettings::new("t", "g");
    let config = config(&cluster, &settings, CAPACITY);
    let client: Client = config
        .create_with_context(ClientEvents::new(Span::current(), None))
        .unwrap();
    let window = window();
    let status = SourceStatus::default();
    let source = KafkaSource::new(&cluster, settings, CAPACITY, Share::unbounded(), status);
    let assignment = Assignment {
        source: Rc::new(source),
        client: Arc::new(client),
        topic: "t".into(),
        intake: Intake::new().0,
        fault: mpsc::channel(1).0,
        ahead: 1,
        turns: None,
        open: RefCell::new(BTreeMap::from([(0, partition(&window))])),
        commit_due: Notify::default(),
        committing: Arc::default(),
        asking: Arc::default(),
    };
    let stored = || assignment.open.borrow()[&0].stored.get();
    admit(&window, 40).settle(Verdict::Delivered);
    assert!(assignment.store_moved());
    assert_eq!(stored(), -1, "it is not assigned");
    let list = offsets::list("t", [(0, 40)]).unwrap();
    assignment.client.assign(&list).unwrap();
    assert!(assignment.store_moved());
    assert_eq!(stored(), 41);
    assert!(!assignment.store_moved());
    let due = || timeout(LONG, assignment.something_to_commit());
    let [first, second] = [41, 42].map(|offset| admit(&window, offset));
    second.settle(Verdict::Delivered);
    assert!(due().await.is_err(), "the first one is stuck");
    let settle = async { first.settle(Verdict::Delivered) };
    assert!(join!(due(), settle).0.is_ok());
    assert_eq!(stored(), 43);
    assert!(due().await.is_err());
    assignment.commit_due.notify_one();
    assert!(due().await.is_ok(), "a commit failed");
}
