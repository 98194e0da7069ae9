//! One odd event among good ones, and an endpoint that takes none: whose fault it is, and who waits.

use super::*;

/// The answer that never comes.
const HANGS: Outcome = Outcome::Unanswered("first byte timeout");
pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const KEYS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

impl Bench {
    /// Runs for a while: each exchange takes 10 ms, or 10 s without an answer, and is answered by the ids
    /// it carries. Returns them with the time of the answer.
    pub(super) fn play(
        &mut self,
        time: Duration,
        answer: impl Fn(&[String]) -> Outcome,
    ) -> Vec<(Duration, Vec<String>)> {
        let (end, mut seen) = (self.elapsed + time, Vec::new());
        while self.elapsed < end {
            for sent in self.leaving() {
                let outcome = match sent.stage {
                    Stage::DeadLetter => Outcome::Delivered,
                    Stage::Sink => answer(&ids(std::slice::from_ref(&sent))),
                };
                let took = match outcome {
                    HANGS => 10 * SECOND,
                    _ => Duration::from_millis(10),
                };
                self.under_way.push((self.elapsed + took, sent, outcome));
            }
            let ends = self.under_way.iter().map(|(at, ..)| *at);
            let next = ends.chain(self.route.next_due(None)).min().unwrap_or(end);
            self.elapsed = next.clamp(self.elapsed, end);
            let is_over = |(at, ..): &mut (Duration, _, _)| *at <= self.elapsed;
            let over: Vec<_> = self.under_way.extract_if(.., is_over).collect();
            for (at, sent, outcome) in over {
                if sent.stage == Stage::Sink {
                    seen.push((at, ids(std::slice::from_ref(&sent))));
                }
                self.route.complete(sent, &outcome, self.now());
            }
        }
        seen
    }

    pub(super) fn dead_letters(&self, kind: Kind) -> u64 {
        self.route.tally().dead_letters(kind)
    }

    pub(super) fn delivered(&self) -> u64 {
        self.route.tally().settled(Verdict::Delivered)
    }
}

pub(super) fn refuses(odd: &'static str, outcome: Outcome) -> impl Fn(&[String]) -> Outcome {
    move |ids| match ids.iter().any(|id| id == odd) {
        true => outcome.clone(),
        false => Outcome::Delivered,
    }
}

#[test]
fn one_event_that_is_refused_stops_no_other_key() {
    let untrusted = Outcome::Untrusted(UntrustedReason::Other("certificate"));
    let refusals = [404, 401, 403, 302, 451, 410].map(status);
    let fails = [500, 503, 429].map(status);
    let silent = Outcome::Unanswered("broken off");
    for outcome in refusals.into_iter().chain(fails).chain([untrusted, silent]) {
        let mut bench = Bench::new();
        (0..9).for_each(|_| KEYS.into_iter().for_each(|key| bench.take_in(key)));
        bench.play(2 * SECOND, refuses("b/1", outcome.clone()));
        // All but the nine of its own key.
        assert_eq!(bench.delivered(), 45, "{outcome:?}");
        assert_ne!(bench.route.circuit(), Circuit::Retired);
    }
}

/// Gateways write `Retry-After` beside any 5xx: it holds the endpoint, but not again and again for one event.
#[test]
fn one_event_that_is_answered_with_retry_after_holds_no_other_key_for_ever() {
    let outcome = Outcome::Status {
        code: 500,
        retry_after: Some(30 * SECOND),
        error_body: None,
    };
    let mut bench = Bench::new();
    (0..9).for_each(|_| KEYS.into_iter().for_each(|key| bench.take_in(key)));
    bench.play(120 * SECOND, refuses("b/1", outcome));
    assert_eq!(bench.delivered(), 45);
}

/// What it asks is heeded each time, and others have as long before it asks again.
#[test]
fn one_event_that_is_always_asked_to_wait_for_long_holds_others_half_of_the_time() {
    for code in [503, 500] {
        let outcome = Outcome::Status {
            code,
            retry_after: Some(600 * SECOND),
            error_body: None,
        };
        let mut bench = Bench::new();
        bench.take_in("b");
        let (mut idle, mut asked) = (0, 0);
        for _ in 0..1_000 {
            bench.take_in("a");
            let seen = bench.play(10 * SECOND, refuses("b/0", outcome.clone()));
            asked += seen.iter().filter(|(_, ids)| ids[0] == "b/0").count();
            idle += u32::from(!seen.iter().any(|(_, ids)| ids[0] != "b/0"));
        }
        assert!(idle < 600, "{code}: {idle} times 10 s without a delivery");
        assert!((7..=11).contains(&asked), "{code}: {asked} attempts");
    }
}

