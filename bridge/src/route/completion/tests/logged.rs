//! What the log says: each change once, then a summary a minute.

use std::io;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

use super::alone::SECOND;
use super::*;
use crate::logging::route_span;
use crate::outcome::CONSENT_PENDING;

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Lines {
    /// Those since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(ToOwned::to_owned).collect()
    }
}

pub(super) fn logged(test: impl FnOnce(&Lines)) {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(writer);
    let subscriber = subscriber.with_ansi(false).finish();
    tracing::subscriber::with_default(subscriber, || {
        route_span("bench").in_scope(|| test(&lines));
    });
}

impl Bench {
    /// As `play` for each second, with what the runtime does beside it.
    fn run(&mut self, seconds: u32, answer: impl Fn(&[String]) -> Outcome) {
        for _ in 0..seconds {
            self.play(SECOND, &answer);
            self.route.sweep(self.now());
        }
    }
}

fn assert_says(line: &str, words: &[&str]) {
    let all = ["route=\"bench\"", "http receiver.example:443 /hook"];
    for word in all.iter().chain(words) {
        assert!(line.contains(word), "{word} in {line}");
    }
}

#[test]
fn an_outage_is_logged_once_for_each_cause_then_summed_up_each_minute() {
    logged(|lines| {
        let mut bench = Bench::new();
        (0..9).for_each(|_| bench.take_in("a"));
        let refused = Outcome::Unreachable("connection refused");
        bench.run(30, |_| refused.clone());
        let said = lines.take();
        assert_eq!(said.len(), 1, "{said:#?}");
        let words = [
            "destination is unavailable, circuit open",
            "connection refused",
        ];
        assert_says(&said[0], &words);
        assert_says(&said[0], &["every 2 s", "see that the destination runs"]);
        bench.run(25, |_| status(404));
        let said = lines.take();
        assert_eq!(said.len(), 1, "{said:#?}");
        assert_says(
            &said[0],
            &[
                "destination refuses us",
                "status 404",
                "address of the sink",
            ],
        );
        bench.run(120, |_| refused.clone());
        let said = lines.take();
        assert_eq!(said.len(), 2, "{said:#?}");
        for line in said {
            assert_says(
                &line,
                &["still takes nothing", "connection refused", "waiting=9"],
            );
        }
        bench.run(5, |_| Outcome::Delivered);
        let said = lines.take();
        assert_eq!(said.len(), 1, "{said:#?}");
        assert_says(&said[0], &["circuit closed", "for_s=17"]);
    });
}

/// Nobody can tell whether the destination is still away: the next event will.
#[test]
fn an_open_circuit_in_front_of_which_nothing_waits_is_no_outage() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.route.config.on_error = OnError::Discard;
        bench.route.config.retry.attempts_max = Some(3);
        bench.take_in("a");
        bench.run(30, |_| status(503));
        let seen = |bench: &Bench| (bench.route.circuit(), bench.route.outages().len());
        assert_eq!((bench.window.len(), seen(&bench)), (0, (Circuit::Open, 1)));
        lines.take();
        bench.run(180, |_| status(503));
        let said = lines.take();
        assert_eq!(said.len(), 1, "of the minute in which it failed: {said:#?}");
        assert_says(&said[0], &["failures=", "waiting=0"]);
        assert_eq!(seen(&bench), (Circuit::Open, 0));
        bench.take_in("b");
        bench.run(1, |_| status(503));
        assert_eq!(seen(&bench).1, 1);
        bench.run(10, |_| Outcome::Delivered);
        assert_eq!((bench.delivered(), seen(&bench)), (1, (Circuit::Closed, 0)));
    });
}

#[test]
fn consent_that_may_come_by_callback_is_not_said_to_be_asked_for_all_the_time() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.take_in("a");
        bench.run(30, |_| Outcome::NoConsent(CONSENT_PENDING));
        let said = lines.take();
        assert_eq!(said.len(), 1, "{said:#?}");
        assert_says(&said[0], &[CONSENT_PENDING, "now and then"]);
        assert!(!said[0].contains("every 2 s"), "{said:#?}");
    });
}

#[test]
fn an_event_that_is_held_is_told_at_once_then_each_minute_until_it_goes() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.route.config.on_error = OnError::Hold;
        ["a", "b"].into_iter().for_each(|key| bench.take_in(key));
        bench.run(30, |_| status(422));
        let said = lines.take();
        assert_eq!(said.len(), 2, "{said:#?}");
        for (line, id) in said.iter().zip(["id=\"a/0\"", "id=\"b/1\""]) {
            for words in ["ERROR", id, "it is held", "retry now"] {
                assert!(line.contains(words), "{words} in {line}");
            }
        }
        assert_eq!(bench.route.events_held(), 2);
        bench.run(91, |_| status(422));
        let said = lines.take();
        assert_eq!(said.len(), 2, "{said:#?}");
        for line in said {
            for words in ["still held", "held=2", "id=\"a/0\"", "retry now"] {
                assert!(line.contains(words), "{words} in {line}");
            }
        }
        bench.route.retry_now(bench.now());
        lines.take();
        bench.run(120, |_| Outcome::Delivered);
        assert_eq!(lines.take(), Vec::<String>::new());
        assert_eq!((bench.route.events_held(), bench.delivered()), (0, 2));
    });
}

