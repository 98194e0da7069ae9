//! Runs routes: a few threads with a single-threaded runtime each, every route on one of them, so that
//! windows and lanes need no locks. The [`Supervisor`] holds the routes by name.

mod applied;
mod command;
mod drive;
mod worker;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

pub use applied::{StartError, StopError, TakenOver};
pub use command::RouteCommand;
pub use drive::{Control, Sinks, Uncontrolled, drive};
use worker::{Context, RouteEvent, RouteStart, work};
pub(crate) use worker::{places, sink_opening};

use crate::delivery::share::Pool;
use crate::plan::{Plan, RoutePlan};
use crate::shared::spawn_thread;
use crate::telemetry::Telemetry;
use crate::transport::Stop;
use crate::transport::contract::OpenError;

/// For a route that is busy.
const COMMANDS_MAX: usize = 8;
/// For sources to commit and to leave their groups after the deadline of a drain.
pub const LEAVE_GRACE: Duration = Duration::from_secs(15);

#[derive(Debug)]
struct RunningRoute {
    /// It runs on as long as they stay the same.
    settings: Arc<RoutePlan>,
    worker: usize,
    is_open: bool,
    stop: watch::Sender<Option<Instant>>,
    commands: mpsc::Sender<RouteCommand>,
}

impl RunningRoute {
    /// It was asked to, and goes on as it was until it has left.
    fn is_leaving(&self) -> bool {
        self.stop.borrow().is_some()
    }
}

#[derive(Debug)]
struct EndedRoute {
    settings: Arc<RoutePlan>,
    /// Unless it ran.
    not_opened: Option<String>,
}

/// Every future of its methods may be dropped: what was begun is found again by the next call.
#[derive(Debug)]
pub struct Supervisor {
    context: Context,
    events: mpsc::Receiver<(Arc<str>, RouteEvent)>,
    workers_max: usize,
    workers: Vec<(mpsc::Sender<RouteStart>, JoinHandle<()>)>,
    routes: BTreeMap<Arc<str>, RunningRoute>,
    not_opened: Vec<StartError>,
    /// As they were asked to, with what they ran with, since settings were last taken over.
    left: BTreeMap<Arc<str>, Arc<RoutePlan>>,
    /// By themselves, and not started again since.
    ended: BTreeMap<Arc<str>, EndedRoute>,
    cut: usize,
}

impl Supervisor {
    pub fn new(telemetry: Telemetry) -> Self {
        let (sender, events) = mpsc::channel(64);
        Self {
            context: Context {
                pool: Pool::new(0, 0),
                telemetry,
                logs_deliveries: false,
                events: sender,
            },
            events,
            workers_max: thread::available_parallelism().map_or(1, usize::from),
            workers: Vec::new(),
            routes: BTreeMap::new(),
            not_opened: Vec::new(),
            left: BTreeMap::new(),
            ended: BTreeMap::new(),
            cut: 0,
        }
    }

    /// When one route cannot start, the others are stopped again.
    pub async fn start(&mut self, plan: Plan) -> Result<(), StartError> {
        self.context.logs_deliveries = plan.log.deliveries;
        match self.apply(plan, true).await.1.into_iter().next() {
            None => Ok(()),
            Some(error) => {
                self.stop(Duration::ZERO).await.ok();
                Err(error)
            }
        }
    }

    /// Stops what the plan has no more or has otherwise, then starts what is not running. Where a route cannot
    /// start, it goes on as it was before, if it was there. One that ended by itself with these settings may
    /// wait for a decision: it starts again where `starts_ended`.
    pub async fn apply(&mut self, plan: Plan, starts_ended: bool) -> (TakenOver, Vec<StartError>) {
        let fetches = |route: &&RoutePlan| !route.source.has_waiting_sender();
        let sources = plan.routes.iter().filter(fetches).count();
        self.context.pool.resize(plan.buffered_bytes, sources);
        let wanted = plan.routes.into_iter();
        let wanted = wanted.map(|plan| (Arc::clone(&plan.config.name), Arc::new(plan)));
        let wanted: BTreeMap<_, _> = wanted.collect();
        let former = self.stop_others(&wanted, plan.shutdown_deadline).await;
        let mut taken = TakenOver {
            stopped: former.len(),
            untouched: self.routes.len(),
            ..TakenOver::default()
        };
        let (mut begun, mut waiting) = (Vec::new(), Vec::new());
        for (name, settings) in &wanted {
            let ended = self.ended.get(name).filter(|_| !starts_ended);
            if let Some(ended) = ended.filter(|ended| ended.settings == *settings) {
                waiting.extend(ended.not_opened.clone());
            } else if !self.routes.contains_key(name) {
                begun.push(name);
                self.start_route(Arc::clone(settings)).await;
            }
        }
        let mut errors = self.opened().await;
        for name in begun {
            let has_started = usize::from(errors.iter().all(|error| error.route != *name));
            match former.contains_key(name) {
                true => {
                    taken.stopped -= 1;
                    taken.restarted += has_started;
                }
                false => taken.started += has_started,
            }
        }
        for error in &errors {
            if let Some(settings) = former.get(&error.route) {
                self.start_route(Arc::clone(settings)).await;
            }
        }
        let not_again = self.opened().await;
        taken.stopped += not_again.len();
        errors.extend(not_again);
        self.tell_what_does_not_run(&former, wanted, &errors);
        let leaving = self.leaving().map(|name| {
            format!("route {name} does not leave: its settings are taken over once it has")
        });
        let not_started = errors.iter().map(ToString::to_string);
        taken.not_started = not_started.chain(leaving).chain(waiting).collect();
        tracing::info!(
            started = taken.started,
            restarted = taken.restarted,
            stopped = taken.stopped,
            untouched = taken.untouched,
            "settings taken over"
        );
        (taken, errors)
    }

