//! What operators see: the page, `/v1` and `cenl-bridge status` show this.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use crate::route::breaker::Circuit;
pub use crate::route::item::Stage;
pub use crate::route::report::Outage;
pub use crate::route::waiting::{WaitingEvent, WaitingEvents};
pub use crate::runtime::TakenOver;
pub use crate::server::IngressRefusal;
pub use crate::telemetry::SettingsFault;

use crate::delivery::Verdict;
use crate::route::dead_letter::Kind;
use crate::route::report::EVENTS_HELD;
use crate::telemetry::Snapshot;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    pub version: String,
    pub started: Timestamp,
    pub at: Timestamp,
    /// As `/readyz` says.
    pub ready: bool,
    /// Whether routes can be paused and so on: a token is set.
    pub actions: bool,
    pub settings_fault: Option<SettingsFault>,
    pub routes: Vec<RouteOverview>,
    /// The newest first.
    pub ingress_refusals: Vec<IngressRefusal>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteOverview {
    pub name: String,
    pub state: RouteState,
    /// Why somebody must look at it, beside state and outages.
    pub faults: Vec<String>,
    pub source: String,
    pub destination: String,
    pub dead_letter_place: Option<String>,
    pub circuit: Circuit,
    pub outages: Vec<Outage>,
    // Counted since the route began.
    pub delivered: u64,
    pub filtered: u64,
    pub discarded: u64,
    pub dead_letters: u64,
    /// Before they were taken.
    pub lost: u64,
    /// Delivered, over the last minute.
    pub per_second: f64,
    /// Delivered in each of the last 60 full minutes, the oldest first.
    pub per_minute: Vec<u64>,
    pub lag: Option<u64>,
    pub oldest_unsettled_seconds: f64,
    /// Exchanges under way.
    pub in_flight: usize,
    /// Events that were tried and will be tried again.
    pub waiting: usize,
    /// Taken and not settled.
    pub window_events: usize,
    pub last_delivery: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RouteState {
    /// Or its source has not joined, or no more.
    Starting,
    Running,
    Paused,
    /// It refuses every event.
    HeldByDestination,
    /// It is read no further, or a part of it, until somebody acts.
    HeldAtSource,
    Retired,
    NotRunning,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeadLetterLine {
    /// Of the dead letter, by which it is replayed or dismissed.
    pub position: String,
    pub written: Option<Timestamp>,
    pub state: LetterState,
    pub kind: String,
    pub status: String,
    pub attempts: u32,
    pub id: Option<String>,
    pub source: Option<String>,
    pub r#type: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LetterState {
    Open,
    Replayed,
    Dismissed,
}

/// What was done on the order of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "done")]
pub enum Done {
    Paused,
    Resumed,
    Retried,
    DeadLetters(Handled),
    Reloaded(TakenOver),
}

/// What became of the dead letters that were to be replayed or dismissed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Handled {
    pub delivered: u64,
    /// The filter does not want them; they stay dead letters.
    pub filtered: u64,
    /// Again; they stay dead letters.
    pub failed: u64,
    /// Under way at the end: they may have arrived, and stay dead letters.
    pub cut_off: u64,
    pub dismissed: u64,
    /// Replayed or dismissed before.
    pub left_alone: u64,
    /// Not there, not readable, or not reached.
    pub not_tried: u64,
    /// What else went wrong.
    pub stopped: Option<String>,
}

pub(super) fn route(name: &str, of: &Snapshot) -> RouteOverview {
    let kinds = Kind::ALL.map(|kind| of.tally.dead_letters(kind));
    RouteOverview {
        name: name.to_owned(),
        state: state(of),
        faults: faults(of),
        source: of.places.source.clone(),
        destination: of.places.destination.clone(),
        dead_letter_place: of.places.dead_letters.clone(),
        circuit: of.circuit,
        outages: of.outages.clone(),
        delivered: of.tally.settled(Verdict::Delivered),
        filtered: of.tally.settled(Verdict::Filtered),
        discarded: of.tally.settled(Verdict::Discarded),
        dead_letters: kinds.iter().sum(),
        lost: of.lost,
        per_second: of.rates.per_second(),
        per_minute: of.rates.per_minute(),
        lag: of.lag,
        oldest_unsettled_seconds: of.oldest_seconds(),
        in_flight: of.in_flight,
        waiting: of.waiting,
        window_events: of.window_events,
        last_delivery: of.tally.last_delivery,
    }
}

fn state(of: &Snapshot) -> RouteState {
    match of.circuit {
        _ if of.has_ended => RouteState::NotRunning,
        _ if of.ticked.is_none() => RouteState::Starting,
        Circuit::Retired => RouteState::Retired,
        _ if of.paused => RouteState::Paused,
        _ if of.hold.is_some() => RouteState::HeldByDestination,
        _ if of.windows_held > 0 => RouteState::HeldAtSource,
        _ if !of.joined => RouteState::Starting,
        _ => RouteState::Running,
    }
}

fn faults(of: &Snapshot) -> Vec<String> {
    let mut faults = Vec::from_iter(of.standstill());
    if of.has_ended {
        return faults;
    }
    if of.dead_letters_fail {
        faults.push("dead letters cannot be written, see the log".to_owned());
    }
    let events =
        |count: usize| format!("{count} events are held until somebody acts: {EVENTS_HELD}");
    let windows = |count: usize| format!("{count} partitions are read no further, see the log");
    faults.extend((of.events_held > 0).then(|| events(of.events_held)));
    faults.extend((of.windows_held > 0).then(|| windows(of.windows_held)));
    let connections = of.connections.iter();
    let cut = connections.filter(|(_, is_up)| *is_up == Some(false));
    faults.extend(cut.map(|(end, _)| format!("its {end} has no connection")));
    faults
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use cloudevents_nl_codec::{HTTP, HeaderList};
    use tokio::time::Instant;

    use super::*;
    use crate::delivery::share::{Reservation, Share};
    use crate::delivery::{Position, Received, Window};

    fn running() -> Snapshot {
        Snapshot {
            ticked: Some(Instant::now()),
            joined: true,
            ..Snapshot::default()
        }
    }

    fn shown(of: &Snapshot) -> (RouteState, String) {
        let route = route("a", of);
        (route.state, route.faults.join("; "))
    }

    fn outage(end: Stage) -> Outage {
        Outage {
            end,
            cause: "status 503".to_owned(),
            remedy: "wait".into(),
            since: Timestamp::UNIX_EPOCH,
            retry_after: None,
        }
    }

    #[test]
    fn an_end_without_its_connection_is_a_fault() {
        let mut of = running();
        of.connections = [
            ("source", None),
            ("sink", Some(true)),
            ("dead_letter", None),
        ];
        assert_eq!(shown(&of), (RouteState::Running, String::new()));
        of.connections[0].1 = Some(false);
        let fault = "its source has no connection";
        assert_eq!(shown(&of), (RouteState::Running, fault.to_owned()));
        of.connections[2].1 = Some(false);
        assert!(
            shown(&of)
                .1
                .ends_with("; its dead_letter has no connection")
        );
    }

    #[test]
    fn a_partition_that_is_held_shows_beside_an_outage() {
        let mut of = running();
        (of.windows_held, of.outages) = (1, vec![outage(Stage::Sink), outage(Stage::DeadLetter)]);
        of.dead_letters_fail = true;
        let (state, faults) = shown(&of);
        assert_eq!(state, RouteState::HeldAtSource);
        assert!(faults.contains("read no further") && faults.contains("cannot be written"));
        of.hold = Some("held".to_owned());
        let (state, faults) = shown(&of);
        assert_eq!(state, RouteState::HeldByDestination);
        assert!(faults.contains("read no further"), "{faults}");
    }

    #[test]
    fn events_that_wait_for_an_operator_are_a_fault_with_its_remedy() {
        let mut of = running();
        of.events_held = 2;
        let (state, faults) = shown(&of);
        assert_eq!(state, RouteState::Running);
        assert!(faults.starts_with("2 events are held"), "{faults}");
        assert!(faults.contains("retry now"), "{faults}");
    }

    #[test]
    fn a_source_that_has_not_joined_is_starting_unless_somebody_paused_the_route() {
        let mut of = running();
        of.joined = false;
        let fault = "its source has not joined".to_owned();
        assert_eq!(shown(&of), (RouteState::Starting, fault.clone()));
        of.paused = true;
        assert_eq!(shown(&of), (RouteState::Paused, fault));
    }

    #[test]
    fn what_was_thrown_away_or_lost_is_counted() {
        let mut of = running();
        let share = Share::unbounded();
        let window = Window::unbounded(&share, Reservation::of(&share));
        let delivery = window.admit(Received {
            binding: &HTTP,
            headers: HeaderList::default(),
            key: None,
            body: None,
            timestamp_ms: None,
            position: Position::numbered("http:", 0),
            defect: None,
        });
        of.tally.settle(delivery, Verdict::Discarded);
        of.lost = 3;
        let route = route("a", &of);
        assert_eq!((route.discarded, route.lost, route.dead_letters), (1, 3, 0));
    }
}
