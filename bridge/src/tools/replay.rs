//! `cenl-bridge replay`: sends the dead letters of a route again, through the route itself; what fails again
//! stays a dead letter.
//! A checkpoint is written after the delivery: a crash between the two sends an event again, never skips one.

mod lease;
mod report;
mod selection;
mod sinks;
mod source;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use futures_util::{StreamExt, TryStreamExt};
use tokio::signal::ctrl_c;
use tokio::task::spawn_local;
use tokio::time::Instant;
use tracing::Instrument;
use tracing_subscriber::filter::LevelFilter;

use super::ledger::{self, Ledger};
use super::{DONE, FAILED, INTERRUPTED, ToolError, answer, block_on, dead_letters, with_timeout};
use crate::admin::orders;
use crate::admin::overview::Handled;
use crate::config::{Document, Interval};
use crate::delivery::Window;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::logging::{self, route_span};
use crate::plan::{Plan, RoutePlan};
use crate::route::Route;
use crate::route::steps::OnError;
use crate::runtime::{Sinks, Uncontrolled, drive, sink_opening};
use crate::transport::Intake;
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{CheckpointStore, Span, View, ViewError, ViewStart};
use lease::Lease;
use report::{Ending, ReplayReport, ReplayStatus, Summary};
use selection::{Chooser, Chosen, events};
use sinks::{DeadLetterRecorder, RecordedOutcomes, RecordingSink};
use source::DeadLetters;

/// At most so many are under way: their failures must fit into a checkpoint that is half full.
const WINDOW_EVENTS: usize = 128;
/// The longest back-off: a person waits for the end.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// There an answer is waited for.
const DEADLINE_AT_THE_PAGE: Duration = Duration::from_secs(20);
/// For the place of the dead letters, however short the deadline.
const ANSWER_MIN: Duration = Duration::from_secs(10);
/// Dead letters that come during a replay are for the next one.
const ALL: Span = Span {
    start: ViewStart::Earliest,
    follows: false,
};

#[derive(Args, Clone, Debug)]
pub(crate) struct ReplayOptions {
    /// The route whose dead letters are sent again
    #[arg(long, value_name = "NAME")]
    route: String,
    #[command(flatten)]
    choice: Choice,
    /// The source of the events of --id, where events of several sources have one of the ids
    #[arg(long, value_name = "SOURCE", requires = "id")]
    source: Option<String>,
    /// Send none of them: note that --all is to leave them alone from now on
    ///
    /// They stay where they are, and --id still sends them.
    #[arg(long)]
    dismiss: bool,
    /// Say what would be sent or dismissed, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// How long an event may fail before it is given up
    ///
    /// Also how long nothing at all may be read or taken before the rest is not tried.
    #[arg(long, value_name = "SPAN", default_value = "60s")]
    deadline: Interval,
    /// Of an operator at the admin port: of those that lie there the open ones. Signals are meant for the daemon then.
    #[arg(skip)]
    positions: Option<BTreeSet<String>>,
}

#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
struct Choice {
    /// All that are neither delivered by an earlier replay nor dismissed
    #[arg(long)]
    all: bool,
    /// Those whose event has exactly this id, also if it was delivered by a replay or dismissed
    #[arg(long, value_name = "ID", num_args = 1..)]
    id: Vec<String>,
}

impl From<ViewError> for ToolError {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::NoCheckpoints(what) => Self::Usage(what),
            failed => Self::Failed(format!("the dead letters cannot be read: {failed}")),
        }
    }
}

/// What becomes of each event is on standard output; one that fails again is no error.
pub(crate) fn run(options: &ReplayOptions, plan: &Plan) -> Result<u8, ToolError> {
    let level = match options.dismiss {
        true => LevelFilter::WARN,
        false => LevelFilter::ERROR,
    };
    logging::start(plan.log.format, level, io::stderr)?;
    let summary = options.run(plan, Box::new(io::stdout()))?;
    logging::say(&summary);
    Ok(match summary.ending {
        Ending::Interrupted => INTERRUPTED,
        _ if summary.is_done() => DONE,
        _ => FAILED,
    })
}

