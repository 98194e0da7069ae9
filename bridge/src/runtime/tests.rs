//! Settings that are taken over while a route does not leave.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use cloudevents_nl_codec::{Binding, KAFKA};
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::yield_now;
use tokio::time::{pause, resume};

use super::*;
use crate::config::{Document, Reported, Table};
use crate::outcome::Outcome;
use crate::transport::address::Address;
use crate::transport::contract::{
    Entry, OpenSink, OpenSource, SinkOpening, SourceOpening, Transport,
};
use crate::transport::{Batch, Intake, Sink, Source, SourceError};

const TRANSPORT: Transport = Transport {
    name: "slow",
    tables: &[],
    source: Some(Entry {
        key: "slow",
        read: |table, _| Ok(Box::new(Slow::read(table)?)),
    }),
    sink: Some(Entry {
        key: "slow",
        read: |table, _| Ok(Box::new(Slow::read(table)?)),
    }),
    view: None,
};

/// For each of them one source may leave.
static LEAVES: Semaphore = Semaphore::const_new(0);
/// Since they share it.
static ALONE: Mutex<()> = Mutex::const_new(());

#[derive(Debug)]
struct Slow(String);

impl Slow {
    fn read(table: &Table<'_>) -> Result<Self, Reported> {
        table.key("slow", "").required().map(Self)
    }

    fn place(&self) -> Address {
        Address {
            transport: "slow",
            server: String::new(),
            name: self.0.clone(),
        }
    }
}

impl OpenSource for Slow {
    fn address(&self) -> Address {
        self.place()
    }

    fn claim(&self) -> Option<String> {
        None
    }

    fn open(&self, _: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        if self.0 == "taken" {
            let (reason, detail) = ("listen", "it is taken".to_owned());
            return Err(OpenError { reason, detail });
        }
        Ok(Box::new(SlowSource {
            panics: self.0 == "broken",
        }))
    }
}

impl OpenSink for Slow {
    fn address(&self) -> Address {
        self.place()
    }

    fn binding(&self) -> &'static Binding {
        &KAFKA
    }

    fn keeps_dead_letters(&self) -> bool {
        false
    }

    fn open(&self, _: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        Ok(Box::new(NoSink))
    }
}

struct SlowSource {
    panics: bool,
}

impl Source for SlowSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            assert!(!self.panics, "a fault of the bridge");
            stop.requested().await;
            LEAVES.acquire().await.unwrap().forget();
            drop(intake);
            Ok(())
        }
        .boxed_local()
    }
}

struct NoSink;

impl Sink for NoSink {
    fn send(&self, _: Batch) -> LocalBoxFuture<'static, Outcome> {
        ready(Outcome::Delivered).boxed_local()
    }
}

/// Routes by name and source.
fn plan(routes: &[(&str, &str)]) -> Plan {
    let route = |(name, source): &(&str, &str)| {
        format!(
            r#"
[[route]]
name = "{name}"
on_error = "hold"
source = {{ slow = "{source}" }}
sink = {{ slow = "out" }}
"#
        )
    };
    let text: String = routes.iter().map(route).collect();
    let document = Document::parse(Path::new("bridge.toml"), &text, [], &[]).unwrap();
    Plan::prove(&document, &[TRANSPORT]).unwrap()
}

