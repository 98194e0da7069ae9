//! A log, a bridge that dies now and then, and a receiver with faults: all from one seed.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_bridge::delivery::window::Capacity;
use cloudevents_nl_bridge::delivery::{Position, Received};
use cloudevents_nl_bridge::route::Route;
use cloudevents_nl_bridge::route::retry::RetryPolicy;
use cloudevents_nl_bridge::route::steps::{OnError, RouteConfig};
use cloudevents_nl_bridge::route::target::{Order, RecordKey, Target, WriteMode};
use cloudevents_nl_bridge::runtime::{Sinks, Uncontrolled, drive};
use cloudevents_nl_bridge::transport::{Intake, Source, Stop};
use cloudevents_nl_codec::{Decoder, HTTP, HeaderList, KAFKA};
use tokio::task::LocalSet;
use tokio::time::{Instant, timeout};

use crate::log::{Log, MemorySource};
use crate::receiver::{Place, Receiver};
use crate::stream::{Server, StreamSource};

pub(crate) struct World {
    seed: u64,
    random: fastrand::Rng,
    log: Rc<Log>,
    events: HashMap<String, Planned>,
    receiver: Rc<Receiver>,
    commits_too_far: bool,
    /// Who gives the log out, where that is more than a log.
    server: Option<Rc<Server>>,
}

/// What was put into the log.
struct Planned {
    partition: usize,
    sequence: usize,
    key: Option<String>,
    is_deliverable: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) lost: Vec<String>,
    pub(crate) overtaken: Vec<(String, String)>,
    pub(crate) undeserved: Vec<String>,
    pub(crate) repeats: usize,
    pub(crate) hurried: usize,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let log = Rc::new(Log::default());
        let mut events = HashMap::new();
        for partition in 0..random.usize(1..4) {
            for sequence in 0..random.usize(20..80) {
                let id = format!("memory:{partition}/{sequence}");
                let key = (random.u8(..10) > 0).then(|| format!("k{partition}-{}", random.u8(..6)));
                let kind = random.u8(..40);
                let is_deliverable = kind > 1;
                log.append(partition, message(&id, key.as_deref(), kind));
                events.insert(
                    id,
                    Planned {
                        partition,
                        sequence,
                        key,
                        is_deliverable,
                    },
                );
            }
        }
        let receiver = Rc::new(Receiver::new(random.fork()));
        Self {
            seed,
            random,
            log,
            events,
            receiver,
            commits_too_far: false,
            server: None,
        }
    }

    pub(crate) fn without_faults(self) -> Self {
        self.receiver.behave();
        self
    }

    pub(crate) fn commit_too_far(mut self) -> Self {
        self.commits_too_far = true;
        self
    }

    /// The log is a stream whose server gives a message again when it heard nothing of it.
    pub(crate) fn redelivered(mut self) -> Self {
        let has_faults = !self.receiver.is_well_behaved();
        self.server = Some(Server::new(&self.log, self.random.fork(), has_faults));
        self
    }

    /// Lives of the bridge, one after another, until the log is done.
    pub(crate) fn run(mut self) -> Report {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let runtime = runtime.unwrap();
        let mut lives = if self.receiver.is_well_behaved() {
            0
        } else {
            self.random.usize(..6)
        };
        while self.log.uncommitted() > 0 {
            let is_last = lives == 0;
            runtime.block_on(LocalSet::new().run_until(self.live(is_last)));
            self.receiver.forget_waits();
            if self.commits_too_far {
                for (partition, committed) in self.log.committed().into_iter().enumerate() {
                    let end = self
                        .events
                        .values()
                        .filter(|event| event.partition == partition)
                        .count();
                    self.log.seek(partition, (committed + 1).min(end));
                }
            }
            lives = lives.saturating_sub(1);
        }
        self.report()
    }

    /// One life: it ends with the log, with a drain, or with a crash.
    async fn live(&mut self, is_last: bool) {
        let (stop_sender, stop) = Stop::new();
        let (intake, taken) = Intake::new();
        let source = self.source();
        let route = Route::new(self.config(), self.seed);
        let sinks = Sinks {
            sink: self.receiver.at(Place::Destination),
            dead_letters: Some(self.receiver.at(Place::DeadLetters)),
        };
        let bridge = async {
            tokio::join!(
                source.run(intake, stop),
                drive(route, taken, sinks, Uncontrolled)
            )
        };
        let log = Rc::clone(&self.log);
        let life = Duration::from_millis(self.random.u64(50..20_000));
        let leaves_in_order = self.random.bool();
        let end = async move {
            if is_last {
                timeout(Duration::from_secs(24 * 3600), log.all_committed())
                    .await
                    .expect("it never got done");
            } else {
                // The length of a life is the fault itself, on a paused clock.
                tokio::time::sleep(life).await;
            }
            if leaves_in_order || is_last {
                stop_sender
                    .send(Some(Instant::now() + Duration::from_secs(3)))
                    .unwrap();
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            (left, _) = bridge => left.unwrap(),
            () = end => {}
        }
    }

    fn source(&mut self) -> Box<dyn Source> {
        let capacity = Capacity {
            events: self.random.usize(1..30),
            bytes: 20_000,
        };
        match &self.server {
            Some(server) => Box::new(StreamSource {
                server: Rc::clone(server),
                capacity,
            }),
            None => Box::new(MemorySource {
                log: Rc::clone(&self.log),
                capacity,
                commit_interval: Duration::from_millis(100),
            }),
        }
    }

    fn config(&mut self) -> RouteConfig {
        let is_batched = self.random.bool();
        RouteConfig {
            in_flight_max: self.random.usize(1..20),
            batch: Capacity {
                events: if is_batched { 5 } else { 1 },
                bytes: 5_000,
            },
            ..config()
        }
    }

    fn report(self) -> Report {
        let mut report = Report {
            hurried: self.receiver.hurried(),
            ..Report::default()
        };
        let arrivals = self.receiver.arrivals(Place::Destination);
        let buried = self.receiver.arrivals(Place::DeadLetters);
        let mut first = HashMap::new();
        for (moment, id) in arrivals.iter().enumerate() {
            match first.entry(id) {
                Entry::Vacant(entry) => _ = entry.insert(moment),
                Entry::Occupied(_) => report.repeats += 1,
            }
        }
        for (id, event) in &self.events {
            match (
                event.is_deliverable,
                first.contains_key(id),
                buried.contains(id),
            ) {
                (true, true, false) | (false, false, true) => {}
                (true, _, true) => report.undeserved.push(id.clone()),
                _ => report.lost.push(id.clone()),
            }
        }
        for (id, event) in self.events.iter().filter(|(_, event)| event.key.is_some()) {
            let earlier = self.events.iter().filter(|(_, other)| {
                other.key == event.key
                    && other.partition == event.partition
                    && other.sequence < event.sequence
            });
            for (other, _) in earlier {
                if let (Some(own), Some(others)) = (first.get(id), first.get(other))
                    && own < others
                {
                    report.overtaken.push((id.clone(), other.clone()));
                }
            }
        }
        report
    }
}

