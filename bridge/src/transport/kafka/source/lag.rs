//! How many records lie behind what is settled. Fetches bring the ends of partitions, but a partition whose
//! window is full is not fetched, so they are asked for. With them comes what KIP-848 tells nobody: that the
//! coordinator of the group is away, or the topic is gone.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::consumer::Consumer;
use tokio::time::sleep;

use super::assignment::{Assignment, Partition};
use crate::transport::kafka::client::Client;
use crate::transport::kafka::offsets::{BRIEF_TIMEOUT, Questions, read};

const INTERVAL: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
/// Until the first answer.
const SOON: Duration = Duration::from_secs(1);
/// Two statistics, and some time for them to come.
const COORDINATOR_AWAY: Duration = Duration::from_secs(12);

/// One request for all partitions. May be dropped.
pub(super) async fn watch(assignment: &Assignment) {
    let status = &assignment.source.status;
    let mut pause = SOON;
    loop {
        sleep(pause).await;
        if let Some(joined) = is_member(assignment).await {
            status.set_joined(joined);
        }
        if !status.joined() {
            continue;
        }
        // The consumer protocol of KIP-848 tells nobody whose own partitions stay the same.
        let known = assignment.client.context().watchdog.state().partition_count;
        assignment.grows(known);
        pause = INTERVAL;
        pass_markers(assignment).await;
        let asked = assignment.open.borrow().keys().copied().collect();
        let ends = assignment.ends(asked, BRIEF_TIMEOUT).await;
        let behind = ends.map(|ends| {
            let open = assignment.open.borrow();
            let lag = |(it, end): (i32, i64)| Some(end - open.get(&it)?.settled().max(0));
            let lags = ends.into_iter().filter_map(lag);
            let lag: u64 = lags.filter_map(|lag| u64::try_from(lag).ok()).sum();
            lag.saturating_sub(status.events() as u64)
        });
        if let Err(error) = &behind {
            tracing::debug!(%error, "the ends of partitions are not known");
        }
        // It may have left meanwhile.
        if status.joined() {
            status.set_behind(behind.ok());
        }
    }
}

/// Of a group of KIP-848; nothing where that is not known.
async fn is_member(assignment: &Assignment) -> Option<bool> {
    let (source, client) = (&assignment.source, &assignment.client);
    if source.status.refused() || !source.cluster.speaks_consumer_protocol() {
        return None;
    }
    let coordinated = client.context().watchdog.state().coordinated;
    if coordinated?.elapsed() > COORDINATOR_AWAY {
        return Some(false);
    }
    if !assignment.open.borrow().is_empty() {
        return Some(true);
    }
    let topic = Arc::clone(&assignment.topic);
    let ask = move |client: &Client| Questions::new(client, &topic, BRIEF_TIMEOUT).has_topic();
    let has_topic = assignment.ask(ask).await.ok()?;
    if !has_topic {
        source.misses_topic(client);
    }
    Some(has_topic)
}

/// Behind the last record may lie what is none, such as the end of a transaction. Uncommitted, it is a lag, and an
/// offset that is lost once the log begins behind it.
async fn pass_markers(assignment: &Assignment) {
    let open = || assignment.open.borrow();
    let window = |(partition, it): (&i32, &Partition)| (*partition, Rc::clone(&it.window));
    let asked: BTreeMap<_, _> = open().iter().map(window).collect();
    let handed_over = assignment.ask(|client| read(&client.position()?)).await;
    for (partition, next) in handed_over.unwrap_or_default() {
        // It may have been taken away meanwhile, and have come back.
        if let (Some(opened), Some(window)) = (open().get(&partition), asked.get(&partition))
            && Rc::ptr_eq(&opened.window, window)
        {
            pass(opened, next);
        }
    }
}

/// `next` lies behind all that was handed over in this assignment, what a reader had in hand too.
pub(super) fn pass(opened: &Partition, next: i64) {
    if opened.waits.get()
        && let Ok(last) = u64::try_from(next - 1)
    {
        opened.window.pass(last);
    }
}
