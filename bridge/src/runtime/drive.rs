//! Drives one route: starts exchanges, waits, and hands it their outcomes.

use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::command::RouteCommand;
use crate::delivery::Delivery;
use crate::route::item::Stage;
use crate::route::{Now, Route};
use crate::transport::{Outgoing, Sink};

#[derive(Clone)]
pub struct Sinks {
    pub sink: Rc<dyn Sink>,
    pub dead_letters: Option<Rc<dyn Sink>>,
}

impl Sinks {
    fn of(&self, stage: Stage) -> &Rc<dyn Sink> {
        match stage {
            Stage::DeadLetter => self
                .dead_letters
                .as_ref()
                .expect("the plan gives dead letters a place"),
            Stage::Sink => &self.sink,
        }
    }
}

/// Who follows a running route and tells it what to do.
pub trait Control {
    /// There may be something new to see.
    fn publish(&self, _route: &Route) {}

    /// Whether there may soon be something to see although no event comes.
    fn is_starting(&self) -> bool {
        false
    }

    /// Nothing once nobody can give any. May be dropped.
    fn next(&mut self) -> impl Future<Output = Option<RouteCommand>> {
        pending()
    }

    /// When a stop cuts off what is under way.
    fn deadline(&self) -> Option<Instant> {
        None
    }
}

pub struct Uncontrolled;

impl Control for Uncontrolled {}

/// So soon after something happened, and so often while there is something to do, metrics are published.
const TICK: Duration = Duration::from_millis(500);
/// So often while there is nothing to do: well below the age at which a route counts as stuck.
const IDLE_TICK: Duration = Duration::from_secs(4);

/// Until the source has let go of the intake. What is then under way, nobody waits for any more; it is cut
/// off at the deadline of a stop, or at once. Returns how many exchanges that were.
pub async fn drive(
    mut route: Route,
    mut intake: mpsc::Receiver<Vec<Delivery>>,
    sinks: Sinks,
    mut control: impl Control,
) -> usize {
    let started = Instant::now();
    let now = || Now {
        elapsed: started.elapsed(),
        wall: Timestamp::now(),
    };
    let opens_at = || sinks.sink.opens_at().map(|at| at - started);
    let is_too_large = |event: &Outgoing| sinks.sink.is_too_large(event);
    let mut exchanges = FuturesUnordered::new();
    let mut tick = pin!(sleep_until(started));
    let mut is_idle = false;
    loop {
        let at = now();
        while let Some(mut sent) = route.start_next(opens_at(), at) {
            let exchange = sinks.of(sent.stage).send(std::mem::take(&mut sent.batch));
            exchanges.push(exchange.map(|outcome| (sent, outcome)));
        }
        let due = route.next_due(opens_at()).map(|due| started + due);
        tokio::select! {
            Some((sent, outcome)) = exchanges.next() => route.complete(sent, &outcome, now()),
            taken = intake.recv() => match taken {
                Some(deliveries) => route.take_in(deliveries, is_too_large, now()),
                None => break,
            },
            Some(command) = control.next() => {
                command.carry_out(&mut route, now());
                route.sweep(now());
                control.publish(&route);
            },
            () = sleep_until(due.unwrap_or(started)), if due.is_some() => {}
            () = &mut tick => {
                route.sweep(now());
                control.publish(&route);
                is_idle = exchanges.is_empty() && route.held() == 0 && !control.is_starting();
                let next = if is_idle { IDLE_TICK } else { TICK };
                tick.as_mut().reset(Instant::now() + next);
                continue;
            }
        }
        if std::mem::take(&mut is_idle) {
            tick.as_mut().reset(Instant::now() + TICK);
        }
        // What else is ready costs no further wake-up.
        let at = now();
        while let Some(Some((sent, outcome))) = exchanges.next().now_or_never() {
            route.complete(sent, &outcome, at);
        }
        while let Ok(deliveries) = intake.try_recv() {
            route.take_in(deliveries, is_too_large, at);
        }
    }
    while let Some(deadline) = control.deadline().filter(|_| !exchanges.is_empty()) {
        tokio::select! {
            Some((sent, outcome)) = exchanges.next() => route.complete(sent, &outcome, now()),
            () = &mut tick => {
                control.publish(&route);
                tick.as_mut().reset(Instant::now() + TICK);
            }
            () = sleep_until(deadline) => break,
        }
    }
    route.sum_up_events();
    control.publish(&route);
    exchanges.len()
}
