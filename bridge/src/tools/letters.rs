//! The newest dead letters of a route, for the operations page, and how many are open: read as `tail` reads them.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, bail};
use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;
use jiff::Timestamp;
use tokio::task::consume_budget;
use tokio::time::timeout;

use super::shown::MessageLine;
use super::tail::ledger;
use super::{ToolError, answer, block_on, dead_letters};
use crate::admin::overview::{DeadLetterLine, LetterState};
use crate::config::Document;
use crate::plan::look;
use crate::route::dead_letter::{explain, restore};
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{OpenView, Span, ViewError, ViewStart};

const LETTERS_MAX: usize = 50;
/// Of a place whose open dead letters are counted.
const COUNTED_MAX: usize = 1_000_000;
/// For each route: others wait behind it.
const COUNT_LIMIT: Duration = Duration::from_secs(300);
/// Of each partition, where others lie among them.
const FURTHER: u64 = 5_000;
/// Somebody waits for a page.
const LIMIT: Duration = Duration::from_secs(15);

/// The newest first.
pub(crate) fn newest(document: &Document, route: &str) -> Result<Vec<DeadLetterLine>, ToolError> {
    let (_, decoder) = look::common(document)?;
    let sink = look::dead_letter(document, TRANSPORTS, route)?;
    let view = dead_letters(route, sink.as_deref())?;
    Ok(block_on(answer(LIMIT, read(&*view, route, &decoder)))??)
}

async fn read(
    view: &dyn OpenView,
    route: &str,
    decoder: &Decoder,
) -> Result<Vec<DeadLetterLine>, ViewError> {
    let ledger = ledger(view, route).await?;
    let mut newest = BTreeMap::new();
    for last in [LETTERS_MAX as u64, FURTHER] {
        newest.clear();
        let mut counts = BTreeMap::<_, usize>::new();
        let (start, follows) = (ViewStart::Last(last), false);
        let mut messages = view.open(Span { start, follows }).await?;
        while let Some(viewed) = messages.try_next().await? {
            // A file never pends, and the limit counts there too.
            consume_budget().await;
            let letter = restore(&viewed.received).filter(|(_, why)| why.route == route);
            let Some((content, why)) = letter else {
                continue;
            };
            *counts.entry(viewed.at.partition).or_default() += 1;
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
            newest.insert((died, viewed.at), line);
            if newest.len() > LETTERS_MAX {
                newest.pop_first();
            }
        }
        // Where a partition has fewer, those of the others may be older than some that were not read.
        let has_enough = |it| counts.get(it).is_some_and(|count| *count >= LETTERS_MAX);
        if messages.shortened.iter().all(has_enough) {
            break;
        }
    }
    Ok(newest.into_values().rev().collect())
}

/// How many were neither replayed nor dismissed; `None` of a route that has none.
pub(crate) fn count_open(document: &Document, route: &str) -> anyhow::Result<Option<u64>> {
    // Settings that were proven: at most the route is gone meanwhile.
    let sink = look::dead_letter(document, TRANSPORTS, route);
    let Some(sink) = sink.ok().flatten() else {
        return Ok(None);
    };
    let Some(view) = sink.view() else {
        bail!("{} cannot be looked at", sink.address());
    };
    let read = block_on(async { timeout(COUNT_LIMIT, open(&*view, route)).await })?;
    let late = || format!("not read within {} s", COUNT_LIMIT.as_secs());
    Ok(Some(read.with_context(late)??))
}

async fn open(view: &dyn OpenView, route: &str) -> Result<u64, ViewError> {
    let ledger = ledger(view, route).await?;
    let (start, follows) = (ViewStart::Earliest, false);
    let mut messages = view.open(Span { start, follows }).await?;
    let (mut read, mut open) = (0, 0);
    while let Some(viewed) = messages.try_next().await? {
        // A file never pends, and the limit counts there too.
        consume_budget().await;
        read += 1;
        if read > COUNTED_MAX {
            let what = format!("more than {COUNTED_MAX} messages lie there");
            return Err(ViewError::Failed(what));
        }
        let is_own = explain(&viewed.received.headers).is_some_and(|why| why.route == route);
        open += u64::from(is_own && ledger.state(viewed.at) == LetterState::Open);
    }
    Ok(open)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cloudevents_nl_codec::{HeaderList, KAFKA};
    use futures_util::future::{LocalBoxFuture, ready};
    use futures_util::{FutureExt, StreamExt, stream};

    use super::*;
    use crate::delivery::{Position, Received};
    use crate::transport::address::Address;
    use crate::transport::view::{CheckpointStore, PartitionOffset, View, Viewed};

    /// A very long file.
    #[derive(Debug)]
    struct LongFile;

    impl OpenView for LongFile {
        fn address(&self) -> Address {
            unreachable!("nobody is told where it lies")
        }

        fn open(&self, _: Span) -> LocalBoxFuture<'_, Result<View, ViewError>> {
            let received = Received {
                binding: &KAFKA,
                headers: HeaderList::default(),
                key: None,
                body: None,
                timestamp_ms: None,
                position: Position::numbered("file:", 0),
                defect: None,
            };
            let viewed = Viewed {
                received,
                at: PartitionOffset::at(0),
                time_ms: None,
            };
            // More than can be read in the time of the test.
            let all = stream::repeat_with(move || Ok(viewed.clone())).take(3_000_000);
            ready(Ok(View::new(all, BTreeSet::new()))).boxed_local()
        }

        fn checkpoints(
            &self,
            _: &str,
        ) -> LocalBoxFuture<'_, Result<Box<dyn CheckpointStore>, ViewError>> {
            ready(Err(ViewError::NoCheckpoints(String::new()))).boxed_local()
        }
    }

    #[tokio::test]
    async fn a_place_that_never_pends_is_read_for_so_long_and_no_longer() {
        let decoder = Decoder::default();
        let read = timeout(Duration::from_millis(100), read(&LongFile, "a", &decoder));
        assert!(read.await.is_err());
    }
}
