//! `cenl-bridge demo`: shows in under a minute, on one machine, what the bridge promises.
//!
//! An application writes events to a Kafka topic, the bridge carries them to a webhook that is
//! often in a bad mood, and whatever the webhook refuses ends among the dead letters. At the end
//! every id is looked for. The bridge is the very one of `run`, started from settings as in a file;
//! the far ends share no code with it, so that it is not its own witness.

mod check;
mod display;
mod events;
mod kafka;
mod receiver;

use std::cell::RefCell;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use rdkafka::error::KafkaError;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, interval};

use crate::config::{Document, Problems};
use crate::plan::Plan;
use crate::runtime::{Running, StartError};
use crate::telemetry::Telemetry;
use crate::transport::registry::{TRANSPORTS, connection_names};
use check::{Seen, check};
use display::{Display, REFRESH};
use events::Planned;
use kafka::{Broker, publish, read_dead_letters};

/// Longest time for events to flow, so that the whole stays under a minute.
const FLOW_MAX: Duration = Duration::from_secs(40);
/// Longest time for the bridge to leave.
const LEAVE_MAX: Duration = Duration::from_secs(5);

/// What the demo is run with.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Use this Kafka broker instead of one in memory, such as 127.0.0.1:19092; two topics stay there
    #[arg(long, value_name = "ADDRESS")]
    kafka: Option<String>,
    /// Write the settings that the bridge is started with to this file
    #[arg(long, value_name = "FILE")]
    save_config: Option<PathBuf>,
}

/// How the demo ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every event arrived where it should.
    Kept,
    /// The promise was broken.
    Broken,
    /// Ctrl-C.
    Interrupted,
}

/// Why the demo could not be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error("kafka: {0}; is a broker listening there?")]
    Kafka(#[from] KafkaError),
    #[error("the system gives no port or thread: {0}")]
    System(#[from] io::Error),
    #[error("{0}: {1}")]
    Save(String, io::Error),
    /// A fault of the demo.
    #[error("{0}")]
    Settings(#[from] Problems),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Runs the demo and says on standard output what it sees. A lost event is no error but an
/// [`Ending`].
pub(crate) fn run(options: &Options) -> Result<Ending, DemoError> {
    let run = Timestamp::now().as_second().to_string();
    let topics = [format!("cenl-demo-{run}"), format!("cenl-demo-{run}.dead")];
    let events = events::plan(&run);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut display = Display::new();
    let broker = runtime.block_on(Broker::open(options.kafka.as_deref(), &topics))?;
    let receiver = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    receiver.set_nonblocking(true)?;
    let text = settings(&broker.address, &topics, receiver.local_addr()?);
    display.introduce(&broker, &text);
    if let Some(path) = &options.save_config {
        let name = path.display().to_string();
        std::fs::write(path, &text).map_err(|cause| DemoError::Save(name.clone(), cause))?;
        display.say(&format!("These settings are saved as {name}.\n"));
    }
    let connections: Vec<_> = connection_names(TRANSPORTS).collect();
    let document = Document::parse(Path::new("demo.toml"), &text, [], &connections)?;
    let plan = Plan::prove(&document, TRANSPORTS)?;
    let telemetry = Telemetry::new(plan.routes.iter().map(|route| Arc::clone(&route.name)));
    let bridge = Running::start(plan, &telemetry)?;

    let seen = Rc::<RefCell<Seen>>::default();
    let tasks = LocalSet::new();
    let flow = flow(&broker, &topics, &events, receiver, &seen, &mut display);
    let flowed = tasks.block_on(&runtime, flow);
    bridge.stop(LEAVE_MAX);
    // The receiver answers until the bridge has left.
    let left = tasks.block_on(&runtime, runtime.spawn_blocking(|| bridge.join()));
    drop(tasks);
    display.finish(&seen.borrow());
    if let Ok(Err(ended)) = left {
        display.say(&ended.to_string());
    }
    if !flowed? {
        display.say("interrupted: the bridge has left, and nothing was checked");
        return Ok(Ending::Interrupted);
    }
    let findings = check(&events, &seen.borrow());
    display.conclude(&findings, events.len());
    if !findings.faults.is_empty() {
        return Ok(Ending::Broken);
    }
    display.advise(&broker, &topics);
    Ok(Ending::Kept)
}

/// Writes all events and waits until each has arrived somewhere, or time is up, which the check will
/// tell; false when ctrl-c ended it.
async fn flow(
    broker: &Broker,
    [topic, dead_letters]: &[String; 2],
    events: &[Planned],
    receiver: TcpListener,
    seen: &Rc<RefCell<Seen>>,
    display: &mut Display,
) -> Result<bool, DemoError> {
    let receiver = tokio::net::TcpListener::from_std(receiver)?;
    spawn_local(receiver::serve(receiver, Rc::clone(seen)));
    spawn_local(read_dead_letters(
        broker.consumer(dead_letters)?,
        Rc::clone(seen),
    ));
    let deadline = Instant::now() + FLOW_MAX;
    let mut refresh = interval(REFRESH);
    let mut publish = std::pin::pin!(publish(broker.producer()?, topic, events, seen));
    let mut is_publishing = true;
    while Instant::now() < deadline && seen.borrow().settled() < events.len() {
        tokio::select! {
            published = &mut publish, if is_publishing => {
                published?;
                is_publishing = false;
            }
            _ = refresh.tick() => display.refresh(&seen.borrow()),
            _ = tokio::signal::ctrl_c() => return Ok(false),
        }
    }
    Ok(true)
}

/// The settings that the bridge is run with: a text, as in a file.
fn settings(brokers: &str, [topic, dead_letters]: &[String; 2], receiver: SocketAddr) -> String {
    format!(
        r#"[kafka.demo]
brokers = "{brokers}"
# Small waits suit a demo on one machine.
properties = {{ "fetch.wait.max.ms" = 10, "session.timeout.ms" = 6000, "heartbeat.interval.ms" = 500 }}

[[route]]
name = "registers-to-webhook"

[route.source]
kafka = "demo"
topic = "{topic}"
group = "{topic}"

[route.sink]
url = "http://{receiver}/events"

[route.retry]
maximum = "2s"

[route.dead_letter]
kafka = "demo"
topic = "{dead_letters}"
"#
    )
}
