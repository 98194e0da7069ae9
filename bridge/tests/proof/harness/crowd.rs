//! Memory of the whole process: many routes over many partitions before a receiver that takes
//! nothing, and one bound for all of them.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use super::options::variable;
use super::report::{commit, machine};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::Numbered;
use crate::support::kafka::Topic;
use crate::support::settings::{Settings, free_address};
use crate::support::wait::{SOON, eventually};

/// What is asked of the bridge.
#[derive(Debug)]
pub(crate) struct Crowd {
    /// `CENL_PROOF_CROWD_ROUTES`: all of them read one topic, each for itself.
    routes: usize,
    /// `CENL_PROOF_CROWD_PARTITIONS`: partitions of the topic.
    partitions: usize,
    /// `CENL_PROOF_CROWD_BUFFERED`: `[limits] buffered_bytes`.
    buffered: usize,
    /// `CENL_PROOF_CROWD_EVENT`: bytes of an event, about.
    event: usize,
    /// `CENL_PROOF_CROWD_BATCH`: most bytes that the producer puts into one batch.
    batch: usize,
    /// `CENL_PROOF_CROWD_MINUTES`: the time without a delivery after every partition was read.
    time: Duration,
    /// `CENL_PROOF_CROWD_SUMMARY`: where the report goes, beside standard output.
    summary: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug)]
pub(crate) struct Tally {
    crowd: Crowd,
    resident: usize,
    own: usize,
    /// Events in windows in the end.
    events: f64,
}

/// What the bridge may use beside `buffered_bytes`.
const BESIDE: usize = 150 * 1024 * 1024;
/// Bytes that wait in each partition, about.
const BACKLOG: usize = 4 * 1024 * 1024;

impl Crowd {
    pub(crate) fn from_environment() -> Self {
        let number = |name: &str, default| variable(name).unwrap_or(default);
        let minutes = variable("CENL_PROOF_CROWD_MINUTES").unwrap_or(0.2);
        Self {
            routes: number("CENL_PROOF_CROWD_ROUTES", 4),
            partitions: number("CENL_PROOF_CROWD_PARTITIONS", 50),
            buffered: number("CENL_PROOF_CROWD_BUFFERED", 64 * 1024 * 1024),
            event: number("CENL_PROOF_CROWD_EVENT", 64 * 1024),
            batch: number("CENL_PROOF_CROWD_BATCH", 1_000_000),
            time: Duration::from_secs_f64(minutes * 60.0),
            summary: variable("CENL_PROOF_CROWD_SUMMARY"),
        }
    }

    /// Fills the topic, starts the bridge before a receiver that takes nothing, and looks at its
    /// memory from the first moment on.
    pub(crate) async fn run(self) -> Tally {
        let partitions = i32::try_from(self.partitions).unwrap();
        let broker = brokers::kafka();
        let topic = Topic::create_wide(broker.plaintext(), "crowd", partitions).await;
        let keys = 16 * self.partitions;
        let each = BACKLOG / self.event;
        let events = (0..each * self.partitions).map(|index| Numbered::nth(index, keys));
        let records = events.map(|event| event.binary_record(self.event));
        topic.write_in_batches(records, self.batch).await;
        let settings = self.settings(&topic, takes_nothing().await);
        let bridge = Bridge::spawn(&settings);
        let (mut resident, mut own) = (0, 0);
        let mut look = || {
            resident = resident.max(bridge.memory());
            own = own.max(bridge.own_memory());
        };
        let windows = (self.routes * self.partitions) as f64;
        eventually("every partition is read", 6 * SOON, async || {
            look();
            let held = bridge.metric("cenl_window_events{").await;
            (held >= Some(windows)).then_some(())
        })
        .await;
        let end = Instant::now() + self.time;
        while Instant::now() < end {
            look();
            sleep(Duration::from_millis(50)).await;
        }
        let held = bridge.metric("cenl_window_events{").await;
        Tally {
            crowd: self,
            resident,
            own,
            events: held.unwrap(),
        }
    }

    fn settings(&self, topic: &Topic, receiver: SocketAddr) -> Settings {
        let (brokers, name) = (&topic.brokers, &topic.name);
        let mut tables = format!(
            "[limits]\nbuffered_bytes = {}\n[kafka.main]\nbrokers = \"{brokers}\"\n",
            self.buffered
        );
        for route in 0..self.routes {
            write!(
                tables,
                "[[route]]\nname = \"route-{route}\"\non_error = \"hold\"\n\
                 [route.source]\nkafka = \"main\"\ntopic = \"{name}\"\ngroup = \"{name}-{route}\"\n\
                 [route.sink]\nurl = \"http://{receiver}/{route}\"\n"
            )
            .unwrap();
        }
        Settings::written(tables)
    }
}

/// The address of a receiver that lets everybody in and reads nothing.
async fn takes_nothing() -> SocketAddr {
    let socket = TcpListener::bind(free_address()).await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut connections = Vec::new();
        while let Ok(connection) = socket.accept().await {
            connections.push(connection);
        }
    });
    address
}

impl Tally {
    fn bound(&self) -> usize {
        self.crowd.buffered + BESIDE
    }

    /// # Panics
    /// When more was resident than the settings allow.
    pub(crate) fn is_within_bounds(&self) {
        let (resident, bound) = (self.resident, self.bound());
        assert!(resident <= bound, "{resident} bytes, {bound} allowed");
    }

    /// Prints it, and writes it to the file that the variable names.
    pub(crate) fn publish(&self) {
        let text = self.text();
        println!("{text}");
        if let Some(file) = &self.crowd.summary {
            std::fs::write(file, text).unwrap();
        }
    }

    fn text(&self) -> String {
        let mebibytes = |bytes: usize| bytes / 1024 / 1024;
        let Crowd {
            routes,
            partitions,
            buffered,
            event,
            batch,
            time,
            ..
        } = &self.crowd;
        format!(
            "# Memory of a process with many stalled routes\n\n\
             - commit: {}\n- machine: {}\n- command: `CENL_PROOF_CROWD_ROUTES={routes} \
             CENL_PROOF_CROWD_PARTITIONS={partitions} CENL_PROOF_CROWD_BUFFERED={buffered} \
             CENL_PROOF_CROWD_EVENT={event} CENL_PROOF_CROWD_BATCH={batch} \
             CENL_PROOF_CROWD_MINUTES={} cargo test -p cloudevents-nl-bridge --test proof crowd -- \
             --nocapture`\n- {routes} routes, each with {partitions} partitions, {} MiB of events of \
             {event} bytes waiting in each; a receiver that reads nothing\n\n\
             | resident at most, MiB | of which not mapped from the program's file | allowed | events in windows in the end |\n\
             | --- | --- | --- | --- |\n| {} | {} | {} | {} |\n",
            commit(),
            machine(),
            time.as_secs_f64() / 60.0,
            mebibytes(BACKLOG),
            mebibytes(self.resident),
            mebibytes(self.own),
            mebibytes(self.bound()),
            self.events,
        )
    }
}
