#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::{ConsumerEvents, KafkaCluster, SourceSettings, SourceStatus, config};
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

/// Nobody listens on the port: a partition is assigned without a broker.
#[tokio::test]
async fn a_watermark_that_could_not_be_stored_is_stored_later() {
    let cluster = KafkaCluster::new("127.0.0.1:1", &[]);
    let settings = SourceSettings::new("t", "g");
    let config = config(&cluster, &settings, CAPACITY);
    let client: Client = config
        .create_with_context(ConsumerEvents::default())
        .unwrap();
    let window = window();
    let status = SourceStatus::default();
    let source = KafkaSource::new(&cluster, settings, CAPACITY, Share::unbounded(), status);
    let partition = Partition {
        window: Rc::clone(&window),
        reader: None,
        stored: Cell::new(-1),
    };
    let assignment = Assignment {
        source: Rc::new(source),
        client: Arc::new(client),
        topic: "t".into(),
        intake: Intake::new().0,
        fault: mpsc::channel(1).0,
        ahead: 1,
        turns: None,
        open: RefCell::new(BTreeMap::from([(0, partition)])),
    };
    let stored = || assignment.open.borrow()[&0].stored.get();
    admit(&window, 40).settle(Verdict::Delivered);
    assert!(assignment.store_moved());
    assert_eq!(stored(), -1, "it is not assigned");
    let list = offsets::list("t", [(0, 40)]).unwrap();
    assignment.client.assign(&list).unwrap();
    assert!(!assignment.store_moved());
    assert_eq!(stored(), 41);
    let _open = admit(&window, 41);
    assert!(assignment.store_moved(), "a verdict is to come");
}
