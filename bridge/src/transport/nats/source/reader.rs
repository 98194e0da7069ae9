//! How a consumer is read: session after session until a stop, then until what is in flight ends.
//!
//! Without an order processes share the consumer, each message is acknowledged by itself, and the
//! server hears of those in progress.

use std::future::pending;
use std::mem::replace;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::Info;
use futures_util::future::{LocalBoxFuture, OptionFuture};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::consumer::pinned;
use super::durable::{Answer, Durable};
use super::offset_lost::{OffsetLost, takes_all};
use super::ordered::{OrderedReading, stands_at};
use super::pending_acks::PendingAcks;
use super::session::{Delivered, Session};
use super::{End, JetStreamSource};
use crate::delivery::{Delivery, Position};
use crate::logging::Throttle;
use crate::transport::nats::message;
use crate::transport::{Intake, SourceError, Stop};

const BATCH_MAX: usize = 128;
/// How often to check for what no event reports, and how often while the client is busy.
pub(super) const POLL: Duration = Duration::from_millis(250);
pub(super) const RETRY: Duration = Duration::from_millis(5);
const PAUSE: Duration = Duration::from_secs(1);
const HELD_PAUSE: Duration = Duration::from_secs(10);
/// How often the consumer is looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(10);
/// While it is not known who reads.
pub(super) const STAND_BY: Duration = Duration::from_secs(1);
/// A connection that lasts so long does not break because of a message. Without an order a message
/// comes again after `ack_wait`.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Lost connections in a row after which the client may be unable to read a message.
pub(super) const LOST_IN_A_ROW: u32 = 2;
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);
const OFFSET_LOST: &str = "offset-lost";
const PAUSED: &str = "consumer-paused";

/// Every future may be dropped.
pub(super) struct Reader {
    pub(super) durable: Durable,
    pub(super) pending: PendingAcks,
    pub(super) order: OrderedReading,
    pub(super) offset_lost: OffsetLost,
    /// The consumer is asked for beside the session.
    look: Option<LocalBoxFuture<'static, Answer>>,
    pub(super) quiet_since: Instant,
    /// When it last said how much it gave out, and who has the pin, or was asked in vain.
    pub(super) looked_at: Instant,
    /// Connections in a row that ended earlier.
    pub(super) lost_early: u32,
    /// Where the next search for a message that the client cannot read goes on, without an order.
    pub(super) search_from: u64,
    /// By the server, when the session began.
    refused: u64,
    pub(super) throttle: Throttle,
    intake: Intake,
}

impl Reader {
    pub(super) async fn new(source: JetStreamSource, intake: Intake) -> Result<Self, SourceError> {
        let durable = Durable::new(source).await?;
        Ok(Self {
            order: OrderedReading::default(),
            offset_lost: OffsetLost::default(),
            look: None,
            quiet_since: Instant::now(),
            looked_at: Instant::now(),
            lost_early: 0,
            search_from: 0,
            refused: 0,
            throttle: Throttle::default(),
            intake,
            pending: PendingAcks::new(durable.opening.clone()),
            durable,
        })
    }

    pub(super) async fn run(mut self, mut stop: Stop) -> Result<(), SourceError> {
        let status = self.durable.opening.status.clone();
        let mut session = None;
        let (deadline, result) = {
            // The drain begins before reading is broken off, so that verdicts in between are seen.
            let stopped = async {
                let deadline = stop.requested().await;
                status.each(|window| window.drain(deadline));
                deadline
            };
            tokio::select! {
                biased;
                deadline = stopped => (deadline, Ok(())),
                error = self.read(&mut session) => (Instant::now(), Err(error)),
            }
        };
        status.each(|window| window.drain(deadline));
        if timeout_at(deadline, self.drain(session)).await.is_err() {
            let left = self.pending.window.len();
            tracing::warn!(
                left,
                "drain ended at its deadline, what is left will be repeated"
            );
        }
        let window = Rc::clone(&self.pending.window);
        window.abandon();
        if timeout(RELEASE_TIMEOUT, self.release()).await.is_err() {
            tracing::warn!("the last acknowledgements were not taken in time");
        }
        status.close(&window);
        status.set_joined(false);
        result
    }

    async fn read(&mut self, session: &mut Option<Session>) -> SourceError {
        loop {
            let began = Instant::now();
            let end = match self.begin().await {
                Ok(begun) => self.follow(session.insert(begun)).await,
                Err(end) => end,
            };
            let end = self.end(end, session).await;
            let pause = self.pause_after(&end, began);
            if let End::Fatal(error) = end {
                return error;
            }
            drop(timeout(pause, self.work_until(|_| false)).await);
        }
    }

