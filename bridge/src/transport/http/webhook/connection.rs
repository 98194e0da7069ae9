//! Connections to one receiver, opened when needed and kept for the next exchange.

use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};
use tokio_util::io::InspectReader;
use tower_service::Service;
use tracing::Instrument;

use super::backlog::{Backlog, Unanswered};
use super::settings::WebhookSettings;
use super::status_line::StatusLine;
use super::{cannot_open, failure};
use crate::outcome::Outcome;
use crate::tls;
use crate::transport::contract::OpenError;

/// A firewall on the way may forget a silent connection without a word.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

pub(super) struct Connection {
    pub(super) sender: http1::SendRequest<Full<Bytes>>,
    pub(super) status_line: StatusLine,
    /// Until the first answer.
    pub(super) unanswered: Option<Unanswered>,
    /// When it was opened, taken or answered last.
    pub(super) used: Instant,
}

/// No more than batches were in flight together: who finds an idle one opens none.
pub(super) struct ConnectionPool {
    connector: HttpsConnector<HttpConnector>,
    url: Uri,
    connect_timeout: Duration,
    pub(super) backlog: Rc<Backlog>,
    /// The one used last is on top, so that a falling load closes the others.
    idle: RefCell<Vec<Connection>>,
}

impl ConnectionPool {
    pub(super) fn new(settings: &WebhookSettings, in_flight: usize) -> Result<Self, OpenError> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Spread over the addresses of a name, so that a dead one does not take all the time.
        tcp.set_connect_timeout(Some(settings.connect_timeout));
        // The scheme of the URL says whether there is TLS.
        let tls = match settings.is_protected() {
            true => settings.tls.client(),
            false => Ok(tls::without_roots()),
        };
        let tls = tls.map_err(|error| cannot_open(error.to_string()))?;
        Ok(Self {
            connector: HttpsConnector::from((tcp, tls)),
            url: settings.url.clone(),
            connect_timeout: settings.connect_timeout,
            backlog: Backlog::new(in_flight),
            idle: RefCell::default(),
        })
    }

    /// None that was kept, if anew. Half of the time is left for the exchange: waiting for the backlog says nothing of
    /// the receiver.
    pub(super) async fn take(
        &self,
        deadline: Instant,
        is_anew: bool,
    ) -> Result<Connection, Outcome> {
        let mut now = Instant::now();
        let half = now + deadline.duration_since(now) / 2;
        loop {
            if !is_anew && let Some(kept) = self.idle(now) {
                return Ok(kept);
            }
            if let Some(unanswered) = self.backlog.enter() {
                // In a box, as what is rare would make each delivery a large future.
                return Box::pin(self.open(unanswered, deadline)).await;
            }
            if timeout_at(half, self.backlog.changed()).await != Ok(true) {
                return Err(Outcome::Unreachable("no connection"));
            }
            now = Instant::now();
        }
    }

    /// Still open as far as this side knows.
    fn idle(&self, now: Instant) -> Option<Connection> {
        let mut idle = self.idle.borrow_mut();
        while let Some(mut connection) = idle.pop() {
            if now - connection.used > LONGEST_SILENCE {
                // Those below have been idle for longer.
                idle.clear();
                return None;
            }
            if connection.sender.is_ready() {
                connection.used = now;
                return Some(connection);
            }
        }
        None
    }

    async fn open(
        &self,
        mut unanswered: Unanswered,
        deadline: Instant,
    ) -> Result<Connection, Outcome> {
        let deadline = deadline.min(Instant::now() + self.connect_timeout);
        match timeout_at(deadline, self.connect()).await {
            Ok(Ok(mut connection)) => {
                unanswered.open();
                connection.unanswered = Some(unanswered);
                Ok(connection)
            }
            Ok(Err(error)) => Err(failure::outcome(&*error, Outcome::Unreachable)),
            Err(_) => Err(Outcome::Unreachable("connect timeout")),
        }
    }

    pub(super) async fn connect(&self) -> Result<Connection, Box<dyn Error + Send + Sync>> {
        let stream = self.connector.clone().call(self.url.clone()).await?;
        let status_line = StatusLine::default();
        let seen = status_line.clone();
        let stream = InspectReader::new(TokioIo::new(stream), move |bytes: &[u8]| seen.read(bytes));
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // The error reaches whoever waits for an answer; nobody else needs it.
        let carried = async { drop(connection.await) };
        tokio::task::spawn_local(carried.in_current_span());
        Ok(Connection {
            sender,
            status_line,
            unanswered: None,
            used: Instant::now(),
        })
    }

    pub(super) fn answered(&self, connection: &mut Connection) {
        connection.used = Instant::now();
        match connection.unanswered.take() {
            Some(unanswered) => unanswered.answered(connection.used),
            None => self.backlog.answered(connection.used),
        }
    }

    pub(super) fn keep(&self, connection: Connection) {
        self.idle.borrow_mut().push(connection);
        self.backlog.wake();
    }
}
