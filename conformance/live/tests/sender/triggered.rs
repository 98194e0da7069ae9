//! A sender that sends when it is triggered, at any rate, and waits with what was refused alone.

use std::fs;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::peer::Peer;

/// Between two looks at the trigger.
const PAUSE: Duration = Duration::from_millis(20);

impl Peer {
    /// Two events each time, and what was refused again when its time has come.
    pub(crate) async fn send_when_triggered(&mut self) {
        let file = self.triggered.clone().unwrap();
        let (mut sent, mut refused) = (0, Vec::new());
        loop {
            let now = Instant::now();
            let is_due = |(_, at): &(u32, Instant)| *at <= now;
            let (due, later): (Vec<_>, Vec<_>) = refused.into_iter().partition(is_due);
            refused = later;
            let triggered = fs::metadata(&file).map_or(0, |file| file.len());
            let last = 2 * u32::try_from(triggered).unwrap();
            let due = due.into_iter().map(|(number, _)| number);
            for number in due.chain(sent + 1..=last) {
                let answered = self.attempt(number).await;
                let refusal = answered.filter(|answered| !answered.status.is_success());
                if let Some(refusal) = refusal {
                    refused.push((number, Instant::now() + self.wait(&refusal.headers)));
                }
            }
            sent = last;
            sleep(PAUSE).await;
        }
    }
}