/// Events that hang take neither all slots, nor the turn of others, nor all probes.
#[test]
fn a_few_events_that_hang_leave_room_to_others() {
    let answer = |ids: &[String]| match ids[0].starts_with("bad") {
        true => HANGS,
        false => Outcome::Delivered,
    };
    for pause in [SECOND / 20, SECOND] {
        let mut bench = Bench::new();
        let (mut longest, mut last) = (Duration::ZERO, Duration::ZERO);
        for round in 0..2_000 {
            bench.take_in("a");
            if round == 20 {
                for bad in ["bad1", "bad2", "bad3"] {
                    bench.take_in(bad);
                }
            }
            for (at, ids) in bench.play(pause, answer) {
                if answer(&ids) == Outcome::Delivered {
                    longest = longest.max(at - last);
                    last = at;
                }
            }
        }
        assert!(longest < 4 * SECOND, "{longest:?} without a delivery");
        assert_eq!(bench.delivered(), 2_000);
    }
}

/// Each circuit that they open among themselves ends no wait of theirs.
#[test]
fn many_events_that_fail_keep_their_back_off() {
    const BAD: [&str; 12] = [
        "bad1", "bad2", "bad3", "bad4", "bad5", "bad6", "bad7", "bad8", "bad9", "bad10", "bad11",
        "bad12",
    ];
    let mut bench = Bench::new();
    BAD.into_iter().for_each(|key| bench.take_in(key));
    let mut attempts = 0;
    for _ in 0..600 {
        bench.take_in("a");
        let seen = bench.play(SECOND / 10, |ids| match ids[0].starts_with("bad") {
            true => status(500),
            false => Outcome::Delivered,
        });
        let is_bad = |(_, ids): &&(Duration, Vec<String>)| ids[0].starts_with("bad");
        attempts += seen.iter().filter(is_bad).count();
    }
    assert_eq!(bench.delivered(), 600);
    assert!(attempts < 12 * 15, "{attempts} attempts in a minute");
}

/// One that draws no answer keeps the other keys waiting for two seconds. A probe that outlasts its circuit is
/// not counted among those of the next.
#[test]
fn four_probes_at_most_are_under_way_two_seconds_apart() {
    let mut bench = Bench::new();
    (0..2).for_each(|_| KEYS.into_iter().for_each(|key| bench.take_in(key)));
    let start = |bench: &mut Bench| bench.route.start_next(None, bench.now()).unwrap();
    let (failing, other) = (start(&mut bench), start(&mut bench));
    let away = status(503);
    bench.route.complete(failing, &away, bench.now());
    let old_probe = start(&mut bench);
    assert!(bench.route.start_next(None, bench.now()).is_none());
    bench
        .route
        .complete(other, &Outcome::Delivered, bench.now());
    assert_eq!(bench.route.circuit(), Circuit::Closed);
    bench.elapsed = SECOND;
    let failing = start(&mut bench);
    bench.route.complete(failing, &away, bench.now());
    let mut probes = vec![start(&mut bench)];
    while probes.len() < 4 {
        assert!(bench.route.start_next(None, bench.now()).is_none());
        assert_eq!(bench.route.next_due(None), Some(bench.elapsed + 2 * SECOND));
        bench.elapsed += 2 * SECOND;
        probes.push(start(&mut bench));
    }
    let probed: std::collections::HashSet<_> = ids(&probes).into_iter().collect();
    assert_eq!(probed.len(), 4, "{probed:?}");
    bench.route.complete(old_probe, &away, bench.now());
    bench.elapsed += 10 * SECOND;
    assert!(bench.route.start_next(None, bench.now()).is_none());
    assert_eq!(bench.route.circuit(), Circuit::HalfOpen);
    let last = probes.pop().unwrap();
    bench.route.complete(last, &Outcome::Delivered, bench.now());
    assert_eq!(bench.route.circuit(), Circuit::Closed);
}

