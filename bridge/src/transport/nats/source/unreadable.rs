//! Messages on which the client ends its connection, each time they are delivered. The stream's API
//! returns them in a form that can be read.

use async_nats::Subject;
use async_nats::jetstream::consumer::Info;

use super::reader::Reader;
use super::{ACK, End};
use crate::transport::nats::message::{MessageInfo, ack_subject};

/// Messages that one search looks at: each is a request.
const SEARCH_MAX: usize = 10_000;

impl Reader {
    /// With an order also takes the messages before an unreadable one, and waits until all are
    /// acknowledged.
    pub(super) async fn take_unreadable(&mut self, from: u64, info: &Info) -> Result<(), End> {
        if !self.may_meet_unreadable() {
            return Ok(());
        }
        let keeps_order = self.durable.keeps_order;
        // Without an order a message may stay unacknowledged while any number behind it pass.
        let from = match keeps_order {
            true => from,
            false => from.max(self.search_from),
        };
        let ack_pending_elsewhere = self.ack_pending_elsewhere(from, info).await?;
        // The next search begins anew where this one reaches the end.
        let last = ack_pending_elsewhere.get(SEARCH_MAX - 1);
        let search_from = last.map_or(0, |(sequence, _)| sequence + 1);
        let is_unreadable = |(_, is_readable): &(u64, bool)| !is_readable;
        let Some(last) = ack_pending_elsewhere.iter().rposition(is_unreadable) else {
            self.search_from = search_from;
            return Ok(());
        };
        let mut last_reply = None;
        for &(sequence, is_readable) in &ack_pending_elsewhere[..=last] {
            let is_left = !keeps_order && (is_readable || self.pending.holds(sequence));
            let stored = match is_left {
                true => None,
                false => self.durable.stored_from(sequence).await?,
            };
            let Some(stored) = stored.filter(|stored| stored.sequence() == sequence) else {
                continue;
            };
            let origin = &self.durable.origin;
            let stream = &*origin.stream;
            if !is_readable {
                tracing::error!(
                    stream,
                    sequence,
                    "a message cannot be read, its stored form is taken"
                );
            }
            let info = MessageInfo {
                delivered: 1,
                stream_sequence: sequence,
                consumer_sequence: info.delivered.consumer_sequence,
                published: stored.published(),
                pending: info.num_pending,
            };
            let reply = Subject::from(ack_subject(stream, &origin.durable, info));
            let received = stored.received(stream);
            self.work_until(|reader| reader.pending.window.has_room())
                .await;
            last_reply = Some(reply.clone());
            let delivery = self.pending.admit(received, info, reply);
            self.push(delivery.into_iter().collect()).await;
        }
        self.search_from = search_from;
        if keeps_order && let Some(reply) = last_reply {
            // What is reset before it is acknowledged comes again.
            self.work_until(|reader| reader.pending.window.is_empty())
                .await;
            self.flush();
            // With its answer the server has taken this one and all before it.
            self.durable.link.client.request(reply, ACK).await?;
        }
        Ok(())
    }

    /// Each with whether the client can read it.
    async fn ack_pending_elsewhere(
        &self,
        mut from: u64,
        info: &Info,
    ) -> Result<Vec<(u64, bool)>, End> {
        let mut ack_pending_elsewhere = Vec::new();
        while ack_pending_elsewhere.len() < SEARCH_MAX
            && let Some(stored) = self.durable.stored_from(from).await?
            && stored.sequence() <= info.delivered.stream_sequence
        {
            ack_pending_elsewhere.push((stored.sequence(), stored.is_readable()));
            from = stored.sequence() + 1;
        }
        Ok(ack_pending_elsewhere)
    }
}
