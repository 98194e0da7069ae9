//! Connections to a port of ours: how many there may be, and how long each may stay idle.

mod answers;
mod language;

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_io_timeout::TimeoutStream;
use tracing::Instrument;

use crate::logging::{Throttle, connection_span};
pub use answers::IngressRefusal;
pub(crate) use answers::{AnswerCounts, Answers};
pub(crate) use language::Language;

/// For a peer that reads nothing of an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// For the last answer, when a port closes.
const WRITE_GRACE: Duration = Duration::from_millis(250);
/// An event may have 256 attributes, and proxies add theirs. Above: 431.
const MOST_HEADERS: usize = 320;
/// The head of a request is at most twice as large. Above: 431.
const MOST_HEAD_BYTES: usize = 64 << 10;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Further ones wait in the backlog of the system.
    pub(crate) connections: usize,
    /// From one address, or one network of IPv6; further ones are closed.
    pub(crate) per_address: usize,
    /// For the head of the first request, and of each next one.
    pub(crate) head_timeout: Duration,
}

/// What a port does with what comes in.
pub(crate) trait Service: Clone + 'static {
    fn answer(
        &self,
        request: Request<Incoming>,
        peer: IpAddr,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static;

    /// The head of a request could not be read, and this was answered.
    fn unreadable(&self, _: StatusCode, _: IpAddr) {}
}

/// Ends when `closing`, once the answers under way are written.
pub(crate) async fn serve(
    socket: TcpListener,
    bounds: Bounds,
    closing: watch::Receiver<bool>,
    service: impl Service,
) {
    let address = socket.local_addr();
    let address = address.map_or_else(|error| error.to_string(), |it| it.to_string());
    let accept = accept(socket, bounds, closing, service);
    accept.instrument(connection_span(&address)).await;
}

async fn accept(
    socket: TcpListener,
    bounds: Bounds,
    mut closing: watch::Receiver<bool>,
    service: impl Service,
) {
    let mut connections = JoinSet::new();
    let mut by_address = HashMap::<IpAddr, Rc<()>>::new();
    let close_signal = closing.clone();
    let throttle = Throttle::default();
    loop {
        tokio::select! {
            _ = closing.wait_for(|closing| *closing) => break,
            Some(_) = connections.join_next() => {}
            accepted = socket.accept(), if connections.len() < bounds.connections => match accepted {
                Ok((stream, peer)) => {
                    if by_address.len() > connections.len() {
                        by_address.retain(|_, permit| Rc::strong_count(permit) > 1);
                    }
                    let permit = by_address.entry(network(peer.ip())).or_default();
                    if Rc::strong_count(permit) <= bounds.per_address {
                        let permit = Rc::clone(permit);
                        let connection = connection(stream, peer, bounds, close_signal.clone(), service.clone());
                        let serving = async move {
                            connection.await;
                            drop(permit);
                        };
                        connections.spawn_local(serving.in_current_span());
                    }
                }
                // Out of file descriptors, or a client that left early: trying again at once helps neither.
                Err(error) => {
                    if let Some(held_back) = throttle.lets_through("accept") {
                        tracing::warn!(%error, held_back, "a connection cannot be accepted");
                    }
                    sleep(Duration::from_millis(10)).await;
                }
            },
        }
    }
    drop(socket);
    while connections.join_next().await.is_some() {}
}

/// Of IPv6 the network of 64 bits, all of which one peer may have.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    bounds: Bounds,
    mut closing: watch::Receiver<bool>,
    service: impl Service,
) {
    let peer = peer.ip().to_canonical();
    // Without it, answers wait for delayed acknowledgements.
    drop(stream.set_nodelay(true));
    // HTTP/1 has one at a time.
    let answering = Rc::new(Mutex::new(()));
    let answers = service_fn(|request| {
        let (answering, answered) = (Rc::clone(&answering), service.answer(request, peer));
        async move {
            let _answering = answering.lock().await;
            Ok::<_, Infallible>(answered.await)
        }
    });
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(ANSWER_TIMEOUT));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head_timeout)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), answers);
    let mut connection = pin!(connection);
    // A client that breaks off drops its requests, which abandons them.
    tokio::select! {
        ended = connection.as_mut() => {
            match ended {
                Err(error) if error.is_parse_too_large() => {
                    service.unreadable(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, peer);
                }
                Err(error) if error.is_parse() => service.unreadable(StatusCode::BAD_REQUEST, peer),
                _ => {}
            }
            return;
        }
        _ = closing.wait_for(|closing| *closing) => {}
    }
    connection.as_mut().graceful_shutdown();
    // Half a head is not waited for.
    let answered = async {
        drop(answering.lock().await);
        sleep(WRITE_GRACE).await;
    };
    tokio::select! {
        ended = connection => drop(ended),
        () = answered => {}
    }
}

#[cfg(test)]
mod tests;
