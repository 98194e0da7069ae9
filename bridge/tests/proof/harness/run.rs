//! One run from its first event to its report.

use std::time::Duration;

use async_nats::jetstream::Context;
use tokio::time::{Instant, sleep};

use super::director::{Director, Incident};
use super::judge::Judgement;
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
    let mut world = World::build("proof", options).await;
    world.start_load(options);
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
    world.sites.iter().for_each(Site::stop_load);
    let last = match incidents.iter().rfind(|last| last.drained.contains(&None)) {
        // What never came will not come now, but the bridge may have more to do.
        Some(stuck) => {
            committed(&world, patience).await;
            stuck.drained.clone()
        }
        None => director.drained(Instant::now(), patience).await,
    };
    let mut complaints = director.end().await;
    let minutes = world.clock.elapsed().as_secs_f64() / 60.0;
    let has_all = last.iter().all(Option::is_some);
    for site in &mut world.sites {
        complaints.extend(site.close(has_all, world.nats.as_ref()).await);
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

/// Waits until all records are committed, or patience ends.
async fn committed(world: &World, patience: Duration) {
    let since = Instant::now();
    let from_kafka = |site: &&Site| site.pair.from == From::Kafka;
    for Site { source, .. } in world.sites.iter().filter(from_kafka) {
        while source.lag(&source.name).await > 0 && since.elapsed() < patience {
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
async fn at_rest<T: Default + PartialEq>(left: impl AsyncFn() -> T) -> T {
    let since = Instant::now();
    loop {
        let now = left().await;
        if now == T::default() || since.elapsed() > SOON {
            return now;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

impl Site {
    fn stop_load(&self) {
        if let Some(load) = &self.load {
            load.stop();
        }
    }

    /// Holds what the harness knows against what the servers say, once the bridge has ended.
    async fn close(&mut self, has_all: bool, nats: Option<&Context>) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut complain = |what: String| complaints.push(format!("{}: {what}", self.pair.name));
        if let Some(load) = self.load.take()
            && has_all
        {
            load.finish().await;
        }
        if self.pair.from == From::Kafka {
            let lag = at_rest(async || self.source.lag(&self.source.name).await).await;
            if lag > 0 {
                complain(format!("{lag} records are not committed"));
            }
        }
        if self.pair.from == From::JetStream {
            let context = nats.expect("NATS takes part");
            let name = &self.source.name;
            let lag = at_rest(async || Pair::unacknowledged(context, name).await).await;
            if lag > 0 {
                complain(format!("{lag} messages are not acknowledged"));
            }
        }
        if let Some(tail) = self.tail.take() {
            let len = match self.pair.to {
                To::Webhook => 0,
                To::Kafka => self.sink.len().await,
                To::JetStream => Pair::len(nats.expect("NATS takes part"), &self.sink.name).await,
            };
            let unread = at_rest(async || len.abs_diff(tail.read())).await;
            if unread > 0 {
                complain(format!("{len} at the far end, {} read", tail.read()));
            }
            tail.finish().await;
        }
        complaints
    }
}
