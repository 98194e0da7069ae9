//! A stream read without an order: processes share the consumer, each message is acknowledged by
//! itself, and the server hears of those in progress.

use std::sync::Arc;

use tokio::time::Instant;

use super::super::message;
use super::End;
use super::ordered::CHECK_AGAIN;
use super::pending_acks::{IN_PROGRESS, NAK};
use super::reader::{Common, OFFSET_LOST, Reader};
use super::session::{Delivered, Session};
use crate::delivery::{Delivery, Position};

pub(super) struct UnorderedReader {
    pub(super) common: Common,
    pub(super) checked_at: Instant,
}

impl Reader for UnorderedReader {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }

    async fn begin(&mut self) -> Result<Session, End> {
        let info = self.common.bind().await?;
        self.common.durable.update(&info).await?;
        // Others may hold or have settled what was delivered.
        let not_given = info.delivered.stream_sequence + 1;
        self.common.check_offset(not_given).await?;
        self.common.pending.window.go_on();
        if self.common.may_meet_unreadable() {
            let stands_at = info.ack_floor.stream_sequence + 1;
            self.common.take_unreadable(stands_at, &info).await?;
        }
        Session::open(&self.common.durable).await
    }

    async fn take(&mut self, (message, info, reply): Delivered) -> Result<Option<Delivery>, End> {
        let Common {
            pending, durable, ..
        } = &mut self.common;
        if pending.holds(info.stream_sequence) {
            pending.push(reply, IN_PROGRESS);
            return Ok(None);
        }
        let position =
            Position::numbered(Arc::clone(&durable.position_prefix), info.stream_sequence);
        Ok(pending.admit(message::received(message, position), info, reply))
    }

    /// Other processes take part, and a full window takes nothing: so it is asked how much there is.
    async fn check_consumer(&mut self) -> Result<(), End> {
        if self.checked_at.elapsed() >= CHECK_AGAIN {
            self.checked_at = Instant::now();
            let info = self.common.durable.info().await?;
            self.common.status.set_behind(info.num_pending);
        }
        Ok(())
    }

    async fn ended(&mut self, end: &End) {
        match end {
            // The same sequences may be other messages.
            End::StartOver => self.common.pending.clear(),
            End::Held => self.common.pending.window.hold(OFFSET_LOST),
            _ => {}
        }
    }

    fn nak(&mut self, (_, _, reply): Delivered) {
        self.common.pending.push(reply, NAK);
    }

    async fn release(&mut self) {
        self.common.pending.give_back(&self.common.durable);
        self.common.flush_all().await;
        // The answer comes behind all acknowledgements.
        drop(self.common.durable.info().await);
    }
}
