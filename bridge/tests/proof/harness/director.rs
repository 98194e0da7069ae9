//! Carries out the script: breaks things, heals them, and writes down when.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::evidence::Evidence;
use super::fault::{End, Fault, Server, Trouble};
use super::ledger::Mark;
use super::pair::From;
use super::proxy::Weather;
use super::receiver::Mood;
use super::script::Scene;
use super::world::World;
use crate::support::bridge::Bridge;
use crate::support::wait::SOON;

/// What happened.
#[derive(Clone, Debug)]
pub(crate) struct Incident {
    pub(crate) name: String,
    /// In milliseconds of the run.
    pub(crate) began: u32,
    pub(crate) healed: u32,
    /// When the bridge was killed.
    pub(crate) kills: Vec<u32>,
    /// Whether nothing else was going on.
    pub(crate) is_lone_kill: bool,
    /// For each pair, how long after the healing all had arrived that was due by then; nothing where
    /// it never did.
    pub(crate) drained: Vec<Option<u32>>,
}

impl Incident {
    /// When its effects had passed: whatever was due at the healing has arrived on every pair.
    pub(crate) fn over(&self) -> u32 {
        let longest = self.drained.iter().flatten().max();
        self.healed + longest.copied().unwrap_or(u32::MAX - self.healed)
    }
}

/// See the module.
pub(crate) struct Director<'a> {
    world: &'a World,
    bridge: Bridge,
    /// Processes started so far.
    lives: usize,
    kills: Vec<u32>,
    random: fastrand::Rng,
    evidence: Evidence,
    pub(crate) complaints: Vec<String>,
}

/// The metrics that say how routes and their destinations stand.
const STATE: [&str; 6] = [
    "cenl_dead_letters",
    "cenl_endpoint_state",
    "cenl_in_flight",
    "cenl_oldest_unsettled",
    "cenl_source_joined",
    "cenl_window",
];
/// Fewer events than this are under way at any time.
const CALM: usize = 20;
/// Longest wait for a guest, or for a backlog to go through.
const JOINING: Duration = Duration::from_secs(60);

impl<'a> Director<'a> {
    /// Starts the bridge.
    pub(crate) async fn begin(world: &'a World) -> Self {
        Self {
            bridge: Bridge::start(&world.settings(0, false)).await,
            world,
            lives: 1,
            kills: Vec::new(),
            random: fastrand::Rng::with_seed(0),
            evidence: Evidence::new("proof"),
            complaints: Vec::new(),
        }
    }

    /// Breaks, heals, and waits until everything due by then has arrived, or patience ends.
    pub(crate) async fn play(&mut self, scene: &Scene, patience: Duration) -> Incident {
        self.look_at_the_bridge().await;
        if matches!(scene.fault, Fault::Kill) {
            self.calm().await;
        }
        let began = self.world.clock.millis();
        let guest = self.breaks(scene.fault).await;
        let started = Instant::now();
        if let Some(moment) = scene.kill_after {
            self.pass(scene.fault, started + moment).await;
            self.kill();
        }
        self.pass(scene.fault, started + scene.fault.time()).await;
        self.heals(scene.fault, guest).await;
        let healed = self.world.clock.millis();
        let since = Instant::now();
        let kills = std::mem::take(&mut self.kills);
        let is_deadly = matches!(scene.fault, Fault::Guest(End::Killed, _));
        if is_deadly || !kills.is_empty() {
            // What stands still is what becomes due after a death, not before it.
            sleep(Duration::from_secs(1)).await;
        }
        let name = match scene.kill_after {
            Some(_) => format!("{}, with a kill", scene.fault.name()),
            None => scene.fault.name(),
        };
        Incident {
            name,
            began,
            healed,
            is_lone_kill: matches!(scene.fault, Fault::Kill),
            kills,
            drained: self.drained(since, patience).await,
        }
    }

