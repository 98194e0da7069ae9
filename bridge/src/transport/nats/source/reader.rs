//! How a consumer is read, with an order or without: session after session until a stop, and then for
//! as long as what was started takes.

use std::future::pending;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::super::link::Link;
use super::backoff::Backoff;
use super::binding::Binding;
use super::offset_lost::OffsetLost;
use super::session::{Delivered, Session};
use super::{BUSY, End, LOOK};
use crate::delivery::{Delivery, Window};
use crate::transport::{Intake, RouteEnded, SourceError, SourceStatus, Stop};

/// Most messages handed over in one go.
const MOST: usize = 128;
/// Longest wait for the server to take the last acknowledgements.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// What both ways of reading have.
pub(super) struct Common {
    pub(super) link: Link,
    pub(super) binding: Binding,
    pub(super) backoff: Backoff,
    pub(super) offset_lost: OffsetLost,
    pub(super) status: SourceStatus,
    pub(super) intake: Intake,
}

impl Common {
    /// Hands messages on before anything else is done.
    pub(super) async fn push(&self, taken: Option<Delivery>) {
        let mut pushing = push(&self.intake, taken.into_iter().collect());
        finish(&mut pushing).await;
    }
}

/// What differs between them. Everything that waits may be dropped.
pub(super) trait Reader {
    fn common(&mut self) -> &mut Common;

    fn window(&self) -> Rc<Window>;

    async fn begin(&mut self) -> Result<Session, End>;

    /// Takes a message in; nothing comes of one that is known.
    async fn take(
        &mut self,
        session: &mut Session,
        delivered: Delivered,
    ) -> Result<Option<Delivery>, End>;

    /// Tells the server what it is to be told, without waiting; says whether that was all.
    fn flush(&mut self) -> bool;

    /// Waits for verdicts.
    async fn verdicts(&mut self);

    /// Looks at the consumer, where that is due.
    async fn look(&mut self, _: &Session) -> Result<(), End> {
        Ok(())
    }

    /// Ends a session that began then; returns the pause before the next.
    async fn ended(&mut self, end: End, began: Instant) -> Result<Duration, SourceError>;

    /// Asks for nothing more: what came and was not taken is for others.
    fn stop(&mut self, _: &mut Session) {}

    /// Tells the server what it is still to be told, and lets others read.
    async fn release(&mut self);
}

/// Reads until `stop`, or until only an operator can help; then lets what was started finish until the
/// deadline.
pub(super) async fn run(mut reader: impl Reader, mut stop: Stop) -> Result<(), SourceError> {
    let status = reader.common().status.clone();
    let mut session = None;
    let (deadline, result) = {
        // The drain begins before reading is broken off: what is let go then is not missed.
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
    let window = reader.window();
    let finished = async {
        while timeout(Duration::ZERO, window.finished()).await.is_err() {
            if let Some(session) = &mut session {
                reader.stop(session);
                // It has no room, and only keeps the pin.
                session.ask(&window);
            }
            reader.flush();
            drop(timeout(LOOK, reader.verdicts()).await);
        }
    };
    if timeout_at(deadline, finished).await.is_err() {
        let left = window.len();
        tracing::warn!(
            left,
            "drain ended at its deadline, what is left will be repeated"
        );
    }
    window.abandon();
    if timeout(RELEASE_TIMEOUT, reader.release()).await.is_err() {
        tracing::warn!("the last acknowledgements were not taken in time");
    }
    status.close(&window);
    status.set_joined(false);
    result
}

/// Reads until only an operator can help.
async fn read(reader: &mut impl Reader, session: &mut Option<Session>) -> SourceError {
    loop {
        let began = Instant::now();
        let end = match reader.begin().await {
            Ok(begun) => follow(reader, session.insert(begun)).await,
            Err(end) => end,
        };
        *session = None;
        let until = match reader.ended(end, began).await {
            Ok(pause) => Instant::now() + pause,
            Err(error) => return error,
        };
        while Instant::now() < until {
            reader.flush();
            sleep(LOOK.min(until - Instant::now())).await;
        }
    }
}

/// Takes what comes until the session ends.
async fn follow(reader: &mut impl Reader, session: &mut Session) -> End {
    let intake = reader.common().intake.clone();
    let mut pushing: Option<Pushing> = None;
    let end = loop {
        let is_told = reader.flush();
        session.ask(&reader.window());
        if let Some(cause) = session.is_broken(&reader.common().link) {
            break End::Because(cause.to_owned());
        }
        if let Err(end) = reader.look(session).await {
            break end;
        }
        let delivered = tokio::select! {
            biased;
            () = pushed(&mut pushing) => continue,
            () = reader.verdicts() => continue,
            delivered = session.next(), if pushing.is_none() => delivered,
            () = sleep(if is_told { LOOK } else { BUSY }) => continue,
        };
        let mut taken = Vec::new();
        let end = take_all(reader, session, delivered, &mut taken).await;
        pushing = push(&intake, taken);
        if let Err(end) = end {
            break end;
        }
    };
    // What was let in has its slot, and is worked on.
    finish(&mut pushing).await;
    end
}

/// Takes a message, and those that are there already.
async fn take_all(
    reader: &mut impl Reader,
    session: &mut Session,
    first: Result<Option<Delivered>, String>,
    taken: &mut Vec<Delivery>,
) -> Result<(), End> {
    let mut next = first?;
    while let Some(delivered) = next {
        taken.extend(reader.take(session, delivered).await?);
        reader.common().backoff.delivered();
        next = match taken.len() < MOST {
            true => session.next_now()?,
            false => None,
        };
    }
    Ok(())
}

/// Messages on their way to the route.
type Pushing = LocalBoxFuture<'static, Result<(), RouteEnded>>;

fn push(intake: &Intake, taken: Vec<Delivery>) -> Option<Pushing> {
    let intake = intake.clone();
    (!taken.is_empty()).then(|| async move { intake.push(taken).await }.boxed_local())
}

/// Waits until they are there; for ever where nothing is on its way, or the route is gone, and with it
/// everybody who could ask us to stop. May be dropped.
async fn pushed(pushing: &mut Option<Pushing>) {
    if let Some(push) = pushing
        && push.await.is_ok()
    {
        *pushing = None;
    } else {
        pending().await
    }
}

/// Waits until all that is on its way is there.
async fn finish(pushing: &mut Option<Pushing>) {
    while pushing.is_some() {
        pushed(pushing).await;
    }
}
