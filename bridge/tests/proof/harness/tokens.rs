//! A token endpoint, which knows everybody. It goes away by the line to it.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Good for less than a fault lasts, so that it is missed.
const TOKEN: &str = r#"{"access_token": "proof", "token_type": "Bearer", "expires_in": 4}"#;

/// Serves until the runtime ends.
pub(crate) async fn start() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let service = service_fn(|_: Request<Incoming>| async {
                    let body = Full::new(Bytes::from_static(TOKEN.as_bytes()));
                    Ok::<_, Infallible>(Response::new(body))
                });
                // Connections break: that is what this is for.
                let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                served.await.ok();
            });
        }
    });
    address
}
