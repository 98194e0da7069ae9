//! What waits when a receiver recovers, and what never does, on a paused clock.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_bridge::delivery::window::Capacity;
use cloudevents_nl_bridge::outcome::{Outcome, UntrustedReason};
use cloudevents_nl_bridge::route::Route;
use cloudevents_nl_bridge::runtime::{Sinks, Uncontrolled, drive};
use cloudevents_nl_bridge::transport::{Batch, Intake, Sink, Source, Stop};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::log::{Log, MemorySource};
use crate::world::{config, message};

/// What a receiver answers to an event with this id.
type Manners = Box<dyn Fn(&str) -> Outcome>;

struct Moody {
    manners: Manners,
    latency: Duration,
    requests: RefCell<Vec<String>>,
}

struct Door(Rc<Moody>);

impl Sink for Door {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let receiver = Rc::clone(&self.0);
        async move {
            sleep(receiver.latency).await;
            let body = batch[0].body.as_deref().unwrap();
            let event: serde_json::Value = serde_json::from_slice(body).unwrap();
            let id = event["id"].as_str().unwrap().to_owned();
            receiver.requests.borrow_mut().push(id.clone());
            (receiver.manners)(&id)
        }
        .boxed_local()
    }
}

const SECOND: Duration = Duration::from_secs(1);
const KEYS: usize = 50;

fn status(code: u16, retry_after: Option<Duration>) -> Outcome {
    Outcome::Status {
        code,
        retry_after,
        error_body: None,
    }
}

/// Runs a route over `log` until `end`; the requests that the receiver saw.
fn play(
    seed: u64,
    log: &Rc<Log>,
    latency: Duration,
    manners: impl FnOnce() -> Manners,
    end: impl AsyncFnOnce(),
) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    let played = async {
        let receiver = Rc::new(Moody {
            manners: manners(),
            latency,
            requests: RefCell::default(),
        });
        let (_keep, stop) = Stop::new();
        let (intake, taken) = Intake::new();
        let source = Box::new(MemorySource {
            log: Rc::clone(log),
            capacity: Capacity {
                events: 100_000,
                bytes: 1 << 30,
            },
            commit_interval: Duration::from_millis(100),
        });
        let route = Route::new(config(), seed);
        let sinks = Sinks {
            sink: Rc::new(Door(Rc::clone(&receiver))),
            dead_letters: None,
        };
        let bridge = async {
            tokio::join!(
                source.run(intake, stop),
                drive(route, taken, sinks, Uncontrolled)
            )
        };
        tokio::select! {
            (left, _) = bridge => left.unwrap(),
            () = end() => {}
        }
        receiver.requests.take()
    };
    LocalSet::new().block_on(&runtime.unwrap(), played)
}

/// One more event of each key: `k7/1` is the second of `k7`.
fn append(log: &Log, keys: usize, round: usize) {
    for key in 0..keys {
        let (id, key) = (format!("k{key}/{round}"), format!("k{key}"));
        log.append(0, message(&id, Some(&key), u8::MAX));
    }
}

/// How long it takes to deliver all that waits, of `keys`, after an illness of `ill`.
fn recovery(
    seed: u64,
    keys: usize,
    ill: Duration,
    is_ill: fn(&str) -> bool,
    answer: &Outcome,
) -> Duration {
    let log = Rc::new(Log::default());
    (0..3).for_each(|round| append(&log, keys, round));
    let took = Cell::new(Duration::ZERO);
    let manners = || -> Manners {
        let healed = Instant::now() + ill;
        let answer = answer.clone();
        Box::new(move |id| match is_ill(id) && Instant::now() < healed {
            true => answer.clone(),
            false => Outcome::Delivered,
        })
    };
    play(seed, &log, Duration::from_millis(5), manners, async || {
        let healed = Instant::now() + ill;
        sleep_until(healed).await;
        log.all_committed().await;
        took.set(healed.elapsed());
    });
    took.get()
}

/// The bound lies below what is promised: on the paused clock nothing else takes time.
fn recovers_soon(keys: usize, is_ill: fn(&str) -> bool, answer: &Outcome) {
    recovers_within(5 * SECOND, keys, is_ill, answer);
}

fn recovers_within(bound: Duration, keys: usize, is_ill: fn(&str) -> bool, answer: &Outcome) {
    let mut longest = Duration::ZERO;
    for seed in 0..100 {
        let ill = Duration::from_millis(200 + fastrand::Rng::with_seed(seed).u64(..60_000));
        let took = recovery(seed, keys, ill, is_ill, answer);
        assert!(took < bound, "seed {seed}, ill for {ill:?}: {took:?}");
        longest = longest.max(took);
    }
    println!("{answer:?} to {keys} keys: at most {longest:?}");
}

fn half(id: &str) -> bool {
    let key = id.strip_prefix('k').and_then(|id| id.split('/').next());
    key.is_some_and(|key| key.parse::<usize>().unwrap() % 2 == 0)
}

/// Each waits by its own back-off: who fails among others that succeed is not the endpoint.
#[test]
fn keys_that_failed_among_others_are_through_when_their_back_off_is_over() {
    recovers_within(61 * SECOND, KEYS, half, &status(502, None));
    recovers_within(61 * SECOND, KEYS, half, &status(503, None));
}

#[test]
fn an_endpoint_that_took_nothing_is_soon_through_once_it_answers() {
    for answer in [
        status(500, None),
        status(503, None),
        status(401, None),
        status(404, None),
        status(429, Some(SECOND)),
        status(503, Some(3 * SECOND)),
        Outcome::Unreachable("refused"),
        Outcome::Unanswered("timeout"),
        Outcome::Untrusted(UntrustedReason::Other("certificate")),
    ] {
        recovers_soon(KEYS, |_| true, &answer);
    }
}

/// Few keys are probed as often as many.
#[test]
fn an_endpoint_is_tried_for_a_few_keys_as_for_many() {
    for code in [429, 503, 404] {
        recovers_soon(1, |_| true, &status(code, None));
        recovers_soon(2, |_| true, &status(code, None));
    }
}

/// Others fail and recover all the time; the back-off of an event that never goes through is kept all
/// the same.
#[test]
fn an_event_that_always_fails_is_not_hurried_by_the_recoveries_of_others() {
    let log = Rc::new(Log::default());
    (0..400).for_each(|round| append(&log, KEYS, round));
    let random = RefCell::new(fastrand::Rng::with_seed(1));
    let manners = move || -> Manners {
        Box::new(move |id| match id == "k7/0" || random.borrow_mut().bool() {
            true => status(502, None),
            false => Outcome::Delivered,
        })
    };
    let requests = play(1, &log, 5 * SECOND, manners, async || {
        sleep(3_600 * SECOND).await
    });
    let tried = requests.iter().filter(|id| *id == "k7/0").count();
    let others = requests.len() - tried;
    // Waits of a minute at most, half of it on average.
    assert!((100..300).contains(&tried), "{tried} times in an hour");
    assert!(others > 20_000, "{others}");
    println!("{tried} attempts in an hour beside {others} at others");
}
