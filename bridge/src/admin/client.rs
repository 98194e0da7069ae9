//! Asks the bridge that runs with the same settings, through its admin port.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::HOST;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(5);
const ANSWER_MAX: usize = 16 << 20;

/// The error is why there is no answer, as the end of a sentence.
pub(crate) async fn get<T: DeserializeOwned>(listen: SocketAddr, path: &str) -> Result<T, String> {
    let asked = timeout(LIMIT, exchange(reachable(listen), path)).await;
    let body = asked.unwrap_or_else(|_| Err(format!("no answer within {} s", LIMIT.as_secs())))?;
    serde_json::from_slice(&body).map_err(|error| format!("its answer cannot be read: {error}"))
}

async fn exchange(address: SocketAddr, path: &str) -> Result<Bytes, String> {
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| error.to_string())?;
    let failed = |error: hyper::Error| error.to_string();
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(failed)?;
    let request = Request::get(path).header(HOST, address.to_string());
    let request = request.body(Empty::<Bytes>::new());
    let request = request.map_err(|error| error.to_string())?;
    let exchange = async {
        let answer = sender.send_request(request).await.map_err(failed)?;
        let status = answer.status();
        if !status.is_success() {
            return Err(format!("it answers {status}"));
        }
        let body = Limited::new(answer.into_body(), ANSWER_MAX).collect().await;
        Ok(body.map_err(|error| error.to_string())?.to_bytes())
    };
    tokio::select! {
        answer = exchange => answer,
        Err(error) = connection => Err(failed(error)),
    }
}

/// Whoever listens everywhere listens on loopback, too.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let loopback = match listen.ip() {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    };
    SocketAddr::new(loopback, listen.port())
}
