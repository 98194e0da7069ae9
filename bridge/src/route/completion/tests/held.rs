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
        let fault = bench.route.fault().unwrap();
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
        assert_eq!(bench.route.fault(), None);
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
    assert!(bench.route.fault().is_some());
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
        assert_eq!(bench.route.fault(), None);
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
    assert!(bench.route.fault().is_some());
    bench.play(5 * SECOND, |_| Outcome::Delivered);
    assert_eq!(bench.route.fault(), None);
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