    /// Waits until a guest has partitions of every topic: before, its end would disturb nobody.
    async fn takes_part(&mut self, guest: &Bridge) {
        let started = Instant::now();
        let is_part = async || {
            let sites = self.world.sites.iter();
            for site in sites.filter(|site| site.pair.from == From::Kafka) {
                let windows = format!("cenl_windows{{route=\"{}\"", site.pair.name);
                if guest.metric(&windows).await.unwrap_or_default() == 0.0 {
                    return false;
                }
            }
            guest.is_ready().await
        };
        while !is_part().await {
            if started.elapsed() > JOINING {
                self.complaints.push("a guest could not join".to_owned());
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Lets time pass while a fault lasts.
    async fn pass(&self, fault: Fault, until: Instant) {
        if let Fault::Line(link, Trouble::Cuts, time) = fault {
            let line = self.world.line(link).expect("the link is there");
            while Instant::now() < until {
                line.cut();
                sleep(time / 6).await;
            }
        }
        sleep_until(until).await;
    }

    /// Waits until what was held up has gone through, and a random moment longer: the repeats of a
    /// kill are counted at the steady rate.
    async fn calm(&mut self) {
        let started = Instant::now();
        let is_calm = || {
            let mut sites = self.world.sites.iter();
            sites.all(|site| site.ledger.backlog() < CALM)
        };
        while !is_calm() && started.elapsed() < JOINING {
            sleep(Duration::from_millis(10)).await;
        }
        sleep(Duration::from_millis(self.random.u64(500..1500))).await;
    }

    /// For each pair, how long after `started` all has arrived that is due now.
    pub(crate) async fn drained(&self, started: Instant, patience: Duration) -> Vec<Option<u32>> {
        let sites = &self.world.sites;
        let marks: Vec<Mark> = sites.iter().map(|site| site.ledger.mark()).collect();
        let mut drained = vec![None; sites.len()];
        while drained.contains(&None) && started.elapsed() < patience {
            for ((site, mark), drained) in sites.iter().zip(&marks).zip(&mut drained) {
                if drained.is_none() && site.ledger.has(mark) {
                    let millis = u32::try_from(started.elapsed().as_millis());
                    *drained = Some(millis.expect("patience is short"));
                }
            }
            sleep(Duration::from_millis(10)).await;
        }
        drained
    }

    /// Ends the bridge in good order and says what was wrong with it.
    pub(crate) async fn end(mut self) -> Vec<String> {
        self.look_at_the_bridge().await;
        self.bridge.terminate();
        let code = self.bridge.exit_code(SOON).await;
        if code != 0 {
            self.complaints
                .push(format!("the bridge ended with exit code {code}"));
        }
        match self.complaints.is_empty() {
            true => self.keep_log(),
            false => self.show_log(),
        }
        println!("the logs of the bridge: {}", self.evidence.place());
        self.complaints
    }

    /// Shows how everything stands: something never arrived.
    pub(crate) async fn show_state(&self) {
        self.show_log();
        let metrics = self.bridge.metrics().await;
        self.evidence.keep("metrics.txt", &metrics);
        let is_state = |line: &&str| STATE.iter().any(|name| line.starts_with(name));
        let state: Vec<_> = metrics.lines().filter(is_state).collect();
        self.evidence.show("state.txt", &state.join("\n"));
        let mut topics = String::new();
        for site in &self.world.sites {
            topics += &site.source.described().await;
            topics += &site.sink.described().await;
        }
        self.evidence.show("topics.txt", &topics);
    }

    fn log_name(&self) -> String {
        format!("bridge-{}.log", self.lives)
    }

    fn keep_log(&self) {
        self.evidence.keep(&self.log_name(), &self.bridge.log());
    }

    fn show_log(&self) {
        self.evidence.show(&self.log_name(), &self.bridge.log());
    }

    async fn look_at_the_bridge(&mut self) {
        if self.bridge.has_ended() {
            self.show_log();
            self.complaints
                .push("the bridge ended by itself".to_owned());
            self.bridge = self.spawn(false);
        }
        let dropped = self.bridge.metric("cenl_deliveries_dropped_total").await;
        if dropped.is_some_and(|dropped| dropped > 0.0) {
            self.complaints.push("deliveries were dropped".to_owned());
        }
    }

    fn spawn(&mut self, is_guest: bool) -> Bridge {
        self.lives += 1;
        Bridge::spawn(&self.world.settings(self.lives - 1, is_guest))
    }

    /// Kills the bridge and starts the next one at once.
    fn kill(&mut self) {
        self.kills.push(self.world.clock.millis());
        self.bridge.kill_at_once();
        self.keep_log();
        self.bridge = self.spawn(false);
    }

    async fn breaks(&mut self, fault: Fault) -> Option<Bridge> {
        match fault {
            Fault::Kill => self.kill(),
            Fault::KillAgain(moment) => {
                self.kill();
                sleep(moment).await;
                self.kill();
            }
            Fault::Freeze(_) => self.bridge.signal("STOP"),
            Fault::Server(server, end, _) => {
                let arguments: &'static [&str] = match (server, end) {
                    (Server::Kafka, End::InOrder) => &["stop", "kafka"],
                    (Server::Kafka, End::Killed) => &["kill", "kafka"],
                    (Server::Nats, End::InOrder) => &["stop", "nats"],
                    (Server::Nats, End::Killed) => &["kill", "nats"],
                };
                self.world.brokers(arguments).await;
            }
            Fault::Receiver(mood, _) => self.world.receiver.be(mood),
            Fault::Guest(..) => {
                let guest = self.spawn(true);
                self.takes_part(&guest).await;
                return Some(guest);
            }
            Fault::Line(link, trouble, _) => {
                let line = self.world.line(link).expect("the link is there");
                match trouble {
                    Trouble::Weather(weather) => line.set(weather),
                    Trouble::HalfOpen => line.set(Weather::Still),
                    // They come while it lasts.
                    Trouble::Cuts => {}
                }
            }
        }
        None
    }

    async fn heals(&mut self, fault: Fault, guest: Option<Bridge>) {
        match fault {
            Fault::Kill | Fault::KillAgain(_) => {}
            Fault::Freeze(_) => self.bridge.signal("CONT"),
            Fault::Server(server, ..) => {
                let arguments: &'static [&str] = match server {
                    Server::Kafka => &["start", "kafka"],
                    Server::Nats => &["start", "nats"],
                };
                self.world.brokers(arguments).await;
            }
            Fault::Receiver(..) => self.world.receiver.be(Mood::Well),
            Fault::Guest(end, _) => {
                let mut guest = guest.expect("a guest came");
                match end {
                    End::Killed => guest.kill(),
                    End::InOrder => {
                        guest.terminate();
                        let code = guest.exit_code(SOON).await;
                        if code != 0 {
                            let complaint = format!("a guest ended with exit code {code}");
                            self.complaints.push(complaint);
                        }
                    }
                }
            }
            Fault::Line(link, trouble, _) => {
                let line = self.world.line(link).expect("the link is there");
                if trouble == Trouble::HalfOpen {
                    line.cut();
                }
                line.set(Weather::Fair);
            }
        }
    }
}
