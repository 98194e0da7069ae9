//! `cenl-bridge tail`: shows the messages of a topic, a subject or a place of dead letters through a
//! [view](crate::transport::view), one line each, without `data` and `subject`.

mod print;

use std::io::Write;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::{ToolError, dead_letters, runtime, with_timeout};
use crate::config::{Document, Interval};
use crate::plan::{self, Plan};
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{OpenView, Span, ViewStart};
use print::Printer;

/// For each message before the end.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Args, Clone, Debug)]
pub(crate) struct TailOptions {
    #[command(flatten)]
    place: Location,
    /// The topic of that cluster
    #[arg(long, requires = "kafka")]
    topic: Option<String>,
    /// The subject of that server
    #[arg(long, requires = "nats")]
    subject: Option<String>,
    /// Begin that long ago (10m, 24h), or at a time (2026-01-31T12:00:00Z)
    ///
    /// Without it from the oldest message on ("earliest"), with --follow from now on.
    #[arg(long, value_name = "SPAN|TIME")]
    since: Option<Since>,
    /// End after so many messages were shown
    #[arg(long, value_name = "N")]
    count: Option<NonZeroU64>,
    /// Show only events with exactly this id; without --follow, none is exit code 1
    #[arg(long)]
    id: Option<String>,
    /// Of the events with that id only those of this source
    #[arg(long, requires = "id")]
    source: Option<String>,
    /// Go on at the end with what arrives, until ctrl-c
    #[arg(long, short)]
    follow: bool,
    /// What to show of a message
    #[arg(long, value_enum, default_value_t = Show::Line)]
    show: Show,
}

#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
struct Location {
    /// What this route reads
    #[arg(long, value_name = "NAME")]
    route: Option<String>,
    /// A topic of [kafka.NAME]; needs --topic
    #[arg(long, value_name = "NAME", requires = "topic")]
    kafka: Option<String>,
    /// A subject of [nats.NAME]; needs --subject
    #[arg(long, value_name = "NAME", requires = "subject")]
    nats: Option<String>,
    /// The dead letters of this route
    #[arg(long, value_name = "ROUTE")]
    dead_letters: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Show {
    /// Time, position, type, source, id, mode and size; of dead letters also why
    Line,
    /// The whole message as a line of JSON, data included, for `cenl-bridge convert`
    Capture,
}

/// `None` is before everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Since(Option<Timestamp>);

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let span = text.parse::<Interval>();
        match (text.parse(), span) {
            _ if text == "earliest" => Ok(Self(None)),
            (Ok(time), _) => Ok(Self(Some(time))),
            (_, Ok(span)) => Ok(Self(Timestamp::now().checked_sub(span.0).ok())),
            _ => Err(
                "expected a span such as 10m or 24h, a time such as 2026-01-31T12:00:00Z, or earliest",
            ),
        }
    }
}

impl TailOptions {
    fn moment(&self) -> Option<Timestamp> {
        self.since.and_then(|since| since.0)
    }

    fn span(&self) -> Span {
        Span {
            start: match (self.since, self.moment()) {
                (None, _) if self.follow => ViewStart::End,
                // A dead letter has the time of its event; when it died is in its headers.
                (_, Some(time)) if self.place.dead_letters.is_none() => ViewStart::Time(time),
                _ => ViewStart::Earliest,
            },
            follows: self.follow,
        }
    }

    fn view(&self, document: &Document, plan: &Plan) -> Result<Box<dyn OpenView>, ToolError> {
        let place = &self.place;
        if let Some(name) = &place.route {
            let route = plan.route(name).map_err(ToolError::Usage)?;
            return route.source.view().ok_or_else(|| {
                let source = route.source.address();
                ToolError::Usage(format!(
                    "route {name} reads from {source}, where nothing is kept to look at"
                ))
            });
        }
        if let Some(name) = &place.dead_letters {
            return dead_letters(plan, name);
        }
        let (connection, place) = match (&place.kafka, &self.topic, &place.nats, &self.subject) {
            (Some(name), Some(topic), ..) => (("kafka", name.as_str()), topic),
            (_, _, Some(name), Some(subject)) => (("nats", name.as_str()), subject),
            _ => return Err(ToolError::Usage("names no place".to_owned())),
        };
        Ok(plan::view(document, TRANSPORTS, connection, place)?)
    }
}

/// True when ctrl-c ended it. A reader who went away is no error.
pub(crate) fn run(
    options: &TailOptions,
    document: &Document,
    plan: &Plan,
    out: impl Write,
) -> Result<bool, ToolError> {
    let view = options.view(document, plan)?;
    let runtime = runtime()?;
    let mut printer = Printer::new(options, plan.decoder.clone(), out);
    let place = view.address();
    let ended = runtime.block_on(async {
        let unreadable = |error| ToolError::Failed(format!("{place} cannot be read: {error}"));
        let mut opened = view.open(options.span()).await.map_err(unreadable)?;
        if !options.follow {
            opened = with_timeout(opened, MESSAGE_TIMEOUT);
        }
        printer.read(opened, unreadable).await
    });
    // Nobody waits for requests that are still open.
    runtime.shutdown_background();
    if ended? && !options.follow {
        return Ok(true);
    }
    let read = printer.read;
    match &options.id {
        _ if printer.shown > 0 || options.follow => {}
        Some(id) => {
            let what = format!("no event with id {id:?} in {place}, of {read} messages read");
            return Err(ToolError::Failed(what));
        }
        None => eprintln!("cenl-bridge: nothing to show in {place}, of {read} messages read"),
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn since_is_a_span_a_time_or_the_beginning() {
        let moment = |text: &str| text.parse::<Since>().unwrap().0;
        for text in ["2026-01-31T11:50:00Z", "2026-01-31T12:50:00+01:00"] {
            assert_eq!(moment(text), "2026-01-31T11:50:00Z".parse().ok(), "{text}");
        }
        let then = moment("10m").unwrap();
        let ago = Timestamp::now().duration_since(then).unsigned_abs();
        let ten = Duration::from_secs(600);
        assert!((ten..2 * ten).contains(&ago), "{ago:?}");
        assert_eq!(moment("earliest"), None);
        assert_eq!(moment("1000000000h"), None, "before all calendars");
        for text in ["", "10", "yesterday", "2026-01-31", "-10m"] {
            assert!(text.parse::<Since>().is_err(), "{text}");
        }
    }
}
