//! `cenl-bridge status`: what the running bridge says of its routes.

use std::io::Write;
use std::net::SocketAddr;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::{ToolError, runtime};
use crate::admin::client::get;
use crate::admin::overview::{Overview, RouteOverview};

#[derive(Args, Clone, Debug)]
pub(crate) struct StatusOptions {
    /// Print the JSON of `/v1/overview`
    #[arg(long)]
    json: bool,
}

/// Whether it is ready.
pub(crate) fn run(
    options: &StatusOptions,
    listen: SocketAddr,
    mut out: impl Write,
) -> Result<bool, ToolError> {
    let asked = runtime()?.block_on(get::<Overview>(listen, "/v1/overview"));
    let overview = asked.map_err(|error| {
        ToolError::Failed(format!(
            "no bridge answers at {listen} ([admin] listen): {error}"
        ))
    })?;
    let text = match options.json {
        true => serde_json::to_string_pretty(&overview).unwrap_or_default() + "\n",
        false => text(&overview),
    };
    // Who reads only the first lines has what he wanted.
    out.write_all(text.as_bytes()).ok();
    Ok(overview.ready)
}

fn text(overview: &Overview) -> String {
    let ready = if overview.ready { "ready" } else { "not ready" };
    let (version, started) = (&overview.version, overview.started);
    let mut lines = vec![format!(
        "cenl-bridge {version}, {ready}, since {started:.0}"
    )];
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
    lines.join("\n") + "\n"
}

fn describe(route: &RouteOverview, now: Timestamp, lines: &mut Vec<String>) {
    let (name, source, destination) = (&route.name, &route.source, &route.destination);
    let (state, circuit) = (word(&route.state), word(&route.circuit));
    lines.push(format!("\n{name}: {state}\n  {source} -> {destination}"));
    lines.extend(route.fault.iter().map(|fault| format!("  fault: {fault}")));
    if let (Some(cause), Some(remedy), Some(since)) = (&route.cause, &route.remedy, route.since) {
        lines.push(format!(
            "  circuit {circuit} since {since:.0}: {cause}; {remedy}"
        ));
    }
    let (rate, delivered, filtered) = (route.per_second, route.delivered, route.filtered);
    let letters = route.dead_letters;
    let last = route
        .last_delivery
        .map(|at| now.duration_since(at).as_secs());
    let last = last.map_or_else(|| "none".to_owned(), |ago| format!("{ago} s ago"));
    lines.push(format!(
        "  {rate:.1}/s, delivered {delivered}, filtered {filtered}, dead letters {letters}, last delivery {last}"
    ));
    let lag = route
        .lag
        .map_or_else(|| "unknown".to_owned(), |lag| lag.to_string());
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
