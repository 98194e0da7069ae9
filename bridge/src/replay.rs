//! `cenl-bridge replay`: sends the dead letters of a route again, through the route itself: the same
//! steps, the same sink, the same table from answer to next step. Only the ends differ: its source
//! is the place of the dead letters, and what fails again stays there.
//!
//! What was delivered is noted beside the dead letters, so that a repeat leaves it alone. The note is
//! written after the delivery: a crash between the two sends an event again, never skips one.

mod done;
mod ledger;
mod report;
mod sinks;
mod source;
mod sources;
mod turn;
mod views;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;
use tokio::signal::ctrl_c;
use tokio::sync::watch;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::Instant;

use crate::config::Interval;
use crate::delivery::Window;
use crate::delivery::window::Capacity;
use crate::plan::{Plan, RoutePlan};
use crate::route::Route;
use crate::route::steps::{Instructions, OnError};
use crate::runtime::{Sinks, drive, instructions, sink_opening};
use crate::tail::dead_letters;
use crate::transport::contract::OpenError;
use crate::transport::view::{NoNotes, Notes, OpenView, Span, ViewError, ViewStart};
use crate::transport::{Intake, Source, SourceError, Stop};
use ledger::Ledger;
use report::Report;
pub use report::{Ending, Summary};
use sinks::{Heard, Overheard, Reasons};
use source::{Chooser, DeadLetters, Selection};
use sources::events;
use turn::Turn;
use views::{Views, views};

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
pub struct Options {
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
#[non_exhaustive]
pub enum ReplayError {
    /// The route was named wrongly, or has no dead letters.
    #[error("{0}")]
    Usage(String),
    /// The dead letters cannot be read.
    #[error("the dead letters cannot be read: {0}")]
    View(#[from] ViewError),
    /// Another process replays the route.
    #[error(
        "another replay of this route runs, and nothing more was sent: wait until it has ended"
    )]
    Taken,
    /// The destination cannot be opened.
    #[error("the destination cannot be opened: {0}")]
    Sink(#[from] OpenError),
    /// A part of the route ended by itself.
    #[error("the replay ended by itself: {0}")]
    Source(#[from] SourceError),
    /// The system gives no runtime.
    #[error("the system gives no runtime: {0}")]
    System(#[from] io::Error),
}

/// Sends dead letters again and says on `out` what became of each.
///
/// # Errors
/// When nothing could be sent. An event that fails again is no error but part of the [`Summary`].
pub fn run(
    options: &Options,
    plan: &Plan,
    out: impl Write + 'static,
) -> Result<Summary, ReplayError> {
    let view = dead_letters(plan, &options.route).map_err(ReplayError::Usage)?;
    let route = plan.route(&options.route).map_err(ReplayError::Usage)?;
    let decoder = plan.decoder.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let work = async {
        let selection = options.selection(view.as_ref(), &decoder).await?;
        let opened = view.open(ALL).await?;
        // The notes are about what is opened.
        let name = format!("cenl-replay-{}", options.route);
        let mut turn = match options.dry_run {
            true => None,
            false => {
                let turn = format!("cenl-turn-{}", options.route);
                Some(Turn::take(notes(view.as_ref(), &turn).await?).await?)
            }
        };
        let notes = notes(view.as_ref(), &name).await?;
        let ledger = Ledger::of(&notes.read().await?);
        let chooser = options.chooser(selection, decoder, ledger);
        let report = Report::new(out);
        let views = views(opened, options.patience());
        let Some(turn) = &mut turn else {
            return list(views, chooser, report).await;
        };
        let letters = Letters {
            views,
            notes,
            chooser,
        };
        tokio::select! {
            sent = send(options, route, letters, report, plan) => {
                turn.leave().await;
                sent
            }
            taken = turn.keep() => Err(taken),
        }
    };
    let summary = LocalSet::new().block_on(&runtime, work);
    // A question to a broker that is still open is waited for by nobody.
    runtime.shutdown_background();
    summary
}

/// The dead letters, where to note what was delivered, and which to send.
struct Letters {
    views: Views,
    notes: Box<dyn Notes>,
    chooser: Chooser,
}

impl Options {
    fn ids(&self) -> BTreeSet<String> {
        self.choice.id.iter().cloned().collect()
    }

    /// How long the place of the dead letters may say nothing.
    fn patience(&self) -> Duration {
        self.deadline.0.max(ANSWER_MIN)
    }

    /// What is to be sent. Where ids say it without a source, all is read once before anything is
    /// sent: nobody knows sooner whether an id means one event.
    async fn selection(
        &self,
        view: &dyn OpenView,
        decoder: &Decoder,
    ) -> Result<Selection, ReplayError> {
        if self.choice.all {
            return Ok(Selection::All);
        }
        let ids = self.ids();
        Ok(Selection::Events(match &self.source {
            Some(source) => {
                let of = |id| (id, Some(source.clone()));
                ids.into_iter().map(of).collect()
            }
            None => {
                let views = views(view.open(ALL).await?, self.patience());
                events(views, &ids, &self.route, decoder).await?
            }
        }))
    }

    fn chooser(&self, selection: Selection, decoder: Decoder, ledger: Ledger) -> Chooser {
        Chooser {
            route: self.route.clone(),
            missing: self.ids(),
            selection,
            decoder,
            ledger,
        }
    }

    /// What the route is told: as always, but that it gives up while somebody waits.
    fn instructions(&self, route: &RoutePlan, decoder: Decoder) -> Instructions {
        let mut instructions = instructions(route, decoder);
        let retry = &mut instructions.retry;
        let deadline = self.deadline.0;
        retry.age_max = Some(retry.age_max.map_or(deadline, |most| most.min(deadline)));
        retry.maximum = retry.maximum.min(WAIT_MAX).max(retry.initial);
        instructions.on_error = OnError::DeadLetter;
        instructions
    }
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
    mut report: Report<'static>,
) -> Result<Summary, ReplayError> {
    while let Some(viewed) = views.try_next().await? {
        if let Some((_, letter)) = chooser.choose(viewed, &mut report) {
            report.listed(&letter);
        }
    }
    report.summary.missing = chooser.missing.into_iter().collect();
    Ok(report.summary)
}

/// Drives the route from its dead letters until all are settled, or ctrl-c ends it.
async fn send(
    options: &Options,
    route: &RoutePlan,
    letters: Letters,
    report: Report<'static>,
    plan: &Plan,
) -> Result<Summary, ReplayError> {
    let instructions = options.instructions(route, letters.chooser.decoder.clone());
    let heard = Rc::new(Heard::default());
    let sinks = Sinks {
        sink: Rc::new(Overheard {
            sink: route
                .sink
                .open(sink_opening(route, plan.decoder.limits()))?,
            heard: Rc::clone(&heard),
        }),
        dead_letters: Some(Rc::new(Reasons(Rc::clone(&heard)))),
    };
    let report = Rc::new(RefCell::new(report));
    let source = Box::new(DeadLetters {
        views: letters.views,
        notes: letters.notes,
        chooser: letters.chooser,
        window: Window::recorded(Capacity {
            events: route.window.events.min(WINDOW_EVENTS),
            bytes: route.window.bytes,
        }),
        heard,
        report: Rc::clone(&report),
        // An event that fails alone is given up before the whole replay is.
        patience: options.deadline.0 + 2 * instructions.retry.maximum,
        settled: Instant::now(),
    });
    let (stopper, stop) = Stop::new();
    spawn_local(stop_on_ctrl_c(stopper, plan.shutdown_deadline));
    let (intake, taken) = Intake::new();
    let route = Route::new(instructions, fastrand::u64(..));
    let (left, ()) = tokio::join!(source.run(intake, stop), drive(route, taken, sinks, |_| {}));
    left?;
    let summary = std::mem::take(&mut report.borrow_mut().summary);
    Ok(summary)
}

/// The first ctrl-c lets what is under way finish; the second ends the process, which costs repeats
/// and nothing else.
async fn stop_on_ctrl_c(stopper: watch::Sender<Option<Instant>>, deadline: Duration) {
    if ctrl_c().await.is_ok() {
        stopper.send_replace(Some(Instant::now() + deadline));
    }
    if ctrl_c().await.is_ok() {
        std::process::exit(crate::cli::INTERRUPTED.into());
    }
    stopper.closed().await;
}