/// Others are delivered after each refusal, and none of its own key before its end.
#[test]
fn an_event_that_is_refused_alone_is_dead_lettered_after_eight_refusals() {
    for (code, most) in [(404, 8), (410, 8), (302, 3)] {
        let mut bench = Bench::new();
        bench.route.config.retry.refused_alone_max = most;
        let mut attempts = 0;
        for _ in 0..2_000 {
            KEYS.into_iter().for_each(|key| bench.take_in(key));
            let seen = bench.play(SECOND / 20, refuses("b/1", status(code)));
            attempts += seen.iter().filter(|(_, ids)| ids[0] == "b/1").count();
            if bench.dead_letters(Kind::RefusedAlone) == 0 {
                let is_behind = |id: &String| id.starts_with("b/") && id != "b/1";
                assert!(!seen.iter().any(|(_, ids)| ids.iter().any(is_behind)));
            }
        }
        assert_eq!(bench.dead_letters(Kind::RefusedAlone), 1, "{code}");
        assert_eq!(attempts, most as usize, "{code}");
        assert_eq!(bench.delivered(), 2_000 * 6 - 1);
    }
}

/// What a receiver may say to anybody for a while is no refusal, however often one event hears it.
#[test]
fn an_event_that_only_fails_waits_by_its_own_back_off_without_end() {
    for outcome in [status(500), status(503), Outcome::Unanswered("timeout")] {
        let mut bench = Bench::new();
        let mut attempts = 0;
        bench.take_in("a");
        bench.take_in("b");
        for _ in 0..6_000 {
            bench.take_in("c");
            let seen = bench.play(SECOND / 10, refuses("b/1", outcome.clone()));
            attempts += seen.iter().filter(|(_, ids)| ids[0] == "b/1").count();
        }
        assert_eq!(
            (bench.dead_letters(Kind::RefusedAlone), bench.delivered()),
            (0, 6_001)
        );
        // Waits of a minute at most, half of it on average.
        assert!((15..50).contains(&attempts), "{attempts}: {outcome:?}");
    }
}

#[test]
fn attempts_and_age_count_whoever_is_at_fault() {
    for outcome in [status(404), status(503), Outcome::Unreachable("refused")] {
        let mut bench = Bench::new();
        bench.route.config.retry.attempts_max = Some(4);
        bench.take_in("a");
        let seen = bench.play(60 * SECOND, |_| outcome.clone());
        assert_eq!(seen.len(), 4, "{outcome:?}");
        assert_eq!(bench.dead_letters(Kind::Exhausted), 1);
        let mut bench = Bench::new();
        bench.route.config.retry.age_max = Some(10 * SECOND);
        bench.take_in("a");
        let seen = bench.play(60 * SECOND, |_| outcome.clone());
        assert_eq!(bench.dead_letters(Kind::Exhausted), 1);
        assert!(seen.last().unwrap().0 <= 13 * SECOND, "{seen:?}");
    }
}

/// What nobody was sent is no fault of it, however often others are delivered after.
#[test]
fn a_failed_connect_is_never_an_events_own() {
    let mut bench = Bench::new();
    bench.take_in("b");
    let away = Outcome::Unreachable("connection refused");
    for _ in 0..4 {
        let failing = bench.route.start_next(None, bench.now()).unwrap();
        assert_eq!(ids(std::slice::from_ref(&failing)), ["b/0"]);
        bench.route.complete(failing, &away, bench.now());
        assert_eq!(bench.route.circuit(), Circuit::Open);
        bench.take_in("a");
        bench.elapsed += SECOND;
        bench.complete(&Outcome::Delivered);
        assert_eq!(bench.route.circuit(), Circuit::Closed);
    }
}

/// Nothing was sent, so nothing was heard of an endpoint that is away.
#[test]
fn an_event_that_cannot_be_sent_closes_no_circuit() {
    let mut bench = Bench::new();
    KEYS.into_iter().for_each(|key| bench.take_in(key));
    assert_eq!(bench.complete(&status(503)), Some(Stage::Sink));
    assert_eq!(bench.complete(&TOO_MUCH), Some(Stage::Sink));
    assert_eq!(bench.route.circuit(), Circuit::Open);
    assert_eq!(bench.dead_letters(Kind::Refused), 1);
}

