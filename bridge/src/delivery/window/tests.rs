use cloudevents_nl_codec::{HTTP, HeaderList};

use super::*;
use crate::delivery::Position;
use crate::delivery::share::Pool;

const CAPACITY: Capacity = Capacity {
    events: 10,
    bytes: usize::MAX,
};

fn admit(window: &Rc<Window>, bytes: usize) -> Delivery {
    window.admit(Received {
        binding: &HTTP,
        headers: HeaderList::default(),
        key: None,
        body: Some(vec![0; bytes].into()),
        timestamp_ms: None,
        position: Position::numbered("http:", 0),
        defect: None,
    })
}

#[test]
fn an_empty_window_takes_one_event_whatever_others_hold() {
    let pool = Pool::new(40 * OVERHEAD, 1);
    let full = Window::partition(CAPACITY, &Share::of(&pool));
    let _held = admit(&full, 10 * OVERHEAD);
    let window = Window::partition(CAPACITY, &Share::of(&pool));
    for _ in 0..3 {
        assert!(window.has_room());
        let only = admit(&window, OVERHEAD);
        assert!(!window.has_room());
        assert_eq!(window.room_left().1, 0);
        only.settle(Verdict::Delivered);
    }
}

/// The count is shared with another thread, of which nothing is heard.
#[tokio::test]
async fn room_that_another_thread_gives_back_is_found() {
    let pool = Pool::new(40 * OVERHEAD, 1);
    let (full, is_full) = std::sync::mpsc::sync_channel(1);
    let (give_back, told) = std::sync::mpsc::sync_channel::<()>(1);
    let other = std::thread::spawn({
        let pool = std::sync::Arc::clone(&pool);
        move || {
            let window = Window::partition(CAPACITY, &Share::of(&pool));
            let held = admit(&window, 9 * OVERHEAD);
            full.send(()).expect("it is waited for");
            told.recv().expect("it is told");
            drop(held);
        }
    });
    is_full.recv().expect("it fills the pool");
    let window = Window::partition(CAPACITY, &Share::of(&pool));
    let _first = admit(&window, 1);
    assert!(timeout(2 * AGAIN, window.room()).await.is_err());
    give_back.send(()).expect("it listens");
    window.room().await;
    other.join().expect("it ends");
}

#[test]
fn what_nobody_refers_to_is_not_held_whatever_became_of_it() {
    let share = Share::unbounded();
    let window = Window::partition(CAPACITY, &share);
    let (settled, dropped) = (admit(&window, 100), admit(&window, 100));
    dropped.grow(50);
    assert!(share.held() > 250);
    settled.settle(Verdict::Delivered);
    drop(dropped);
    assert_eq!((share.held(), window.len()), (0, 1));
}
