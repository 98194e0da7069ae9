//! Connections to one receiver, opened when needed and kept for the next exchange.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::mem::take;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::Either;
use http::uri::{Authority, Scheme};
use http::{Request, Response, Uri, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::{Connection as _, HttpConnector};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};
use tokio_util::io::InspectReader;
use tower_service::Service;
use tracing::Instrument;

use super::backlog::{Backlog, Unanswered};
use super::resolver::Resolver;
use super::settings::WebhookSettings;
use super::status_line::StatusLine;
use super::{cannot_open, failure};
use crate::local_executor::LocalExecutor;
use crate::outcome::Outcome;
use crate::tls;
use crate::transport::contract::OpenError;

/// A firewall on the way may forget a silent connection without a word.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// Exchanges at a time over one connection of HTTP/2: what RFC 9113, 6.5.2 asks each server to take at least.
const MOST_STREAMS: usize = 100;

/// Of an answer. HTTP/1.1 has no such limit, as its status line counts without the rest.
const MOST_HEAD_BYTES: u32 = 1 << 20;

/// The right to one exchange: a connection of HTTP/1.1, or one stream of one of HTTP/2.
pub(super) struct Connection {
    sender: Sender,
    pub(super) status_line: StatusLine,
    /// Until the first answer.
    unanswered: Option<Unanswered>,
    health: Rc<Health>,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>, Authority),
}

/// Of all streams of a connection.
struct Health {
    used: Cell<Instant>,
    is_silent: Cell<bool>,
}

impl Connection {
    fn new(sender: Sender, status_line: StatusLine) -> Self {
        let health = Health {
            used: Cell::new(Instant::now()),
            is_silent: Cell::new(false),
        };
        Self {
            sender,
            status_line,
            unanswered: None,
            health: Rc::new(health),
        }
    }

    /// For one more exchange at the same time, where the protocol can.
    fn share(&self) -> Option<Self> {
        let Sender::Http2(sender, authority) = &self.sender else {
            return None;
        };
        Some(Self {
            sender: Sender::Http2(sender.clone(), authority.clone()),
            status_line: StatusLine::default(),
            unanswered: None,
            health: Rc::clone(&self.health),
        })
    }

    pub(super) fn is_kept(&self) -> bool {
        self.unanswered.is_none()
    }

    /// No answer came in time: it may lead nowhere, so no other exchange begins on it.
    pub(super) fn mark_silent(&self) {
        self.health.is_silent.set(true);
    }

    pub(super) fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> impl Future<Output = Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>>> {
        match &mut self.sender {
            Sender::Http1(sender) => Either::Left(sender.try_send_request(request)),
            Sender::Http2(sender, authority) => {
                let request = of_http2(request, authority.clone());
                Either::Right(sender.try_send_request(request))
            }
        }
    }

    /// Waits until the next exchange can begin. None where none can.
    pub(super) async fn ready(&mut self) -> Option<()> {
        match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await.ok(),
            Sender::Http2(sender, _) => sender.ready().await.ok(),
        }
    }

    /// As far as this side knows.
    fn is_ready(&self) -> bool {
        !self.health.is_silent.get()
            && match &self.sender {
                Sender::Http1(sender) => sender.is_ready(),
                Sender::Http2(sender, _) => sender.is_ready(),
            }
    }
}

/// With the host in the URL (RFC 9113, 8.3.1). Only over TLS is this protocol agreed on.
fn of_http2(mut request: Request<Full<Bytes>>, authority: Authority) -> Request<Full<Bytes>> {
    request.headers_mut().remove(header::HOST);
    let mut url = take(request.uri_mut()).into_parts();
    url.scheme = Some(Scheme::HTTPS);
    url.authority = Some(authority);
    *request.uri_mut() = Uri::from_parts(url).expect("a path of a request is one of any URL");
    request
}

