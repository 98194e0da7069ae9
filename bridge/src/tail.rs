//! `cenl-bridge tail`: shows the messages of a topic, a subject or a place of dead letters, one line
//! each. It reads through a [view](crate::transport::view), so nobody notices that it looks.
//!
//! Few messages are held in memory at a time: those that the view has asked for at once. What it prints is never `data` or `subject`, unless the
//! whole message is asked for.

mod read;
mod since;

use std::io::{self, Write};
use std::num::NonZeroU64;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use crate::config::{Document, Problems};
use crate::plan::{self, NoView, Plan};
use crate::transport::address::Address;
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{OpenView, Span, ViewError, ViewStart};
use read::Reader;
use since::Since;

/// What to look at.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    place: Place,
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
struct Place {
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

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tailed {
    /// Where.
    pub place: Address,
    /// Messages shown.
    pub shown: u64,
    /// Messages read.
    pub read: u64,
    /// Whether ctrl-c ended it before its end.
    pub is_interrupted: bool,
}

/// Why nothing can be looked at, or not to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TailError {
    /// The place was named wrongly.
    #[error("{0}")]
    Usage(String),
    /// The settings are wrong.
    #[error("{0}")]
    Settings(Problems),
    /// The place cannot be read.
    #[error("{0} cannot be read: {1}")]
    View(Address, ViewError),
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(io::Error),
    /// The system gives no runtime.
    #[error("the system gives no runtime: {0}")]
    System(io::Error),
}

impl Options {
    /// Whether it was asked for one event that it must find.
    #[must_use]
    pub fn missing_id(&self, tailed: &Tailed) -> Option<&str> {
        let is_missing = tailed.shown == 0 && !self.follow && !tailed.is_interrupted;
        self.id.as_deref().filter(|_| is_missing)
    }

    /// Whether it goes on until ctrl-c.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.follow
    }

    fn span(&self, since: Option<Timestamp>) -> Span {
        Span {
            start: match (self.since, since) {
                (None, _) if self.follow => ViewStart::End,
                // A dead letter carries the time of its event: when it died is in its headers.
                (_, Some(time)) if self.place.dead_letters.is_none() => ViewStart::Time(time),
                _ => ViewStart::Earliest,
            },
            follows: self.follow,
        }
    }

    fn view(&self, document: &Document, plan: &Plan) -> Result<Box<dyn OpenView>, TailError> {
        let place = &self.place;
        if let Some(name) = &place.route {
            let route = route(plan, name)?;
            let source = route.source.address();
            return route.source.view().ok_or_else(|| {
                let what =
                    format!("route {name} reads from {source}, where nothing is kept to look at");
                TailError::Usage(what)
            });
        }
        if let Some(name) = &place.dead_letters {
            return dead_letters(plan, name).map_err(TailError::Usage);
        }
        let (connection, place) = match (&place.kafka, &self.topic, &place.nats, &self.subject) {
            (Some(name), Some(topic), ..) => (("kafka", name.as_str()), topic),
            (_, _, Some(name), Some(subject)) => (("nats", name.as_str()), subject),
            _ => return Err(TailError::Usage("names no place".to_owned())),
        };
        plan::view(document, TRANSPORTS, connection, place).map_err(|error| match error {
            NoView::Problems(problems) => TailError::Settings(problems),
            other => TailError::Usage(other.to_string()),
        })
    }
}

fn route<'p>(plan: &'p Plan, name: &str) -> Result<&'p plan::RoutePlan, TailError> {
    plan.route(name).map_err(TailError::Usage)
}

/// How to look at the dead letters of a route; or why that cannot be, as a sentence.
pub(crate) fn dead_letters(plan: &Plan, name: &str) -> Result<Box<dyn OpenView>, String> {
    let route = plan.route(name)?;
    let Some(dead_letter) = &route.dead_letter else {
        return Err(format!("route {name} has no dead letters"));
    };
    dead_letter.view().ok_or_else(|| {
        let place = dead_letter.address();
        format!("the dead letters of route {name} lie in {place}, which cannot be looked at")
    })
}

/// Shows messages until the end, or until somebody ends it. A reader who went away is no error.
///
/// # Errors
/// See [`TailError`].
pub fn run(
    options: &Options,
    document: &Document,
    plan: &Plan,
    out: impl Write,
) -> Result<Tailed, TailError> {
    let view = options.view(document, plan)?;
    let since = options
        .since
        .and_then(|since| since.moment(Timestamp::now()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(TailError::System)?;
    let mut reader = Reader::new(options, since, plan.decoder.clone(), out);
    let ended = runtime.block_on(async {
        let mut opened = view.open(options.span(since)).await?;
        reader.read(opened.as_mut()).await
    });
    // A question to a broker that is still open is waited for by nobody.
    runtime.shutdown_background();
    let place = view.address();
    let is_interrupted = match ended {
        Ok(ended) => ended == read::Ended::Interrupted,
        Err(read::ReadError::Output(error)) => match error.kind() {
            io::ErrorKind::BrokenPipe => false,
            _ => return Err(TailError::Output(error)),
        },
        Err(read::ReadError::View(error)) => return Err(TailError::View(place, error)),
    };
    Ok(reader.tailed(place, is_interrupted))
}
