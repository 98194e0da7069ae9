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
use crate::route::steps::RouteConfig;
use crate::route::target::{Order, Target, WriteMode};
use crate::telemetry::Telemetry;
use crate::transport::contract::{OpenError, SinkOpening, SourceOpening};
use crate::transport::{Intake, SourceStatus, Stop};

#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) decoder: Decoder,
    pub(super) pool: Arc<Pool>,
    pub(super) telemetry: Telemetry,
    pub(super) stop: Stop,
    pub(super) logs_deliveries: bool,
}

/// Returns the names of routes that ended by themselves.
pub(super) fn work(
    routes: Vec<RoutePlan>,
    context: &Context,
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
        let routes = routes.into_iter().map(|plan| {
            let route = Arc::clone(&plan.name);
            match open(plan, context) {
                Ok(running) => Ok((route, running)),
                Err(cause) => Err(StartError::Open { route, cause }),
            }
        });
        let (routes, result) = match routes.collect::<Result<Vec<_>, _>>() {
            Ok(routes) => (routes, Ok(())),
            Err(error) => (Vec::new(), Err(error)),
        };
        opened.send(result).ok();
        // A panic of one route is not the end of the others.
        let tasks = routes.into_iter().map(|(name, running)| {
            spawn_local(running).map(|ended| {
                ended.unwrap_or_else(|fault| {
                    tracing::error!(route = %name, %fault, "route ended by a fault of the bridge, please report it");
                    Some(name)
                })
            })
        });
        join_all(tasks).await.into_iter().flatten().collect()
    })
}

/// The future runs the route until its source has left, and is its name when it left by itself.
fn open(
    plan: RoutePlan,
    context: &Context,
) -> Result<impl Future<Output = Option<Arc<str>>> + use<>, OpenError> {
    let status = SourceStatus::new(context.telemetry.answers().clone());
    let sink_opening = sink_opening(&plan, context.decoder.limits());
    let dead_letter_opening = SinkOpening {
        keeps_dead_letters: true,
        ..sink_opening.clone()
    };
    let dead_letters = plan.dead_letter.as_ref();
    let sinks = Sinks {
        sink: Rc::from(plan.sink.open(sink_opening)?),
        dead_letters: dead_letters
            .map(|sink| sink.open(dead_letter_opening))
            .transpose()?
            .map(Rc::from),
    };
    let mut config = route_config(&plan, context.decoder.clone());
    config.logs_deliveries = context.logs_deliveries;
    let route = Route::new(config, fastrand::u64(..));
    let source = plan.source.open(SourceOpening {
        window: plan.window,
        share: Share::of(&context.pool),
        keeps_order: plan.order != Order::None,
        decoder: context.decoder.clone(),
        status: status.clone(),
    })?;
    let (name, telemetry, stop) = (plan.name, context.telemetry.clone(), context.stop.clone());
    Ok(async move {
        let (intake, taken) = Intake::new();
        let seen = sinks.clone();
        let publish = |route: &Route| telemetry.publish(&name, route, &status, &seen);
        let drive = drive(route, taken, sinks, publish);
        let (left, ()) = tokio::join!(source.run(intake, stop), drive);
        let error = left.err()?;
        tracing::error!(route = %name, reason = error.reason, detail = error.detail, "route ended by itself");
        Some(name)
    })
}

pub(crate) fn route_config(plan: &RoutePlan, decoder: Decoder) -> RouteConfig {
    RouteConfig {
        name: plan.name.to_string(),
        logs_deliveries: false,
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
        has_waiting_sender: plan.source.has_waiting_sender(),
        retry: plan.retry.clone(),
        outcomes: plan.outcomes.clone(),
        on_error: plan.on_error,
        in_flight_max: plan.in_flight_max,
        batch: plan.batch,
    }
}

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
