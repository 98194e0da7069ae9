//! How a consumer is read, ordered or not: session after session until a stop, then until what is
//! in flight ends.

use std::future::pending;
use std::rc::Rc;
use std::time::Duration;

use async_nats::jetstream::consumer::Info;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::durable::Durable;
use super::offset_lost::OffsetLost;
use super::pending_acks::PendingAcks;
use super::session::{Delivered, Session};
use super::{End, JetStreamSource};
use crate::delivery::Delivery;
use crate::logging::Throttle;
use crate::transport::nats::link::Link;
use crate::transport::{Intake, SourceError, SourceStatus, Stop};

const BATCH_MAX: usize = 128;
/// How often to check what no event reports, and how often while the client is busy.
const POLL: Duration = Duration::from_millis(250);
const RETRY: Duration = Duration::from_millis(5);
const PAUSE: Duration = Duration::from_secs(1);
const HELD_PAUSE: Duration = Duration::from_secs(10);
/// A connection that lasts so long does not break because of a message. Without an order a message
/// comes again after `ack_wait`.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Lost connections in a row after which the client may be unable to read a message.
const LOST_IN_A_ROW: u32 = 2;
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);
pub(super) const OFFSET_LOST: &str = "offset-lost";

pub(super) struct Common {
    pub(super) durable: Durable,
    pub(super) pending: PendingAcks,
    /// The server's id for this process while only it may read.
    pub(super) pin: Option<String>,
    offset_lost: OffsetLost,
    stable_after: Duration,
    /// Connections in a row that ended earlier.
    lost_early: u32,
    throttle: Throttle,
    pub(super) status: SourceStatus,
    intake: Intake,
}

impl Common {
    pub(super) async fn new(source: JetStreamSource, link: Link, intake: Intake) -> Self {
        Self {
            durable: Durable::new(link, &source).await,
            pending: PendingAcks::new(&source),
            pin: None,
            offset_lost: OffsetLost::new(source.origin.on_offset_lost, source.status.clone()),
            stable_after: STABLE_AFTER.max(3 * source.origin.ack_wait),
            lost_early: 0,
            throttle: Throttle::default(),
            status: source.status,
            intake,
        }
    }

    pub(super) async fn bind(&mut self) -> Result<Info, End> {
        if !self.durable.is_connected() {
            self.status.set_joined(false);
            self.work_until(|common| common.durable.is_connected())
                .await;
        }
        let info = self.durable.find().await?;
        self.status.set_joined(true);
        self.status.set_behind(info.num_pending);
        Ok(info)
    }

    pub(super) async fn check_offset(&mut self, next: u64) -> Result<(), End> {
        match self.offset_lost.check(&self.durable, next).await? {
            true => Err(End::Held),
            false => Ok(()),
        }
    }

    pub(super) async fn work_until(&mut self, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            self.flush();
            drop(timeout(POLL, self.pending.verdicts()).await);
        }
    }

    pub(super) fn flush(&mut self) -> bool {
        self.pending.flush(&self.durable)
    }

    pub(super) async fn flush_all(&mut self) {
        if !self.flush() && self.durable.find().await.is_ok() {
            while !self.flush() {
                sleep(RETRY).await;
            }
        }
    }

    pub(super) fn may_meet_unreadable(&mut self) -> bool {
        let may_meet_unreadable = self.lost_early >= LOST_IN_A_ROW;
        if may_meet_unreadable {
            self.lost_early = 0;
        }
        may_meet_unreadable
    }

    pub(super) fn log(&self, cause: &str) {
        if let Some(held_back) = self.throttle.lets_through(cause) {
            let stream = &*self.durable.stream;
            tracing::warn!(
                stream,
                cause,
                held_back,
                "reading a stream is interrupted, trying again"
            );
        }
    }

    /// Counts a session that began then; returns the pause before the next.
    fn ended(&mut self, end: &End, began: Instant) -> Duration {
        let is_lost = matches!(end, End::ConnectionLost);
        match began.elapsed() < self.stable_after {
            true => self.lost_early += u32::from(is_lost),
            false => self.lost_early = 0,
        }
        let (pause, cause) = match end {
            End::StandBy | End::Fatal(_) => return PAUSE,
            End::Held => return HELD_PAUSE,
            End::Failed(cause) => (PAUSE, cause.as_str()),
            End::ConnectionLost => (POLL, "the connection was lost"),
            End::StartOver => (
                POLL,
                "the consumer was made anew or counts anew, and is read from where it stands",
            ),
        };
        self.log(cause);
        pause
    }

    /// If the route is gone, so is everybody who could ask us to stop.
    pub(super) async fn push(&self, taken: Vec<Delivery>) {
        if !taken.is_empty() && self.intake.push(taken).await.is_err() {
            pending().await
        }
    }
}

