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
    let waiting = bench.route.waiting(None, now).events;
    assert_eq!(waiting.len(), KEYS.len());
    assert!(waiting[0].attempts > 0, "{waiting:?}");
    assert_eq!(waiting[0].last_answer.as_deref(), Some("status 503"));
    let next = waiting[0].next_attempt.unwrap();
    assert!(next.duration_since(now.wall).as_secs() > 3000, "{next}");
    let outages = bench.route.outages();
    assert_eq!((outages.len(), outages[0].end), (1, Stage::Sink));
    assert!(outages[0].remedy.starts_with("wait"), "{outages:?}");
    assert!(outages[0].since <= now.wall);
    let named = bench.route.waiting(waiting[3].id.as_deref(), now);
    assert_eq!(named.events, [waiting[3].clone()]);
    assert!(!named.more);

    bench.route.pause(now);
    bench.route.retry_now(now);
    assert!(bench.leaving().is_empty());
    assert_eq!(bench.route.next_due(None), None);
    let waiting = bench.route.waiting(None, now).events;
    assert!(waiting.iter().all(|it| it.next_attempt.is_none()));

    bench.route.resume();
    let seen = bench.play(5 * SECOND, |_| Outcome::Delivered);
    assert_eq!(seen.len(), KEYS.len());
    assert_eq!(bench.route.waiting_count(), 0);
    assert_eq!(bench.route.outages(), []);
}

/// Whoever asks for what is not there makes all routes of the thread wait.
#[test]
fn only_so_many_bytes_are_looked_at_for_an_id() {
    let mut bench = Bench::new();
    let key: &str = "x".repeat(300_000).leak();
    (0..20).for_each(|_| bench.take_in(key));
    let now = bench.now();
    let all = bench.route.waiting(None, now);
    assert!(all.more && (5..20).contains(&all.events.len()));
    let last = format!("{key}/19");
    let none = bench.route.waiting(Some(&last), now);
    assert!(none.more && none.events.is_empty());
    let few = bench.route.waiting(all.events[0].id.as_deref(), now);
    assert_eq!(few.events, all.events[..1]);

    let mut bench = Bench::new();
    (0..60).for_each(|_| bench.take_in("a"));
    let all = bench.route.waiting(None, now);
    assert!(all.more && all.events.len() == 50);
    let last = bench.route.waiting(Some("a/59"), now);
    assert!(!last.more && last.events.len() == 1);
}
