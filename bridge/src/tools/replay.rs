//! `cenl-bridge replay`: sends the dead letters of a route again, through the route itself: the same
//! steps, the same sink, the same table from answer to next step. Only the ends differ: its source
//! is the place of the dead letters, and what fails again stays there.
//!
//! What was delivered is noted beside the dead letters, so that a repeat leaves it alone. The note is
//! written after the delivery: a crash between the two sends an event again, never skips one.

mod done;
mod ledger;
mod report;
mod selection;
mod sinks;
mod source;
mod turn;

use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use cloudevents_nl_codec::Decoder;
use futures_util::stream::{LocalBoxStream, try_unfold};
use futures_util::{StreamExt, TryStreamExt};
use tokio::signal::ctrl_c;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, timeout};

use super::{INTERRUPTED, dead_letters};
use crate::config::Interval;
use crate::delivery::Window;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::plan::{Plan, RoutePlan};
use crate::route::Route;
use crate::route::steps::{Instructions, OnError};
use crate::runtime::{Sinks, drive, instructions, sink_opening};
use crate::transport::Intake;
use crate::transport::contract::OpenError;
use crate::transport::view::{NoNotes, Notes, OpenView, Span, View, ViewError, ViewStart, Viewed};
use ledger::Ledger;
pub(crate) use report::{Ending, Summary};
use report::{Fate, Report};
use selection::{Chooser, Selection, events};
use sinks::{Answers, DeadLetterRecorder, RecordingSink};
use source::DeadLetters;
use turn::Turn;

/// Most dead letters under way, whatever the window of the route: their failures must fit into a
/// note that is half full.
const WINDOW_EVENTS: usize = 128;
/// The longest wait between two attempts: a person waits for the end.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// The place of the dead letters has so long for an answer, however short the deadline.
const ANSWER_MIN: Duration = Duration::from_secs(10);
/// Dead letters that come while a replay runs are for the next one.
const ALL: Span = Span {
    start: ViewStart::Earliest,
    follows: false,
};

/// What to send again.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The route whose dead letters are sent again
    #[arg(long, value_name = "NAME")]
    route: String,
    #[command(flatten)]
    choice: Choice,
    /// The source of the events of --id, where events of several sources have one of the ids
    #[arg(long, value_name = "SOURCE", requires = "id")]
    source: Option<String>,
    /// Say what would be sent, and send nothing
    #[arg(long)]
    dry_run: bool,
    /// How long an event may fail before it is given up
    ///
    /// Also how long nothing at all may be read or taken before the rest is not tried.
    #[arg(long, value_name = "SPAN", default_value = "60s")]
    deadline: Interval,
}

#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
struct Choice {
    /// All that no earlier replay has delivered
    #[arg(long)]
    all: bool,
    /// Those whose event has exactly this id, also if an earlier replay has delivered it
    #[arg(long, value_name = "ID", num_args = 1..)]
    id: Vec<String>,
}

/// Why nothing was sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplayError {
    /// The route was named wrongly, or has no dead letters.
    #[error("{0}")]
    Usage(String),
    #[error("the dead letters cannot be read: {0}")]
    View(#[from] ViewError),
    #[error(
        "another replay of this route runs, and nothing more was sent: wait until it has ended"
    )]
    Taken,
    #[error("the destination cannot be opened: {0}")]
    Sink(#[from] OpenError),
    #[error("the system gives no runtime: {0}")]
    System(#[from] io::Error),
}

/// Sends dead letters again and says on `out` what became of each. An event that fails again is no
/// error but part of the [`Summary`].
pub(crate) fn run(
    options: &Options,
    plan: &Plan,
    out: impl Write + 'static,
) -> Result<Summary, ReplayError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let summary = LocalSet::new().block_on(&runtime, replay(options, plan, Report::new(out)));
    // A question to a broker that is still open is waited for by nobody.
    runtime.shutdown_background();
    summary
}

async fn replay(options: &Options, plan: &Plan, report: Report) -> Result<Summary, ReplayError> {
    let view = dead_letters(plan, &options.route).map_err(ReplayError::Usage)?;
    let route = plan.route(&options.route).map_err(ReplayError::Usage)?;
    let decoder = plan.decoder.clone();
    let patience = options.deadline.0.max(ANSWER_MIN);
    let ids = options.choice.id.iter().cloned().collect();
    let selection = match &options.source {
        _ if options.choice.all => Selection::All,
        Some(source) => {
            let of = |id: &String| (id.clone(), Some(source.clone()));
            Selection::Events(options.choice.id.iter().map(of).collect())
        }
        // Nobody knows whether an id means one event before all is read.
        None => {
            let views = views(view.open(ALL).await?, patience);
            Selection::Events(events(views, &ids, &options.route, &decoder).await?)
        }
    };
    let views = views(view.open(ALL).await?, patience);
    // The notes are about what is opened.
    let mut turn = match options.dry_run {
        true => None,
        false => {
            let name = format!("cenl-turn-{}", options.route);
            Some(Turn::take(notes(view.as_ref(), &name).await?).await?)
        }
    };
    let notes = notes(view.as_ref(), &format!("cenl-replay-{}", options.route)).await?;
    let chooser = Chooser {
        route: options.route.clone(),
        missing: ids,
        selection,
        decoder,
        ledger: Ledger::of(&notes.read().await?),
    };
    let Some(turn) = &mut turn else {
        return list(views, chooser, report).await;
    };
    tokio::select! {
        sent = send(options, route, (views, notes, chooser, report), plan) => {
            turn.leave().await;
            sent
        }
        taken = turn.keep() => Err(taken),
    }
}

