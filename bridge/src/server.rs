//! Connections to a port of ours: how many there may be, and how long each may stay idle.

mod answers;
mod connection;
mod language;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::Instrument;

use crate::logging::{Throttle, connection_span};
use crate::shared::lock;
pub use answers::IngressRefusal;
pub(crate) use answers::{AnswerCounts, Answers};
#[cfg(test)]
pub(crate) use connection::LocalExecutor;
pub(crate) use connection::Peer;
use connection::connection;
pub(crate) use language::Language;

const CROWD_REMEDY: &str =
    "let it keep fewer; where it is a proxy before [http.NAME], set behind_proxy = true";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Further ones wait in the backlog of the system.
    pub(crate) connections: usize,
    /// From one address, or one network of IPv6; further ones are closed.
    pub(crate) per_address: usize,
    /// For the head of the first request, and of each next one.
    pub(crate) head_timeout: Duration,
}

/// What a port speaks TLS with, until somebody renews it.
pub(crate) type ServedTls = Mutex<Arc<ServerConfig>>;

/// What a port does with what comes in.
pub(crate) trait Service: Clone + 'static {
    fn answer(
        &self,
        request: Request<Incoming>,
        peer: Peer,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static;

    /// The head of a request could not be read, and this was answered.
    fn unreadable(&self, _: StatusCode, _: IpAddr) {}
}

/// Ends when `closing`, once the answers under way are written. Each connection begins with the `tls` of that
/// moment; without it, it is plain HTTP/1.1.
pub(crate) async fn serve(
    socket: TcpListener,
    bounds: Bounds,
    tls: Option<Arc<ServedTls>>,
    mut closing: watch::Receiver<bool>,
    service: impl Service,
) {
    let address = socket.local_addr();
    let address = address.map_or_else(|error| error.to_string(), |it| it.to_string());
    let span = connection_span(&address);
    let mut connections = JoinSet::new();
    let mut by_address = HashMap::<IpAddr, Rc<()>>::new();
    let close_signal = closing.clone();
    let throttle = Rc::new(Throttle::default());
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
                        let tls = tls.as_ref().map(|tls| Arc::clone(&lock(tls)));
                        let connection = connection(stream, peer, bounds, tls, close_signal.clone(), service.clone());
                        let throttle = Rc::clone(&throttle);
                        let serving = async move {
                            if let Err(error) = connection.await
                                && let Some(held_back) = throttle.lets_through("tls")
                            {
                                let peer = peer.ip().to_canonical();
                                tracing::warn!(%peer, %error, held_back, "a client was refused by TLS");
                            }
                            drop(permit);
                        };
                        connections.spawn_local(serving.instrument(span.clone()));
                    } else if let Some(held_back) = throttle.lets_through("per_address") {
                        let _inside = span.enter();
                        let (peer, most) = (peer.ip().to_canonical(), bounds.per_address);
                        tracing::warn!(
                            %peer, most, held_back, remedy = CROWD_REMEDY,
                            "an address has too many connections, further ones are closed"
                        );
                    }
                }
                // Out of file descriptors, or a client that left early: trying again at once helps neither.
                Err(error) => {
                    if let Some(held_back) = throttle.lets_through("accept") {
                        let _inside = span.enter();
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

#[cfg(test)]
mod tests;
