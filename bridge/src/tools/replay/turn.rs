//! One replay of a route at a time. Whoever replays counts on, once a second, in a note of its own
//! beside the dead letters; whoever begins looks whether somebody counts. So no clocks are compared,
//! every place that keeps notes will do, and after a crash there is nothing to clear away.

use std::time::Duration;

use tokio::time::sleep;

use super::super::Failure;
use crate::transport::view::{Note, Notes, ViewError};

/// How often is counted on.
const COUNT_INTERVAL: Duration = Duration::from_secs(1);
/// Who has not counted on for so long has ended.
const GONE: Duration = Duration::from_secs(5);

pub(super) struct Turn {
    notes: Box<dyn Notes>,
    /// The count, 0 where nobody replays, and who counts.
    own: Note,
}

impl Turn {
    /// Takes the turn, unless somebody has it.
    pub(super) async fn take(notes: Box<dyn Notes>) -> Result<Self, Failure> {
        let beyond = format!("{:016x}", fastrand::u64(..));
        let own = Note { next: 0, beyond };
        let mut turn = Self { notes, own };
        let before = turn.read().await?;
        if before.next > 0 {
            sleep(GONE).await;
            if turn.read().await? != before {
                return Err(taken());
            }
        }
        turn.count(1).await?;
        sleep(COUNT_INTERVAL).await;
        // Of two that begin at once, the one that wrote last goes on.
        match turn.read().await?.beyond == turn.own.beyond {
            true => Ok(turn),
            false => Err(taken()),
        }
    }

    /// Counts on, until somebody else does, who took this process for gone.
    pub(super) async fn keep(&mut self) -> Failure {
        loop {
            sleep(COUNT_INTERVAL).await;
            // A place that says nothing for a moment says so to the others, too.
            if let Ok(note) = self.read().await {
                if note.beyond != self.own.beyond {
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

    async fn read(&self) -> Result<Note, ViewError> {
        Ok(self.notes.read().await?.remove(&0).unwrap_or_default())
    }

    async fn count(&mut self, count: u64) -> Result<(), ViewError> {
        self.own.next = count;
        self.notes.write([(0, self.own.clone())].into()).await
    }
}

fn taken() -> Failure {
    let what =
        "another replay of this route runs, and nothing more was sent: wait until it has ended";
    Failure::Failed(what.to_owned())
}
