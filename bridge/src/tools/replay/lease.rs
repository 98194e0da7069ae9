//! One replay of a route at a time. Whoever replays counts on, once a second, in a note of its own
//! beside the dead letters; whoever begins looks whether somebody counts. So no clocks are compared,
//! every place that keeps notes will do, and after a crash there is nothing to clear away.

use std::time::Duration;

use tokio::time::sleep;

use super::super::ToolError;
use crate::transport::view::{Checkpoint, CheckpointStore, ViewError};

/// How often is counted on.
const COUNT_INTERVAL: Duration = Duration::from_secs(1);
/// Who has not counted on for so long has ended.
const GONE: Duration = Duration::from_secs(5);

pub(super) struct Lease {
    checkpoints: Box<dyn CheckpointStore>,
    /// The count, 0 where nobody replays, and who counts.
    own: Checkpoint,
}

impl Lease {
    /// Takes the turn, unless somebody has it.
    pub(super) async fn take(checkpoints: Box<dyn CheckpointStore>) -> Result<Self, ToolError> {
        let beyond = format!("{:016x}", fastrand::u64(..));
        let own = Checkpoint { next: 0, beyond };
        let mut lease = Self { checkpoints, own };
        let before = lease.read().await?;
        if before.next > 0 {
            sleep(GONE).await;
            if lease.read().await? != before {
                return Err(taken());
            }
        }
        lease.count(1).await?;
        sleep(COUNT_INTERVAL).await;
        // Of two that begin at once, the one that wrote last goes on.
        match lease.read().await?.beyond == lease.own.beyond {
            true => Ok(lease),
            false => Err(taken()),
        }
    }

    /// Counts on, until somebody else does, who took this process for gone.
    pub(super) async fn keep(&mut self) -> ToolError {
        loop {
            sleep(COUNT_INTERVAL).await;
            // A place that says nothing for a moment says so to the others, too.
            if let Ok(checkpoint) = self.read().await {
                if checkpoint.beyond != self.own.beyond {
                    return taken();
                }
                self.count(self.own.next + 1).await.ok();
            }
        }
    }

    /// Leaves the turn to the next. Who cannot say so is found to be gone.
    pub(super) async fn leave(&mut self) {
        self.count(0).await.ok();
    }

    async fn read(&self) -> Result<Checkpoint, ViewError> {
        Ok(self
            .checkpoints
            .read()
            .await?
            .remove(&0)
            .unwrap_or_default())
    }

    async fn count(&mut self, count: u64) -> Result<(), ViewError> {
        self.own.next = count;
        self.checkpoints.write([(0, self.own.clone())].into()).await
    }
}

fn taken() -> ToolError {
    let what =
        "another replay of this route runs, and nothing more was sent: wait until it has ended";
    ToolError::Failed(what.to_owned())
}