    fn leaving(&self) -> impl Iterator<Item = &Arc<str>> {
        let routes = self.routes.iter();
        routes.filter_map(|(name, route)| route.is_leaving().then_some(name))
    }

    /// For the last of them, unless that has passed.
    fn leaving_until(&self) -> Option<Instant> {
        let deadlines = self.routes.values();
        let deadlines = deadlines.filter_map(|route| *route.stop.borrow());
        let until = deadlines.max()? + LEAVE_GRACE;
        (until > Instant::now()).then_some(until)
    }

    /// What is wanted and does not run is not ready; what nobody wants any more is forgotten.
    fn tell_what_does_not_run(
        &mut self,
        former: &BTreeMap<Arc<str>, Arc<RoutePlan>>,
        wanted: BTreeMap<Arc<str>, Arc<RoutePlan>>,
        errors: &[StartError],
    ) {
        let telemetry = &self.context.telemetry;
        let is_unwanted =
            |name: &&Arc<str>| !wanted.contains_key(*name) && !self.routes.contains_key(*name);
        let known = former.keys().chain(self.ended.keys());
        known
            .filter(is_unwanted)
            .for_each(|name| telemetry.remove(name));
        self.ended.retain(|name, _| wanted.contains_key(name));
        for (name, settings) in wanted {
            // One that has left late starts when settings are taken over again.
            let runs = self.routes.contains_key(&name) || self.left.contains_key(&name);
            if !runs && !self.ended.contains_key(&name) {
                telemetry.start(&name, places(&settings));
                telemetry.end(&name);
                let error = errors.iter().find(|error| error.route == name);
                let not_opened = error.map(ToString::to_string);
                let ended = EndedRoute {
                    settings,
                    not_opened,
                };
                self.ended.insert(name, ended);
            }
        }
    }

    /// Returns what those ran with that have left, some of them perhaps long after they were asked to. All are
    /// gone before the first starts again, so that what they share, such as a port or a client, is gone too.
    async fn stop_others(
        &mut self,
        wanted: &BTreeMap<Arc<str>, Arc<RoutePlan>>,
        deadline: Duration,
    ) -> BTreeMap<Arc<str>, Arc<RoutePlan>> {
        for (name, route) in &self.routes {
            if !route.is_leaving() && wanted.get(name) != Some(&route.settings) {
                tracing::info!(route = %name, "a route stops: its settings are others, or gone");
                route.stop.send_replace(Some(Instant::now() + deadline));
            }
        }
        // What has left by now, though nobody has looked, does not count as leaving.
        for _ in 0..self.events.len() {
            self.next().await;
        }
        // One that was waited for in vain holds up nobody again.
        while let Some(until) = self.leaving_until() {
            timeout_at(until, self.next()).await.ok();
        }
        for name in self.leaving() {
            tracing::error!(route = %name, "a route does not leave: its settings are taken over once it has, or restart the bridge");
        }
        std::mem::take(&mut self.left)
    }

    async fn start_route(&mut self, settings: Arc<RoutePlan>) {
        let name = Arc::clone(&settings.config.name);
        let worker = match self.worker_for(&settings) {
            Ok(worker) => worker,
            Err(cause) => return self.not_opened.push(StartError { route: name, cause }),
        };
        let (stop, stopped) = Stop::new();
        let (commands, told) = mpsc::channel(COMMANDS_MAX);
        let permit = self.workers[worker].0.reserve().await;
        self.ended.remove(&name);
        let telemetry = &self.context.telemetry;
        let start = RouteStart {
            settings: Arc::clone(&settings),
            context: self.context.clone(),
            is_paused: telemetry.start(&name, places(&settings)),
            stop: stopped,
            commands: told,
        };
        permit.expect("a worker lives as long as this").send(start);
        let route = RunningRoute {
            settings,
            worker,
            is_open: false,
            stop,
            commands,
        };
        self.routes.insert(name, route);
    }