#[tokio::test]
async fn what_does_not_leave_is_waited_for_once_and_starts_once_it_has_left() {
    let _alone = ALONE.lock().await;
    let mut supervisor = Supervisor::new(Telemetry::default());
    supervisor.start(plan(&[("a", "one")])).await.unwrap();
    // What is waited for in vain takes no time.
    pause();
    // With other settings, and with its own ones again.
    for (source, is_waited_for) in [("two", true), ("one", false), ("two", false)] {
        let asked = Instant::now();
        let (taken, _) = supervisor.apply(plan(&[("a", source)]), true).await;
        let why = "route a does not leave: its settings are taken over once it has";
        let expected = TakenOver {
            untouched: 1,
            not_started: vec![why.to_owned()],
            ..TakenOver::default()
        };
        assert_eq!(taken, expected, "{source}");
        assert_eq!(!asked.elapsed().is_zero(), is_waited_for, "{source}");
    }
    resume();
    assert!(!supervisor.has_left_late());
    LEAVES.add_permits(1);
    while !supervisor.has_left_late() {
        supervisor.next().await;
    }
    assert_eq!(supervisor.goes_on(), Ok(()));
    let (taken, not_started) = supervisor.apply(plan(&[("a", "two")]), false).await;
    let expected = TakenOver {
        restarted: 1,
        ..TakenOver::default()
    };
    assert_eq!(taken, expected);
    assert!(not_started.is_empty() && !supervisor.has_left_late());
    LEAVES.add_permits(1);
    assert_eq!(supervisor.stop(Duration::ZERO).await, Ok(()));
}

#[tokio::test]
async fn a_source_that_panics_ends_its_route_alone() {
    let _alone = ALONE.lock().await;
    let mut supervisor = Supervisor::new(Telemetry::default());
    let both = plan(&[("a", "broken"), ("b", "one")]);
    supervisor.start(both).await.unwrap();
    while supervisor.routes.contains_key("a") {
        supervisor.next().await;
    }
    assert!(supervisor.ended.contains_key("a"));
    assert!(supervisor.routes.contains_key("b"));
    LEAVES.add_permits(1);
    let ended = StopError::Ended(BTreeSet::from(["a".into()]));
    assert_eq!(supervisor.stop(Duration::ZERO).await, Err(ended));
}

#[tokio::test]
async fn what_has_left_unseen_starts_with_the_next_settings() {
    let _alone = ALONE.lock().await;
    let mut supervisor = Supervisor::new(Telemetry::default());
    supervisor.start(plan(&[("a", "one")])).await.unwrap();
    pause();
    supervisor.apply(plan(&[("a", "two")]), true).await;
    resume();
    LEAVES.add_permits(1);
    // Nobody looks at what it says.
    while supervisor.events.is_empty() {
        yield_now().await;
    }
    let both = [("a", "two"), ("b", "three")];
    let (taken, _) = supervisor.apply(plan(&both), true).await;
    let expected = TakenOver {
        started: 1,
        restarted: 1,
        ..TakenOver::default()
    };
    assert_eq!(taken, expected);
    assert!(!supervisor.has_left_late());
    LEAVES.add_permits(2);
    assert_eq!(supervisor.stop(Duration::ZERO).await, Ok(()));
}

#[tokio::test]
async fn what_could_not_start_is_told_as_long_as_it_waits() {
    let _alone = ALONE.lock().await;
    let mut supervisor = Supervisor::new(Telemetry::default());
    supervisor.start(plan(&[("a", "one")])).await.unwrap();
    let taken_over = async |supervisor: &mut Supervisor, sources: [&str; 2], starts_ended| {
        let plan = plan(&[("a", sources[0]), ("b", sources[1])]);
        supervisor.apply(plan, starts_ended).await.0
    };
    let cause = |route: &str| vec![format!("route {route} cannot start: listen: it is taken")];
    let expected = TakenOver {
        untouched: 1,
        not_started: cause("b"),
        ..TakenOver::default()
    };
    for starts_ended in [true, false] {
        let taken = taken_over(&mut supervisor, ["one", "taken"], starts_ended).await;
        assert_eq!(taken, expected);
    }
    let taken = taken_over(&mut supervisor, ["one", "two"], false).await;
    assert!(taken.not_started.is_empty() && taken.started == 1);
    // One that goes on as it was has not restarted.
    LEAVES.add_permits(1);
    let expected = TakenOver {
        not_started: cause("a"),
        ..expected
    };
    let taken = taken_over(&mut supervisor, ["taken", "two"], true).await;
    assert_eq!(taken, expected);
    LEAVES.add_permits(2);
    assert_eq!(supervisor.stop(Duration::ZERO).await, Ok(()));
}