    async fn begin(&mut self) -> Result<Session, End> {
        while !self.durable.link.is_up() {
            self.durable.opening.status.set_joined(false);
            if self.durable.link.has_ended() {
                self.durable.connect().await;
            }
            self.work_until(|reader| {
                let link = &reader.durable.link;
                link.is_up() || link.has_ended()
            })
            .await;
        }
        let link = self.durable.link.clone();
        // Of a connection that is gone no answer comes.
        tokio::select! {
            () = link.lost() => Err(End::ConnectionLost),
            begun = self.begin_connected() => begun,
        }
    }

    async fn begin_connected(&mut self) -> Result<Session, End> {
        let refused = self.durable.link.state.refused().publishes;
        // After a session that was refused something, a look tells whether this one is not.
        let is_refused = replace(&mut self.refused, refused) < refused;
        let info = self.durable.find().await;
        let is_joined = info.is_ok() && !is_refused;
        self.durable.opening.status.set_joined(is_joined);
        let info = info?;
        self.pending.count(info.num_pending, info.num_ack_pending);
        match self.durable.opening.keeps_order {
            true => self.begin_ordered(&info).await?,
            false => self.begin_unordered(&info).await?,
        }
        let now = Instant::now();
        (self.look, self.quiet_since, self.looked_at) = (None, now, now);
        Session::open(&self.durable).await
    }

    async fn begin_unordered(&mut self, info: &Info) -> Result<(), End> {
        self.put_right(info).await?;
        // Others may hold or have settled what was delivered.
        self.check_offset(info.delivered.stream_sequence + 1, None)
            .await?;
        self.offset_lost.begin(&info.delivered);
        self.pending.window.go_on();
        self.take_unreadable(stands_at(info), info).await
    }

    async fn follow(&mut self, session: &mut Session) -> End {
        loop {
            if let Err(end) = self.turn(session).await {
                return end;
            }
        }
    }

    async fn turn(&mut self, session: &mut Session) -> Result<(), End> {
        let state = Arc::clone(&self.durable.link.state);
        let changed = state.changed.notified();
        let now = Instant::now();
        session.check(&self.durable.link, now)?;
        if state.refused().publishes > self.refused {
            return Err("the server refuses a request or an acknowledgement".into());
        }
        if session.is_slow(now) {
            // An answer would come behind the message, and too late.
            (self.look, self.quiet_since, self.looked_at) = (None, now, now);
        }
        let is_flushed = self.flush();
        session.pull(&self.pending.window, self.order.pin());
        let again = self.look_after();
        // What others do to the consumer shows in no message that comes here.
        let is_old = now - self.looked_at >= LOOK_AGAIN;
        if self.look.is_none() && (is_old || now - self.quiet_since >= again) {
            self.look = Some(self.durable.ask());
        }
        // What no event reports: time, and memory that other routes give back.
        let next = [
            (!is_flushed).then_some(now + RETRY),
            (session.awaited == 0).then_some(now + POLL),
            self.look.is_none().then_some(self.quiet_since + again),
            session.answered_by(),
            self.pending.progress_due(&self.durable),
        ];
        let next = next.into_iter().flatten().min();
        let delivered = tokio::select! {
            biased;
            () = self.pending.verdicts() => return Ok(()),
            delivered = session.next() => delivered?,
            Some(answer) = OptionFuture::from(self.look.as_mut()) => {
                return self.looked(answer).await;
            }
            () = changed => return Ok(()),
            () = sleep_until(next.unwrap_or(now + POLL)) => return Ok(()),
        };
        let mut taken = Vec::new();
        let result = self.take_all(session, delivered, &mut taken).await;
        // What was let in has its slot, and is worked on.
        self.push(taken).await;
        result
    }

    /// Takes a message, and those that are there already.
    async fn take_all(
        &mut self,
        session: &mut Session,
        mut next: Option<Delivered>,
        taken: &mut Vec<Delivery>,
    ) -> Result<(), End> {
        while let Some((message, info, reply)) = next {
            self.quiet_since = Instant::now();
            // To ask takes time, in which the pin must be kept.
            let is_asked = self.check_body(&message, info.stream_sequence).await?;
            if self.durable.opening.keeps_order {
                self.expect(&message, info).await?;
            } else {
                self.check_gap(info).await?;
                if self.pending.holds(info.stream_sequence) {
                    self.pending.queue.push_back((reply, AckKind::Progress));
                    next = session.next_now()?;
                    continue;
                }
            }
            self.pending.window.go_on();
            let prefix = Arc::clone(&self.durable.position_prefix);
            let position = Position::numbered(prefix, info.stream_sequence);
            let received = message::received(message, position);
            taken.extend(self.pending.admit(received, info, reply));
            next = match taken.len() < BATCH_MAX && !is_asked {
                true => session.next_now()?,
                false => None,
            };
        }
        Ok(())
    }

