//! The sockets of the receiver.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::thread::JoinHandle;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsAcceptor;

use super::super::wire;
use super::{Answer, Certificate, Exchange, Shared};

/// Starts the receiver's thread and says where it listens.
pub(super) fn start(
    shared: Arc<Shared>,
    shown: watch::Receiver<Option<Shown>>,
    stopped: oneshot::Receiver<()>,
) -> (SocketAddr, JoinHandle<()>) {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            tokio::select! {
                never = serve(&listener, &shared, &shown) => match never {},
                _ = stopped => {}
            }
        });
    });
    (address, thread)
}

async fn serve(
    listener: &TcpListener,
    shared: &Arc<Shared>,
    shown: &watch::Receiver<Option<Shown>>,
) -> Infallible {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted.unwrap();
                stream.set_nodelay(true).unwrap();
                let (shared, mut changes) = (Arc::clone(shared), shown.clone());
                let shown = changes.borrow_and_update().clone();
                connections.spawn(async move {
                    let Some(shown) = shown else {
                        return converse(stream, shared).await;
                    };
                    // A peer that does not trust the certificate ends here.
                    let accepted = TlsAcceptor::from(shown.tls).accept(stream);
                    if let Ok(stream) = accepted.await {
                        shown.trusted.fetch_add(1, Ordering::Relaxed);
                        tokio::select! {
                            () = converse(stream, shared) => {}
                            _ = changes.changed() => {}
                        }
                    }
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin, shared: Arc<Shared>) {
    let service = service_fn(|request| exchange(Arc::clone(&shared), request));
    // Connections break: scripts say so, and bridges are killed.
    drop(
        http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await,
    );
}

async fn exchange(shared: Arc<Shared>, request: Request<Incoming>) -> io::Result<Response<Reply>> {
    let came = Instant::now();
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let events = match parts.method {
        Method::OPTIONS => Vec::new(),
        _ => wire::of_request(&parts.headers, &body),
    };
    let answer = shared.decide(came, parts.uri.path(), &parts.headers, &events);
    let mut exchange = Exchange {
        path: parts.uri.path().to_owned(),
        headers: parts.headers,
        body,
        events,
        came,
        accepted: false,
    };
    let response = Response::builder();
    let response = match &answer {
        Answer::Close => {
            shared.note(exchange);
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Answer::Hang => {
            shared.note(exchange);
            return std::future::pending().await;
        }
        Answer::Slow(delay) => {
            sleep(*delay).await;
            exchange.accepted = true;
            response.status(204).body(Reply::Whole)
        }
        Answer::Status(code) => {
            exchange.accepted = (200..300).contains(code);
            response.status(*code).body(Reply::Whole)
        }
        Answer::RetryAfter(code, seconds) => response
            .status(*code)
            .header("retry-after", *seconds)
            .body(Reply::Whole),
        Answer::Redirect(code, place) => response
            .status(*code)
            .header("location", place)
            .body(Reply::Whole),
        Answer::Explained(code, why) => response
            .status(*code)
            .header("content-length", why.len())
            .body(Reply::Text(why)),
        Answer::BrokenBody | Answer::StuckBody => {
            exchange.accepted = true;
            let breaks = matches!(answer, Answer::BrokenBody);
            response
                .header("content-length", 1000)
                .body(Reply::Broken { polls: 0, breaks })
        }
    };
    shared.note(exchange);
    Ok(response.unwrap())
}

/// The body of an answer.
enum Reply {
    /// None.
    Whole,
    Text(&'static str),
    /// Ten bytes, and then the connection breaks, or nothing comes any more.
    Broken {
        polls: usize,
        breaks: bool,
    },
}

impl Body for Reply {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Self::Text(text) = &*self {
            let frame = Frame::data(Bytes::from_static(text.as_bytes()));
            *self = Self::Whole;
            return Poll::Ready(Some(Ok(frame)));
        }
        let Self::Broken { polls, breaks } = &mut *self else {
            return Poll::Ready(None);
        };
        *polls += 1;
        match polls {
            1 => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"0123456789"))))),
            // The server writes what it has before it asks again.
            2 if *breaks => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            _ if *breaks => Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into()))),
            _ => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole)
    }
}

/// A certificate.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    tls: Arc<rustls::ServerConfig>,
    /// Peers that have finished the handshake.
    pub(super) trusted: Arc<AtomicUsize>,
}

impl Shown {
    pub(super) fn new(certificate: &Certificate) -> Self {
        Self {
            tls: showing(certificate),
            trusted: Arc::default(),
        }
    }
}

pub(crate) fn showing((chain, key): &Certificate) -> Arc<rustls::ServerConfig> {
    let chain = CertificateDer::from_pem_file(chain).unwrap();
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![chain], key);
    Arc::new(settings.unwrap())
}
