//! `cenl-bridge demo`: a Kafka topic, the bridge of `run`, and a webhook that often fails; at the end every
//! id is looked for.
//! The far ends share no code with the bridge, so that it is not its own witness.

mod check;
mod events;
mod kafka;
mod receiver;

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::spawn_local;
use tokio::time::{Instant, interval};

use super::{DONE, FAILED, INTERRUPTED, ToolError, block_on, print};
use crate::config::Document;
use crate::plan::Plan;
use crate::runtime::Supervisor;
use crate::telemetry::Telemetry;
use crate::transport::registry::{TRANSPORTS, connection_names};
use check::{CheckReport, Observed, check};
use events::Planned;
use kafka::{DemoBroker, MOCK_PARTITION_BYTES};

const DIAGRAM: &str = "\
application ─▶ Kafka topic ─▶ cenl-bridge ─▶ webhook
                                   └─▶ dead letters
";
const REFRESH: Duration = Duration::from_secs(1);

/// The whole stays under a minute.
const FLOW_MAX: Duration = Duration::from_secs(40);
const LEAVE_MAX: Duration = Duration::from_secs(5);

#[derive(Args, Clone, Debug)]
pub(crate) struct DemoOptions {
    /// Use this Kafka broker instead of one in memory, such as 127.0.0.1:19092; two topics stay there
    #[arg(long, value_name = "ADDRESS")]
    kafka: Option<String>,
    /// Write the settings that the bridge is started with to this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    save_config: Option<PathBuf>,
}

const NO_BROKER: &str = "the broker cannot be used; is a broker listening there?";

/// A lost event is no error but an exit code.
pub(crate) fn run(options: &DemoOptions) -> Result<u8, ToolError> {
    if let Some(file) = options.save_config.as_ref().filter(|file| file.is_file()) {
        let name = file.display();
        let what = format!("--save-config: {name} is there: remove it or name another file");
        return Err(ToolError::Usage(what));
    }
    Ok(block_on(demo(options))??)
}

async fn demo(options: &DemoOptions) -> anyhow::Result<u8> {
    let run = Timestamp::now().as_second().to_string();
    let topics = [format!("cenl-demo-{run}"), format!("cenl-demo-{run}.dead")];
    let events = events::plan(&run);
    let started = Instant::now();
    let broker = DemoBroker::open(options.kafka.as_deref(), &topics).await;
    let broker = broker.context(NO_BROKER)?;
    let receiver = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let text = settings(&broker.address, &topics, receiver.local_addr()?);
    print_introduction(&broker, &text)?;
    if let Some(path) = &options.save_config {
        let name = path.display();
        std::fs::write(path, &text).with_context(|| name.to_string())?;
        print(format_args!("These settings are saved as {name}.\n"))?;
    }
    let connections: Vec<_> = connection_names(TRANSPORTS).collect();
    let document = Document::parse(Path::new("demo.toml"), &text, [], &connections)?;
    let plan = Plan::prove(&document, TRANSPORTS)?;
    let mut bridge = Supervisor::new(Telemetry::default());
    bridge.start(plan).await?;

    let observed = Rc::<RefCell<Observed>>::default();
    spawn_local(receiver::serve(receiver, Rc::clone(&observed)));
    let flowed = flow(&broker, &topics, &events, &observed, started).await;
    let left = bridge.stop(LEAVE_MAX).await;
    print_progress(started, &observed.borrow())?;
    if let Err(error) = left {
        print(error)?;
    }
    if !flowed? {
        print("interrupted: the bridge has left, and nothing was checked")?;
        return Ok(INTERRUPTED);
    }
    let report = check(&events, &observed.borrow());
    print_findings(&report, events.len())?;
    if !report.faults.is_empty() {
        return Ok(FAILED);
    }
    print_next_steps(&broker, &topics)?;
    Ok(DONE)
}

/// Until every event has arrived, or time is up; false when ctrl-c ended it.
async fn flow(
    broker: &DemoBroker,
    [topic, dead_letters]: &[String; 2],
    events: &[Planned],
    observed: &RefCell<Observed>,
    started: Instant,
) -> anyhow::Result<bool> {
    let deadline = Instant::now() + FLOW_MAX;
    let mut refresh = interval(REFRESH);
    let mut read = pin!(broker.read_dead_letters(dead_letters, observed));
    let mut publish = pin!(broker.publish(topic, events, observed));
    let mut is_publishing = true;
    let mut interrupts = signal(SignalKind::interrupt())?;
    while Instant::now() < deadline && observed.borrow().settled() < events.len() {
        tokio::select! {
            published = &mut publish, if is_publishing => {
                published.context(NO_BROKER)?;
                is_publishing = false;
            }
            Err(error) = &mut read => return Err(error),
            _ = refresh.tick() => print_progress(started, &observed.borrow())?,
            _ = interrupts.recv() => return Ok(false),
        }
    }
    Ok(true)
}

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

fn print_introduction(broker: &DemoBroker, settings: &str) -> anyhow::Result<()> {
    print(DIAGRAM)?;
    if broker.mock.is_some() {
        let (address, mebibytes) = (&broker.address, MOCK_PARTITION_BYTES >> 20);
        print(format_args!(
            "The broker is librdkafka's mock at {address}: in memory, {mebibytes} MiB per partition, gone at the end.\n\
             The first events arrive after three seconds: so long it waits for others to join the group.\n",
        ))?;
    }
    let settings = settings.replace('\n', "\n    ").replace("    \n", "\n");
    let settings = settings.trim_end();
    print(format_args!(
        "The bridge runs with these settings:\n\n    {settings}\n"
    ))
}

fn print_progress(started: Instant, observed: &Observed) -> anyhow::Result<()> {
    print(format_args!(
        "{:4.1} s  written {}  delivered {}  dead letters {}  503 ×{} 429 ×{} 400 ×{}",
        started.elapsed().as_secs_f64(),
        observed.written,
        observed.accepted.len(),
        observed.dead_letters.len(),
        observed.unavailable,
        observed.too_many,
        observed.refused,
    ))
}

fn print_findings(report: &CheckReport, sent: usize) -> anyhow::Result<()> {
    let (delivered, dead_lettered) = (report.delivered, report.dead_lettered);
    let (repeats, keys, faults) = (report.repeats, report.keys, &report.faults);
    print(format_args!(
        "\n{sent} events sent: {delivered} delivered, {dead_lettered} dead-lettered, {repeats} repeats; \
         order checked on {keys} keys"
    ))?;
    if faults.is_empty() {
        return print(
            "Every id is exactly where it belongs, unchanged and in the order of its key.\n",
        );
    }
    let count = faults.len();
    print(format_args!(
        "THE PROMISE WAS BROKEN; please report it. Faults found: {count}, among them:"
    ))?;
    let mut faults = faults.iter().take(20);
    faults.try_for_each(|fault| print(format_args!("  {fault}")))
}

fn print_next_steps(
    broker: &DemoBroker,
    [topic, dead_letters]: &[String; 2],
) -> anyhow::Result<()> {
    match broker.mock.is_some() {
        true => print(
            "Next: the same on a real broker (scripts/brokers starts one):\n    \
             scripts/brokers up && cenl-bridge demo --kafka 127.0.0.1:19092",
        )?,
        false => print(format_args!(
            "The topics {topic} and {dead_letters} stay on the broker for you to look at."
        ))?,
    }
    print("Your own routes: start from config/bridge.toml, then")?;
    print("    cenl-bridge check-config --config FILE && cenl-bridge run --config FILE")
}
