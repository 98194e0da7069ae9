//! One connection: TLS where the port has it, then HTTP/1.1 or HTTP/2 until either side ends it.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use http::StatusCode;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use rustls::ServerConfig;
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use super::{Bounds, Service};

/// For a peer that reads nothing of an answer.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// For all of TLS, before the first request.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// For the last answer, when a port closes.
const WRITE_GRACE: Duration = Duration::from_millis(250);
/// An event may have 256 attributes, and proxies add theirs. Above: 431.
pub(super) const MOST_HEADERS: usize = 320;
/// The head of a request is at most twice as large. Above: 431.
const MOST_HEAD_BYTES: u16 = u16::MAX;
/// Requests of one connection of HTTP/2 at the same time.
const MOST_STREAMS: u32 = 128;
/// What one stream of HTTP/2, and one connection, may send before it is read.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;

/// Who is on the other side.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// Of a client, verified.
    pub(crate) certificate: Option<Rc<CertificateDer<'static>>>,
}

/// The error is that of TLS, before any request.
pub(super) async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    bounds: Bounds,
    tls: Option<Arc<ServerConfig>>,
    mut closing: watch::Receiver<bool>,
    service: impl Service,
) -> std::io::Result<()> {
    // Without it, answers wait for delayed acknowledgements.
    drop(stream.set_nodelay(true));
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(ANSWER_TIMEOUT));
    let stream = Box::pin(stream);
    let mut peer = Peer {
        address: peer.ip().to_canonical(),
        certificate: None,
    };
    let Some(tls) = tls else {
        answer_requests(stream, false, peer, bounds, closing, service).await;
        return Ok(());
    };
    let accepting = timeout(HANDSHAKE_TIMEOUT, TlsAcceptor::from(tls).accept(stream));
    let stream = tokio::select! {
        accepted = accepting => accepted??,
        _ = closing.wait_for(|closing| *closing) => return Ok(()),
    };
    let (_, session) = stream.get_ref();
    let certificate = session.peer_certificates().and_then(<[_]>::first);
    peer.certificate = certificate.map(|it| Rc::new(it.clone().into_owned()));
    let is_http2 = session.alpn_protocol() == Some(b"h2");
    answer_requests(stream, is_http2, peer, bounds, closing, service).await;
    Ok(())
}

/// A client of HTTP/2 that breaks off drops its requests, which abandons them. One of HTTP/1.1 may have closed its side
/// alone and wait: it is answered.
pub(super) async fn answer_requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    is_http2: bool,
    peer: Peer,
    bounds: Bounds,
    mut closing: watch::Receiver<bool>,
    service: impl Service,
) {
    let (under_way, begun) = (TaskTracker::new(), Notify::new());
    // Only for a closed one there is an end to wait for.
    under_way.close();
    let answers = service_fn(|request| {
        begun.notify_one();
        let answer = under_way.track_future(service.answer(request, peer.clone()));
        answer.map(Ok::<_, Infallible>)
    });
    let mut builder = Builder::new(LocalExecutor);
    builder
        .http1()
        .timer(TokioTimer::new())
        .half_close(true)
        .header_read_timeout(bounds.head_timeout)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEAD_BYTES.into());
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(bounds.head_timeout)
        .keep_alive_timeout(ANSWER_TIMEOUT)
        .max_concurrent_streams(MOST_STREAMS)
        .max_header_list_size(MOST_HEAD_BYTES.into())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    let builder = match is_http2 {
        true => builder.http2_only(),
        false => builder.http1_only(),
    };
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answers));
    // Pings of HTTP/2 are answered by peers that want nothing.
    let idle = async {
        while timeout(bounds.head_timeout, begun.notified()).await.is_ok() {
            under_way.wait().await;
        }
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        _ = closing.wait_for(|closing| *closing) => None,
        () = idle, if is_http2 => None,
    };
    if let Some(ended) = ended {
        if let Err(error) = ended
            && let Ok(error) = error.downcast::<hyper::Error>()
            && error.is_parse()
        {
            let status = match error.is_parse_too_large() {
                true => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                false => StatusCode::BAD_REQUEST,
            };
            service.unreadable(status, peer.address);
        }
        return;
    }
    connection.as_mut().graceful_shutdown();
    // Half a head is not waited for.
    let answered = async {
        under_way.wait().await;
        sleep(WRITE_GRACE).await;
    };
    tokio::select! {
        ended = connection => drop(ended),
        () = answered => {}
    }
}

/// Streams of HTTP/2 run on the thread of their connection.
#[derive(Clone)]
pub(crate) struct LocalExecutor;

impl<F: Future<Output = ()> + 'static> Executor<F> for LocalExecutor {
    fn execute(&self, stream: F) {
        spawn_local(stream.in_current_span());
    }
}
