//! `cenl-bridge check-config --check-connections`

use std::fmt;
use std::time::Duration;

use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use tokio::time::timeout;

use super::{DONE, FAILED, ToolError};
use crate::config::{Document, Fault};
use crate::plan::Plan;
use crate::route::target::Order;
use crate::tools::{block_on, print};
use crate::transport::contract::{CheckAnswers, OpenSink};

/// For each source, sink and place of dead letters.
const TIMEOUT: Duration = Duration::from_secs(30);
const AT_A_TIME: usize = 8;

/// One line for each thing that was asked.
pub(super) fn check(document: &Document, plan: &Plan) -> Result<u8, ToolError> {
    let mut asked = Vec::new();
    if let Some(traces) = &plan.traces {
        let collector = &traces.collector;
        let place = format!("[traces] {}", collector.address());
        asked.push((place, collector.check(false)));
    }
    for route in &plan.routes {
        let (name, order) = (&route.config.name, route.config.order);
        let keeps_order = order != Order::None;
        let place = |end, address: &dyn fmt::Display| format!("route {name}, {end} {address}");
        let source = place("source", &route.source.address());
        asked.push((source, route.source.check(keeps_order)));
        let sink = place("sink", &route.sink.address());
        asked.push((sink, route.sink.check(false)));
        if let Some(dead_letter) = &route.dead_letter {
            let place = place("dead_letter", &dead_letter.address());
            asked.push((place, dead_letter.check(true)));
        }
    }
    let asked = asked.into_iter().map(|(place, check)| {
        timeout(TIMEOUT, check).map(|answers| {
            let what = format!("no answer within {TIMEOUT:?}");
            let fault = Fault::new(what, "look whether it can be reached from here");
            let none = |_| vec![("connection", Err(fault))];
            (place, answers.unwrap_or_else(none))
        })
    });
    let results = block_on(iter(asked).buffered(AT_A_TIME).collect::<Vec<_>>())?;
    let mut is_sound = true;
    for (place, answers) in results {
        is_sound &= answers.iter().all(|(_, answer)| answer.is_ok());
        print(document.as_written(lines(&place, answers)))?;
    }
    Ok(if is_sound { DONE } else { FAILED })
}

fn lines(place: &str, answers: CheckAnswers) -> String {
    let line = |(what, answer): (_, Result<String, Fault>)| match answer {
        Ok(found) => format!("ok      {place}: {what}: {found}"),
        Err(fault) => {
            let (cause, remedy) = (fault.what, fault.remedy);
            format!("FAILED  {place}: {what}: {cause}\n        remedy: {remedy}")
        }
    };
    let lines: Vec<_> = answers.into_iter().map(line).collect();
    match lines.is_empty() {
        true => format!("ok      {place}: nothing to ask"),
        false => lines.join("\n"),
    }
}