/// Of an operator at the admin port.
pub(crate) fn handle(document: &Document, choice: orders::Choice) -> Result<Handled, ToolError> {
    let plan = Plan::prove(document, TRANSPORTS)?;
    let asked = choice.positions.len() as u64;
    let options = ReplayOptions {
        route: choice.route,
        choice: Choice {
            all: true,
            id: Vec::new(),
        },
        source: None,
        dismiss: choice.dismiss,
        dry_run: false,
        deadline: Interval(DEADLINE_AT_THE_PAGE),
        positions: Some(choice.positions.into_iter().collect()),
    };
    let handled = options.run(&plan, Box::new(io::sink()))?.handled(asked);
    let (route, delivered, failed) = (&options.route, handled.delivered, handled.failed);
    let dismissed = handled.dismissed;
    tracing::info!(
        route,
        asked,
        delivered,
        failed,
        dismissed,
        "dead letters were handled by an operator"
    );
    Ok(handled)
}

impl ReplayOptions {
    fn run(&self, plan: &Plan, out: Box<dyn Write>) -> Result<Summary, ToolError> {
        block_on(self.replay(plan, out).instrument(route_span(&self.route)))?
    }

    async fn replay(&self, plan: &Plan, out: Box<dyn Write>) -> Result<Summary, ToolError> {
        let route = plan.route(&self.route).map_err(ToolError::Usage)?;
        let place = dead_letters(&self.route, route.dead_letter.as_deref())?;
        let timeout = self.deadline.0.max(ANSWER_MIN);
        let view = async || Ok::<_, ViewError>(with_timeout(place.open(ALL).await?, timeout));
        let dismissal = match self.dry_run {
            true => ReplayStatus::WouldDismiss,
            false => ReplayStatus::Dismissed,
        };
        let positions = self.positions.clone();
        let mut chooser = Chooser {
            route: self.route.clone(),
            chosen: positions.map_or(Chosen::All, Chosen::Positions),
            dismissal: self.dismiss.then_some(dismissal),
            decoder: route.config.decoder.clone(),
            ledger: Ledger::default(),
            report: ReplayReport::new(out),
        };
        if !self.choice.all {
            let ids = &self.choice.id;
            // Whether an id means one event is known when all is read.
            let found = events(view().await?, ids, self.source.as_deref(), &chooser).await?;
            let missing = ids.iter().filter(|id| !found.contains_key(*id));
            chooser.report.summary.missing = missing.cloned().collect();
            chooser.chosen = Chosen::Events(found);
        }
        let mut view = view().await?.peekable();
        let checkpoints = place.checkpoints(&format!("cenl-replay-{}", self.route));
        let checkpoints = checkpoints.await?;
        if Pin::new(&mut view).peek().await.is_none() {
            // An empty file has no first line that a checkpoint could name.
            return Ok(chooser.report.summary);
        }
        let view = View::new(view, BTreeSet::new());
        if self.dry_run {
            chooser.ledger = Ledger::of(&checkpoints.read().await?);
            return Ok(list(view, chooser).await?.report.summary);
        }
        let turn = place.checkpoints(&format!("cenl-turn-{}", self.route));
        let mut lease = Lease::acquire(turn.await?).await?;
        chooser.ledger = Ledger::of(&checkpoints.read().await?);
        let work = async {
            match self.dismiss {
                true => dismiss(view, checkpoints, chooser, timeout).await,
                false => self.send(plan, route, view, checkpoints, chooser).await,
            }
        };
        tokio::select! {
            done = work => {
                lease.release().await;
                done
            }
            taken = lease.renew() => Err(taken),
        }
    }

