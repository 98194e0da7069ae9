//! The begin of a session.

use tokio::time::{Instant, sleep};

use super::super::LOOK;
use super::super::consumer::pinned;
use super::super::session::Session;
use super::{End, Expected, OrderedReader};

impl OrderedReader {
    /// Takes over from whoever read before, as soon as nobody does.
    pub(super) async fn take_over(&mut self) -> Result<Session, End> {
        let durable = self.common.binding.durable.clone();
        while !durable.is_connected() {
            self.common.status.set_joined(false);
            sleep(LOOK).await;
        }
        let info = self.found().await?;
        self.common.status.set_joined(true);
        let pin = self.pin.take();
        match pinned(&info) {
            Some(id) if pin.as_deref() != Some(id) => return Err(End::StandBy),
            // What was asked for in the last session must not be answered any more.
            Some(_) => durable.unpin().await?,
            None => {}
        }
        self.common.binding.change(&info).await?;
        let mut next = durable.reset(None).await?;
        let stream = &*durable.stream;
        if self.acks.settled.reaches(next) {
            tracing::info!(
                stream,
                next,
                "the server has not all acknowledgements, what it repeats is recognised"
            );
        }
        tracing::debug!(stream, next, "a session begins");
        if self.held_at.take().is_some_and(|held_at| held_at != next) {
            self.start_over();
        }
        // What was given out and has left the stream counts as acknowledged for the server.
        let own = self.acks.settled.next().filter(|_| self.is_alone);
        let from = own.map_or(next, |own| own.min(next));
        if let Err(end) = self.check_offset(from).await {
            if matches!(end, End::Held) {
                // The server is told where reading stood, so that a restart holds too, and a reset by
                // somebody is seen. A consumer that was made for new messages alone refuses it.
                let told = durable.reset(Some(from)).await;
                self.held_at = Some(told.unwrap_or(next));
            }
            return Err(end);
        }
        if self.common.backoff.is_suspicious()
            && let Some(behind) = self.pass_unreadable(next).await?
        {
            next = durable.reset(Some(behind)).await?;
        }
        self.expected = Expected {
            consumer_sequence: 1,
            stream_sequence: next,
        };
        self.looked = Instant::now();
        Ok(Session::open(&self.common.link, &durable, self.acks.ahead(), true).await?)
    }
}
