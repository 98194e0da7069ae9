//! The source over a JetStream consumer.

mod consumer;
mod durable;
mod offset_lost;
mod ordered;
mod pending_acks;
mod reader;
mod session;
mod settled;
mod unreadable;

use std::fmt::Display;

use async_nats::jetstream::AckKind;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::{Instant, sleep};

use super::connection::NatsCluster;
use super::settings::StreamOrigin;
use crate::transport::contract::SourceOpening;
use crate::transport::{Intake, Source, SourceError, Stop};
use consumer::pinned;
pub(super) use consumer::{check_fit, check_server};
pub(super) use offset_lost::unheard;
use reader::{RETRY, Reader};
use session::Session;

#[derive(Debug)]
pub(super) struct JetStreamSource {
    pub(super) cluster: NatsCluster,
    pub(super) origin: StreamOrigin,
    pub(super) opening: SourceOpening,
}

impl Source for JetStreamSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            if self.opening.keeps_order {
                self.opening.status.set_part(0.0);
            }
            let reader = tokio::select! {
                _ = stop.requested() => return Ok(()),
                reader = Reader::new(*self, intake) => reader?,
            };
            reader.run(stop).await
        }
        .boxed_local()
    }
}

/// Why a session ends.
#[derive(Debug)]
enum End {
    /// Another one may go better.
    Failed(String),
    ConnectionLost,
    /// Another process reads.
    StandBy,
    /// What this sequence and the next ones had left the stream undelivered, and an operator decides
    /// how to go on.
    Held(u64),
    /// The consumer was made anew, or somebody has reset it.
    StartOver,
    /// Only a restart can help.
    Fatal(SourceError),
}

impl<T: Display> From<T> for End {
    fn from(cause: T) -> Self {
        Self::Failed(cause.to_string())
    }
}

/// How reading ends: what is in flight is waited for, then the pin is given up.
impl Reader {
    /// Waits until what was started has finished, and keeps the pin meanwhile.
    async fn drain(&mut self, mut session: Option<Session>) {
        while self.pending.window.finished().now_or_never().is_none() {
            let kept = match &mut session {
                Some(open) => self.keep_pin(open),
                None if self.durable.opening.keeps_order => self.check_pin().await.map(drop),
                None if self.durable.link.is_up() && !self.durable.is_known() => {
                    self.durable.find().await.map(drop)
                }
                None => Ok(()),
            };
            if let Err(end) = kept {
                self.end(end, &mut session).await;
            }
            self.work().await;
        }
    }

    /// Takes nothing.
    fn keep_pin(&mut self, session: &mut Session) -> Result<(), End> {
        session.check(&self.durable.link, Instant::now())?;
        while let Some((_, _, reply)) = session.next_now()? {
            if !self.durable.opening.keeps_order {
                self.pending.queue.push_back((reply, AckKind::Nak(None)));
            }
        }
        session.keep_pin(self.order.pin());
        Ok(())
    }

    async fn release(&mut self) {
        self.flush();
        self.check_only_here("they are lost").await;
        if !self.durable.opening.keeps_order {
            self.pending.give_back();
        }
        if !self.flush() && self.durable.find().await.is_ok() {
            while !self.flush() {
                sleep(RETRY).await;
            }
        }
        // The answer comes behind the acknowledgements. Who took over meanwhile keeps the pin.
        let (_, answer) = self.durable.ask().await;
        if let (Some(pin), Ok(info)) = (self.order.pin(), answer)
            && pinned(&info) == Some(pin)
        {
            // What is given out counts as acknowledged when it leaves the stream, and the next process would not
            // miss it.
            if let Some(from) = self.pending.open().next()
                && self.stand_at(from).await.is_none()
            {
                let stream = &*self.durable.origin.stream;
                tracing::warn!(
                    stream,
                    from,
                    "the consumer could not be set back to what waits: what leaves the stream before the next start is passed over in silence"
                );
            }
            if self.durable.unpin().await.is_err() {
                tracing::debug!("the pin was not given up, it is lost in a moment");
            }
        }
    }
}
