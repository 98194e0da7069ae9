//! Routes in every state.

use jiff::{SignedDuration, Timestamp};

use crate::admin::overview::{
    Circuit, DeadLetterLine, LetterState, Outage, Overview, RouteOverview, RouteState,
    SettingsFault, Stage, WaitingEvent, WaitingEvents,
};
use crate::route::report::REFUSES_ALL;
use crate::server::IngressRefusal;

/// So many seconds after a fixed moment.
pub(super) fn at(seconds: i64) -> Timestamp {
    let moment: Timestamp = "2026-11-23T06:50:12Z".parse().unwrap();
    moment + SignedDuration::from_secs(seconds)
}

pub(super) fn well(name: &str) -> RouteOverview {
    RouteOverview {
        name: name.to_owned(),
        state: RouteState::Running,
        faults: Vec::new(),
        source: "kafka main, topic zaken, group notificaties".to_owned(),
        destination: "https://ontvanger.gemeente.example/notificaties".to_owned(),
        dead_letter_place: Some("kafka main, topic zaken-onbestelbaar".to_owned()),
        circuit: Circuit::Closed,
        outages: Vec::new(),
        delivered: 1_482_019,
        filtered: 312,
        discarded: 0,
        dead_letters: 0,
        lost: 0,
        per_second: 12.4,
        per_minute: (0..60).map(|minute| 600 + (minute * 37) % 290).collect(),
        lag: Some(3),
        oldest_unsettled_seconds: 0.4,
        in_flight: 2,
        waiting: 0,
        window_events: 3,
        last_delivery: Some(at(-1)),
    }
}

pub(super) fn outage(end: Stage, cause: &str, remedy: &'static str) -> Outage {
    Outage {
        end,
        cause: cause.to_owned(),
        remedy: remedy.into(),
        since: at(-760),
        retry_after: None,
    }
}

pub(super) fn unreachable() -> RouteOverview {
    RouteOverview {
        circuit: Circuit::Open,
        outages: vec![outage(
            Stage::Sink,
            "certificate of an unknown CA",
            "name the root of its certificate in ca_file",
        )],
        per_second: 0.0,
        per_minute: (0..60).map(|at| if at < 47 { 90 } else { 0 }).collect(),
        lag: Some(18_204),
        oldest_unsettled_seconds: 761.0,
        dead_letters: 4,
        in_flight: 0,
        waiting: 2,
        window_events: 512,
        last_delivery: Some(at(-761)),
        ..well("unreachable")
    }
}

pub(super) fn bridge() -> Overview {
    let held = RouteOverview {
        state: RouteState::HeldByDestination,
        circuit: Circuit::Open,
        outages: vec![outage(Stage::Sink, "status 400", REFUSES_ALL)],
        dead_letters: 100,
        ..well("refused")
    };
    let paused = RouteOverview {
        state: RouteState::Paused,
        per_second: 0.0,
        ..well("halted")
    };
    let stopped = RouteOverview {
        state: RouteState::NotRunning,
        faults: vec!["does not run, see the log".to_owned()],
        window_events: 0,
        lag: None,
        per_minute: Vec::new(),
        ..well("gone")
    };
    let joining = RouteOverview {
        state: RouteState::Starting,
        faults: vec!["its source has not joined".to_owned()],
        ..well("joining")
    };
    let quiet = RouteOverview {
        per_second: 0.0,
        per_minute: vec![0; 60],
        dead_letters: 2,
        ..well("invoices")
    };
    Overview {
        version: "0.1.0".to_owned(),
        started: at(-90_000),
        at: at(0),
        ready: false,
        actions: true,
        settings_fault: Some(SettingsFault {
            since: at(-300),
            cause: "bridge.toml:12: route[0].sink.ca_file (route \"orders\"): the file cannot be read; remedy: correct it"
                .to_owned(),
        }),
        routes: vec![
            well("orders"),
            quiet,
            paused,
            joining,
            unreachable(),
            held,
            stopped,
        ],
        ingress_refusals: vec![IngressRefusal {
            at: at(-42),
            listener: "127.0.0.1:8080".to_owned(),
            path: "/notificaties".to_owned(),
            peer: "192.0.2.17".to_owned(),
            status: 401,
            reason: "the token is not known".to_owned(),
        }],
    }
}

pub(super) fn letters() -> Vec<DeadLetterLine> {
    let letter = |offset: i64, state| DeadLetterLine {
        position: format!("kafka:zaken-onbestelbaar/0/{offset}"),
        written: Some(at(-1_000 * offset)),
        state,
        kind: "refused".to_owned(),
        status: "422".to_owned(),
        attempts: 1,
        id: Some(format!("7f3c1a52-9d1e-4c9b-8f5c-0b7b1f2d3e4{offset}")),
        source: Some("urn:nld:oin:00000001823288444000:systeem:zaaksysteem".to_owned()),
        r#type: Some("nl.gemeente.zaken.zaak-aangemaakt".to_owned()),
    };
    vec![
        letter(3, LetterState::Open),
        DeadLetterLine {
            id: None,
            source: None,
            r#type: None,
            kind: "undecodable".to_owned(),
            ..letter(2, LetterState::Open)
        },
        letter(1, LetterState::Replayed),
        letter(0, LetterState::Dismissed),
    ]
}

pub(super) fn waiting() -> WaitingEvents {
    let event = |offset: u32, next_attempt| WaitingEvent {
        id: Some(format!("b6c7d8e9-0000-4000-8000-00000000000{offset}")),
        source: Some("urn:nld:oin:00000001823288444000:systeem:zaaksysteem".to_owned()),
        r#type: Some("nl.gemeente.zaken.status-gewijzigd".to_owned()),
        position: format!("kafka:zaken/1/{offset}"),
        attempts: offset,
        last_answer: Some("status 503".to_owned()),
        next_attempt,
    };
    let unreadable = WaitingEvent {
        id: None,
        source: None,
        r#type: None,
        ..event(7, None)
    };
    let next = Timestamp::now() + SignedDuration::from_secs(30);
    WaitingEvents {
        events: vec![event(1, Some(next)), unreadable],
        more: true,
    }
}