#[test]
fn a_single_failure_or_an_odd_event_is_no_outage() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.take_in("b");
        bench.run(10, |_| Outcome::Delivered);
        for _ in 0..9 {
            ["a", "b", "c"]
                .into_iter()
                .for_each(|key| bench.take_in(key));
        }
        bench.play(SECOND / 20, |ids| match ids[0].starts_with('b') {
            true => status(404),
            false => Outcome::Delivered,
        });
        assert_eq!(lines.take(), Vec::<String>::new());
    });
}

#[test]
fn a_pause_that_the_destination_asks_for_is_named() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.take_in("a");
        bench.complete(&Outcome::Status {
            code: 503,
            retry_after: Some(MINUTE),
            error_body: None,
        });
        let said = lines.take();
        assert_says(&said[0], &["status 503", "it asked for 60 s"]);
        let until = Timestamp::UNIX_EPOCH + MINUTE;
        assert_eq!(bench.route.outages()[0].retry_after, Some(until));
        bench.elapsed += MINUTE;
        bench.complete(&status(503));
        assert_eq!(bench.route.outages()[0].retry_after, None);
    });
}

#[test]
fn what_is_discarded_is_said_to_be_and_a_hold_does_not_promise_it_back() {
    logged(|lines| {
        let mut bench = Bench::new();
        (bench.route.config.on_error, bench.route.config.stop_after) = (OnError::Discard, 3);
        (0..9).for_each(|_| bench.take_in("a"));
        bench.run(1, |_| status(422));
        let said = lines.take();
        assert_eq!(said.len(), 3, "{said:#?}");
        for line in &said[..2] {
            assert!(line.contains("it is discarded"), "{line}");
        }
        let held = "every event, route is held";
        assert_says(&said[2], &[held, "the others wait", "has it discarded"]);
        assert!(!said[2].contains("nothing is lost"), "{said:#?}");
    });
}

#[test]
fn the_first_events_that_cannot_be_delivered_are_named_and_the_others_counted() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.route.config.stop_after = 0;
        let mut refuse = |events: usize, seconds| {
            (0..events).for_each(|_| bench.take_in("secret-key"));
            bench.run(seconds, |_| status(422));
            lines.take()
        };
        let said = refuse(40, 30);
        assert_eq!(said.len(), 5, "{said:#?}");
        for (number, line) in said.iter().enumerate() {
            let id = format!("id=\"secret-key/{number}\"");
            let words = [
                &*id,
                "urn:nld:test",
                "type=\"t\"",
                "422",
                "kind=\"refused\"",
            ];
            assert!(words.iter().all(|word| line.contains(word)), "{line}");
        }
        let said = refuse(10, 31);
        assert_eq!(said.len(), 1, "{said:#?}");
        let words = [
            "route=\"bench\"",
            "50 refused",
            "status=\"422\"",
            "within a minute",
        ];
        assert!(words.iter().all(|word| said[0].contains(word)), "{said:?}");
        // More of them are not named again until there was none for a minute.
        assert_eq!(refuse(1, 10).len(), 0);
        bench.route.sum_up_events();
        let said = lines.take();
        assert!(said[0].contains("1 refused"), "{said:?}");
        let mut refuse = |events: usize, seconds| {
            (0..events).for_each(|_| bench.take_in("secret-key"));
            bench.run(seconds, |_| status(422));
            lines.take()
        };
        assert_eq!(refuse(0, 120).len(), 0);
        assert_eq!(refuse(1, 1).len(), 1);
    });
}

#[test]
fn dead_letters_that_cannot_be_written_are_logged_once_with_their_place() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.take_in("a");
        bench.complete(&TOO_MUCH);
        lines.take();
        let away = Outcome::Unreachable("timeout");
        for _ in 0..9 {
            bench.complete(&away);
            bench.elapsed += 2 * SECOND;
        }
        let said = lines.take();
        assert_eq!(said.len(), 1, "{said:#?}");
        for word in [
            "kafka broker:9092 dead",
            "dead letter cannot be written",
            "timeout",
        ] {
            assert!(said[0].contains(word), "{said:?}");
        }
        bench.complete(&Outcome::Delivered);
        assert!(lines.take()[0].contains("dead letters are written again"));
    });
}

#[test]
fn a_pause_is_logged_at_once_then_each_minute_until_it_ends() {
    logged(|lines| {
        let mut bench = Bench::new();
        bench.elapsed = Duration::from_secs(3600);
        for _ in 0..2 {
            bench.route.pause(bench.now());
        }
        bench.run(121, |_| Outcome::Delivered);
        bench.route.resume();
        bench.run(121, |_| Outcome::Delivered);
        let said = lines.take();
        let expected = ["is paused", "still paused", "still paused", "is resumed"];
        assert_eq!(said.len(), expected.len(), "{said:#?}");
        for (line, words) in said.iter().zip(expected) {
            assert!(line.contains(words), "{words} in {line}");
        }
    });
}
