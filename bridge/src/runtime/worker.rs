//! A thread of routes.

use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::task::spawn_local;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::command::RouteCommand;
use super::{Control, Sinks, drive};
use crate::delivery::share::{Pool, Share};
use crate::logging::route_span;
use crate::plan::RoutePlan;
use crate::route::target::{Order, WriteMode};
use crate::route::{Now, Route};
use crate::telemetry::{Places, Telemetry};
use crate::transport::contract::{OpenError, SinkOpening, SourceOpening};
use crate::transport::{Intake, Source, SourceStatus, Stop};

/// What all routes share.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) pool: Arc<Pool>,
    pub(super) telemetry: Telemetry,
    /// Of `[log]`, which a reload does not change.
    pub(super) logs_deliveries: bool,
    pub(super) events: mpsc::Sender<(Arc<str>, RouteEvent)>,
}

#[derive(Debug)]
pub(super) struct RouteStart {
    pub(super) settings: Arc<RoutePlan>,
    pub(super) context: Context,
    /// By an operator, before it started anew.
    pub(super) is_paused: bool,
    pub(super) stop: Stop,
    pub(super) commands: mpsc::Receiver<RouteCommand>,
}

/// The last one of a route is never `Opened`, and comes when all that it held is closed.
#[derive(Debug)]
pub(super) enum RouteEvent {
    Opened,
    NotOpened(OpenError),
    /// As it was asked to, with exchanges that the deadline cut off.
    Left {
        cut: usize,
    },
    /// By itself.
    Ended,
}

/// Until nobody can start another.
pub(super) async fn work(mut starts: mpsc::Receiver<RouteStart>) {
    while let Some(start) = starts.recv().await {
        spawn_local(async {
            let name = Arc::clone(&start.settings.config.name);
            let events = start.context.events.clone();
            // A panic of one route is not the end of the others.
            let running = spawn_local(run(start).instrument(route_span(&name)));
            let last = running.await.unwrap_or_else(|fault| {
                tracing::error!(route = %name, %fault, "route ended by a fault of the bridge, please report it");
                RouteEvent::Ended
            });
            events.send((name, last)).await.ok();
        });
    }
}

/// Until its source has left.
async fn run(start: RouteStart) -> RouteEvent {
    let status = SourceStatus::new(start.context.telemetry.answers.clone());
    let (source, route, sinks) = match open(&start, &status) {
        Ok(opened) => opened,
        Err(error) => return RouteEvent::NotOpened(error),
    };
    let opened = (Arc::clone(&start.settings.config.name), RouteEvent::Opened);
    start.context.events.send(opened).await.ok();
    let (intake, taken) = Intake::new();
    // A task of its own: what wakes the source does not poll the route, nor the reverse.
    let left = spawn_local(source.run(intake, start.stop.clone()).in_current_span());
    let left = AbortOnDropHandle::new(left);
    let left = left.map(|left| left.unwrap_or_else(|fault| resume_unwind(fault.into_panic())));
    let control = RouteControl {
        start,
        status,
        sinks: sinks.clone(),
    };
    let (left, cut) = tokio::join!(left, drive(route, taken, sinks, control));
    if cut > 0 {
        tracing::warn!(
            exchanges = cut,
            "cut off: what is in flight stays with its source"
        );
    }
    let Err(error) = left else {
        return RouteEvent::Left { cut };
    };
    tracing::error!(
        reason = error.reason,
        detail = error.detail,
        "route ended by itself"
    );
    RouteEvent::Ended
}

/// Metrics, orders of an operator, and the stop of a route.
struct RouteControl {
    start: RouteStart,
    status: SourceStatus,
    sinks: Sinks,
}

impl Control for RouteControl {
    fn publish(&self, route: &Route) {
        let plan = &self.start.settings;
        // The source delivers again what is let go.
        if plan.source.repeats() && self.start.stop.is_requested() {
            self.status.each(|window| window.let_go());
        }
        let Sinks { sink, dead_letters } = &self.sinks;
        let sinks = (&**sink, dead_letters.as_deref());
        let telemetry = &self.start.context.telemetry;
        telemetry.publish(&plan.config.name, route, &self.status, sinks);
    }

    fn is_starting(&self) -> bool {
        !self.status.joined()
    }

    async fn next(&mut self) -> Option<RouteCommand> {
        self.start.commands.recv().await
    }

    fn deadline(&self) -> Option<Instant> {
        self.start.stop.deadline()
    }
}

fn open(
    start: &RouteStart,
    status: &SourceStatus,
) -> Result<(Box<dyn Source>, Route, Sinks), OpenError> {
    let plan = &*start.settings;
    let sink_opening = SinkOpening {
        serves_route: true,
        ..sink_opening(plan)
    };
    let dead_letter_opening = SinkOpening {
        keeps_dead_letters: true,
        ..sink_opening.clone()
    };
    let sink = Rc::from(plan.sink.open(sink_opening)?);
    let dead_letters = plan.dead_letter.as_ref();
    let dead_letters = dead_letters.map(|sink| sink.open(dead_letter_opening));
    let dead_letters = dead_letters.transpose()?.map(Rc::from);
    let sinks = Sinks { sink, dead_letters };
    // The status may outlive the route, as at a path of a listener.
    let sink = Rc::downgrade(&sinks.sink);
    status.watch_part(move |part| {
        if let Some(sink) = sink.upgrade() {
            sink.set_part(part);
        }
    });
    let mut config = plan.config.clone();
    config.logs_deliveries = start.context.logs_deliveries;
    let traces = start.context.telemetry.traces.as_ref();
    config.traces = traces.map(|traces| traces.of_route(plan));
    let mut route = Route::new(config, fastrand::u64(..));
    if start.is_paused {
        let (elapsed, wall) = (Duration::ZERO, Timestamp::now());
        route.pause(Now { elapsed, wall });
    }
    let source = plan.source.open(SourceOpening {
        window: plan.window,
        share: Share::of(&start.context.pool),
        keeps_order: plan.config.order != Order::None,
        decoder: plan.config.decoder.clone(),
        status: status.clone(),
    })?;
    Ok((source, route, sinks))
}

pub(crate) fn places(plan: &RoutePlan) -> Places {
    Places {
        source: plan.source.address().to_string(),
        destination: plan.sink.address().to_string(),
        dead_letters: (plan.dead_letter.as_ref()).map(|sink| sink.address().to_string()),
    }
}

pub(crate) fn sink_opening(plan: &RoutePlan) -> SinkOpening {
    let config = &plan.config;
    SinkOpening {
        keeps_dead_letters: false,
        has_waiting_sender: plan.source.has_waiting_sender(),
        is_batched: config.target.mode == WriteMode::Batched,
        keeps_error_body: plan.keeps_error_body,
        in_flight_max: config.in_flight_max,
        kept_at: plan.source.view().map(Arc::from),
        serves_route: false,
        route: Arc::clone(&config.name),
        retry_max: config.retry.maximum,
        event_bytes_max: config.decoder.limits().event_bytes,
    }
}
