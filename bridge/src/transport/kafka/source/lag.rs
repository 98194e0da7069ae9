//! How many records lie behind what is settled. Fetches bring the ends of partitions, but a partition whose
//! window is full is not fetched, so they are asked for.

use std::rc::Rc;
use std::time::Duration;

use rdkafka::consumer::Consumer;
use tokio::time::sleep;

use super::assignment::Assignment;
use crate::transport::kafka::offsets::{BRIEF_TIMEOUT, Offsets};

const INTERVAL: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
/// Until the first answer.
const SOON: Duration = Duration::from_secs(1);

/// One request for all partitions. May be dropped.
pub(super) async fn watch(assignment: Rc<Assignment>) {
    let status = &assignment.source.status;
    loop {
        sleep(status.lag().map_or(SOON, |_| INTERVAL)).await;
        if !status.joined() {
            continue;
        }
        // The consumer protocol of KIP-848 tells nobody whose own partitions stay the same.
        let known = assignment.client.context().watchdog.state().partition_count;
        assignment.grows(known);
        let asked: Vec<i32> = settled(&assignment).into_keys().collect();
        if asked.is_empty() {
            status.set_behind(0);
            continue;
        }
        match assignment.ends(asked, BRIEF_TIMEOUT).await {
            // It may have left meanwhile.
            Ok(_) if !status.joined() => {}
            Ok(ends) => {
                let settled = settled(&assignment);
                let lag = |(it, end): (i32, i64)| Some(end - settled.get(&it)?.max(&0));
                let lags = ends.into_iter().filter_map(lag);
                let lag: u64 = lags.filter_map(|lag| u64::try_from(lag).ok()).sum();
                status.set_behind(lag.saturating_sub(status.events() as u64));
            }
            Err(error) => tracing::debug!(%error, "the ends of partitions are not known"),
        }
    }
}

fn settled(assignment: &Assignment) -> Offsets {
    let open = assignment.open.borrow();
    let state = assignment.client.context().watchdog.state();
    let settled = open.iter().map(|(&number, it)| {
        // Behind the last record may lie what is none, such as the end of a transaction.
        let read = state.positions.get(&number);
        let is_read = it.window.is_empty() && it.window.held().is_none();
        let read = read.filter(|_| is_read).map(|(next, _)| *next);
        (number, it.settled().max(read.unwrap_or_default()))
    });
    settled.collect()
}
