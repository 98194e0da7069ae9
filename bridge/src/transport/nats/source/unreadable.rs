//! Messages on which the client ends its connection, or itself, each time they are delivered. The
//! stream's API returns them in a form that can be read.

use async_nats::Subject;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::Info;

use super::End;
use super::reader::{LOST_IN_A_ROW, Reader};
use crate::transport::nats::message::{MessageInfo, ack_subject};

/// Messages that one search looks at: each is a request.
const SEARCH_MAX: usize = 10_000;

impl Reader {
    /// With an order also takes the messages before an unreadable one, and waits until all are
    /// acknowledged.
    pub(super) async fn take_unreadable(&mut self, from: u64, info: &Info) -> Result<(), End> {
        if self.lost_early < LOST_IN_A_ROW {
            return Ok(());
        }
        self.lost_early = 0;
        let (sequences, search_from) = self.search(from, info.delivered.stream_sequence).await?;
        let mut last_reply = None;
        for sequence in sequences {
            if self.pending.holds(sequence) {
                continue;
            }
            let stored = self.durable.stored_from(sequence).await?;
            let Some(stored) = stored.filter(|stored| stored.sequence() == sequence) else {
                continue;
            };
            let origin = &self.durable.origin;
            let stream = &*origin.stream;
            if !stored.is_readable() {
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
        if self.durable.opening.keeps_order
            && let Some(reply) = last_reply
        {
            // What is reset before it is acknowledged comes again.
            self.work_until(|reader| reader.pending.window.is_empty())
                .await;
            self.flush();
            // With its answer the server has taken this one and all before it.
            let ack = AckKind::Ack.into();
            self.durable.link.client.request(reply, ack).await?;
        }
        Ok(())
    }

    /// What is to be taken up to the last message that the client cannot read, and where the next search
    /// begins: anew where this one reaches the end.
    async fn search(&self, from: u64, end: u64) -> Result<(Vec<u64>, u64), End> {
        let keeps_order = self.durable.opening.keeps_order;
        // Without an order a message may stay unacknowledged while any number behind it pass.
        let mut from = match keeps_order {
            true => from,
            false => from.max(self.search_from),
        };
        let (mut sequences, mut up_to_last) = (Vec::new(), 0);
        for _ in 0..SEARCH_MAX {
            let stored = self.durable.stored_from(from).await?;
            let Some(stored) = stored.filter(|stored| stored.sequence() <= end) else {
                from = 0;
                break;
            };
            from = stored.sequence() + 1;
            let is_readable = stored.is_readable();
            if keeps_order || !is_readable {
                sequences.push(stored.sequence());
            }
            if !is_readable {
                up_to_last = sequences.len();
            }
        }
        sequences.truncate(up_to_last);
        Ok((sequences, from))
    }
}
