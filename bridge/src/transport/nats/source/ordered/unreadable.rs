//! Messages on which the client ends its connection, each time they are delivered.

use super::{End, OrderedReader};
use crate::transport::nats::message::MessageInfo;

impl OrderedReader {
    /// Takes messages from `next` on as the stream keeps them, up to the last that the client cannot
    /// read among those that a window holds; returns what is behind it, when all are settled. Nothing
    /// where it can read them all.
    pub(super) async fn pass_unreadable(&mut self, next: u64) -> Result<Option<u64>, End> {
        let binding = &self.common.binding;
        let (durable, most) = (binding.durable.clone(), binding.capacity.events);
        let unreadable = durable.unreadable(next, u64::MAX, most).await?;
        let Some(&last) = unreadable.last() else {
            return Ok(None);
        };
        let stream = durable.stream.clone();
        let name = &*stream;
        tracing::error!(
            stream = name,
            sequence = last,
            "a message cannot be read, its stored form is taken"
        );
        let mut from = next;
        while from <= last
            && let Some(stored) = durable.stored_from(from).await?
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
}
