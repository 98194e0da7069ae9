//! Runs a plan: a few threads with a single-threaded runtime each, every route on one of them, so that
//! windows and lanes need no locks.

mod drive;
mod worker;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

pub use drive::{Sinks, drive};
use worker::{Context, work};
pub(crate) use worker::{route_config, sink_opening};

use crate::delivery::share::Pool;
use crate::plan::{Plan, RoutePlan};
use crate::telemetry::Telemetry;
use crate::transport::Stop;
use crate::transport::contract::OpenError;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("route {route} cannot start: {cause}")]
    Open { route: Arc<str>, cause: OpenError },
    #[error("no thread for the routes: {0}")]
    Thread(#[from] io::Error),
    /// Before it could say why.
    #[error("a thread of the routes ended: this is a fault of the bridge, please report it")]
    Ended,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("routes ended by themselves: {0:?}")]
pub struct RoutesEnded(pub Vec<Arc<str>>);

#[derive(Debug)]
pub struct Running {
    stop: watch::Sender<Option<Instant>>,
    workers: Vec<JoinHandle<Vec<Arc<str>>>>,
}

impl Running {
    /// When one cannot be opened, the others are stopped again.
    pub fn start(plan: Plan, telemetry: &Telemetry) -> Result<Self, StartError> {
        let (stop, stopped) = Stop::new();
        let fetches = |route: &&RoutePlan| !route.source.has_waiting_sender();
        let sources = plan.routes.iter().filter(fetches).count();
        let context = Context {
            decoder: plan.decoder,
            pool: Pool::new(plan.buffered_bytes, sources),
            telemetry: telemetry.clone(),
            stop: stopped,
            logs_deliveries: plan.log.deliveries,
        };
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut running = Self {
            stop,
            workers: Vec::new(),
        };
        let mut opened = Vec::new();
        for (number, routes) in share_out(plan.routes, threads).into_iter().enumerate() {
            let (sender, receiver) = oneshot::channel();
            let context = context.clone();
            let thread = thread::Builder::new().name(format!("routes-{number}"));
            running
                .workers
                .push(thread.spawn(move || work(routes, &context, sender))?);
            opened.push(receiver);
        }
        for opened in opened {
            if let Err(error) = opened.blocking_recv().unwrap_or(Err(StartError::Ended)) {
                running.stop(Duration::ZERO);
                running.join().ok();
                return Err(error);
            }
        }
        Ok(running)
    }

    /// Routes take nothing more, finish what they took, and leave by the deadline.
    pub fn stop(&self, deadline: Duration) {
        self.stopper().stop(deadline);
    }

    /// For another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Waits until every route has left; the error names those that ended by themselves.
    pub fn join(self) -> Result<(), RoutesEnded> {
        let ended: Vec<_> = self
            .workers
            .into_iter()
            .flat_map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|_| vec!["a thread of routes".into()])
            })
            .collect();
        if ended.is_empty() {
            Ok(())
        } else {
            Err(RoutesEnded(ended))
        }
    }
}

#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<Option<Instant>>);

impl Stopper {
    pub fn stop(&self, deadline: Duration) {
        self.0.send_replace(Some(Instant::now() + deadline));
    }
}

/// Routes of one listener stay together.
fn share_out(routes: Vec<RoutePlan>, threads: usize) -> Vec<Vec<RoutePlan>> {
    let mut shares: Vec<Vec<RoutePlan>> = Vec::new();
    let mut listeners = HashMap::new();
    for (number, route) in routes.into_iter().enumerate() {
        let thread = if route.source.has_waiting_sender() {
            *listeners
                .entry(route.source.address().server)
                .or_insert(number % threads)
        } else {
            number % threads
        };
        if shares.len() <= thread {
            shares.resize_with(thread + 1, Vec::new);
        }
        shares[thread].push(route);
    }
    shares.retain(|share| !share.is_empty());
    shares
}
