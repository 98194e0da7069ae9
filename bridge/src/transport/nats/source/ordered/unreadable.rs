//! Messages on which the client ends its connection, each time they are delivered.

use super::{End, OrderedReader};
use crate::transport::nats::message::MessageInfo;

impl OrderedReader {
    /// Takes messages from `next` on as the stream keeps them, up to the last that the client cannot
    /// read among those that a window holds; returns what is behind it, when all are settled. Nothing
    /// where it can read them all.
    pub(super) async fn pass_unreadable(&mut self, next: u64) -> Result<Option<u64>, End> {
        let Some(last) = self.last_unreadable(next).await? else {
            return Ok(None);
        };
        let stream = self.common.binding.durable.stream.clone();
        let name = &*stream;
        tracing::error!(
            stream = name,
            sequence = last,
            "a message cannot be read, its stored form is taken"
        );
        let mut from = next;
        while from <= last
            && let Some(stored) = self.common.binding.durable.stored_from(from).await?
        {
            from = stored.sequence() + 1;
            self.acks.window.room().await;
            let info = MessageInfo {
                delivered: 0,
                stream_sequence: stored.sequence(),
                consumer_sequence: 0,
                published: stored.published(),
            };
            // A reset acknowledges it.
            let delivery = self.acks.admit(stored.whole(&stream), info, None);
            self.common.push(delivery).await;
        }
        while !self.acks.window.is_empty() {
            self.acks.window.changes().await;
        }
        self.acks.flush();
        Ok(Some(from))
    }

    async fn last_unreadable(&self, next: u64) -> Result<Option<u64>, End> {
        let (mut from, mut last) = (next, None);
        for _ in 0..self.common.binding.capacity.events {
            let Some(stored) = self.common.binding.durable.stored_from(from).await? else {
                break;
            };
            if !stored.is_readable() {
                last = Some(stored.sequence());
            }
            from = stored.sequence() + 1;
        }
        Ok(last)
    }
}
