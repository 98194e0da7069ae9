//! One thread of routes: opens them, runs them until they have left.

use std::rc::Rc;
use std::sync::Arc;

use cloudevents_nl_codec::{Decoder, Limits};
use futures_util::FutureExt;
use futures_util::future::join_all;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::{LocalSet, spawn_local};

use super::{Sinks, StartError, drive};
use crate::delivery::share::{Pool, Share};
use crate::plan::RoutePlan;
use crate::route::Route;
use crate::route::steps::Instructions;
use crate::route::target::{Order, Target, WriteMode};
use crate::telemetry::{RouteMetrics, Telemetry};
use crate::transport::contract::{OpenError, SinkOpening, SourceOpening};
use crate::transport::{Intake, Source, SourceStatus, Stop};

/// What every route is given.
#[derive(Clone, Debug)]
pub(super) struct Equipment {
    pub(super) decoder: Decoder,
    pub(super) pool: Arc<Pool>,
    pub(super) telemetry: Telemetry,
    pub(super) stop: Stop,
}

/// Runs routes on this thread; returns the names of those that ended by themselves.
pub(super) fn work(
    routes: Vec<RoutePlan>,
    equipment: &Equipment,
    opened: oneshot::Sender<Result<(), StartError>>,
) -> Vec<Arc<str>> {
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            opened.send(Err(error.into())).ok();
            return Vec::new();
        }
    };
    LocalSet::new().block_on(&runtime, async {
        let ready: Result<Vec<_>, _> = routes
            .into_iter()
            .map(|route| Opened::open(route, equipment))
            .collect();
        match ready {
            Ok(ready) => {
                opened.send(Ok(())).ok();
                run_all(ready).await
            }
            Err(error) => {
                opened.send(Err(error)).ok();
                Vec::new()
            }
        }
    })
}

/// Runs each route as a task of its own, so that a fault of one is not the end of the others.
async fn run_all(routes: Vec<Opened>) -> Vec<Arc<str>> {
    let tasks = routes.into_iter().map(|route| {
        let name = Arc::clone(&route.name);
        spawn_local(route.run()).map(|ended| {
            ended.unwrap_or_else(|fault| {
                tracing::error!(route = %name, %fault, "route ended by a fault of the bridge, please report it");
                Some(name)
            })
        })
    });
    join_all(tasks).await.into_iter().flatten().collect()
}

/// A route that holds all it needs.
struct Opened {
    name: Arc<str>,
    route: Route,
    source: Box<dyn Source>,
    sinks: Sinks,
    status: SourceStatus,
    metrics: RouteMetrics,
    stop: Stop,
}

impl Opened {
    fn open(plan: RoutePlan, equipment: &Equipment) -> Result<Self, StartError> {
        let name = Arc::clone(&plan.name);
        Self::try_open(plan, equipment).map_err(|cause| StartError::Open { route: name, cause })
    }

    fn try_open(plan: RoutePlan, equipment: &Equipment) -> Result<Self, OpenError> {
        let metrics = equipment.telemetry.route(&plan.name);
        let status = SourceStatus::default();
        let sink_opening = sink_opening(&plan, equipment.decoder.limits());
        let dead_letter_opening = SinkOpening {
            keeps_dead_letters: true,
            ..sink_opening.clone()
        };
        let source_opening = SourceOpening {
            window: plan.window,
            share: Share::of(&equipment.pool),
            keeps_order: plan.order != Order::None,
            decoder: equipment.decoder.clone(),
            status: status.clone(),
        };
        let sinks = Sinks {
            sink: Rc::from(plan.sink.open(sink_opening)?),
            dead_letters: plan
                .dead_letter
                .as_ref()
                .map(|dead_letter| dead_letter.open(dead_letter_opening))
                .transpose()?
                .map(Rc::from),
        };
        let instructions = instructions(&plan, equipment.decoder.clone());
        Ok(Self {
            name: plan.name,
            route: Route::new(instructions, fastrand::u64(..)),
            source: plan.source.open(source_opening)?,
            sinks,
            status,
            metrics,
            stop: equipment.stop.clone(),
        })
    }

    /// Runs until the source has left; the name of the route when it left by itself.
    async fn run(self) -> Option<Arc<str>> {
        let (intake, taken) = Intake::new();
        let source = self.source.run(intake, self.stop);
        let (metrics, status) = (self.metrics, self.status);
        let publish = |route: &Route| metrics.publish(route, &status);
        let drive = drive(self.route, taken, self.sinks, publish);
        let (left, ()) = tokio::join!(source, drive);
        let error = left.err()?;
        tracing::error!(route = %self.name, reason = error.reason, detail = error.detail, "route ended by itself");
        Some(self.name)
    }
}

/// What the steps of a route are told.
pub(crate) fn instructions(plan: &RoutePlan, decoder: Decoder) -> Instructions {
    Instructions {
        name: plan.name.to_string(),
        decoder,
        filter: plan.filter.clone(),
        target: Target::new(
            plan.sink.binding(),
            plan.mode,
            plan.record_key.clone(),
            plan.forward_headers.clone(),
            plan.sink.message_id_scope().map(Into::into),
        ),
        order: plan.order,
        retry: plan.retry.clone(),
        outcomes: plan.outcomes.clone(),
        on_error: plan.on_error,
        in_flight_max: plan.in_flight_max,
        batch: plan.batch,
    }
}

/// What the destination of a route is given.
pub(crate) fn sink_opening(plan: &RoutePlan, limits: &Limits) -> SinkOpening {
    SinkOpening {
        keeps_dead_letters: false,
        has_waiting_sender: plan.source.has_waiting_sender(),
        is_batched: plan.mode == WriteMode::Batched,
        in_flight_max: plan.in_flight_max,
        route: Arc::clone(&plan.name),
        retry_max: plan.retry.maximum,
        event_bytes_max: limits.event_bytes,
    }
}
