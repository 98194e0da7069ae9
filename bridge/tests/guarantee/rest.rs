//! How often a route with nothing to do is looked at, on a paused clock.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_bridge::route::Route;
use cloudevents_nl_bridge::runtime::{Control, Sinks, drive};
use cloudevents_nl_bridge::transport::{Batch, Intake, Sink};
use futures_util::future::LocalBoxFuture;
use tokio::time::{Instant, timeout};

use crate::world::config;

struct NoDoor;

impl Sink for NoDoor {
    fn send(&self, _: Batch) -> LocalBoxFuture<'static, cloudevents_nl_bridge::outcome::Outcome> {
        unreachable!("nothing is sent")
    }
}

struct Onlooker {
    joins: Instant,
    looks: Rc<RefCell<Vec<Instant>>>,
}

impl Control for Onlooker {
    fn publish(&self, _: &Route) {
        self.looks.borrow_mut().push(Instant::now());
    }

    fn is_starting(&self) -> bool {
        Instant::now() < self.joins
    }
}

/// Twice a second until its source has joined, and every 4 s from then on.
#[tokio::test(start_paused = true)]
async fn a_source_that_joins_is_seen_soon_and_a_route_at_rest_hardly_wakes() {
    let looks = Rc::<RefCell<Vec<Instant>>>::default();
    let joins = Instant::now() + Duration::from_millis(5200);
    let control = Onlooker {
        joins,
        looks: Rc::clone(&looks),
    };
    let sinks = Sinks {
        sink: Rc::new(NoDoor),
        dead_letters: None,
    };
    let (_intake, taken) = Intake::new();
    let driven = drive(Route::new(config(), 1), taken, sinks, control);
    assert!(timeout(Duration::from_secs(60), driven).await.is_err());
    let (before, after): (Vec<Instant>, Vec<Instant>) = looks
        .borrow()
        .iter()
        .copied()
        .partition(|look| *look < joins);
    let late = after[0].duration_since(joins);
    assert!(late <= Duration::from_millis(500), "seen after {late:?}");
    assert!((10..=12).contains(&before.len()), "{}", before.len());
    assert!((13..=15).contains(&after.len()), "{}", after.len());
}
