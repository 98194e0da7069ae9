//! Messages on which the client ends its connection, each time they are delivered. The stream's API
//! returns them in a form that can be read.

use async_nats::jetstream::consumer::Info;

use super::End;
use super::reader::Reader;
use crate::transport::nats::message::MessageInfo;

const UNREADABLE_SEARCH_MAX: usize = 10_000;

impl Reader {
    /// With an order also takes the messages before an unreadable one, and waits until all are
    /// acknowledged.
    pub(super) async fn take_unreadable(&mut self, from: u64, info: &Info) -> Result<(), End> {
        if !self.may_meet_unreadable() {
            return Ok(());
        }
        let given_out = self.given_out(from, info).await?;
        let is_unreadable = |(_, is_readable): &(u64, bool)| !is_readable;
        let Some(last) = given_out.iter().rposition(is_unreadable) else {
            return Ok(());
        };
        let keeps_order = self.durable.keeps_order;
        let mut last_reply = None;
        for &(sequence, is_readable) in &given_out[..=last] {
            let is_left = !keeps_order && (is_readable || self.pending.holds(sequence));
            let stored = match is_left {
                true => None,
                false => self.durable.stored_from(sequence).await?,
            };
            let Some(stored) = stored.filter(|stored| stored.sequence() == sequence) else {
                continue;
            };
            let stream = &self.durable.stream;
            if !is_readable {
                let stream = &**stream;
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
            let (received, reply) = (stored.received(stream), self.durable.ack_subject(info));
            self.work_until(|reader| reader.pending.window.has_room())
                .await;
            last_reply = Some(reply.clone());
            let delivery = self.pending.admit(received, info, reply);
            self.push(delivery.into_iter().collect()).await;
        }
        if keeps_order && let Some(reply) = last_reply {
            // What is reset before it is acknowledged comes again.
            self.work_until(|reader| reader.pending.window.is_empty())
                .await;
            self.flush();
            self.durable.confirm(reply).await?;
        }
        Ok(())
    }

    /// Each with whether the client can read it.
    async fn given_out(&self, mut from: u64, info: &Info) -> Result<Vec<(u64, bool)>, End> {
        let mut given_out = Vec::new();
        while given_out.len() < UNREADABLE_SEARCH_MAX
            && let Some(stored) = self.durable.stored_from(from).await?
            && stored.sequence() <= info.delivered.stream_sequence
        {
            given_out.push((stored.sequence(), stored.is_readable()));
            from = stored.sequence() + 1;
        }
        Ok(given_out)
    }
}
