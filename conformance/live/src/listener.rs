//! A server of HTTP/1.1, plain or over TLS, whose answers are decided one by one.
//!
//! Every request waits for whoever holds the [`Listener`]: [`Listener::next`] hands it out, and
//! [`Received::answer`] says what becomes of it, which may be no answer at all. Connections, bodies and
//! what waits are bounded. It judges nothing.

mod connection;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_conformance::{Capture, Exchange, Header, Part, Protocol, Purpose};
use http::request::Parts;
use jiff::Timestamp;
use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::headers_of;
pub use crate::tls::server_config;

/// What may wait to be handed out.
const MOST_WAITING: usize = 64;

/// A port, and the requests that come to it. Dropping it closes both.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    arrivals: mpsc::Receiver<Arrival>,
    tls: watch::Sender<Option<Arc<ServerConfig>>>,
    _accepting: JoinSet<()>,
}

/// What came in.
#[derive(Debug)]
#[allow(clippy::exhaustive_enums, reason = "a request, or none")]
pub enum Arrival {
    /// A request, which waits for its answer.
    Request(Box<Received>),
    /// A connection that got no further: TLS failed, or what came is not HTTP, or HTTP without TLS.
    Refused(Refused),
}

/// A connection on which no request could be read, or is to be.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refused {
    /// Whether the peer refused the certificate that it was shown, and said so.
    pub of_certificate: bool,
    /// What is wrong with it.
    pub error: String,
    /// The request that came over plain HTTP where TLS is spoken. Dropping it breaks off.
    pub plain: Option<Box<Received>>,
}

/// A request that waits for its answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Received {
    /// When all of it was there.
    pub at: Instant,
    /// The same moment of the calendar.
    pub time: Timestamp,
    /// Its whole URL, by its `Host`; its target alone, where there is none.
    pub url: String,
    /// Method, target and headers.
    pub head: Parts,
    /// The body.
    pub body: Bytes,
    answer: oneshot::Sender<Answer>,
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "there is nothing beside")]
pub enum Answer {
    /// A response, and how long it is held back. Headers that HTTP does not allow are left out.
    Response(Box<Capture>, Duration),
    /// The connection is closed without one.
    BreakOff,
    /// None comes, and the connection stays open, until the other side gives up or [`Listener::renew`].
    Hang,
}

impl Listener {
    /// Listens at an address, with TLS where there is a configuration of it.
    ///
    /// # Errors
    /// When the port cannot be taken.
    pub async fn bind(address: SocketAddr, tls: Option<Arc<ServerConfig>>) -> io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        let address = socket.local_addr()?;
        let (sender, arrivals) = mpsc::channel(MOST_WAITING);
        let (tls, current) = watch::channel(tls);
        let mut accepting = JoinSet::new();
        accepting.spawn(connection::accept(socket, current, sender));
        Ok(Self {
            address,
            arrivals,
            tls,
            _accepting: accepting,
        })
    }

    /// Where it listens, with the port that the system gave where none was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for what comes next. Cancelling it loses nothing.
    pub async fn next(&mut self) -> Arrival {
        let next = self.arrivals.recv().await;
        next.expect("the task that accepts ends with the listener")
    }

    /// Closes connections once their answers are written, and begins new ones with this TLS or none.
    pub fn renew(&self, tls: Option<Arc<ServerConfig>>) {
        self.tls.send_replace(tls);
    }
}

impl Received {
    /// The text of the first header of a name, `None` where there is none, or no text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.headers.get(name)?.to_str().ok()
    }

    /// Whether it asks for consent: by OPTIONS, or as that is asked for where the method is wrong.
    pub(crate) fn is_handshake(&self) -> bool {
        let asks = ["webhook-request-callback", "webhook-request-rate"];
        let has_event = !self.body.is_empty() || self.header("ce-id").is_some();
        self.head.method == http::Method::OPTIONS
            || !has_event && asks.iter().any(|name| self.header(name).is_some())
    }

    /// Whether it neither delivers nor asks, as who looks whether we are there, or has an icon to show.
    pub(crate) fn is_a_look(&self) -> bool {
        let mut names = self.head.headers.keys().map(http::HeaderName::as_str);
        let is_ours = names.any(|name| name.starts_with("ce-") || name.starts_with("webhook-"));
        let is_safe = matches!(self.head.method, http::Method::GET | http::Method::HEAD);
        is_safe && self.body.is_empty() && !is_ours && !self.has_event()
    }

    pub(crate) fn has_event(&self) -> bool {
        let media_type = self.header("content-type").unwrap_or_default();
        self.header("ce-id").is_some() || media_type.starts_with("application/cloudevents")
    }

    /// Answers it, and tells what was exchanged, of which the request is under test. A response is not
    /// yet sent then: what comes after it, comes later.
    pub fn answer(self, answer: Answer) -> Exchange {
        let purpose = match self.is_handshake() {
            true => Purpose::Validation,
            false => Purpose::Delivery,
        };
        let mut exchange = Exchange::new(purpose, self.capture(), answer.capture());
        exchange.under_test = Some(Part::Message);
        // Nobody waits where the other side has left.
        drop(self.answer.send(answer));
        exchange
    }

    /// The request as a capture.
    #[must_use]
    pub fn capture(&self) -> Capture {
        let mut capture = Capture::new(Protocol::Http);
        capture.headers = headers_of(&self.head.headers);
        capture.method = Some(self.head.method.to_string());
        capture.target = Some(self.url.clone());
        capture.body = Some(self.body.to_vec());
        capture.timestamp = Some(self.time.to_string());
        capture
    }
}

impl Answer {
    /// A response of a status, without headers and body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        let mut response = Capture::new(Protocol::Http);
        response.status = Some(status);
        response.body = Some(Vec::new());
        Self::Response(Box::new(response), Duration::ZERO)
    }

    /// With one more header, if it is a response.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Response(response, _) = &mut self {
            let (name, value) = (name.to_owned(), Some(value.into().into_bytes()));
            response.headers.push(Header { name, value });
        }
        self
    }

    /// With a body, if it is a response.
    #[must_use]
    pub fn with_body(mut self, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        if let Self::Response(response, _) = &mut self {
            response.body = Some(body.into());
        }
        self.with("content-type", content_type)
    }

    /// Held back for so long, if it is a response.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        if let Self::Response(_, after) = &mut self {
            *after = delay;
        }
        self
    }

    fn capture(&self) -> Capture {
        let defect = match self {
            Self::Response(response, _) => return Capture::clone(response),
            Self::BreakOff => "the connection was closed",
            Self::Hang => "no answer was given",
        };
        let mut capture = Capture::new(Protocol::Http);
        capture.defect = Some(defect.to_owned());
        capture
    }
}