/// A route with every default to a webhook.
pub(crate) fn config() -> RouteConfig {
    RouteConfig {
        logs_deliveries: false,
        traces: None,
        name: "simulated".into(),
        address: "http receiver.example:443 /hook".into(),
        dead_letter_address: "kafka broker:9092 dead".into(),
        decoder: Decoder::default(),
        check: None,
        filter: None,
        target: Target {
            binding: &HTTP,
            mode: WriteMode::Structured,
            record_key: RecordKey::Source,
            forward_headers: Vec::new(),
            message_id_scope: None,
        },
        order: Order::Key,
        retry: RetryPolicy::default(),
        outcomes: BTreeMap::new(),
        on_error: OnError::DeadLetter,
        stop_after: 100,
        in_flight_max: 64,
        batch: Capacity {
            events: 1,
            bytes: 5_000,
        },
    }
}

/// The first two kinds cannot be delivered.
pub(crate) fn message(id: &str, key: Option<&str>, kind: u8) -> Received {
    let ty = if kind == 0 {
        "nl.test.poison"
    } else {
        "nl.test.good"
    };
    let mut body =
        format!(r#"{{"specversion":"1.0","id":"{id}","source":"urn:nld:test","type":"{ty}"}}"#);
    if kind == 1 {
        body.truncate(body.len() - 1);
    }
    let mut headers = HeaderList::default();
    headers.push("content-type", Some(b"application/cloudevents+json"));
    Received {
        binding: &KAFKA,
        headers,
        key: key.map(|key| Bytes::from(key.to_owned())),
        body: Some(Bytes::from(body)),
        timestamp_ms: None,
        position: Position::numbered("memory:0/", 0),
        defect: None,
    }
}
