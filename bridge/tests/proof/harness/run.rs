//! One run from its first event to its report.

use std::time::Duration;

use async_nats::jetstream::Context;
use tokio::time::{Instant, sleep};

use super::director::{Director, Incident};
use super::judge::Judgement;
use super::load::Load;
use super::options::Options;
use super::pair::{From, Pair, To};
use super::report::Report;
use super::script::{Scene, Script};
use super::world::{Site, World};
use crate::support::kafka::Record;
use crate::support::wait::SOON;

/// How long a pair may take to deliver what is due after a fault is healed, before the run ends as a
/// failure. Back-off grows to a minute.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long the events flow before the first fault.
const CALM: usize = 300;

/// Faults by the seed, as long as the options say.
pub(crate) async fn run(options: &Options) -> Report {
    let world = World::build("proof", options).await;
    let mut script = Script::new(options.seed, world.parties(), &options.only);
    let mut kills = 0;
    let is_over = |incidents: &[Incident], elapsed: Duration| {
        kills += incidents.last().map_or(0, |incident| incident.kills.len());
        elapsed >= options.least && incidents.len() >= options.faults && kills >= options.kills
    };
    play(world, options, || script.next(), is_over, PATIENCE).await
}

/// Plays `scenes` until `is_over` says so, or until something never arrives.
pub(crate) async fn play(
    mut world: World,
    options: &Options,
    mut scenes: impl FnMut() -> Scene,
    mut is_over: impl FnMut(&[Incident], Duration) -> bool,
    patience: Duration,
) -> Report {
    let loads = world.start_load(options);
    let mut director = Director::begin(&world).await;
    calm(&world).await;
    let mut incidents = Vec::new();
    loop {
        let incident = director.play(&scenes(), patience).await;
        println!("{}", line(&world, &incident, incidents.len() + 1));
        let is_stuck = incident.drained.contains(&None);
        incidents.push(incident);
        if is_stuck {
            director.show_state().await;
        }
        if is_stuck || is_over(&incidents, world.clock.elapsed()) {
            break;
        }
    }
    loads.iter().for_each(Load::stop);
    let last = match incidents.iter().rfind(|last| last.drained.contains(&None)) {
        // What never came will not come now, but the bridge may have more to do.
        Some(stuck) => {
            committed(&world, patience).await;
            stuck.drained.clone()
        }
        None => director.drained(Instant::now(), patience).await,
    };
    let has_all = last.iter().all(Option::is_some);
    if has_all {
        // What a load still offers is delivered and committed too.
        for load in loads {
            load.finish().await;
        }
        committed(&world, patience).await;
    }
    let mut complaints = director.end().await;
    let minutes = world.clock.elapsed().as_secs_f64() / 60.0;
    for site in &mut world.sites {
        complaints.extend(site.close(world.nats.as_ref()).await);
    }
    let mut judgements = Vec::new();
    for site in &world.sites {
        let dead = site.dead_letters.read().await;
        let dead: Vec<_> = dead.iter().map(id_of_dead_letter).collect();
        let book = site.ledger.book();
        let dead = (site.pair.from != From::Http).then_some(&dead[..]);
        judgements.push(Judgement::of(site.pair.name, &book, &incidents, dead));
    }
    if !has_all {
        complaints.push("what was due did not arrive".to_owned());
    }
    Report {
        command: options.command(),
        rate: options.rate,
        minutes,
        judgements,
        incidents,
        last,
        receiver: world.receiver.counts(),
        complaints,
    }
}

/// Waits until events flow on every pair.
async fn calm(world: &World) {
    for site in &world.sites {
        let flows = || site.ledger.book().arrivals.len() >= CALM;
        let what = format!("events flow on {}", site.pair.name);
        crate::support::wait::until(&what, PATIENCE, flows).await;
    }
}

/// Waits until all records are committed and all messages acknowledged, or patience ends.
async fn committed(world: &World, patience: Duration) {
    let since = Instant::now();
    for site in &world.sites {
        while site.open(world.nats.as_ref()).await > 0 && since.elapsed() < patience {
            sleep(Duration::from_millis(100)).await;
        }
    }
}

fn line(world: &World, incident: &Incident, number: usize) -> String {
    let drained = incident.drained.iter().map(|drained| match drained {
        Some(millis) => format!("{:.1}", f64::from(*millis) / 1000.0),
        None => "never".to_owned(),
    });
    let drained: Vec<_> = drained.collect();
    let arrived = world
        .sites
        .iter()
        .map(|site| site.ledger.book().arrivals.len());
    format!(
        "{:>6.1} s: {number}. {} ({:.1} s): drained after {} s; {} arrivals, {:?} behind",
        f64::from(incident.began) / 1000.0,
        incident.name,
        f64::from(incident.healed - incident.began) / 1000.0,
        drained.join(" / "),
        arrived.sum::<usize>(),
        world
            .sites
            .iter()
            .map(|site| site.ledger.backlog())
            .collect::<Vec<_>>(),
    )
}

/// The id in a dead letter, which is written as it was received, malformed or not.
fn id_of_dead_letter(record: &Record) -> String {
    let value = record.value.as_deref().unwrap_or_default();
    let event: Option<serde_json::Value> = serde_json::from_slice(value).ok();
    let id = event.and_then(|event| Some(event.get("id")?.as_str()?.to_owned()));
    id.or_else(|| record.text("ce_id")).unwrap_or_default()
}

/// What is left when nothing is left, or after a while: servers and clients finish what they were given.
async fn at_rest(left: impl AsyncFn() -> u64) -> u64 {
    let since = Instant::now();
    loop {
        let now = left().await;
        if now == 0 || since.elapsed() > SOON {
            return now;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

impl Site {
    /// Records of its source that are not committed, or messages that are not acknowledged.
    async fn open(&self, nats: Option<&Context>) -> u64 {
        let name = &self.source.name;
        match self.pair.from {
            From::Kafka => self.source.lag(name).await as u64,
            From::JetStream => Pair::unacknowledged(nats.expect("NATS takes part"), name).await,
            From::Http => 0,
        }
    }

    /// Holds what the harness knows against what the servers say, once the bridge has ended.
    async fn close(&mut self, nats: Option<&Context>) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut complain = |what: String| complaints.push(format!("{}: {what}", self.pair.name));
        let open = at_rest(async || self.open(nats).await).await;
        if open > 0 {
            complain(format!("{open} are not committed or acknowledged"));
        }
        if let Some(tail) = self.tail.take() {
            let len = match self.pair.to {
                To::Webhook => 0,
                To::Kafka => self.sink.len().await,
                To::JetStream => Pair::len(nats.expect("NATS takes part"), &self.sink.name).await,
            };
            let unread = at_rest(async || len.abs_diff(tail.read()) as u64).await;
            if unread > 0 {
                complain(format!("{len} at the far end, {} read", tail.read()));
            }
            tail.finish().await;
        }
        complaints
    }
}
