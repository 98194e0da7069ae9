//! `cenl-bridge status`: what the running bridge says of its routes.

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::{DONE, FAILED, ToolError, block_on, print};
use crate::admin::client::get;
use crate::admin::overview::{Overview, RouteOverview, SettingsFault};
use crate::config::Document;
use crate::plan::look;

#[derive(Args, Clone, Debug)]
pub(crate) struct StatusOptions {
    /// Print the JSON of `/v1/overview`
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &StatusOptions, document: &Document) -> Result<u8, ToolError> {
    let asked = block_on(get::<Overview>(look::admin(document)?, "/v1/overview"))?;
    let overview = asked.map_err(ToolError::Failed)?;
    let text = match options.json {
        true => serde_json::to_string_pretty(&overview).unwrap_or_default(),
        false => text(&overview),
    };
    print(text)?;
    Ok(if overview.ready { DONE } else { FAILED })
}

fn text(overview: &Overview) -> String {
    let ready = if overview.ready { "ready" } else { "not ready" };
    let (version, started) = (&overview.version, overview.started);
    let mut lines = vec![format!(
        "cenl-bridge {version}, {ready}, since {started:.0}"
    )];
    if let Some(SettingsFault { since, cause }) = &overview.settings_fault {
        lines.push(format!(
            "fault: the settings are not in effect as they were last read, since {since:.0}: {cause}"
        ));
    }
    for route in &overview.routes {
        describe(route, overview.at, &mut lines);
    }
    if !overview.ingress_refusals.is_empty() {
        lines.push("\nnot accepted by the ingress:".to_owned());
    }
    for refusal in &overview.ingress_refusals {
        let (at, status, listener) = (refusal.at, refusal.status, &refusal.listener);
        let (path, peer, reason) = (&refusal.path, &refusal.peer, &refusal.reason);
        lines.push(format!(
            "  {at:.0} {status} {listener} {path} from {peer}: {reason}"
        ));
    }
    lines.join("\n")
}

fn describe(route: &RouteOverview, now: Timestamp, lines: &mut Vec<String>) {
    let (name, source, destination) = (&route.name, &route.source, &route.destination);
    let state = word(&route.state);
    lines.push(format!("\n{name}: {state}\n  {source} -> {destination}"));
    lines.extend(route.faults.iter().map(|fault| format!("  fault: {fault}")));
    for outage in &route.outages {
        let (end, cause, remedy) = (word(&outage.end), &outage.cause, &outage.remedy);
        let (since, until) = (outage.since, outage.retry_after);
        let pause = until.map(|until| format!(", and asked for a pause until {until:.0}"));
        let pause = pause.unwrap_or_default();
        lines.push(format!(
            "  {end} fails since {since:.0}: {cause}{pause}; {remedy}"
        ));
    }
    let (rate, delivered, filtered) = (route.per_second, route.delivered, route.filtered);
    let (letters, discarded, lost) = (route.dead_letters, route.discarded, route.lost);
    let ago = |at| format!("{} s ago", now.duration_since(at).as_secs());
    let last = route.last_delivery.map_or_else(|| "none".to_owned(), ago);
    lines.push(format!(
        "  since its start: delivered {delivered}, filtered {filtered}, discarded {discarded}, dead letters {letters}, \
         lost {lost}\n  {rate:.1}/s, last delivery {last}"
    ));
    let lag = route.lag.map(|lag| lag.to_string());
    let lag = lag.as_deref().unwrap_or("unknown");
    let (oldest, taken) = (route.oldest_unsettled_seconds, route.window_events);
    let waiting = route.waiting;
    lines.push(format!(
        "  lag {lag}, oldest unsettled {oldest:.0} s, taken {taken}, waiting {waiting}"
    ));
}

/// As in JSON.
fn word(value: &impl Serialize) -> String {
    let word = serde_json::to_value(value).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::json;

    use super::*;

    #[test]
    fn an_outage_says_whose_it_is_and_counts_say_since_when() {
        let outage = |end, cause, until| json!({ "end": end, "cause": cause, "remedy": "wait", "since": "2026-11-23T06:50:12Z", "retryAfter": until });
        let (asked, tomorrow) = ("status 503", Some("2026-11-24T06:50:12Z"));
        let route: RouteOverview = serde_json::from_value(json!({
            "name": "orders",
            "state": "heldAtSource",
            "faults": ["its source has no connection"],
            "source": "kafka main, topic orders",
            "destination": "https://receiver.example/hook",
            "circuit": "halfOpen",
            "outages": [outage("sink", asked, tomorrow), outage("deadLetter", "queue-full", None)],
            "delivered": 9,
            "filtered": 8,
            "discarded": 7,
            "deadLetters": 6,
            "lost": 5,
            "perSecond": 0.25,
            "perMinute": [],
            "oldestUnsettledSeconds": 4.0,
            "inFlight": 0,
            "waiting": 3,
            "windowEvents": 2,
        }))
        .unwrap();
        let mut lines = Vec::new();
        describe(&route, Timestamp::UNIX_EPOCH, &mut lines);
        insta::assert_snapshot!(lines.join("\n").trim(), @r"
        orders: heldAtSource
          kafka main, topic orders -> https://receiver.example/hook
          fault: its source has no connection
          sink fails since 2026-11-23T06:50:12Z: status 503, and asked for a pause until 2026-11-24T06:50:12Z; wait
          deadLetter fails since 2026-11-23T06:50:12Z: queue-full; wait
          since its start: delivered 9, filtered 8, discarded 7, dead letters 6, lost 5
          0.2/s, last delivery none
          lag unknown, oldest unsettled 4 s, taken 2, waiting 3
        ");
    }
}
