//! One exchange: request out, status line in, and what becomes of the connection afterwards.

use std::error::Error;
use std::fmt;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, timeout_at};

use super::connection::{Connection, Connections};
use super::request::Writer;
use super::settings::Settings;
use super::status_line::StatusLine;
use super::token::Token;
use super::{OpenError, failure, retry_after};
use crate::outcome::{Outcome, RefusedReason};
use crate::transport::Batch;

/// Most bytes of an answer's body that are read to save the connection.
const MOST_BODY_BYTES: usize = 64 << 10;
/// Longest time that is spent on it.
const LONGEST_BODY: Duration = Duration::from_secs(1);

/// One receiver.
pub(super) struct Endpoint {
    connections: Connections,
    writer: Writer,
    token: Option<Token>,
    first_byte_timeout: Duration,
    exchange_timeout: Duration,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

impl Endpoint {
    pub(super) fn open(settings: Settings, concurrency: usize) -> Result<Self, OpenError> {
        Ok(Self {
            connections: Connections::new(&settings, concurrency)?,
            writer: Writer::new(&settings.url),
            token: settings.token.map(Token::open).transpose()?,
            first_byte_timeout: settings.first_byte_timeout,
            exchange_timeout: settings.exchange_timeout,
        })
    }

    /// Posts a batch, and once more where the token was refused and has been renewed meanwhile.
    pub(super) async fn send(&self, batch: &Batch, is_batched: bool) -> Outcome {
        let deadline = Instant::now() + self.exchange_timeout;
        let Some(token) = &self.token else {
            return self.post(batch, is_batched, None, deadline).await;
        };
        let authorization = token.authorization();
        let outcome = self
            .post(batch, is_batched, Some(authorization.clone()), deadline)
            .await;
        if !matches!(outcome, Outcome::Status { code: 401, .. }) {
            return outcome;
        }
        match token.reload(&authorization).await {
            None => outcome,
            renewed => self.post(batch, is_batched, renewed, deadline).await,
        }
    }

    async fn post(
        &self,
        batch: &Batch,
        is_batched: bool,
        authorization: Option<HeaderValue>,
        deadline: Instant,
    ) -> Outcome {
        match self.writer.request(batch, is_batched, authorization) {
            Ok(request) => self.exchange(request, deadline).await,
            Err(word) => Outcome::Refused(RefusedReason::Other(word)),
        }
    }

    async fn exchange(&self, mut request: Request<Full<Bytes>>, deadline: Instant) -> Outcome {
        loop {
            let mut connection = match self.connections.take(deadline).await {
                Ok(connection) => connection,
                Err(outcome) => return outcome,
            };
            let is_kept = connection.is_kept();
            connection.status_line.clear();
            let sent_at = Instant::now();
            let first_byte = deadline.min(sent_at + self.first_byte_timeout);
            let sent = connection.sender.try_send_request(request);
            match timeout_at(first_byte, sent).await {
                Ok(Ok(response)) => {
                    self.connections.answered(&mut connection, sent_at);
                    return self.answer(connection, response, deadline).await;
                }
                Err(_) => return Outcome::Unanswered("first byte timeout"),
                Ok(Err(mut failed)) => match failed.take_message() {
                    // The receiver closed a kept connection before the client took the request from
                    // its queue. Not a byte of it was written, so sending it elsewhere repeats
                    // nothing. Once a byte may be out, the request is not handed back.
                    Some(unsent) if is_kept => request = unsent,
                    _ => return unanswered(failed.error(), &connection.status_line),
                },
            }
        }
    }

    async fn answer(
        &self,
        connection: Connection,
        response: Response<Incoming>,
        deadline: Instant,
    ) -> Outcome {
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after =
            retry_after.and_then(|value| retry_after::parse(value.as_bytes(), SystemTime::now()));
        let outcome = outcome(response.status(), retry_after);
        self.finish(connection, response.into_body(), deadline)
            .await;
        outcome
    }

    /// Reads the rest of the answer to save the connection; where that takes too much, both are dropped.
    async fn finish(&self, mut connection: Connection, body: Incoming, deadline: Instant) {
        let deadline = deadline.min(Instant::now() + LONGEST_BODY);
        let sender = &mut connection.sender;
        let finished = async { read_to_end(body).await && sender.ready().await.is_ok() };
        if timeout_at(deadline, finished).await == Ok(true) {
            self.connections.keep(connection);
        }
    }
}

/// The outcome where the client has no answer to show. One whose fields it cannot read has a status
/// all the same: the receiver would say it again, to every repeat.
fn unanswered(error: &hyper::Error, status_line: &StatusLine) -> Outcome {
    let status = error.is_parse().then(|| status_line.status()).flatten();
    status.map_or_else(
        || failure::outcome(error as &(dyn Error + 'static), Outcome::Unanswered),
        |status| outcome(status, None),
    )
}

fn outcome(status: StatusCode, retry_after: Option<Duration>) -> Outcome {
    if status.is_success() {
        return Outcome::Delivered;
    }
    Outcome::Status {
        code: status.as_u16(),
        retry_after,
    }
}

/// Whether the body ended within its limit and without an error.
async fn read_to_end(mut body: Incoming) -> bool {
    let mut left = MOST_BODY_BYTES;
    while !body.is_end_stream() {
        match body.frame().await {
            None => return true,
            Some(Err(_)) => return false,
            Some(Ok(frame)) => {
                let length = frame.data_ref().map_or(0, Bytes::len);
                match left.checked_sub(length) {
                    Some(rest) => left = rest,
                    None => return false,
                }
            }
        }
    }
    true
}
