//! What people run beside the daemon. Tools know nothing of the command line, which gives them options and leaves
//! the exit code that they return.

pub(crate) mod convert;
pub(crate) mod demo;
mod ledger;
pub(crate) mod letters;
pub(crate) mod replay;
mod shown;
pub(crate) mod status;
pub(crate) mod tail;

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use anyhow::Context as _;
use futures_util::TryStreamExt;
use futures_util::stream::try_unfold;
use tokio::time::timeout;

use crate::config::Problems;
use crate::shared;
use crate::transport::contract::OpenSink;
use crate::transport::view::{OpenView, View, ViewError};

/// As a sentence.
#[derive(Debug)]
pub(crate) enum ToolError {
    /// The command line is wrong.
    Usage(String),
    Settings(Problems),
    Failed(String),
    /// Somebody else does it just now.
    Taken(String),
}

impl From<Problems> for ToolError {
    fn from(problems: Problems) -> Self {
        Self::Settings(problems)
    }
}

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}

pub(crate) const DONE: u8 = 0;
pub(crate) const FAILED: u8 = 1;
pub(crate) const INTERRUPTED: u8 = 130;

/// What is still open at the end has a moment to close.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> anyhow::Result<T> {
    shared::block_on(work).context("the system gives no runtime")
}

/// A line on standard output.
pub(crate) fn print(text: impl fmt::Display) -> anyhow::Result<()> {
    is_taken(writeln!(io::stdout(), "{text}")).map(drop)
}

/// False when the reader went away: who reads no further has what he wanted.
pub(crate) fn is_taken(written: io::Result<()>) -> anyhow::Result<bool> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written
            .map(|()| true)
            .context("the output cannot be written"),
    }
}

/// Of a place of messages, within `limit`.
async fn answer<T>(
    limit: Duration,
    asked: impl Future<Output = Result<T, ViewError>>,
) -> Result<T, ViewError> {
    let late = || ViewError::Failed(format!("no answer within {} s", limit.as_secs_f32()));
    let answered = timeout(limit, asked).await;
    answered.unwrap_or_else(|_| Err(late()))
}

/// Fails when the next message takes longer than `limit`.
fn with_timeout(view: View, limit: Duration) -> View {
    let shortened = view.shortened.clone();
    let messages = try_unfold(view, move |mut view| async move {
        let viewed = answer(limit, view.try_next()).await?;
        Ok(viewed.map(|viewed| (viewed, view)))
    });
    View::new(messages, shortened)
}

fn dead_letters(route: &str, sink: Option<&dyn OpenSink>) -> Result<Box<dyn OpenView>, ToolError> {
    let Some(sink) = sink else {
        let what = format!("route {route} has no dead letters");
        return Err(ToolError::Usage(what));
    };
    sink.view().ok_or_else(|| {
        let place = sink.address();
        let lie = format!("the dead letters of route {route} lie in {place}");
        ToolError::Usage(format!("{lie}, which cannot be looked at"))
    })
}
