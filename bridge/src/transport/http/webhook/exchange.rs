//! One exchange: request out, status line in, connection kept or closed.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::callback::Callback;
use super::connection::{Connection, ConnectionPool};
use super::handshake::Handshake;
use super::request::RequestBuilder;
use super::settings::WebhookSettings;
use super::target::DeliveryTarget;
use super::{cannot_open, failure, retry_after};
use crate::credentials::{Credential, CredentialHeader};
use crate::outcome::{Outcome, RefusedReason};
use crate::transport::Batch;
use crate::transport::contract::OpenError;
use crate::transport::http::signature::Signer;

/// Read of an answer's body to keep the connection.
const MOST_BODY_BYTES: usize = 64 << 10;
const LONGEST_BODY: Duration = Duration::from_secs(1);
/// Of an error, where it is kept.
const ERROR_BODY_BYTES: usize = 1 << 10;
const NO_ANSWER: &str = "consent cannot be asked for";

pub(super) struct WebhookSink {
    pub(super) connections: ConnectionPool,
    pub(super) requests: RequestBuilder,
    pub(super) credential: Option<Credential>,
    pub(super) target: Arc<DeliveryTarget>,
    /// That has a part of the rate.
    pub(super) route: Option<Arc<()>>,
    pub(super) callback: Option<Arc<Callback>>,
    first_byte_timeout: Duration,
    exchange_timeout: Duration,
    pub(super) keeps_error_body: bool,
}

impl WebhookSink {
    /// Connects to nobody before the first batch.
    pub(super) fn open(
        settings: &WebhookSettings,
        is_batched: bool,
        in_flight: usize,
    ) -> Result<Self, OpenError> {
        let credential = settings.credential.as_ref().map(Credential::open);
        let signer = Signer::open(&settings.signing_secrets);
        Ok(Self {
            connections: ConnectionPool::new(settings, in_flight)?,
            requests: RequestBuilder {
                origin: settings.contract.origin.clone(),
                signer: signer.map_err(cannot_open)?,
                token_in_query: settings.token_in_query,
                ..RequestBuilder::new(&settings.url, is_batched)
            },
            credential: credential.transpose().map_err(cannot_open)?,
            target: DeliveryTarget::shared(&settings.url, &settings.contract),
            route: None,
            callback: None,
            first_byte_timeout: settings.first_byte_timeout,
            exchange_timeout: settings.exchange_timeout,
            keeps_error_body: false,
        })
    }

    pub(super) fn set_part(&self, part: f64) {
        if let Some(route) = &self.route {
            self.target.limiter.set_part(route, part);
        }
    }

    /// Posts a batch, and once more where the answer is 401 and what proves who we are was renewed meanwhile.
    pub(super) async fn deliver(&self, batch: &Batch) -> Outcome {
        let deadline = Instant::now() + self.exchange_timeout;
        let pauses = self.connections.backlog.pauses.get();
        let proof = match self.proof(deadline).await {
            Ok(proof) => proof,
            Err(word) => return Outcome::NoToken(word),
        };
        // In a box, as what is rare would make each delivery a large future.
        if self.target.settings.handshake != Handshake::Off
            && let Err(word) = Box::pin(self.agree(proof.clone(), deadline)).await
        {
            return Outcome::NoConsent(word);
        }
        let mut outcome = self.post(batch, proof.clone(), pauses, deadline).await;
        if let Outcome::Status { code: 401, .. } = outcome
            && let (Some(credential), Some(refused)) = (&self.credential, proof)
        {
            match Box::pin(credential.renew(&refused, deadline)).await {
                Ok(Some(renewed)) if self.connections.backlog.pauses.get() == pauses => {
                    self.target.limiter.sent();
                    outcome = self.post(batch, Some(renewed), pauses, deadline).await;
                }
                Ok(_) => {}
                Err(error) => outcome = Outcome::NoToken(error.after_refusal()),
            }
        }
        match outcome {
            Outcome::Status { code: 429, .. } => self.target.limiter.lower(),
            Outcome::NoToken(_)
            | Outcome::Status {
                code: 401 | 403 | 404 | 410,
                ..
            } => self.target.doubt(),
            _ => {}
        }
        outcome
    }