    /// Routes of one listener share it, and so a thread; the others go where the fewest are.
    fn worker_for(&mut self, plan: &RoutePlan) -> Result<usize, OpenError> {
        // One that has not left, or that has taken it over.
        let claim = plan.source.claim();
        let claims = |(_, other): &(_, &RunningRoute)| other.settings.source.claim() == claim;
        if claim.is_some()
            && let Some((other, _)) = self.routes.iter().find(claims)
        {
            let (reason, detail) = ("claimed", format!("route {other} reads there"));
            return Err(OpenError { reason, detail });
        }
        let listener = |plan: &RoutePlan| {
            let has_one = plan.source.has_waiting_sender();
            has_one.then(|| plan.source.address().server)
        };
        let own = listener(plan);
        let shares = |route: &&RunningRoute| own.is_some() && listener(&route.settings) == own;
        if let Some(other) = self.routes.values().find(shares) {
            return Ok(other.worker);
        }
        let routes_of = |worker: &usize| {
            let routes = self.routes.values();
            routes.filter(|route| route.worker == *worker).count()
        };
        let number = self.workers.len();
        if let Some(least) = (0..number).min_by_key(routes_of)
            && (routes_of(&least) == 0 || number == self.workers_max)
        {
            return Ok(least);
        }
        let (starts, started) = mpsc::channel(1);
        let thread = spawn_thread(format!("routes-{number}"), || work(started));
        let failed = |error: io::Error| OpenError {
            reason: "thread",
            detail: error.to_string(),
        };
        self.workers.push((starts, thread.map_err(failed)?));
        Ok(number)
    }

    async fn opened(&mut self) -> Vec<StartError> {
        while self.routes.values().any(|route| !route.is_open) {
            self.next().await;
        }
        std::mem::take(&mut self.not_opened)
    }

    /// Waits until a route has opened or left.
    pub async fn next(&mut self) {
        let event = self.events.recv().await;
        let (name, event) = event.expect("this has a sender itself");
        let route = self.routes.remove(&name);
        let asked = route.as_ref().filter(|route| route.is_leaving());
        let left = asked.map(|route| (Arc::clone(&name), Arc::clone(&route.settings)));
        match event {
            RouteEvent::Opened => {
                let is_open = true;
                let route = route.map(|route| (name, RunningRoute { is_open, ..route }));
                self.routes.extend(route);
            }
            RouteEvent::NotOpened(cause) => {
                self.context.telemetry.end(&name);
                self.not_opened.push(StartError { route: name, cause });
            }
            RouteEvent::Left { cut } => {
                self.context.telemetry.end(&name);
                self.cut += cut;
                self.left.extend(left);
            }
            RouteEvent::Ended => {
                self.context.telemetry.end(&name);
                self.left.extend(left);
                let ended = route.map(|route| EndedRoute {
                    settings: route.settings,
                    not_opened: None,
                });
                self.ended.extend(ended.map(|ended| (name, ended)));
            }
        }
    }

    /// It is carried out between two events, or dropped where the route cannot take it.
    pub fn command(&self, route: &str, command: RouteCommand) {
        if let Some(running) = self.routes.get(route) {
            running.commands.try_send(command).ok();
        }
    }

    /// Whether settings are to be taken over again, as a route has left that was not waited for any more.
    pub fn has_left_late(&self) -> bool {
        !self.left.is_empty()
    }

    /// An error once every route has ended.
    pub fn goes_on(&self) -> Result<(), StopError> {
        match self.routes.is_empty() && self.left.is_empty() {
            true => Err(StopError::Ended(self.ended.keys().cloned().collect())),
            false => Ok(()),
        }
    }

    /// Routes take nothing more, finish what they took, and leave by the deadline.
    pub async fn stop(&mut self, deadline: Duration) -> Result<(), StopError> {
        self.cut = 0;
        for route in self.routes.values() {
            route.stop.send_replace(Some(Instant::now() + deadline));
        }
        while !self.routes.is_empty() {
            self.next().await;
        }
        let workers = std::mem::take(&mut self.workers);
        let threads: Vec<_> = workers.into_iter().map(|(_, thread)| thread).collect();
        // What they hold is closed on them.
        let joined = spawn_blocking(|| threads.into_iter().for_each(|it| drop(it.join())));
        joined.await.ok();
        match (self.ended.is_empty(), self.cut) {
            (true, 0) => Ok(()),
            (true, cut) => Err(StopError::CutOff(cut)),
            (false, _) => Err(StopError::Ended(self.ended.keys().cloned().collect())),
        }
    }
}

#[cfg(test)]
mod tests;
