//! Connections to one receiver: opened when needed, few at a time, and kept while they are good for
//! another exchange.

use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::rt::{Read, Write};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};
use tokio_util::io::InspectReader;
use tower_service::Service;

use super::backlog::{Backlog, Unanswered};
use super::resolver::Resolver;
use super::settings::Settings;
use super::status_line::StatusLine;
use super::{OpenError, failure};
use crate::outcome::Outcome;

/// A connection that has been silent for longer is not trusted: a firewall on the way may have
/// forgotten it without a word.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// A connection; dropping it closes it.
pub(super) struct Connection {
    pub(super) sender: SendRequest<Full<Bytes>>,
    pub(super) status_line: StatusLine,
    /// There until the first answer.
    unanswered: Option<Unanswered>,
}

impl Connection {
    /// Whether it has brought an answer before.
    pub(super) fn is_kept(&self) -> bool {
        self.unanswered.is_none()
    }
}

enum Connector {
    Plain(HttpConnector<Resolver>),
    Tls(HttpsConnector<HttpConnector<Resolver>>),
}

/// Opens connections and keeps idle ones, at most as many as there are batches in flight.
pub(super) struct Connections {
    connector: Connector,
    url: Uri,
    connect_timeout: Duration,
    most_idle: usize,
    backlog: Rc<Backlog>,
    /// The one used last is on top, so that a falling load lets the others go.
    idle: RefCell<Vec<(Connection, Instant)>>,
}

impl Connections {
    pub(super) fn new(settings: &Settings, most_idle: usize) -> Result<Self, OpenError> {
        let mut tcp = HttpConnector::new_with_resolver(Resolver::new());
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Spread over the addresses of a name, so that a dead one does not take all the time.
        tcp.set_connect_timeout(Some(settings.connect_timeout));
        let connector = if let Some(roots) = settings.roots()? {
            let tls = HttpsConnectorBuilder::new()
                .with_tls_config(roots)
                .https_only()
                .enable_http1()
                .wrap_connector(tcp);
            Connector::Tls(tls)
        } else {
            Connector::Plain(tcp)
        };
        Ok(Self {
            connector,
            url: settings.url.clone(),
            connect_timeout: settings.connect_timeout,
            most_idle,
            backlog: Backlog::new(most_idle),
            idle: RefCell::default(),
        })
    }

    /// A connection for one exchange: a kept one, or a new one once the receiver may be asked for it.
    pub(super) async fn take(&self, deadline: Instant) -> Result<Connection, Outcome> {
        loop {
            if let Some(kept) = self.idle() {
                return Ok(kept);
            }
            if let Some(unanswered) = self.backlog.enter() {
                return self.open(unanswered, deadline).await;
            }
            if timeout_at(deadline, self.backlog.changed()).await.is_err() {
                return Err(Outcome::Unreachable("connect timeout"));
            }
        }
    }

    /// An idle connection that is still open as far as this side knows.
    fn idle(&self) -> Option<Connection> {
        let mut idle = self.idle.borrow_mut();
        while let Some((connection, since)) = idle.pop() {
            if since.elapsed() > LONGEST_SILENCE {
                // Those below have been silent for longer still.
                idle.clear();
                return None;
            }
            if connection.sender.is_ready() {
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
            Ok(Ok(connection)) => {
                unanswered.open();
                Ok(Connection {
                    unanswered: Some(unanswered),
                    ..connection
                })
            }
            Ok(Err(error)) => Err(failure::outcome(&*error, Outcome::Unreachable)),
            Err(_) => Err(Outcome::Unreachable("connect timeout")),
        }
    }

    async fn connect(&self) -> Result<Connection, Box<dyn Error + Send + Sync>> {
        let url = self.url.clone();
        match &self.connector {
            Connector::Plain(tcp) => speak(tcp.clone().call(url).await?).await,
            Connector::Tls(tls) => speak(tls.clone().call(url).await?).await,
        }
    }

    /// An answer came to a request that left at `sent`.
    pub(super) fn answered(&self, connection: &mut Connection, sent: Instant) {
        match connection.unanswered.take() {
            Some(unanswered) => unanswered.answered(),
            None => self.backlog.answered(sent.elapsed()),
        }
    }

    /// Keeps a connection whose exchange is over to its last byte.
    pub(super) fn keep(&self, connection: Connection) {
        let mut idle = self.idle.borrow_mut();
        if idle.len() < self.most_idle {
            idle.push((connection, Instant::now()));
            self.backlog.wake();
        }
    }
}

async fn speak(
    stream: impl Read + Write + Unpin + 'static,
) -> Result<Connection, Box<dyn Error + Send + Sync>> {
    let status_line = StatusLine::default();
    let seen = status_line.clone();
    let stream = InspectReader::new(TokioIo::new(stream), move |bytes: &[u8]| seen.read(bytes));
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Its error reaches whoever waits for an answer; nobody else needs it.
    tokio::task::spawn_local(async { drop(connection.await) });
    Ok(Connection {
        sender,
        status_line,
        unanswered: None,
    })
}