    async fn agree(
        &self,
        proof: Option<CredentialHeader>,
        deadline: Instant,
    ) -> Result<(), &'static str> {
        let ask = async {
            match timeout_at(deadline, self.options(proof)).await {
                Ok(Ok(answer)) => Ok(answer.into_parts().0.headers),
                _ => Err(NO_ANSWER),
            }
        };
        let state = self.callback.as_ref().and_then(|it| it.state.as_ref());
        let agreed = timeout_at(deadline, self.target.agree(ask, state)).await;
        agreed.unwrap_or(Err(NO_ANSWER))?;
        // Asking may have taken all the time: nothing is begun after the deadline.
        (Instant::now() < deadline).then_some(()).ok_or(NO_ANSWER)
    }

    /// OPTIONS, which asks for consent where the settings say so. On a connection of its own: it is asked rarely,
    /// and its answer may have any body.
    pub(super) async fn options(
        &self,
        proof: Option<CredentialHeader>,
    ) -> Result<Response<Incoming>, Box<dyn Error + Send + Sync>> {
        let mut connection = self.connections.connect().await?;
        let mut request = self.requests.options(proof);
        let callback = self.callback.as_ref().map(|callback| &callback.url);
        self.target.settings.ask(request.headers_mut(), callback);
        Ok(connection.sender.send_request(request).await?)
    }

    /// The error is the cause, in constant words.
    async fn proof(&self, deadline: Instant) -> Result<Option<CredentialHeader>, &'static str> {
        let Some(credential) = &self.credential else {
            return Ok(None);
        };
        match timeout_at(deadline, credential.proof()).await {
            Ok(Ok(proof)) => Ok(Some(proof)),
            Ok(Err(error)) => Err(error.word),
            Err(_) => Err("token endpoint does not answer"),
        }
    }

    /// Unless the receiver has asked for a pause since `pauses` were counted.
    async fn post(
        &self,
        batch: &Batch,
        proof: Option<CredentialHeader>,
        pauses: u64,
        deadline: Instant,
    ) -> Outcome {
        let (backlog, mut unanswered) = (&self.connections.backlog, None);
        while backlog.pauses.get() == pauses {
            let request = match self.requests.request(batch, proof.clone()) {
                Ok(request) => request,
                Err(word) => return Outcome::Refused(RefusedReason::Other(word)),
            };
            let is_anew = unanswered.is_some();
            let connection = match self.connections.take(deadline, is_anew).await {
                _ if backlog.pauses.get() != pauses => break,
                Ok(connection) => connection,
                Err(outcome) => return unanswered.unwrap_or(outcome),
            };
            match self.exchange(connection, request, deadline).await {
                Ok(outcome) => return outcome,
                Err(None) => {}
                // It may have been read, so the next may be a repeat, and counts against the rate.
                Err(outcome) => {
                    unanswered = outcome;
                    self.target.limiter.sent();
                }
            }
        }
        unanswered.unwrap_or(Outcome::Unreachable("receiver asked for a pause"))
    }

    /// An error where a kept connection was closed, and the request can be made elsewhere: with the outcome where it
    /// may have been read, though no byte of an answer came.
    pub(super) async fn exchange(
        &self,
        mut connection: Connection,
        request: Request<Full<Bytes>>,
        deadline: Instant,
    ) -> Result<Outcome, Option<Outcome>> {
        connection.status_line.clear();
        let first_byte_by = deadline.min(connection.used + self.first_byte_timeout);
        let sent = connection.sender.try_send_request(request);
        let response = match timeout_at(first_byte_by, sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(mut failed)) => {
                let is_kept = connection.unanswered.is_none();
                let is_silent = connection.status_line.is_empty();
                let outcome = match failed.take_message() {
                    Some(_) if is_kept => return Err(None),
                    Some(_) => Outcome::Unreachable("closed early"),
                    None => unanswered(failed.error(), &connection),
                };
                return match outcome {
                    Outcome::Unanswered("closed early" | "connection reset")
                        if is_kept && is_silent =>
                    {
                        Err(Some(outcome))
                    }
                    outcome => Ok(outcome),
                };
            }
            Err(_) => return Ok(Outcome::Unanswered("first byte timeout")),
        };
        self.connections.answered(&mut connection);
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after =
            retry_after.and_then(|value| retry_after::parse(value.as_bytes(), SystemTime::now()));
        let status = response.status();
        let asks_for_pause = retry_after.is_some() && !status.is_success();
        if asks_for_pause || matches!(status.as_u16(), 429 | 503) {
            self.connections.backlog.pause();
        }
        let beginning = self
            .finish(connection, response.into_body(), deadline)
            .await;
        Ok(outcome(status, retry_after, &beginning))
    }

    /// Reads the rest of the answer to keep the connection; where that takes too much, it is closed. Returns
    /// the beginning, where it is kept.
    async fn finish(
        &self,
        mut connection: Connection,
        body: Incoming,
        deadline: Instant,
    ) -> Vec<u8> {
        let most = usize::from(self.keeps_error_body) * ERROR_BODY_BYTES;
        let (sender, mut beginning) = (&mut connection.sender, Vec::new());
        let finished = async {
            let mut body = Limited::new(body, MOST_BODY_BYTES);
            while let Some(frame) = body.frame().await {
                let frame = frame.ok()?;
                let room = most - beginning.len();
                let bytes = frame.data_ref().into_iter().flatten();
                beginning.extend(bytes.take(room));
            }
            sender.ready().await.ok()
        };
        let deadline = deadline.min(connection.used + LONGEST_BODY);
        if let Ok(Some(())) = timeout_at(deadline, finished).await {
            self.connections.keep(connection);
        }
        beginning
    }
}

impl Drop for WebhookSink {
    fn drop(&mut self) {
        self.set_part(0.0);
    }
}

/// Where the client cannot read the fields of an answer, its status counts all the same: a repeat would get
/// it again.
fn unanswered(error: &hyper::Error, connection: &Connection) -> Outcome {
    let status = connection.status_line.status();
    match status.filter(|_| error.is_parse()) {
        Some(status) => outcome(status, None, &[]),
        None if connection.status_line.is_tls() => {
            Outcome::Unreachable("destination speaks TLS only")
        }
        None => failure::outcome(error, Outcome::Unanswered),
    }
}

fn outcome(status: StatusCode, retry_after: Option<Duration>, body: &[u8]) -> Outcome {
    match status.is_success() {
        true => Outcome::Delivered,
        false => Outcome::Status {
            code: status.as_u16(),
            retry_after,
            error_body: text(body),
        },
    }
}

/// As a header of any protocol carries it: one line.
fn text(bytes: &[u8]) -> Option<Box<str>> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.replace(|letter: char| letter.is_control(), " ");
    let text = text.trim();
    (!text.is_empty()).then(|| text.into())
}
