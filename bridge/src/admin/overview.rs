//! What operators see: the page, `/v1` and `cenl-bridge status` show this.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use crate::route::breaker::Circuit;
pub use crate::route::waiting::WaitingEvent;
pub use crate::server::IngressRefusal;

use crate::delivery::Verdict;
use crate::route::dead_letter::Kind;
use crate::telemetry::{Snapshot, Telemetry};

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
    pub routes: Vec<RouteOverview>,
    /// The newest first.
    pub ingress_refusals: Vec<IngressRefusal>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteOverview {
    pub name: String,
    pub state: RouteState,
    /// Why somebody must look at it.
    pub fault: Option<String>,
    pub source: String,
    pub destination: String,
    pub dead_letter_place: Option<String>,
    pub circuit: Circuit,
    /// Of the outage.
    pub cause: Option<String>,
    pub remedy: Option<String>,
    pub since: Option<Timestamp>,
    pub delivered: u64,
    pub filtered: u64,
    pub dead_letters: u64,
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
    Starting,
    Running,
    Paused,
    Held,
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
    pub dismissed: u64,
    /// No dead letter of the route, or none that can be read.
    pub left_alone: u64,
    /// Why the rest was not tried.
    pub stopped: Option<String>,
}

/// What a reload came to, in routes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TakenOver {
    pub started: usize,
    pub restarted: usize,
    pub stopped: usize,
    pub untouched: usize,
    /// Why routes stay as they were.
    pub not_started: Vec<String>,
}

pub(super) fn routes(telemetry: &Telemetry) -> Vec<RouteOverview> {
    telemetry.each(route)
}

fn route(name: &str, of: &Snapshot) -> RouteOverview {
    let (cause, remedy, since) = match of.outage.clone() {
        Some((cause, remedy, since)) => (Some(cause), Some(remedy), Some(since)),
        None => (None, None, None),
    };
    let kinds = Kind::ALL.map(|kind| of.tally.dead_letters(kind));
    RouteOverview {
        name: name.to_owned(),
        state: state(of),
        fault: of.fault().or_else(|| standstill(of)),
        source: of.places.source.clone(),
        destination: of.places.destination.clone(),
        dead_letter_place: of.places.dead_letters.clone(),
        circuit: of.circuit,
        cause,
        remedy,
        since,
        delivered: of.tally.settled(Verdict::Delivered),
        filtered: of.tally.settled(Verdict::Filtered),
        dead_letters: kinds.iter().sum(),
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
        _ if of.held.is_some() || of.windows_held > 0 => RouteState::Held,
        _ => RouteState::Running,
    }
}

/// Where the route as a whole does its work.
fn standstill(of: &Snapshot) -> Option<String> {
    if of.dead_letters_fail {
        return Some("dead letters cannot be written, see the log".to_owned());
    }
    let windows = of.windows_held;
    (windows > 0).then(|| format!("{windows} partitions are read no further, see the log"))
}
