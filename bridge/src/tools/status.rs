//! `cenl-bridge status`: what the running bridge says of its routes.

use std::fmt::Write as _;
use std::io::Write;
use std::net::SocketAddr;

use clap::Args;
use jiff::Timestamp;

use super::{ToolError, runtime};
use crate::admin::client::get;
use crate::admin::overview::{Circuit, Overview, RouteOverview, RouteState};

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
    let mut text = format!("cenl-bridge {version}, {ready}, since {started:.0}\n");
    for route in &overview.routes {
        describe(route, overview.at, &mut text);
    }
    for refusal in &overview.ingress_refusals {
        let (at, status, listener) = (refusal.at, refusal.status, &refusal.listener);
        let (path, peer, reason) = (&refusal.path, &refusal.peer, &refusal.reason);
        let line =
            format!("\nnot accepted {at:.0}: {status} {listener}{path} from {peer}: {reason}");
        text.push_str(&line);
    }
    if !overview.ingress_refusals.is_empty() {
        text.push('\n');
    }
    text
}

fn describe(route: &RouteOverview, now: Timestamp, text: &mut String) {
    let state = match route.state {
        RouteState::Starting => "starting",
        RouteState::Running => "running",
        RouteState::Paused => "paused",
        RouteState::Held => "held",
        RouteState::Retired => "retired",
        RouteState::NotRunning => "not running",
    };
    let circuit = match route.circuit {
        Circuit::Closed => "closed",
        Circuit::Open => "open",
        Circuit::HalfOpen => "half-open",
        Circuit::Retired => "retired",
    };
    let (name, source, destination) = (&route.name, &route.source, &route.destination);
    let lag = route
        .lag
        .map_or_else(|| "unknown".to_owned(), |lag| lag.to_string());
    let last = route
        .last_delivery
        .map(|at| now.duration_since(at).as_secs());
    let last = last.map_or_else(|| "none".to_owned(), |ago| format!("{ago} s ago"));
    let line = |text: &mut String, words: std::fmt::Arguments<'_>| {
        text.write_fmt(words).expect("a string takes all");
    };
    line(
        text,
        format_args!("\n{name}: {state}\n  {source} -> {destination}\n"),
    );
    if let Some(fault) = &route.fault {
        line(text, format_args!("  fault: {fault}\n"));
    }
    if let (Some(cause), Some(remedy), Some(since)) = (&route.cause, &route.remedy, route.since) {
        line(
            text,
            format_args!("  circuit {circuit} since {since:.0}: {cause}; {remedy}\n"),
        );
    }
    let (rate, delivered, filtered) = (route.per_second, route.delivered, route.filtered);
    let (letters, waiting, taken) = (route.dead_letters, route.waiting, route.window_events);
    let oldest = route.oldest_unsettled_seconds;
    line(
        text,
        format_args!(
            "  {rate:.1}/s, delivered {delivered}, filtered {filtered}, dead letters {letters}, last delivery {last}\n  \
             lag {lag}, oldest unsettled {oldest:.0} s, taken {taken}, waiting {waiting}\n"
        ),
    );
}
