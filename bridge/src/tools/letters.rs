//! The newest dead letters of a route, for the operations page: read as `tail` reads them.

use std::collections::BTreeMap;
use std::time::Duration;

use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;
use jiff::Timestamp;
use tokio::time::timeout;

use super::shown::MessageLine;
use super::tail::ledger;
use super::{ToolError, dead_letters, runtime};
use crate::admin::overview::DeadLetterLine;
use crate::config::Document;
use crate::plan::look;
use crate::route::dead_letter::restore;
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{OpenView, Span, ViewError, ViewStart};

const LETTERS_MAX: usize = 50;
/// Of each partition, where others lie among them.
const FURTHER: u64 = 5_000;
/// Somebody waits for a page.
const LIMIT: Duration = Duration::from_secs(15);

/// The newest first.
pub(crate) fn newest(document: &Document, route: &str) -> Result<Vec<DeadLetterLine>, ToolError> {
    let (_, decoder) = look::common(document)?;
    let sink = look::dead_letter(document, TRANSPORTS, route)?;
    let view = dead_letters(route, sink.as_deref())?;
    let runtime = runtime()?;
    let read = runtime.block_on(async { timeout(LIMIT, read(&*view, route, &decoder)).await });
    // Nobody waits for requests that are still open.
    runtime.shutdown_background();
    let late = |_| ViewError::Failed(format!("no answer within {} s", LIMIT.as_secs()));
    Ok(read.unwrap_or_else(|elapsed| Err(late(elapsed)))?)
}

async fn read(
    view: &dyn OpenView,
    route: &str,
    decoder: &Decoder,
) -> Result<Vec<DeadLetterLine>, ViewError> {
    let ledger = ledger(view, route).await?;
    let mut newest = BTreeMap::new();
    for start in [
        ViewStart::Last(LETTERS_MAX as u64),
        ViewStart::Last(FURTHER),
    ] {
        newest.clear();
        let (mut read, mut others) = (0_u64, false);
        let follows = false;
        let mut messages = view.open(Span { start, follows }).await?;
        while let Some(viewed) = messages.try_next().await? {
            let letter = restore(&viewed.received).filter(|(_, why)| why.route == route);
            let Some((content, why)) = letter else {
                others = true;
                continue;
            };
            read += 1;
            let shown = MessageLine::of(&content, decoder);
            let died: Option<Timestamp> = why.last_attempt.parse().ok();
            let line = DeadLetterLine {
                position: content.position.to_string(),
                written: died,
                state: ledger.state(viewed.at),
                kind: why.kind,
                status: why.status,
                attempts: why.attempts.parse().unwrap_or_default(),
                id: shown.id,
                source: shown.source,
                r#type: shown.r#type,
            };
            newest.insert((died, read), line);
            if newest.len() > LETTERS_MAX {
                newest.pop_first();
            }
        }
        if newest.len() == LETTERS_MAX || !others {
            break;
        }
    }
    Ok(newest.into_values().rev().collect())
}
