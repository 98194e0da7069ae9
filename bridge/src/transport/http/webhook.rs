//! The webhook sink: one batch is one HTTP/1.1 POST, and its status line is the verdict. It follows no
//! redirect, repeats no request that may have been processed, and logs no header, URL or body.

mod backlog;
mod connection;
mod exchange;
mod failure;
mod request;
mod resolver;
mod retry_after;
mod settings;
mod status_line;
#[cfg(test)]
mod tests;
mod tls;
mod token;

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use crate::outcome::Outcome;
use crate::transport::contract::OpenError;
use crate::transport::{Batch, Sink};
pub(super) use exchange::WebhookSink;
pub(super) use request::is_reserved;
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
        Box::pin(async move { endpoint.deliver(&batch).await })
    }
}