/// The messages of a view. Waiting for the next one may be given up and taken up again at will.
type Views = LocalBoxStream<'static, Result<Viewed, ViewError>>;

/// The messages of a view, of which each comes within `patience`. The stream owns the question that is
/// under way: begun anew whenever something else happens, it might never be answered.
fn views(view: Box<dyn View>, patience: Duration) -> Views {
    let silent = move |_| ViewError {
        reason: "no answer",
        detail: format!("within {} s", patience.as_secs_f32()),
    };
    try_unfold(view, move |mut view| async move {
        let viewed = timeout(patience, view.next()).await.map_err(silent)??;
        Ok(viewed.map(|viewed| (viewed, view)))
    })
    .boxed_local()
}

async fn notes(view: &dyn OpenView, name: &str) -> Result<Box<dyn Notes>, ReplayError> {
    view.notes(name).await.map_err(|error| match error {
        NoNotes::Unsuited(why) => {
            let place = view.address();
            let what = format!("{place} can keep no notes of what was sent again: {why}");
            ReplayError::Usage(what)
        }
        NoNotes::View(error) => ReplayError::View(error),
    })
}

/// Says what would be sent.
async fn list(
    mut views: Views,
    mut chooser: Chooser,
    mut report: Report,
) -> Result<Summary, ReplayError> {
    while let Some(viewed) = views.try_next().await? {
        if let Some((_, letter)) = chooser.choose(viewed, &mut report) {
            report.tell(Fate::Listed, &letter, Some(&letter.explanation));
        }
    }
    report.summary.missing = chooser.missing.into_iter().collect();
    Ok(report.summary)
}

/// Drives the route from its dead letters until all are settled, or ctrl-c ends it.
async fn send(
    options: &Options,
    route: &RoutePlan,
    (views, notes, chooser, report): (Views, Box<dyn Notes>, Chooser, Report),
    plan: &Plan,
) -> Result<Summary, ReplayError> {
    let instructions = options.instructions(route, plan.decoder.clone());
    let answers = Rc::new(Answers::default());
    let sink = route
        .sink
        .open(sink_opening(route, plan.decoder.limits()))?;
    let sinks = Sinks {
        sink: Rc::new(RecordingSink {
            sink,
            outcomes: route.outcomes.clone(),
            answers: Rc::clone(&answers),
        }),
        dead_letters: Some(Rc::new(DeadLetterRecorder(Rc::clone(&answers)))),
    };
    let source = DeadLetters {
        views,
        notes,
        chooser,
        window: Window::recorded(
            Capacity {
                events: route.window.events.min(WINDOW_EVENTS),
                bytes: route.window.bytes,
            },
            &Share::unbounded(),
        ),
        answers,
        report,
        // An event that fails alone is given up before the whole replay is.
        patience: options.deadline.0 + 2 * instructions.retry.maximum,
        settled: Instant::now(),
    };
    let stop = async {
        interrupted().await;
        Instant::now() + plan.shutdown_deadline
    };
    // A second ctrl-c ends the process at once, which costs repeats and nothing else.
    spawn_local(async {
        interrupted().await;
        interrupted().await;
        std::process::exit(INTERRUPTED.into());
    });
    let (intake, taken) = Intake::new();
    let route = Route::new(instructions, fastrand::u64(..));
    let route = drive(route, taken, sinks, |_| {});
    let (summary, ()) = tokio::join!(source.run(intake, stop), route);
    Ok(summary)
}

async fn interrupted() {
    if ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

impl Options {
    /// What the route is told: as always, but that it gives up while somebody waits.
    fn instructions(&self, route: &RoutePlan, decoder: Decoder) -> Instructions {
        let mut instructions = instructions(route, decoder);
        instructions.has_waiting_sender = false;
        let retry = &mut instructions.retry;
        let deadline = self.deadline.0;
        retry.age_max = Some(retry.age_max.map_or(deadline, |most| most.min(deadline)));
        retry.maximum = retry.maximum.min(WAIT_MAX).max(retry.initial);
        instructions.on_error = OnError::DeadLetter;
        instructions
    }
}
