//! One connection, and exchanges over it.

use std::convert::Infallible;
use std::time::Duration;

use anyhow::{Context, Error, anyhow};
use bytes::Bytes;
use cloudevents_nl_conformance::{Capture, Exchange, Protocol};
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, Version, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use jiff::Timestamp;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::{Client, Request, headers_of};

/// Of an answer: more is cut off, and said to be.
const MOST_BODY_BYTES: usize = 1 << 20;

/// A connection, for one exchange after the other. Dropping it closes it.
#[derive(Debug)]
pub struct Connection {
    sender: Sender,
    timeout: Duration,
    _carried: JoinSet<()>,
}

#[derive(Debug)]
enum Sender {
    Http1(http1::SendRequest<RequestBody>),
    Http2(http2::SendRequest<RequestBody>),
}

/// TCP, or TLS over it.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

type RequestBody = BoxBody<Bytes, Infallible>;

impl Client {
    /// Opens a connection.
    ///
    /// # Errors
    /// When there is none: a name that is not known, nobody who listens, TLS that fails, or no answer in
    /// time.
    pub async fn connect(&self) -> anyhow::Result<Connection> {
        let stream = TokioIo::new(self.dial().await?);
        let mut carried = JoinSet::new();
        // An error of the connection reaches whoever waits for an answer.
        let sender = match self.version {
            Version::HTTP_2 => {
                let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await?;
                carried.spawn(async { drop(connection.await) });
                Sender::Http2(sender)
            }
            _ => {
                let (sender, connection) = http1::handshake(stream).await?;
                carried.spawn(async { drop(connection.await) });
                Sender::Http1(sender)
            }
        };
        Ok(Connection {
            sender,
            timeout: self.timeout,
            _carried: carried,
        })
    }

    /// Opens TCP, and TLS over it, in time. What HTTP/2 says after that awaits no answer.
    pub(super) async fn dial(&self) -> anyhow::Result<Box<dyn Stream>> {
        let dialled = timeout(self.timeout, self.stream()).await;
        dialled
            .map_err(|_| anyhow!("no connection within {:?}", self.timeout))
            .flatten()
            .with_context(|| format!("cannot connect to {}", self.authority))
    }

    async fn stream(&self) -> anyhow::Result<Box<dyn Stream>> {
        let host = self.authority.host().trim_matches(['[', ']']);
        let usual_port = if self.tls.is_some() { 443 } else { 80 };
        let port = self.authority.port_u16().unwrap_or(usual_port);
        let tcp = TcpStream::connect((host, port)).await?;
        tcp.set_nodelay(true)?;
        let Some(config) = &self.tls else {
            return Ok(Box::new(tcp));
        };
        let name = ServerName::try_from(host.to_owned())?;
        let tls = TlsConnector::from(config.clone()).connect(name, tcp).await;
        Ok(Box::new(tls.context("TLS failed")?))
    }
}

impl Connection {
    /// Whether another exchange can begin, as far as this side knows.
    pub(crate) fn is_open(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_ready(),
            Sender::Http2(sender) => sender.is_ready(),
        }
    }

    /// Sends a request, of which the response is under test. No answer is no error: the response has no
    /// status then, and says why.
    pub(crate) async fn send(&mut self, request: &Request) -> anyhow::Result<Exchange> {
        let made = self.make(request)?;
        let pauses = request.pause * 3;
        let mut response = Capture::new(Protocol::Http);
        let received = async {
            let answer = match &mut self.sender {
                Sender::Http1(sender) => match sender.ready().await {
                    Ok(()) => sender.send_request(made).await,
                    Err(error) => Err(error),
                },
                Sender::Http2(sender) => sender.send_request(made).await,
            };
            match answer {
                Ok(answer) => receive(answer, &mut response).await,
                Err(error) => Some(format!("{:#}", Error::from(error))),
            }
        };
        let ended = timeout(self.timeout + pauses, received).await;
        let too_late = || Some(format!("no answer within {:?}", self.timeout));
        response.defect = ended.unwrap_or_else(|_| too_late());
        response.timestamp = Some(Timestamp::now().to_string());
        Ok(request.exchange(response))
    }

    fn make(&self, request: &Request) -> anyhow::Result<http::Request<RequestBody>> {
        let mut headers = HeaderMap::new();
        for (name, value) in request.all_headers() {
            let value = HeaderValue::from_bytes(&value).with_context(|| name.clone())?;
            headers.append(HeaderName::from_bytes(name.as_bytes())?, value);
        }
        let url = match self.sender {
            Sender::Http1(_) => Uri::try_from(request.path())?,
            Sender::Http2(_) => {
                headers.remove(header::HOST);
                request.url.clone()
            }
        };
        let mut made = http::Request::new(body(request));
        *made.method_mut() = request.method.clone();
        *made.uri_mut() = url;
        *made.headers_mut() = headers;
        Ok(made)
    }
}

/// The body at once, or in quarters with a pause before each but the first.
fn body(request: &Request) -> RequestBody {
    if request.pause.is_zero() {
        return Full::new(request.body.clone()).boxed();
    }
    let quarter = request.body.len().div_ceil(4).max(1);
    let (pause, whole) = (request.pause, request.body.clone());
    let pieces = stream::unfold((whole, true), move |(mut rest, is_first)| async move {
        if rest.is_empty() {
            return None;
        }
        if !is_first {
            tokio::time::sleep(pause).await;
        }
        let piece = rest.split_to(quarter.min(rest.len()));
        Some((Ok(Frame::data(piece)), (rest, false)))
    });
    StreamBody::new(pieces).boxed()
}

/// Takes in an answer, and says what is wrong with it, if anything is.
async fn receive(
    answer: http::Response<hyper::body::Incoming>,
    into: &mut Capture,
) -> Option<String> {
    let (head, mut body) = answer.into_parts();
    into.status = Some(head.status.as_u16());
    into.headers = headers_of(&head.headers);
    let received = into.body.get_or_insert_default();
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => received.extend_from_slice(&data),
            // Trailers.
            Ok(Err(_)) => {}
            Err(error) => return Some(format!("{:#}", Error::from(error))),
        }
        if received.len() > MOST_BODY_BYTES {
            received.truncate(MOST_BODY_BYTES);
            return Some(format!("the body is longer than {MOST_BODY_BYTES} bytes"));
        }
    }
    // The chunks are undone. Before no body it would announce one that was not kept.
    if received.is_empty() {
        into.headers.retain(|it| it.name != "transfer-encoding");
    }
    None
}
