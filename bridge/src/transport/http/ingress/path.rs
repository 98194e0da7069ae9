//! One path of a listener: its route's intake, and the requests that wait on it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use cloudevents_nl_codec::Decoder;
use http::request::Parts;
use tokio::sync::watch;
use tracing::Span;

use super::answer::ProblemDetails;
use super::certificate::Subject;
use super::clients::{Caller, Client, Signature, by_signature, by_subject, by_token, key_may_come};
use super::consent_requests;
use super::only;
use super::rate::RateLimit;
use super::settings::PathSettings;
use super::token::presented;
use crate::delivery::Window;
use crate::delivery::share::{Reservation, Share};
use crate::server::{AnswerCounts, Peer};
use crate::transport::contract::{OpenError, SourceOpening};
use crate::transport::http::signature::SIGNATURE;
use crate::transport::{Intake, SourceStatus};

/// Who brings nothing is told of no error (RFC 6750, section 3.1).
const MISSING: &str = "a bearer token, the certificate of a client or its signature is needed";

pub(super) struct IngressPath {
    pub(super) settings: PathSettings,
    pub(super) decoder: Decoder,
    /// Of `tokens_file`.
    bearers: Vec<Client>,
    pub(super) rate: Option<RateLimit>,
    /// `None` before the route runs and once it stops; every request watches it.
    pub(super) intake: watch::Sender<Option<Intake>>,
    pub(super) status: SourceStatus,
    pub(super) answers: Arc<AnswerCounts>,
    /// Names the route.
    pub(super) span: Span,
    share: Rc<Share>,
    /// Bounded by `bytes_in_flight`.
    bodies: Rc<Share>,
    /// Of requests whose sender is not known before their bodies are read, each of which holds it: half of what
    /// there is at most, so that they keep out nobody who is known.
    unverified: Rc<Share>,
}

impl IngressPath {
    pub(super) fn open(settings: PathSettings, opening: &SourceOpening) -> Result<Self, OpenError> {
        if let Some(file) = &settings.listener.consent_requests_file {
            consent_requests::read(file).map_err(|error| OpenError {
                reason: "path",
                detail: format!("consent_requests_file cannot be used: {error}"),
            })?;
        }
        Ok(Self {
            bearers: settings.bearers()?,
            rate: RateLimit::new(settings.allowed_rate),
            answers: (opening.status.answers())
                .of(&settings.listener.listen.to_string(), &settings.path),
            settings,
            decoder: opening.decoder.clone(),
            intake: watch::Sender::default(),
            status: opening.status.clone(),
            span: Span::current(),
            share: Rc::clone(&opening.share),
            bodies: Share::unbounded(),
            unverified: Share::unbounded(),
        })
    }

    /// Settings in effect name it, so its route runs or may run again.
    pub(super) fn is_wanted(&self) -> bool {
        // One is held here.
        Arc::strong_count(&self.settings.wanted) > 1
    }

    pub(super) fn start(&self, intake: Intake) {
        self.intake.send_replace(Some(intake));
        self.status.set_joined(true);
    }

    /// Requests that were taken go on.
    pub(super) fn stop(&self) {
        self.intake.send_replace(None);
        self.status.set_joined(false);
    }

    /// Who brings a token is judged by that, also with a certificate; a signature counts without both.
    pub(super) fn caller<'p>(
        &'p self,
        head: &'p Parts,
        peer: &Peer,
    ) -> Result<Caller<'p>, ProblemDetails> {
        let clients = &self.settings.listener.clients;
        if self.bearers.is_empty() && clients.is_empty() {
            return Ok(Caller::Anyone);
        }
        if let Some(token) = presented(head, self.settings.access_token_in_query) {
            let known = by_token(clients.iter().chain(&self.bearers), &token);
            let known = known.map(Caller::Client);
            return known.ok_or_else(|| match key_may_come(clients, &token) {
                true => ProblemDetails::not_now("the keys of the issuer are being fetched"),
                false => ProblemDetails::unknown_token(),
            });
        }
        let subject = self.subject(head, peer);
        if let Some(client) = subject.and_then(|subject| by_subject(clients, &subject)) {
            return Ok(Caller::Client(client));
        }
        if !clients.iter().any(Client::signs) || !head.headers.contains_key(SIGNATURE) {
            return Err(ProblemDetails::unauthorized(MISSING));
        }
        let signature = Signature::of(&head.headers).map_err(ProblemDetails::unauthorized);
        signature.map(Caller::Signer)
    }

    /// Whose signature of the body it is.
    pub(super) fn signer(
        &self,
        signature: &Signature<'_>,
        body: &[u8],
    ) -> Result<Caller<'_>, ProblemDetails> {
        let client = by_signature(&self.settings.listener.clients, signature, body);
        let unsigned = || ProblemDetails::unauthorized("the signature is that of no client");
        client.map(Caller::Client).ok_or_else(unsigned)
    }

    /// Of the certificate of the client, which the proxy or this listener has verified.
    fn subject(&self, head: &Parts, peer: &Peer) -> Option<Subject> {
        let Some(header) = &self.settings.listener.client_certificate_header else {
            return Subject::of(peer.certificate.as_ref()?);
        };
        Subject::of_header(only(head.headers.get_all(header).iter())?)
    }

    pub(super) fn enter(self: &Rc<Self>, caller: &Caller<'_>) -> Option<OpenRequest> {
        let most = self.settings.requests_in_flight;
        let is_unverified = matches!(caller, Caller::Signer(_));
        let unverified = Rc::strong_count(&self.unverified) - 1;
        if self.status.windows() >= most || is_unverified && unverified >= most.div_ceil(2) {
            return None;
        }
        let unverified = is_unverified.then(|| Reservation::of(&self.unverified));
        let window = Window::unbounded(&self.share, Reservation::of(&self.bodies));
        self.status.open(&window);
        Some(OpenRequest {
            path: Rc::clone(self),
            window,
            reading: Reservation::of(&self.share),
            unverified: RefCell::new(unverified),
            intake: self.intake.subscribe(),
        })
    }

    pub(super) async fn idle(&self) {
        self.intake.closed().await;
    }
}

/// Dropping it, as a client of HTTP/2 that goes away does, abandons its window: what has not started will not start.
pub(super) struct OpenRequest {
    path: Rc<IngressPath>,
    pub(super) window: Rc<Window>,
    /// The body, before there are deliveries to count it.
    pub(super) reading: Reservation,
    /// `None` once its sender is known.
    unverified: RefCell<Option<Reservation>>,
    intake: watch::Receiver<Option<Intake>>,
}

impl OpenRequest {
    /// False when the path has no room for them.
    pub(super) fn grow(&self, bytes: usize) -> bool {
        let (all, own) = (self.path.bodies.held(), self.window.beside().get());
        let most = self.path.settings.bytes_in_flight;
        let unverified = self.unverified.borrow();
        let of_unverified = self.path.unverified.held().saturating_add(bytes);
        let is_over_half = unverified.is_some() && of_unverified > most / 2;
        let fits = all.saturating_add(bytes) <= most && !is_over_half;
        let has_room = all == own || fits && self.path.share.room() > 0;
        if has_room {
            if let Some(unverified) = &*unverified {
                unverified.set(own + bytes);
            }
            self.window.beside().set(own + bytes);
            self.reading.set(own + bytes);
        }
        has_room
    }

    /// Its sender is known now.
    pub(super) fn verified(&self) {
        self.unverified.replace(None);
    }

    pub(super) async fn stopped(&self) {
        drop(self.intake.clone().wait_for(Option::is_none).await);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.window.abandon();
        self.path.status.close(&self.window);
    }
}
