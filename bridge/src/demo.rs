//! `cenl-bridge demo`: shows in under a minute, on one machine, what the bridge promises.
//!
//! An application writes events to a Kafka topic, the bridge carries them to a webhook that is
//! often in a bad mood, and whatever the webhook refuses ends among the dead letters. At the end
//! every id is looked for. The bridge is the very one of `run`, started from settings as in a file;
//! the far ends share no code with it, so that it is not its own witness.

mod application;
mod broker;
mod check;
mod dead_letters;
mod display;
mod events;
mod receiver;
mod record;
mod settings;
mod story;

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use rdkafka::error::KafkaError;
use tokio::time::{Instant, interval};

use crate::config::{Document, Problems};
use crate::plan::Plan;
use crate::runtime::{Running, StartError};
use crate::telemetry::Telemetry;
use crate::transport::registry::{TRANSPORTS, connection_names};
use application::publish;
use broker::Broker;
use check::check;
use dead_letters::DeadLetters;
use display::{Display, REFRESH};
use events::Planned;
use record::Record;
use settings::Names;
use story::{advise, conclude, introduce};

/// Longest time for events to flow, so that the whole stays under a minute.
const FLOW_MAX: Duration = Duration::from_secs(40);

/// Longest time for the bridge to leave.
const LEAVE_MAX: Duration = Duration::from_secs(5);

/// What the demo is run with.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Use this Kafka broker instead of one in memory, such as 127.0.0.1:19092; two topics stay there
    #[arg(long, value_name = "ADDRESS")]
    kafka: Option<String>,
    /// Write the settings that the bridge is started with to this file
    #[arg(long, value_name = "FILE")]
    save_config: Option<PathBuf>,
}

/// How the demo ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every event arrived where it should.
    Kept,
    /// The promise was broken.
    Broken,
    /// Ctrl-C.
    Interrupted,
}

/// Why the demo could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// The broker or a client of it.
    #[error("kafka: {0}; is a broker listening there?")]
    Kafka(#[from] KafkaError),
    /// A port, a thread or a signal.
    #[error("the system gives no port or thread: {0}")]
    System(#[from] io::Error),
    /// The file of `--save-config`.
    #[error("{}: {cause}", path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The settings of the demo, which is a fault of the demo.
    #[error("{0}")]
    Settings(#[from] Problems),
    /// The bridge.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Runs the demo and says on standard output what it sees.
///
/// # Errors
/// When something that it needs cannot be had. A lost event is no error but an [`Ending`].
pub fn run(options: &Options) -> Result<Ending, DemoError> {
    let names = Names::new(Timestamp::now().as_second().to_string());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut display = Display::new();
    let broker = runtime.block_on(open_broker(options.kafka.as_deref(), &names))?;
    let record = Arc::new(Record::default());
    let receiver = receiver::start(Arc::clone(&record))?;
    let text = settings::text(&broker.address, &names, receiver);
    introduce(&mut display, &broker, &text);
    if let Some(path) = &options.save_config {
        let failed = |cause| DemoError::Save {
            path: path.clone(),
            cause,
        };
        std::fs::write(path, &text).map_err(failed)?;
        display.say(&format!(
            "These settings are saved as {}.\n",
            path.display()
        ));
    }
    let connections: Vec<_> = connection_names(TRANSPORTS).collect();
    let document = Document::parse(Path::new("demo.toml"), &text, [], &connections)?;
    let plan = Plan::prove(&document, TRANSPORTS)?;
    let events = events::plan(&names.run);
    let dead_letters =
        DeadLetters::read(&broker.address, &names.dead_letters, Arc::clone(&record))?;
    let telemetry = Telemetry::new(plan.routes.iter().map(|route| Arc::clone(&route.name)));
    let bridge = Running::start(plan, &telemetry)?;

    let flow = Flow {
        brokers: &broker.address,
        topic: &names.topic,
        events: &events,
        record: &record,
        written: Cell::new(0),
    };
    let flowed = runtime.block_on(flow.watch(&mut display));
    bridge.stop(LEAVE_MAX);
    let left = bridge.join();
    dead_letters.leave();
    display.finish(flow.written.get(), &record);
    if let Err(ended) = left {
        display.say(&ended.to_string());
    }
    if flowed? == Flowed::Interrupted {
        display.say("interrupted: the bridge has left, and nothing was checked");
        return Ok(Ending::Interrupted);
    }
    let seen = record.lock();
    let dead_letters: Vec<_> = seen
        .dead_letters
        .iter()
        .map(|letter| letter.id.clone())
        .collect();
    let findings = check(&events, &seen.arrivals, &dead_letters);
    drop(seen);
    conclude(&mut display, &findings, events.len());
    if !findings.faults.is_empty() {
        return Ok(Ending::Broken);
    }
    advise(&mut display, &broker, &names);
    Ok(Ending::Kept)
}

async fn open_broker(address: Option<&str>, names: &Names) -> Result<Broker, KafkaError> {
    let topics = [names.topic.as_str(), names.dead_letters.as_str()];
    match address {
        Some(address) => Broker::real(address, &topics).await,
        None => Broker::mock(&topics),
    }
}

/// The events on their way.
struct Flow<'a> {
    brokers: &'a str,
    topic: &'a str,
    events: &'a [Planned],
    record: &'a Record,
    written: Cell<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flowed {
    /// All events have arrived somewhere, or time is up: the check will tell.
    Ended,
    Interrupted,
}

impl Flow<'_> {
    /// Writes all events and waits until each has arrived somewhere.
    async fn watch(&self, display: &mut Display) -> Result<Flowed, KafkaError> {
        let deadline = Instant::now() + FLOW_MAX;
        let mut refresh = interval(REFRESH);
        let publish = publish(self.brokers, self.topic, self.events, |count| {
            self.written.set(count)
        });
        tokio::pin!(publish);
        let mut is_publishing = true;
        while Instant::now() < deadline && self.record.lock().settled() < self.events.len() {
            tokio::select! {
                published = &mut publish, if is_publishing => {
                    published?;
                    is_publishing = false;
                }
                _ = refresh.tick() => display.refresh(self.written.get(), self.record),
                _ = tokio::signal::ctrl_c() => return Ok(Flowed::Interrupted),
            }
        }
        Ok(Flowed::Ended)
    }
}
