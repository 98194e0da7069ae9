//! The webhook side of bare pipes: connections that are opened once and kept.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Connections, and so requests in flight.
const CONNECTIONS: usize = 64;

pub(super) type Connection = SendRequest<Full<Bytes>>;

/// As many connections as may be in use at once.
pub(super) async fn connections(url: &Uri) -> Vec<Connection> {
    let authority = url.authority().expect("an address").as_str();
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        let stream = TcpStream::connect(authority)
            .await
            .expect("the receiver listens");
        stream.set_nodelay(true).expect("a TCP socket");
        let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
        tokio::spawn(connection);
        connections.push(sender);
    }
    connections
}

/// A POST with these headers; `ce_` becomes `ce-`.
pub(super) fn request<'a>(
    url: &Uri,
    headers: impl Iterator<Item = (&'a str, &'a [u8])>,
    body: Bytes,
) -> Request<Full<Bytes>> {
    let mut request =
        Request::post(url.path()).header("host", url.authority().expect("an address").as_str());
    for (name, value) in headers {
        request = match name.strip_prefix("ce_") {
            Some(name) => request.header(format!("ce-{name}"), value),
            None => request.header(name, value),
        };
    }
    request
        .body(Full::new(body))
        .expect("headers of the corpus are valid")
}

/// One exchange; the connection comes back with what was sent along.
pub(super) async fn exchange<T>(
    mut connection: Connection,
    request: Request<Full<Bytes>>,
    along: T,
) -> (Connection, T) {
    connection.ready().await.expect("the connection stays open");
    let response = connection.send_request(request).await.expect("an answer");
    assert!(
        response.status().is_success(),
        "the receiver takes everything"
    );
    response
        .into_body()
        .collect()
        .await
        .expect("a whole answer");
    (connection, along)
}
