//! Notices a consumer that fetches the same offset again and again although its partition goes on
//! behind it. Only a new client heals it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use rdkafka::Offset;
use rdkafka::consumer::Consumer;
use tokio::time::sleep;

use super::client::Client;
use super::offsets::{BRIEF_TIMEOUT, Offsets, Questions, blocking};

/// A stuck consumer is replaced after two to three times of this.
const STUCK_AFTER: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });

/// Triggers the watchdog of a consumer that is stuck although it `may_read`. May be dropped.
pub(super) async fn watch(client: Weak<Client>, topic: Arc<str>, may_read: impl Fn() -> bool) {
    let mut ends = Offsets::new();
    loop {
        sleep(STUCK_AFTER).await;
        let (Some(client), topic) = (client.upgrade(), Arc::clone(&topic)) else {
            return;
        };
        let watchdog = &client.context().watchdog;
        let mut stuck = watchdog.state().positions.clone();
        stuck.retain(|_, (_, since)| since.elapsed() >= STUCK_AFTER && may_read());
        // What was there before is read by now, or never will be. The last record would not do: behind it may lie markers alone.
        let has_more = |(partition, (next, _)): &(&i32, &(i64, _))| {
            ends.get(*partition).is_some_and(|end| end > next)
        };
        if let Some((partition, _)) = stuck.iter().find(has_more) {
            tracing::error!(
                topic = &*topic,
                partition,
                "kafka consumer stands still although there is more to read: if this repeats, look at the leader of the partition"
            );
            return watchdog.trigger();
        }
        let ask = move || {
            Questions::new(&client, &topic, BRIEF_TIMEOUT).offsets(stuck.into_keys(), Offset::End)
        };
        ends = blocking(ask).await.unwrap_or_default();
    }
}
