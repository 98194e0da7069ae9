//! The webhook sink: one batch is one POST, and its status is the verdict. It follows no redirect, and logs no header,
//! URL or body. What may have been processed it repeats in one case, once: a kept connection is closed without an answer.

mod backlog;
mod callback;
mod check;
mod connection;
mod consent_state;
mod exchange;
mod failure;
mod handshake;
mod rate;
mod request;
mod retry_after;
mod settings;
mod status_line;
mod target;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use cloudevents_nl_codec::{Binding, HTTP};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::Instant;

use super::TRANSPORT;
use crate::outcome::Outcome;
use crate::transport::address::Address;
use crate::transport::contract::{CheckAnswers, OpenError, OpenSink, SinkOpening};
use crate::transport::{Batch, Sink};
use callback::Callback;
pub(crate) use callback::CallbackSettings;
use exchange::WebhookSink;
use request::is_reserved;
pub use settings::WebhookSettings;

fn cannot_open(detail: impl Into<String>) -> OpenError {
    OpenError {
        reason: "webhook",
        detail: detail.into(),
    }
}

impl Sink for Rc<WebhookSink> {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let endpoint = Self::clone(self);
        endpoint.target.limiter.sent();
        Box::pin(async move { endpoint.deliver(&batch).await })
    }

    fn opens_at(&self) -> Option<Instant> {
        self.target.limiter.opens_at()
    }

    fn set_part(&self, part: f64) {
        WebhookSink::set_part(self, part);
    }
}

impl WebhookSettings {
    /// For whoever posts something else than events, one request at a time.
    pub(crate) fn client(&self) -> Result<Box<dyn Sink>, OpenError> {
        let sink = WebhookSink::open(self, false, 1)?;
        Ok(Box::new(Rc::new(sink)))
    }
}

impl OpenSink for WebhookSettings {
    fn address(&self) -> Address {
        let usual = if self.is_protected() { 443 } else { 80 };
        let port = self.url.port_u16().unwrap_or(usual);
        Address {
            transport: TRANSPORT.name,
            server: format!("{}:{port}", self.url.host().unwrap_or_default()),
            // The query may be secret.
            name: self.url.path().to_owned(),
        }
    }

    fn binding(&self) -> &'static Binding {
        &HTTP
    }

    fn exchange_timeout(&self) -> Option<Duration> {
        Some(self.exchange_timeout)
    }

    fn keeps_dead_letters(&self) -> bool {
        false
    }

    /// What signs events names them too.
    fn message_id_scope(&self) -> Option<&str> {
        (!self.signing_secrets.is_empty()).then_some("")
    }

    fn refuses_header(&self, name: &str) -> bool {
        is_reserved(name)
    }

    fn check(&self, _: bool) -> LocalBoxFuture<'_, CheckAnswers> {
        check::check(self).boxed_local()
    }

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        let mut sink = WebhookSink::open(self, opening.is_batched, opening.in_flight_max)?;
        sink.keeps_error_body = opening.keeps_error_body;
        sink.route = opening.serves_route.then(|| Arc::clone(&self.route));
        sink.set_part(1.0 / self.processes as f64);
        sink.callback = Callback::open(self, &sink.target, &opening)?;
        Ok(Box::new(Rc::new(sink)))
    }
}