    /// Until all are settled, or ctrl-c.
    async fn send(
        &self,
        plan: &Plan,
        route: &RoutePlan,
        view: View,
        checkpoints: Box<dyn CheckpointStore>,
        chooser: Chooser,
    ) -> Result<Summary, ToolError> {
        // As the route is configured, but it gives up while somebody waits.
        let mut config = route.config.clone();
        let (retry, deadline) = (&mut config.retry, self.deadline.0);
        retry.age_max = Some(retry.age_max.map_or(deadline, |most| most.min(deadline)));
        retry.maximum = retry.maximum.min(WAIT_MAX).max(retry.initial);
        // An event that fails alone is given up before the whole replay is.
        let timeout = deadline + 2 * retry.maximum;
        (config.on_error, config.stop_after) = (OnError::DeadLetter, 0);
        let answers = Rc::new(RecordedOutcomes::default());
        let sink = (route.sink).open(sink_opening(route));
        let sinks = Sinks {
            sink: Rc::new(RecordingSink {
                sink: sink.context("the destination cannot be opened")?,
                outcomes: config.outcomes.clone(),
                answers: Rc::clone(&answers),
            }),
            dead_letters: Some(Rc::new(DeadLetterRecorder(Rc::clone(&answers)))),
        };
        let capacity = Capacity {
            events: route.window.events.min(WINDOW_EVENTS),
            bytes: route.window.bytes,
        };
        let source = DeadLetters {
            chooser: RefCell::new(chooser),
            checkpoints,
            window: Window::recorded(capacity, &Share::unbounded()),
            open: RefCell::default(),
            answers,
            timeout,
        };
        let is_unattended = self.positions.is_some();
        let stop = async move {
            interrupted(is_unattended).await;
            Instant::now() + plan.shutdown_deadline
        };
        // A second ctrl-c ends the process; that costs only repeats.
        spawn_local(async move {
            interrupted(is_unattended).await;
            interrupted(is_unattended).await;
            std::process::exit(INTERRUPTED.into());
        });
        let (intake, taken) = Intake::new();
        let route = Route::new(config, fastrand::u64(..));
        let route = drive(route, taken, sinks, Uncontrolled);
        let (summary, _) = tokio::join!(source.run(view, intake, stop), route);
        Ok(summary)
    }
}

async fn list(mut view: View, mut chooser: Chooser) -> Result<Chooser, ToolError> {
    let status = chooser.dismissal.unwrap_or(ReplayStatus::Listed);
    while let Some(viewed) = view.try_next().await? {
        if let Some((_, letter)) = chooser.choose(viewed) {
            (chooser.report).record(status, &letter, Some(&letter.explanation));
            if chooser.dismissal.is_some() {
                chooser.ledger.dismiss(letter.at);
            }
        }
    }
    Ok(chooser)
}

/// All of them, or none.
async fn dismiss(
    view: View,
    checkpoints: Box<dyn CheckpointStore>,
    chooser: Chooser,
    answer_max: Duration,
) -> Result<Summary, ToolError> {
    let chooser = list(view, chooser).await?;
    let noted = chooser.ledger.changes();
    let longest = noted.values().map(|it| it.beyond.len()).max();
    if longest > Some(ledger::CHECKPOINT_ROOM) {
        let what = "nothing is dismissed: they lie among more others than can be noted one by one: replay first, or dismiss all";
        return Err(ToolError::Failed(what.to_owned()));
    }
    if longest.is_some() {
        let written = answer(answer_max, checkpoints.write(noted)).await;
        let unknown = "it is not known whether they are dismissed";
        written.map_err(|error| ToolError::Failed(format!("{unknown}: {error}")))?;
    }
    let summary = chooser.report.summary;
    let count = summary.count(ReplayStatus::Dismissed);
    tracing::warn!(
        count,
        "dead letters were dismissed: replay --all leaves them alone"
    );
    Ok(summary)
}

async fn interrupted(is_unattended: bool) {
    if is_unattended || ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
