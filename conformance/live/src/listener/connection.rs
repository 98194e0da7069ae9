//! Connections: accepted, read and answered, as many as there may be.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_conformance::{Capture, Header};
use http::header::{HeaderName, HeaderValue};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jiff::Timestamp;
use rustls::{AlertDescription as Alert, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::{Answer, Arrival, Received, Refused};

/// Further ones wait in the backlog of the system.
const MOST_CONNECTIONS: usize = 256;
/// Of the body of a request. Above: 413.
const MOST_BODY_BYTES: usize = 16 << 20;
/// For TLS, and for the head of each request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// For the last answer of a connection that is renewed.
const WRITE_GRACE: Duration = Duration::from_millis(250);
/// An event may have 256 attributes, and proxies add theirs.
const MOST_HEADERS: usize = 320;

type Tls = watch::Receiver<Option<Arc<ServerConfig>>>;

/// Accepts until the listener is dropped.
pub(super) async fn accept(socket: TcpListener, tls: Tls, arrivals: mpsc::Sender<Arrival>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = socket.accept(), if connections.len() < MOST_CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    let connection = Connection {
                        is_secure: tls.borrow().is_some(),
                        is_astray: false,
                        under_way: Mutex::new(()),
                        arrivals: arrivals.clone(),
                    };
                    connections.spawn(connection.run(stream, tls.clone()));
                }
                // Out of file descriptors, or a client that left early: trying again at once helps neither.
                Err(_) => sleep(Duration::from_millis(10)).await,
            },
        }
    }
}

struct Connection {
    is_secure: bool,
    /// Whether it does not speak TLS where that is spoken.
    is_astray: bool,
    /// Held while a request is being answered.
    under_way: Mutex<()>,
    arrivals: mpsc::Sender<Arrival>,
}

impl Connection {
    async fn run(mut self, stream: TcpStream, mut tls: Tls) {
        // Without it, answers wait for delayed acknowledgements.
        drop(stream.set_nodelay(true));
        let config = tls.borrow_and_update().clone();
        let Some(config) = config else {
            return self.serve(stream, tls).await;
        };
        let mut begins = [0; 4];
        drop(timeout(HEAD_TIMEOUT, stream.peek(&mut begins)).await);
        if [b"POST", b"GET ", b"OPTI"].contains(&&begins) {
            (self.is_secure, self.is_astray) = (false, true);
            return self.serve(stream, tls).await;
        }
        match timeout(HEAD_TIMEOUT, TlsAcceptor::from(config).accept(stream)).await {
            Ok(Ok(stream)) => self.serve(stream, tls).await,
            Ok(Err(error)) => {
                let of_certificate = is_of_certificate(&error);
                self.refused(of_certificate, error.to_string()).await;
            }
            Err(_) => self.refused(false, "nothing came".to_owned()).await,
        }
    }

    async fn serve(&self, stream: impl AsyncRead + AsyncWrite + Unpin, mut tls: Tls) {
        let hanging = tls.clone();
        let service = service_fn(|request| self.answer(request, hanging.clone()));
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_headers(MOST_HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        let mut serving = pin!(serving);
        let ended = tokio::select! {
            ended = serving.as_mut() => ended,
            _ = tls.changed() => {
                serving.as_mut().graceful_shutdown();
                // One that was never used stays open otherwise.
                tokio::select! {
                    ended = serving => ended,
                    () = self.idle() => Ok(()),
                }
            }
        };
        if let Some(error) = ended.err().filter(hyper::Error::is_parse) {
            self.refused(false, error.to_string()).await;
        }
    }

    /// Ends where no request is being answered.
    async fn idle(&self) {
        sleep(WRITE_GRACE).await;
        drop(self.under_way.lock().await);
        sleep(WRITE_GRACE).await;
    }

    /// The error closes the connection.
    async fn answer(
        &self,
        request: Request<Incoming>,
        mut hanging: Tls,
    ) -> io::Result<http::Response<Full<Bytes>>> {
        let (head, body) = request.into_parts();
        let body = match Limited::new(body, MOST_BODY_BYTES).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                let error = format!("a body above {MOST_BODY_BYTES} bytes");
                self.refused(false, error).await;
                return Ok(response(Answer::status(413).capture()));
            }
            Err(error) => return Err(io::Error::other(error)),
        };
        let (sender, answer) = oneshot::channel();
        let received = Box::new(Received {
            at: Instant::now(),
            time: Timestamp::now(),
            url: self.url(&head),
            head,
            body,
            answer: sender,
        });
        let arrival = match self.is_astray {
            false => Arrival::Request(received),
            true => Arrival::Refused(Refused {
                of_certificate: false,
                error: "a POST over plain HTTP, where TLS is spoken".to_owned(),
                plain: Some(received),
            }),
        };
        let sent = self.arrivals.send(arrival).await;
        sent.map_err(|_| io::Error::other("closed"))?;
        let _under_way = self.under_way.lock().await;
        match answer.await {
            Ok(Answer::Response(it, after)) => {
                sleep(after).await;
                Ok(response(*it))
            }
            Ok(Answer::Hang) => {
                let renewed = hanging.changed().await;
                Err(io::Error::other(format!("given up: {renewed:?}")))
            }
            Ok(Answer::BreakOff) | Err(_) => Err(io::Error::other("broken off")),
        }
    }

    fn url(&self, head: &http::request::Parts) -> String {
        let host = head.headers.get(http::header::HOST);
        let host = host.and_then(|host| host.to_str().ok());
        let scheme = if self.is_secure { "https" } else { "http" };
        match host.zip(head.uri.path_and_query()) {
            Some((host, path)) => format!("{scheme}://{host}{path}"),
            None => head.uri.to_string(),
        }
    }

    async fn refused(&self, of_certificate: bool, error: String) {
        let refused = Refused {
            of_certificate,
            error,
            plain: None,
        };
        // Nobody is left to tell.
        drop(self.arrivals.send(Arrival::Refused(refused)).await);
    }
}

/// Whether a handshake ended by an alert about our certificate: others break off as scanners do, or cannot
/// agree on something else.
fn is_of_certificate(error: &io::Error) -> bool {
    let source = error.get_ref();
    matches!(
        source.and_then(|source| source.downcast_ref::<rustls::Error>()),
        Some(rustls::Error::AlertReceived(
            Alert::BadCertificate
                | Alert::UnsupportedCertificate
                | Alert::CertificateRevoked
                | Alert::CertificateExpired
                | Alert::CertificateUnknown
                | Alert::UnknownCA
                | Alert::AccessDenied
        ))
    )
}

/// What is sent.
fn response(of: Capture) -> http::Response<Full<Bytes>> {
    let body = Bytes::from(of.body.unwrap_or_default());
    let mut response = http::Response::new(Full::new(body));
    let status = of.status.map(StatusCode::from_u16);
    *response.status_mut() = status.and_then(Result::ok).unwrap_or_default();
    for Header { name, value } in of.headers {
        let value = HeaderValue::try_from(value.unwrap_or_default());
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
