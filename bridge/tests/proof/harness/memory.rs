//! Memory: a receiver that takes nothing, in front of logs with far more than the bridge may hold.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::options::{Options, variable};
use super::pair::{From, Pair, To};
use super::receiver::Mood;
use super::report::{commit, machine};
use super::world::World;
use crate::support::bridge::Bridge;
use crate::support::kafka::PARTITIONS;
use crate::support::wait::{SOON, until};

/// What is asked of the bridge.
#[derive(Debug)]
pub(crate) struct Stall {
    options: Options,
    /// `CENL_PROOF_STALL_MINUTES`: the time without a delivery; half of it the receiver hangs, then
    /// it answers 503.
    time: Duration,
    /// `CENL_PROOF_BACKLOG`: bytes in each log, about.
    backlog: usize,
    /// `CENL_PROOF_MEMORY_SUMMARY`: where the report goes, beside standard output.
    summary: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug)]
pub(crate) struct Footprint {
    stall: Stall,
    /// Routes from Kafka, and from JetStream.
    routes: (usize, usize),
    /// Each phase, and whether nothing moved in it.
    phases: Vec<(&'static str, bool, Resident)>,
}

/// The most bytes that were resident in a phase.
#[derive(Clone, Copy, Debug, Default)]
struct Resident {
    all: usize,
    /// Without the program's own pages, of which a build for tests has many more.
    own: usize,
}

impl Resident {
    fn look_at(&mut self, bridge: &Bridge) {
        self.all = self.all.max(bridge.memory());
        self.own = self.own.max(bridge.own_memory());
    }
}

/// The defaults of a route and of librdkafka, written into the settings so that the bound below and
/// the bridge cannot disagree.
const WINDOW_BYTES: usize = 8_388_608;
const WINDOW_EVENTS: usize = 1000;
/// `fetch.message.max.bytes`: librdkafka looks at the bound of its queue before a fetch, so each
/// partition may come to hold one fetch more.
const FETCH_BYTES: usize = 1_048_576;
/// What the bridge may use beside windows and queues.
const OWN_BYTES: usize = 64 * 1024 * 1024;
const EVENT_BYTES: usize = 64 * 1024;
const KEYS: usize = 50;

impl Stall {
    pub(crate) fn from_environment() -> Self {
        let mut options = Options {
            keys: KEYS,
            padding: EVENT_BYTES,
            route: format!("window_bytes = {WINDOW_BYTES}\nwindow_events = {WINDOW_EVENTS}"),
            ..Options::from_environment()
        };
        let keeps = |pair: &Pair| pair.from != From::Http && pair.to == To::Webhook;
        options.pairs.retain(keeps);
        let minutes = variable("CENL_PROOF_STALL_MINUTES").unwrap_or(0.4);
        Self {
            options,
            time: Duration::from_secs_f64(minutes * 60.0),
            backlog: variable("CENL_PROOF_BACKLOG").unwrap_or(128 * 1024 * 1024),
            summary: variable("CENL_PROOF_MEMORY_SUMMARY"),
        }
    }

    /// Fills the logs, starts the bridge against a receiver that takes nothing, and in the end lets
    /// it deliver everything.
    pub(crate) async fn run(self) -> Footprint {
        let world = World::build("proof-memory", &self.options).await;
        let each = u32::try_from(self.backlog / EVENT_BYTES / KEYS).unwrap();
        world.fill(&self.options, each).await;
        world.receiver.be(Mood::Hangs);
        let bridge = Bridge::start(&world.settings(0, false)).await;
        let hangs = most(&bridge, self.time / 2).await;
        world.receiver.be(Mood::Fails {
            code: 503,
            half: false,
        });
        let refuses = most(&bridge, self.time / 2).await;
        let taken = world
            .sites
            .iter()
            .map(|site| site.ledger.book().arrivals.len());
        assert_eq!(taken.sum::<usize>(), 0, "nothing was to be delivered");
        world.receiver.be(Mood::Well);
        let mut delivers = Resident::default();
        for site in &world.sites {
            let mark = site.ledger.mark();
            until("the backlog arrives", 6 * SOON, || {
                delivers.look_at(&bridge);
                site.ledger.has(&mark)
            })
            .await;
        }
        bridge.stop().await;
        let count = |from| {
            world
                .sites
                .iter()
                .filter(|site| site.pair.from == from)
                .count()
        };
        Footprint {
            routes: (count(From::Kafka), count(From::JetStream)),
            phases: vec![
                ("the receiver hangs", true, hangs),
                ("it answers 503", true, refuses),
                ("the backlog is delivered", false, delivers),
            ],
            stall: self,
        }
    }
}

/// The most that is resident over a time.
async fn most(bridge: &Bridge, time: Duration) -> Resident {
    let end = Instant::now() + time;
    let mut most = Resident::default();
    while Instant::now() < end {
        most.look_at(bridge);
        sleep(Duration::from_millis(50)).await;
    }
    most
}

impl Footprint {
    /// Windows, queues of librdkafka and what was promised beside them.
    fn bound(&self) -> usize {
        let (kafka, jetstream) = self.routes;
        let partitions = usize::try_from(PARTITIONS).unwrap();
        // A partition's queue in librdkafka is as large as its window.
        let of_kafka = partitions * (WINDOW_BYTES + WINDOW_BYTES + FETCH_BYTES);
        kafka * of_kafka + jetstream * WINDOW_BYTES + OWN_BYTES
    }

    /// # Panics
    /// When more was resident than the settings allow while nothing moved.
    pub(crate) fn is_within_bounds(&self) {
        let bound = self.bound();
        for (phase, _, resident) in self.phases.iter().filter(|(_, is_still, _)| *is_still) {
            assert!(
                resident.own <= bound,
                "{phase}: {resident:?}, {bound} allowed"
            );
        }
    }

    /// Prints it, and writes it to the file that the variable names.
    pub(crate) fn publish(&self) {
        let text = self.text();
        println!("{text}");
        if let Some(file) = &self.stall.summary {
            std::fs::write(file, text).unwrap();
        }
    }

    fn text(&self) -> String {
        let mebibytes = |bytes: usize| bytes / 1024 / 1024;
        let (kafka, jetstream) = self.routes;
        let mut text = format!(
            "# Memory with a stalled receiver\n\n\
             - commit: {}\n- machine: {}\n- command: `CENL_PROOF_STALL_MINUTES={} \
             CENL_PROOF_BACKLOG={} cargo test -p cloudevents-nl-bridge --test proof stalled -- \
             --nocapture`\n- {kafka} route(s) from Kafka with {PARTITIONS} partitions, {jetstream} \
             from JetStream, {} MiB of 64 KiB events waiting in each\n\n\
             | phase | most resident, MiB | of which not mapped from the program's file |\n| --- | --- | --- |\n",
            commit(),
            machine(),
            self.stall.time.as_secs_f64() / 60.0,
            self.stall.backlog,
            mebibytes(self.stall.backlog),
        );
        for (phase, _, resident) in &self.phases {
            let (all, own) = (mebibytes(resident.all), mebibytes(resident.own));
            writeln!(text, "| {phase} | {all} | {own} |").unwrap();
        }
        writeln!(
            text,
            "\nAllowed while nothing moves: {} MiB, of which a window of {} MiB, a queue of the same \
             size and one fetch of 1 MiB for each partition, a window for each JetStream consumer, and \
             64 MiB.",
            mebibytes(self.bound()),
            mebibytes(WINDOW_BYTES),
        )
        .unwrap();
        text
    }
}
