//! What the server is still to be told: acknowledgements, and that the rest is being worked on.
//!
//! Nothing here waits. What the client cannot take now, because its queue is full or the connection
//! is lost, is told at the next turn.

use std::collections::VecDeque;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, Subject};
use bytes::Bytes;
use futures_util::FutureExt;
use tokio::task::unconstrained;
use tokio::time::Instant;

use super::ledger::Ledger;
use crate::delivery::{Position, Window};

const ACK: Bytes = Bytes::from_static(b"+ACK");
pub(super) const NAK: Bytes = Bytes::from_static(b"-NAK");
const IN_PROGRESS: Bytes = Bytes::from_static(b"+WPI");
/// Most progress told in one turn, so that a large window does not hold up the rest.
const MOST_PROGRESS: usize = 256;

/// See the module.
pub(super) struct Owed {
    client: Client,
    acknowledgements: VecDeque<Subject>,
    progress: VecDeque<Subject>,
    next_progress: Instant,
    progress_every: Duration,
}

impl Owed {
    pub(super) fn new(client: Client, ack_wait: Duration) -> Self {
        let progress_every = ack_wait / 3;
        Self {
            client,
            acknowledgements: VecDeque::new(),
            progress: VecDeque::new(),
            next_progress: Instant::now() + progress_every,
            progress_every,
        }
    }

    /// The server waits that long for a word: a consumer that was there may have its own idea.
    pub(super) fn set_ack_wait(&mut self, ack_wait: Duration) {
        self.progress_every = ack_wait / 3;
        self.next_progress = self.next_progress.min(Instant::now() + self.progress_every);
    }

    /// Owes an acknowledgement for everything below the watermark of `window`.
    pub(super) fn settle(&mut self, ledger: &mut Ledger<Subject>, window: &Window) {
        if let Some(Position::Nats { sequence, .. }) = window.watermark() {
            self.acknowledgements.extend(ledger.settle_up_to(sequence));
        }
    }

    /// Owes an acknowledgement again.
    pub(super) fn acknowledge(&mut self, reply: Subject) {
        self.acknowledgements.push_back(reply);
    }

    /// Owes word of progress for one message.
    pub(super) fn works_on(&mut self, reply: Subject) {
        self.progress.push_back(reply);
    }

    /// Tells what can be told now; once in a while that includes progress of everything held.
    pub(super) fn tell(&mut self, ledger: &Ledger<Subject>) {
        if self.client.connection_state() != State::Connected {
            return;
        }
        let now = Instant::now();
        if now >= self.next_progress {
            self.next_progress = now + self.progress_every;
            self.progress.clear();
            self.progress.extend(ledger.held().cloned());
        }
        if self.drain(true, usize::MAX) {
            self.drain(false, MOST_PROGRESS);
        }
    }

    /// Tells one kind; says whether the client took all of it.
    fn drain(&mut self, acknowledges: bool, most: usize) -> bool {
        let (queue, word) = if acknowledges {
            (&mut self.acknowledgements, ACK)
        } else {
            (&mut self.progress, IN_PROGRESS)
        };
        for _ in 0..most {
            let Some(reply) = queue.front() else {
                return true;
            };
            let told = self.client.publish(reply.clone(), word.clone());
            // The scheduler's budget for one turn ends far below what one turn has to tell.
            if unconstrained(told).now_or_never().is_none() {
                return false;
            }
            queue.pop_front();
        }
        false
    }

    /// Forgets every acknowledgement: the consumer that waited for it is gone.
    pub(super) fn forget(&mut self) {
        self.acknowledgements.clear();
        self.progress.clear();
    }

    /// Forgets that anything is being worked on.
    pub(super) fn stop_working(&mut self) {
        self.progress.clear();
    }

    /// Waits until the server has taken what it was told: it does so in order. `reply` is any
    /// subject that acknowledges a message of the consumer. Bound it with a deadline.
    pub(super) async fn arrived(client: Client, reply: Subject) -> bool {
        client.request(reply, IN_PROGRESS).await.is_ok()
    }

    /// Whether no acknowledgement is owed.
    pub(super) fn is_told(&self) -> bool {
        self.acknowledgements.is_empty()
    }

    /// Asks for messages to be sent again, in this order, and waits until the server has noted the
    /// last one. Bound it with a deadline.
    pub(super) async fn ask_again(client: Client, mut replies: Vec<Subject>) -> bool {
        let Some(last) = replies.pop() else {
            return true;
        };
        for reply in replies {
            if client.publish(reply, NAK).await.is_err() {
                return false;
            }
        }
        client.request(last, NAK).await.is_ok()
    }
}