    /// If the route is gone, so is everybody who could ask us to stop.
    pub(super) async fn push(&self, taken: Vec<Delivery>) {
        if !taken.is_empty() && self.intake.push(taken).await.is_err() {
            pending().await
        }
    }

    /// How long nothing comes before it is asked why.
    fn look_after(&self) -> Duration {
        let is_settled = !self.durable.opening.keeps_order || self.order.is_settled();
        if is_settled { LOOK_AGAIN } else { STAND_BY }
    }

    /// Another process may have the pin, something may be lost, or somebody changed or paused the consumer.
    async fn looked(&mut self, answer: Answer) -> Result<(), End> {
        self.look = None;
        let (quiet, now) = (self.quiet_since.elapsed(), Instant::now());
        (self.quiet_since, self.looked_at) = (now, now);
        let info = match self.durable.found(answer) {
            // What comes shows that the server is there.
            Err(End::Failed(_)) if quiet < self.look_after() => return Ok(()),
            found => found?,
        };
        self.durable.opening.status.set_joined(true);
        self.pending.count(info.num_pending, info.num_ack_pending);
        if self.durable.opening.keeps_order {
            let delivered = info.delivered.consumer_sequence;
            self.order.look(pinned(&info), delivered)?;
            if info.num_ack_pending > 0 {
                let acknowledged = self.pending.acknowledged();
                self.order.look_at_acks(stands_at(&info), acknowledged)?;
            }
        } else if quiet >= LOOK_AGAIN && takes_all(&self.durable.origin.subjects) {
            // While messages come, some may be delivered and gone since the answer. With an order the next
            // delivery tells. A consumer with filters passes what others left of the stream.
            self.check_offset(info.delivered.stream_sequence + 1, None)
                .await?;
        }
        self.check_consumer(&info)?;
        self.check_waiting().await;
        if info.paused {
            self.pending.window.hold(PAUSED);
            self.log("the consumer is paused");
        } else {
            self.pending.window.go_on();
        }
        Ok(())
    }

    /// Returns why it ended in the end: while it is held, another process may begin to read.
    pub(super) async fn end(&mut self, mut end: End, session: &mut Option<Session>) -> End {
        match end {
            End::Held(_) => self.pending.window.hold(OFFSET_LOST),
            End::StartOver => {
                self.pending.start_over();
                self.search_from = 0;
            }
            _ => {}
        }
        if self.durable.opening.keeps_order {
            if let End::Held(from) = end
                && let Err(other) = self.hold(from, session).await
            {
                end = other;
            }
            self.fence(&end, session.as_ref()).await;
        }
        *session = None;
        end
    }

    fn pause_after(&mut self, end: &End, began: Instant) -> Duration {
        let is_lost = matches!(end, End::ConnectionLost);
        let stable_after = STABLE_AFTER.max(3 * self.durable.origin.ack_wait);
        match began.elapsed() < stable_after {
            true => self.lost_early += u32::from(is_lost),
            false => self.lost_early = 0,
        }
        let is_refused = self.durable.link.state.refused().publishes > self.refused;
        let (pause, cause) = match end {
            End::StandBy | End::Fatal(_) => return PAUSE,
            End::Held(_) => return HELD_PAUSE,
            End::Failed(cause) if is_refused => (HELD_PAUSE, cause.as_str()),
            End::Failed(cause) => (PAUSE, cause.as_str()),
            End::ConnectionLost => (POLL, "the connection was lost"),
            End::StartOver => (
                POLL,
                "the consumer was made anew or changed, or counts anew, and is read from where it stands",
            ),
        };
        self.log(cause);
        pause
    }

    pub(super) fn log(&self, cause: &str) {
        if let Some(held_back) = self.throttle.lets_through(cause) {
            let stream = &*self.durable.origin.stream;
            tracing::warn!(
                stream,
                cause,
                held_back,
                "reading a stream is interrupted, trying again"
            );
        }
    }

    pub(super) async fn work_until(&mut self, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            self.work().await;
        }
    }

    pub(super) async fn work(&mut self) {
        self.flush();
        drop(timeout(POLL, self.pending.verdicts()).await);
    }

    pub(super) fn flush(&mut self) -> bool {
        self.pending.flush(&self.durable)
    }
}
