//! Log lines to standard error, as text or JSON.

mod queue;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{Event, Span, Subscriber, error_span};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::{Format, Json, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormattedFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::LogFormat;
use crate::shared::lock;
pub(crate) use queue::{Flush, lost, queue, say};

/// For lines of one kind.
const PAUSE: Duration = Duration::from_secs(30);
/// A client has a few dozen kinds of lines.
const KINDS_MAX: usize = 64;

/// The level is the bridge's; crates below it log warnings at most, so that no client prints what it carries.
/// What async-nats logs, it also tells as an event, which is logged with its route.
pub(crate) fn start<W>(format: LogFormat, level: LevelFilter, to: W) -> anyhow::Result<()>
where
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let below = level.min(LevelFilter::WARN);
    let filter = Targets::new()
        .with_default(below)
        .with_target("async_nats", LevelFilter::OFF)
        .with_targets(["cloudevents_nl_bridge", "cenl_bridge"].map(|own| (own, level)));
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        // It would panic where standard error takes no text.
        .log_internal_errors(false)
        .with_writer(to);
    let started = match format {
        LogFormat::Text => lines.with_ansi(false).finish().with(filter).try_init(),
        LogFormat::Json => {
            let line = Format::default().json().flatten_event(true);
            let line = line.with_current_span(false).with_span_list(false);
            let lines = lines.json().event_format(Flat(line));
            lines.finish().with(filter).try_init()
        }
    };
    Ok(started?)
}

/// Every line of what runs inside it names the route. A task or thread that is started there must take it along.
pub(crate) fn route_span(route: &str) -> Span {
    error_span!(parent: None, "route", route)
}

/// The same for a connection that routes share.
pub(crate) fn connection_span(connection: &str) -> Span {
    error_span!(parent: None, "connection", connection)
}

/// JSON, in which the fields of a span stand beside those of the line.
struct Flat(Format<Json>);

impl<S> FormatEvent<S, JsonFields> for Flat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let mut line = line.trim_end();
        line = line.strip_suffix('}').unwrap_or(line);
        writer.write_str(line)?;
        for span in context.event_scope().into_iter().flatten() {
            if let Some(fields) = span.extensions().get::<FormattedFields<JsonFields>>() {
                write!(writer, ",{}", fields.trim_matches(['{', '}']))?;
            }
        }
        writeln!(writer, "}}")
    }
}

/// Lets one line of each kind through in a while: when it was last written, and how many were held back
/// since.
#[derive(Debug, Default)]
pub(crate) struct Throttle(Mutex<BTreeMap<String, (Instant, u64)>>);

impl Throttle {
    /// How many were held back before, if a line is to be written now.
    pub(crate) fn lets_through(&self, kind: &str) -> Option<u64> {
        let now = Instant::now();
        let mut kinds = lock(&self.0);
        if let Some((written, held_back)) = kinds.get_mut(kind) {
            if now.duration_since(*written) < PAUSE {
                *held_back += 1;
                return None;
            }
            *written = now;
            return Some(std::mem::take(held_back));
        }
        if kinds.len() < KINDS_MAX {
            kinds.insert(kind.to_owned(), (now, 0));
        }
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_line_of_a_kind_in_half_a_minute() {
        let log = Throttle::default();
        assert_eq!(log.lets_through("FAIL"), Some(0));
        assert_eq!(log.lets_through("FAIL"), None);
        assert_eq!(log.lets_through("FAIL"), None);
        assert_eq!(log.lets_through("OTHER"), Some(0));
        tokio::time::advance(PAUSE).await;
        assert_eq!(log.lets_through("FAIL"), Some(2));
    }
}