/// An endpoint that takes nothing is tried with one event every two seconds, of another key each time,
/// and everything goes as soon as one is taken.
#[test]
fn an_open_circuit_is_probed_with_another_key_each_time() {
    for outcome in [
        status(404),
        status(503),
        status(500),
        Outcome::Unreachable("refused"),
    ] {
        let mut bench = Bench::new();
        (0..9).for_each(|_| KEYS.into_iter().for_each(|key| bench.take_in(key)));
        bench.play(10 * SECOND, |_| outcome.clone());
        let seen = bench.play(50 * SECOND, |_| outcome.clone());
        assert_eq!(bench.route.circuit(), Circuit::Open, "{outcome:?}");
        assert!((10..60).contains(&seen.len()), "{} {outcome:?}", seen.len());
        for pair in seen.windows(2) {
            assert_ne!(pair[0].1, pair[1].1, "the same event twice: {outcome:?}");
            let pause = pair[1].0 - pair[0].0;
            // Whose own the fault may be has its own back-off as well.
            let is_short = pause <= 3 * SECOND || outcome == status(500);
            assert!(pause >= SECOND && is_short, "{pause:?} {outcome:?}");
        }
        // Nothing was refused alone, nor is a wait left over.
        let healed = bench.elapsed;
        let seen = bench.play(10 * SECOND, |_| Outcome::Delivered);
        assert_eq!(bench.delivered(), 54, "{outcome:?}");
        assert!(seen[0].0 <= healed + 3 * SECOND);
        let took = seen.last().unwrap().0 - seen[0].0;
        assert!(took < SECOND, "{took:?} {outcome:?}");
    }
}

#[test]
fn nothing_goes_before_a_retry_after_is_over() {
    for code in [429, 503, 500, 404, 413] {
        let mut bench = Bench::new();
        KEYS.into_iter().for_each(|key| bench.take_in(key));
        let asks = Outcome::Status {
            code,
            retry_after: Some(7 * SECOND),
            error_body: None,
        };
        let first = bench.route.start_next(None, bench.now()).unwrap();
        let late = bench.route.start_next(None, bench.now()).unwrap();
        bench.elapsed = SECOND;
        bench.route.complete(first, &asks, bench.now());
        // The answer to what was under way ends no wait.
        bench.route.complete(late, &Outcome::Delivered, bench.now());
        let seen = bench.play(20 * SECOND, |_| Outcome::Delivered);
        assert!(seen[0].0 >= 8 * SECOND, "{code}: {seen:?}");
        assert_eq!(bench.window.len(), 0, "{code}");
    }
}

#[test]
fn a_destination_is_retired_when_two_events_say_so_or_one_does_for_a_minute() {
    let gone = |_: &[String]| status(410);
    let mut bench = Bench::new();
    ["a", "b"].into_iter().for_each(|key| bench.take_in(key));
    bench.play(SECOND, gone);
    assert_eq!(bench.route.circuit(), Circuit::Retired);
    let mut bench = Bench::new();
    bench.take_in("a");
    bench.play(59 * SECOND, gone);
    assert_eq!(bench.route.circuit(), Circuit::Open);
    bench.play(4 * SECOND, gone);
    assert_eq!(bench.route.circuit(), Circuit::Retired);
    assert_eq!(bench.window.len(), 1);
    // A delivery between the two speaks for it, though it left before the first.
    let mut bench = Bench::new();
    ["a", "b", "c"]
        .into_iter()
        .for_each(|key| bench.take_in(key));
    let exchanges = bench.leaving();
    for (sent, outcome) in exchanges
        .into_iter()
        .zip([status(410), Outcome::Delivered, status(410)])
    {
        bench.elapsed += SECOND;
        bench.route.complete(sent, &outcome, bench.now());
    }
    assert_eq!(bench.route.circuit(), Circuit::Open);
}

#[test]
fn a_route_may_read_a_status_otherwise() {
    let mut bench = Bench::new();
    bench.route.config.outcomes = [(404, Next::DeadLetter), (409, Next::Delivered)].into();
    bench.take_in("a");
    bench.take_in("b");
    assert_eq!(bench.complete(&status(404)), Some(Stage::Sink));
    assert_eq!(bench.complete(&status(409)), Some(Stage::Sink));
    assert_eq!(bench.dead_letters(Kind::Refused), 1);
    assert_eq!(bench.delivered(), 1);
}
