//! A receiver that refuses everything holds the route; events that can never be delivered do not.

use super::alone::{KEYS, SECOND};
use super::*;

/// With so many events of six keys waiting.
fn backlog(stop_after: usize) -> Bench {
    let mut bench = Bench::new();
    bench.route.config.stop_after = stop_after;
    (0..16).for_each(|_| KEYS.into_iter().for_each(|key| bench.take_in(key)));
    bench
}

#[test]
fn a_receiver_that_refuses_everything_holds_the_route_until_it_takes_one() {
    for answer in [status(400), status(422)] {
        let mut bench = backlog(20);
        bench.play(60 * SECOND, |_| answer.clone());
        assert_eq!(bench.dead_letters(Kind::Refused), 19);
        assert_eq!(bench.route.circuit(), Circuit::Open);
        let fault = bench.route.hold().unwrap();
        let words = ["receiver.example", &answer.cause(), "correct the receiver"];
        assert!(words.iter().all(|word| fault.contains(word)), "{fault}");
        // One event of another key every two seconds, which stays where it was.
        let seen = bench.play(60 * SECOND, |_| answer.clone());
        assert!((28..=60).contains(&seen.len()), "{}", seen.len());
        for pair in seen.windows(2) {
            assert_ne!(pair[0].1, pair[1].1);
        }
        assert_eq!(bench.dead_letters(Kind::Refused), 19);
        bench.play(5 * SECOND, |_| Outcome::Delivered);
        assert_eq!(bench.route.hold(), None);
        assert_eq!(bench.route.circuit(), Circuit::Closed);
        assert_eq!(bench.delivered(), 96 - 19);
        assert_eq!(bench.window.len(), 0);
    }
}

#[test]
fn a_batch_that_is_refused_as_a_whole_holds_it_too() {
    let mut bench = backlog(20);
    bench.route.config.batch.events = 60;
    bench.play(60 * SECOND, |_| status(400));
    assert_eq!(bench.dead_letters(Kind::Refused), 19);
    assert!(bench.route.hold().is_some());
}

#[test]
fn poison_among_good_events_holds_nothing_however_much_there_is() {
    let mut bench = Bench::new();
    bench.route.config.stop_after = 20;
    for _ in 0..200 {
        KEYS.into_iter().for_each(|key| bench.take_in(key));
        bench.play(SECOND, |ids| match ids[0].starts_with('a') {
            true => Outcome::Delivered,
            false => status(400),
        });
        assert_eq!(bench.route.hold(), None);
    }
    assert_eq!(bench.dead_letters(Kind::Refused), 1_000);
}

#[test]
fn it_holds_nothing_where_it_is_switched_off() {
    let mut bench = backlog(0);
    bench.play(60 * SECOND, |_| status(400));
    assert_eq!(bench.dead_letters(Kind::Refused), 96);
}

#[test]
fn a_backlog_is_not_discarded_either() {
    let mut bench = backlog(20);
    bench.route.config.on_error = OnError::Discard;
    bench.play(60 * SECOND, |_| status(400));
    assert_eq!(bench.window.len(), 96 - 19);
    assert!(bench.route.hold().is_some());
    bench.play(5 * SECOND, |_| Outcome::Delivered);
    assert_eq!(bench.route.hold(), None);
    assert_eq!((bench.window.len(), bench.delivered()), (0, 96 - 19));
}

/// What a receiver says of an event goes along with its dead letter.
#[test]
fn what_the_receiver_said_is_in_the_dead_letter() {
    let mut bench = Bench::new();
    bench.take_in("a");
    let refused = Outcome::Status {
        code: 400,
        retry_after: None,
        error_body: Some("no such zaak".into()),
    };
    assert_eq!(bench.complete(&refused), Some(Stage::Sink));
    let letter = bench.leaving().remove(0).batch.remove(0);
    let header = |header: &cloudevents_nl_codec::Header<'_>| header.name == "cenl-error-body";
    let found = letter.headers.iter().find(header).unwrap();
    assert_eq!(found.value, Some(&b"no such zaak"[..]));
}

/// `on_error = "hold"`: what the destination refused, or failed too often, begins anew once an operator says that
/// the receiver is mended; its key keeps its order, and what is no event has nothing to go with.
#[test]
fn what_waits_for_an_operator_goes_when_one_says_so() {
    let (mut bench, attempts_max) = (Bench::new(), Some(2));
    bench.route.config.on_error = OnError::Hold;
    bench.route.config.retry.attempts_max = attempts_max;
    for key in ["a", "a", "b", "c"] {
        bench.take_in(key);
    }
    let unreadable = Received {
        binding: &KAFKA,
        headers: HeaderList::default(),
        key: Some(Bytes::from_static(b"d")),
        body: Some(Bytes::from_static(b"no event")),
        timestamp_ms: None,
        position: Position::numbered("memory:0/", 9),
        defect: None,
    };
    let unreadable = bench.window.admit(unreadable);
    bench
        .route
        .take_in(vec![unreadable], |_| false, bench.now());
    let answer = |ids: &[String]| match &*ids[0] {
        "a/0" => status(422),
        "b/2" => status(500),
        _ => Outcome::Delivered,
    };
    let mut refused = || {
        let seen = bench.play(60 * SECOND, answer);
        let shown = bench.route.waiting(None, bench.now()).events;
        let shown = shown.into_iter().filter(|it| it.attempts > 0);
        let shown = shown.map(|it| (it.id, it.attempts, it.last_answer, it.next_attempt));
        let shown: Vec<_> = shown.collect();
        bench.route.retry_now(bench.now());
        (seen.len(), shown)
    };
    let text = |text: &str| Some(text.to_owned());
    let held = [
        (text("b/2"), 2, text("status 500"), None),
        (text("a/0"), 1, text("status 422"), None),
    ];
    // With c, which is delivered; then again, with as many attempts as at first.
    assert_eq!(refused(), (4, held.to_vec()));
    assert_eq!(refused(), (3, held.to_vec()));
    let seen = bench.play(60 * SECOND, |_| Outcome::Delivered);
    let seen: Vec<_> = seen.into_iter().flat_map(|(_, ids)| ids).collect();
    assert_eq!(seen.len(), 3, "{seen:?}");
    let of_a = seen.into_iter().filter(|id| id.starts_with('a'));
    assert_eq!(of_a.collect::<Vec<_>>(), ["a/0", "a/1"]);
    assert_eq!((bench.delivered(), bench.route.held()), (4, 1));
}
