//! `cenl-bridge tail`: shows the messages of a topic, a subject or a place of dead letters through a
//! [view](crate::transport::view), one line each, without `data` and `subject`.

mod print;
mod states;

use std::io;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::{SpanRelativeTo, Timestamp};
use tracing_subscriber::filter::LevelFilter;

use super::ledger::Ledger;
use super::shown::MessageLine;
use super::{DONE, INTERRUPTED, ToolError, block_on, dead_letters, with_timeout};
use crate::config::Document;
use crate::logging;
use crate::plan::look;
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{OpenView, Span, View, ViewError, ViewStart};
use print::Printer;
use states::EventStates;

/// For each message before the end.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(60);
const LAST: NonZeroU64 = NonZeroU64::new(10).expect("not zero");
/// How much further back is looked where the newest messages of a place are not those that are wanted.
const FURTHER: u64 = 100;

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
    /// Show the newest N that are there now; 10 of them where nothing else is asked for
    #[arg(long, value_name = "N", conflicts_with_all = ["since", "count", "id", "follow"])]
    last: Option<NonZeroU64>,
    /// Begin that long ago (10m, 24h, 7d), at a time (2026-01-31T12:00:00Z), or at "earliest"
    ///
    /// With --count or --id alone from the oldest message on, with --follow from now on.
    #[arg(long, value_name = "SPAN|TIME")]
    since: Option<Since>,
    /// End after so many messages were shown, the oldest first
    #[arg(long, value_name = "N")]
    count: Option<NonZeroU64>,
    /// Show only events with exactly this id; without --follow, none is exit code 1
    ///
    /// With --route also what became of each, as "state=".
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
        let span = text.parse::<jiff::Span>().ok();
        let span = span.filter(|span| !span.is_negative());
        let span = span.map(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
        match (text.parse(), span) {
            _ if text == "earliest" => Ok(Self(None)),
            (Ok(time), _) => Ok(Self(Some(time))),
            (_, Some(Ok(span))) => Ok(Self(Timestamp::now().checked_sub(span).ok())),
            _ => Err(
                "expected a span such as 10m, 24h or 7d, a time such as 2026-01-31T12:00:00Z, or earliest",
            ),
        }
    }
}

impl TailOptions {
    fn moment(&self) -> Option<Timestamp> {
        self.since.and_then(|since| since.0)
    }

    fn last(&self) -> Option<u64> {
        let asks_else =
            self.since.is_some() || self.count.is_some() || self.id.is_some() || self.follow;
        (!asks_else).then_some(self.last.unwrap_or(LAST).get())
    }

    /// Each is for when the one before did not reach far enough.
    fn starts(&self) -> Vec<ViewStart> {
        if let Some(last) = self.last() {
            let further = ViewStart::Last(last.saturating_mul(FURTHER));
            return vec![ViewStart::Last(last), further, ViewStart::Earliest];
        }
        vec![match (self.since, self.moment()) {
            (None, _) if self.follow => ViewStart::End,
            // A dead letter has the time of its event; when it died is in its headers.
            (_, Some(time)) if self.place.dead_letters.is_none() => ViewStart::Time(time),
            _ => ViewStart::Earliest,
        }]
    }

    fn view(&self, document: &Document) -> Result<Box<dyn OpenView>, ToolError> {
        let place = &self.place;
        if let Some(name) = &place.route {
            let source = look::source(document, TRANSPORTS, name)?;
            return source.view().ok_or_else(|| {
                let source = source.address();
                ToolError::Usage(format!(
                    "route {name} reads from {source}, where nothing is kept to look at"
                ))
            });
        }
        if let Some(name) = &place.dead_letters {
            let sink = look::dead_letter(document, TRANSPORTS, name)?;
            return dead_letters(name, sink.as_deref());
        }
        let (connection, place) = match (&place.kafka, &self.topic, &place.nats, &self.subject) {
            (Some(name), Some(topic), ..) => (("kafka", name.as_str()), topic),
            (_, _, Some(name), Some(subject)) => (("nats", name.as_str()), subject),
            _ => return Err(ToolError::Usage("names no place".to_owned())),
        };
        Ok(look::view(document, TRANSPORTS, connection, place)?)
    }

    fn wants(&self, shown: &MessageLine) -> bool {
        let is_asked =
            |asked: &Option<String>, there: &Option<String>| asked.is_none() || asked == there;
        is_asked(&self.id, &shown.id) && is_asked(&self.source, &shown.source)
    }

    async fn open(&self, view: &dyn OpenView, start: ViewStart) -> Result<View, ViewError> {
        let follows = self.follow;
        let opened = view.open(Span { start, follows }).await?;
        Ok(match follows {
            true => opened,
            false => with_timeout(opened, MESSAGE_TIMEOUT),
        })
    }
}

/// A reader who went away is no error.
pub(crate) fn run(options: &TailOptions, document: &Document) -> Result<u8, ToolError> {
    let (log, decoder) = look::common(document)?;
    // Only what keeps clients from answering.
    logging::start(log.format, LevelFilter::WARN, io::stderr)?;
    let view = options.view(document)?;
    let wants_states = options.id.is_some() && options.show == Show::Line && !options.follow;
    let route = options.place.route.as_ref().filter(|_| wants_states);
    let states = route.map(|it| EventStates::prepare(options, document, it, decoder.clone()));
    let states = states.transpose()?;
    let mut printer = Printer::new(options, decoder);
    let place = view.address();
    let unreadable = |error| ToolError::Failed(format!("{place} cannot be read: {error}"));
    let ended = block_on(async {
        printer.ledger = match &options.place.dead_letters {
            Some(route) if options.show == Show::Line => told(ledger(&*view, route).await),
            _ => None,
        };
        printer.states = match states {
            Some(states) => told(states.await),
            None => None,
        };
        for start in options.starts() {
            let opened = options.open(&*view, start).await.map_err(&unreadable)?;
            if printer.read(opened, &unreadable).await? {
                return Ok(true);
            }
            if printer.has_enough() {
                break;
            }
        }
        printer.finish().map(|()| false)
    })?;
    if ended? && !options.follow {
        return Ok(INTERRUPTED);
    }
    let read = printer.read;
    match &options.id {
        _ if printer.shown > 0 || options.follow => {}
        Some(id) => {
            let what = format!("no event with id {id:?} in {place}, of {read} messages read");
            return Err(ToolError::Failed(what));
        }
        None => logging::say(format_args!(
            "nothing to show in {place}, of {read} messages read"
        )),
    }
    Ok(DONE)
}

pub(super) async fn ledger(view: &dyn OpenView, route: &str) -> Result<Ledger, ViewError> {
    match view.checkpoints(&format!("cenl-replay-{route}")).await {
        Ok(checkpoints) => Ok(Ledger::of(&checkpoints.read().await?)),
        // Nor does replay send anything from there.
        Err(ViewError::NoCheckpoints(_)) => Ok(Ledger::default()),
        Err(failed) => Err(failed),
    }
}

/// Messages are shown all the same.
fn told<T>(found: Result<T, ViewError>) -> Option<T> {
    if let Err(error) = &found {
        logging::say(format_args!(
            "without \"state=\", which cannot be told: {error}"
        ));
    }
    found.ok()
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
        let then = moment("7d").unwrap();
        assert_eq!(Timestamp::now().duration_since(then).as_hours(), 7 * 24);
        assert_eq!(moment("150000000h"), None, "before all calendars");
        for text in ["", "10", "yesterday", "2026-01-31", "-10m", "1mo"] {
            assert!(text.parse::<Since>().is_err(), "{text}");
        }
    }
}
