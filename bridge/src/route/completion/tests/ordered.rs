//! What an operator orders and asks.

use super::alone::{KEYS, SECOND};
use super::*;

#[test]
fn a_paused_route_starts_nothing_and_tells_what_waits() {
    let mut bench = Bench::new();
    KEYS.into_iter().for_each(|key| bench.take_in(key));
    let stays_away = Some(3600 * SECOND);
    let away = Outcome::Status {
        code: 503,
        retry_after: stays_away,
        error_body: None,
    };
    bench.play(10 * SECOND, |_| away.clone());
    let now = bench.now();
    let waiting = bench.route.waiting(None, 50, now);
    assert_eq!(waiting.len(), KEYS.len());
    assert!(waiting[0].attempts > 0, "{waiting:?}");
    assert_eq!(waiting[0].last_answer.as_deref(), Some("status 503"));
    let next = waiting[0].next_attempt.unwrap();
    assert!(next.duration_since(now.wall).as_secs() > 3000, "{next}");
    let (_, remedy, since) = bench.route.outage().unwrap();
    assert!(remedy.starts_with("wait"), "{remedy}");
    assert!(since <= now.wall);
    assert_eq!(bench.route.waiting(None, 2, now).len(), 2);
    let named = bench.route.waiting(Some(&waiting[3].id), 50, now);
    assert_eq!(named, [waiting[3].clone()]);

    bench.route.pause(now);
    bench.route.retry_now(now);
    assert!(bench.leaving().is_empty());
    assert_eq!(bench.route.next_due(), None);
    let waiting = bench.route.waiting(None, 50, now);
    assert!(waiting.iter().all(|it| it.next_attempt.is_none()));

    bench.route.resume();
    let seen = bench.play(5 * SECOND, |_| Outcome::Delivered);
    assert_eq!(seen.len(), KEYS.len());
    assert_eq!(bench.route.waiting_count(), 0);
    assert_eq!(bench.route.outage(), None);
}
