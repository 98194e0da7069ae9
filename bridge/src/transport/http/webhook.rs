//! The webhook sink: one batch is one HTTP/1.1 POST, and its status line is the verdict.
//!
//! It keeps its own connections, never follows a redirect, never repeats a request that may have been
//! processed, and never logs a header, a URL or a body. The OPTIONS handshake is not here.

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
use crate::transport::{Batch, Sink};
use exchange::Endpoint;
pub(in crate::transport::http) use request::is_reserved;
pub use settings::Settings;

/// Why a webhook sink cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The root certificates in `ca_file` cannot be read.
    #[error("ca_file {path} cannot be used: {cause}")]
    Roots {
        /// The file.
        path: String,
        /// What the reader said.
        cause: String,
    },
    /// Neither the system nor `ca_file` offers a root certificate, so no receiver can be trusted.
    #[error(
        "no root certificate was found: install the system's ca-certificates or name a PEM file in ca_file"
    )]
    NoRoots,
    /// The bearer token cannot be read, or cannot stand in a header.
    #[error("the bearer token cannot be used: {cause}")]
    Token {
        /// What is wrong; never the token.
        cause: String,
    },
}

/// Posts batches to one URL. Every clone shares its connections.
///
/// Lives on a current-thread runtime inside a [`LocalSet`](tokio::task::LocalSet).
#[derive(Clone, Debug)]
pub struct Webhook {
    endpoint: Rc<Endpoint>,
    is_batched: bool,
}

impl Webhook {
    /// Loads roots and token; no connection is made before the first batch.
    ///
    /// With `batched` every batch, also of one event, is written as a batch of JSON events.
    /// `concurrency` is the number of batches that the route keeps in flight, and thereby the
    /// number of connections kept open.
    ///
    /// # Errors
    /// When roots or token cannot be read.
    pub fn open(settings: Settings, batched: bool, concurrency: usize) -> Result<Self, OpenError> {
        Ok(Self {
            endpoint: Rc::new(Endpoint::open(settings, concurrency)?),
            is_batched: batched,
        })
    }
}

impl Sink for Webhook {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let endpoint = Rc::clone(&self.endpoint);
        let is_batched = self.is_batched;
        Box::pin(async move { endpoint.send(&batch, is_batched).await })
    }
}
