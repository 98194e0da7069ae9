//! `cenl-bridge tail`: shows the messages of a topic, a subject or a place of dead letters, one line
//! each. It reads through a [view](crate::transport::view), so nobody notices that it looks. It never
//! prints `data` or `subject`, unless the whole message is asked for.

mod print;
mod progress;
mod since;

use std::io::{self, Write};
use std::num::NonZeroU64;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use crate::config::{Document, Problems};
use crate::plan::{self, Plan};
use crate::transport::address::Address;
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{OpenView, Span, ViewError, ViewStart};
use print::{Ended, Printer};
use since::Since;

use super::dead_letters;

/// What to look at.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
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

/// Why nothing can be looked at, or not to the end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TailError {
    /// The place was named wrongly.
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Settings(Problems),
    #[error("{0} cannot be read: {1}")]
    View(Address, ViewError),
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    #[error("the system gives no runtime: {0}")]
    System(io::Error),
    #[error("no event with id {0:?} in {1}, of {2} messages read")]
    NotFound(String, Address, u64),
    /// Ctrl-C, before the end.
    #[error("interrupted")]
    Interrupted,
}

impl Options {
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
            let route = plan.route(name).map_err(TailError::Usage)?;
            return route.source.view().ok_or_else(|| {
                let source = route.source.address();
                TailError::Usage(format!(
                    "route {name} reads from {source}, where nothing is kept to look at"
                ))
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
        plan::view(document, TRANSPORTS, connection, place).map_err(TailError::Settings)
    }
}

/// Shows messages until the end, or until somebody ends it. A reader who went away is no error.
pub(crate) fn run(
    options: &Options,
    document: &Document,
    plan: &Plan,
    out: impl Write,
) -> Result<(), TailError> {
    let view = options.view(document, plan)?;
    let since = options
        .since
        .and_then(|since| since.moment(Timestamp::now()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(TailError::System)?;
    let mut printer = Printer::new(options, since, plan.decoder.clone(), out);
    let place = view.address();
    let ended = runtime.block_on(async {
        let opened = view.open(options.span(since)).await;
        let mut opened = opened.map_err(|error| TailError::View(place.clone(), error))?;
        printer.read(opened.as_mut(), &place).await
    });
    // A question to a broker that is still open is waited for by nobody.
    runtime.shutdown_background();
    let (shown, read) = printer.counts();
    let is_cut_off = match ended {
        Ok(ended) => ended == Ended::Interrupted && !options.follow,
        Err(TailError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => false,
        Err(error) => return Err(error),
    };
    match &options.id {
        _ if is_cut_off => Err(TailError::Interrupted),
        _ if shown > 0 || options.follow => Ok(()),
        Some(id) => Err(TailError::NotFound(id.clone(), place, read)),
        None => {
            eprintln!("cenl-bridge: nothing to show in {place}, of {read} messages read");
            Ok(())
        }
    }
}