/// Keeps at most as many idle ones as batches may be in flight.
pub(super) struct ConnectionPool {
    connector: HttpsConnector<HttpConnector<Resolver>>,
    url: Uri,
    connect_timeout: Duration,
    most_idle: usize,
    backlog: Rc<Backlog>,
    /// The one used last is on top, so that a falling load closes the others.
    idle: RefCell<Vec<Connection>>,
}

impl ConnectionPool {
    pub(super) fn new(settings: &WebhookSettings, most_idle: usize) -> Result<Self, OpenError> {
        let mut tcp = HttpConnector::new_with_resolver(Resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Spread over the addresses of a name, so that a dead one does not take all the time.
        tcp.set_connect_timeout(Some(settings.connect_timeout));
        // The scheme of the URL says whether there is TLS.
        let roots = settings
            .roots()
            .map_err(|error| cannot_open(error.to_string()))?;
        let mut tls = roots.unwrap_or_else(tls::without_roots);
        tls.alpn_protocols = settings.http_version.alpn_protocols();
        Ok(Self {
            connector: HttpsConnector::from((tcp, tls)),
            url: settings.url.clone(),
            connect_timeout: settings.connect_timeout,
            most_idle,
            backlog: Backlog::new(most_idle),
            idle: RefCell::default(),
        })
    }

    /// Half of the time is left for the exchange: waiting for the backlog says nothing of the receiver.
    pub(super) async fn take(&self, deadline: Instant) -> Result<Connection, Outcome> {
        let asked = Instant::now();
        let half = asked + deadline.duration_since(asked) / 2;
        loop {
            if let Some(kept) = self.idle() {
                return Ok(kept);
            }
            if let Some(unanswered) = self.backlog.enter() {
                // In a box, as what is rare would make each delivery a large future.
                return Box::pin(self.open(unanswered, deadline)).await;
            }
            if timeout_at(half, self.backlog.changed()).await != Ok(true) {
                return Err(Outcome::Unreachable("no connection"));
            }
        }
    }

    /// The receiver asks for a pause: nothing that waits for a connection is sent into it.
    pub(super) fn turn_away(&self) {
        self.backlog.turn_away();
    }

    /// Still open as far as this side knows.
    fn idle(&self) -> Option<Connection> {
        let mut idle = self.idle.borrow_mut();
        while let Some(connection) = idle.pop() {
            if connection.health.used.get().elapsed() > LONGEST_SILENCE {
                // Those below have been idle for longer.
                idle.clear();
                return None;
            }
            if connection.is_ready() {
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
                let shared = std::iter::from_fn(|| connection.share());
                shared
                    .take(MOST_STREAMS - 1)
                    .for_each(|shared| self.keep(shared));
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
        // Of both, the error reaches whoever waits for an answer; nobody else needs it.
        let sender = if stream.connected().is_negotiated_h2() {
            let mut http2 = http2::Builder::new(LocalExecutor);
            http2.max_header_list_size(MOST_HEAD_BYTES);
            let (sender, connection) = http2.handshake(stream).await?;
            let carried = async { drop(connection.await) };
            tokio::task::spawn_local(carried.in_current_span());
            let authority = self.url.authority().cloned();
            Sender::Http2(sender, authority.ok_or("no host")?)
        } else {
            let seen = status_line.clone();
            let stream =
                InspectReader::new(TokioIo::new(stream), move |bytes: &[u8]| seen.read(bytes));
            let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
            let carried = async { drop(connection.await) };
            tokio::task::spawn_local(carried.in_current_span());
            Sender::Http1(sender)
        };
        Ok(Connection::new(sender, status_line))
    }

    pub(super) fn answered(&self, connection: &mut Connection) {
        match connection.unanswered.take() {
            Some(unanswered) => unanswered.answered(),
            None => self.backlog.answered(),
        }
    }

    pub(super) fn keep(&self, connection: Connection) {
        let mut idle = self.idle.borrow_mut();
        if idle.len() < self.most_idle {
            connection.health.used.set(Instant::now());
            idle.push(connection);
            self.backlog.wake();
        }
    }
}
