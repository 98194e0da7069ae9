//! One replay of a route at a time: it counts on, once a second, in a checkpoint of its own, and another
//! looks whether the count moves. No clocks are compared, and a crash leaves nothing to clear away.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::super::{ToolError, answer};
use super::ANSWER_MIN;
use crate::transport::view::{Checkpoint, CheckpointStore, ViewError};

const RENEW_INTERVAL: Duration = Duration::from_secs(1);
const EXPIRY: Duration = Duration::from_secs(5);

pub(super) struct Lease {
    checkpoints: Box<dyn CheckpointStore>,
    /// The count, 0 where nobody replays, and the id of the holder.
    own: Checkpoint,
}

impl Lease {
    pub(super) async fn acquire(checkpoints: Box<dyn CheckpointStore>) -> Result<Self, ToolError> {
        let beyond = format!("{:016x}", fastrand::u64(..));
        let own = Checkpoint { next: 0, beyond };
        let mut lease = Self { checkpoints, own };
        let before = lease.read().await?;
        if before.next > 0 {
            sleep(EXPIRY).await;
            if lease.read().await? != before {
                return Err(taken());
            }
        }
        lease.write(1).await?;
        sleep(RENEW_INTERVAL).await;
        // Of two that begin at once, the last writer goes on.
        match lease.read().await?.beyond == lease.own.beyond {
            true => Ok(lease),
            false => Err(taken()),
        }
    }

    /// Until somebody else counts, who took this process for gone.
    pub(super) async fn renew(&mut self) -> ToolError {
        loop {
            sleep(RENEW_INTERVAL).await;
            // A place that does not answer for a moment does not answer others either.
            if let Ok(checkpoint) = self.read().await {
                if checkpoint.beyond != self.own.beyond {
                    return taken();
                }
                self.write(self.own.next + 1).await.ok();
            }
        }
    }

    /// Without it, the next one waits until the count stands still: nobody waits long for it.
    pub(super) async fn release(&mut self) {
        drop(timeout(RENEW_INTERVAL, self.write(0)).await);
    }

    async fn read(&self) -> Result<Checkpoint, ViewError> {
        let mut checkpoints = self.checkpoints.read().await?;
        Ok(checkpoints.remove(&0).unwrap_or_default())
    }

    async fn write(&mut self, count: u64) -> Result<(), ViewError> {
        self.own.next = count;
        let written = self.checkpoints.write([(0, self.own.clone())].into());
        answer(ANSWER_MIN, written).await
    }
}

fn taken() -> ToolError {
    let what =
        "another replay of this route runs, and nothing more was sent: wait until it has ended";
    ToolError::Taken(what.to_owned())
}