/// What differs between ordered and unordered. Every future may be dropped.
pub(super) trait Reader {
    fn common(&mut self) -> &mut Common;

    async fn begin(&mut self) -> Result<Session, End>;

    async fn take(&mut self, delivered: Delivered) -> Result<Option<Delivery>, End>;

    async fn check_consumer(&mut self) -> Result<(), End> {
        Ok(())
    }

    async fn ended(&mut self, end: &End);

    /// A message that comes while draining.
    fn nak(&mut self, _: Delivered) {}

    async fn release(&mut self);
}

pub(super) async fn run(mut reader: impl Reader, mut stop: Stop) -> Result<(), SourceError> {
    let status = reader.common().status.clone();
    let mut session = None;
    let (deadline, result) = {
        // The drain begins before reading is broken off, so that verdicts in between are seen.
        let stopped = async {
            let deadline = stop.requested().await;
            status.drain(deadline);
            deadline
        };
        tokio::select! {
            biased;
            deadline = stopped => (deadline, Ok(())),
            error = read(&mut reader, &mut session) => (Instant::now(), Err(error)),
        }
    };
    status.drain(deadline);
    if timeout_at(deadline, drain(&mut reader, session))
        .await
        .is_err()
    {
        let left = reader.common().pending.window.len();
        tracing::warn!(
            left,
            "drain ended at its deadline, what is left will be repeated"
        );
    }
    let window = Rc::clone(&reader.common().pending.window);
    window.abandon();
    if timeout(RELEASE_TIMEOUT, reader.release()).await.is_err() {
        tracing::warn!("the last acknowledgements were not taken in time");
    }
    status.close(&window);
    status.set_joined(false);
    result
}

async fn read(reader: &mut impl Reader, session: &mut Option<Session>) -> SourceError {
    loop {
        let began = Instant::now();
        let end = match reader.begin().await {
            Ok(begun) => follow(reader, session.insert(begun)).await,
            Err(end) => end,
        };
        *session = None;
        reader.ended(&end).await;
        if let End::Fatal(error) = end {
            return error;
        }
        let common = reader.common();
        let pause = common.ended(&end, began);
        drop(timeout(pause, common.work_until(|_| false)).await);
    }
}

async fn follow(reader: &mut impl Reader, session: &mut Session) -> End {
    loop {
        if let Err(end) = turn(reader, session).await {
            return end;
        }
    }
}

async fn turn(reader: &mut impl Reader, session: &mut Session) -> Result<(), End> {
    let common = reader.common();
    session.check(&common.durable.link)?;
    let is_flushed = common.flush();
    session.pull(&common.pending.window, common.pin.as_deref());
    reader.check_consumer().await?;
    let pending = &mut reader.common().pending;
    let delivered = tokio::select! {
        biased;
        () = pending.verdicts() => return Ok(()),
        delivered = session.next() => delivered?,
        () = sleep(if is_flushed { POLL } else { RETRY }) => return Ok(()),
    };
    let mut taken = Vec::new();
    let result = take_all(reader, session, delivered, &mut taken).await;
    // What was let in has its slot, and is worked on.
    reader.common().push(taken).await;
    result
}

/// Takes a message, and those that are there already.
async fn take_all(
    reader: &mut impl Reader,
    session: &mut Session,
    mut next: Option<Delivered>,
    taken: &mut Vec<Delivery>,
) -> Result<(), End> {
    while let Some(delivered) = next {
        taken.extend(reader.take(delivered).await?);
        next = match taken.len() < BATCH_MAX {
            true => session.next_now()?,
            false => None,
        };
    }
    Ok(())
}

/// Waits until what was started has finished, and keeps the pin meanwhile.
async fn drain(reader: &mut impl Reader, mut session: Option<Session>) {
    while !reader.common().pending.is_finished() {
        if let Err(end) = keep_pin(reader, session.as_mut()).await {
            session = None;
            reader.ended(&end).await;
        }
        let common = reader.common();
        common.flush();
        drop(timeout(POLL, common.pending.verdicts()).await);
    }
}

async fn keep_pin(reader: &mut impl Reader, session: Option<&mut Session>) -> Result<(), End> {
    let Some(session) = session else {
        let durable = &mut reader.common().durable;
        if durable.is_connected() && !durable.is_known() {
            durable.find().await?;
        }
        return Ok(());
    };
    session.check(&reader.common().durable.link)?;
    while let Some(delivered) = session.next_now()? {
        reader.nak(delivered);
    }
    // It has no room, and only keeps the pin.
    let common = reader.common();
    session.pull(&common.pending.window, common.pin.as_deref());
    Ok(())
}
