//! One request on a connection of its own, for what is asked rarely: tokens, the keys of an issuer, calls to
//! whoever asked for consent. No redirect is followed.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::header::HOST;
use http::uri::Scheme;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::outcome::Outcome;
use crate::tls::{self, ClientTls};

/// Tokens and keys have a few kilobytes at most.
const ANSWER_BYTES_MAX: usize = 256 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// For URLs that an operator wrote.
    Everything,
    /// For others: whatever name or number leads there, only public addresses are connected to.
    Public,
}

/// The request names the whole URL, of which the error, the cause, shows nothing. It names the remedy where TLS failed.
pub(crate) async fn fetch(
    mut request: Request<Full<Bytes>>,
    tls: &ClientTls,
    reach: Reach,
    limit: Duration,
) -> Result<Response<Bytes>, String> {
    let url = std::mem::take(request.uri_mut());
    let path = url.path_and_query().cloned();
    *request.uri_mut() = path.map_or_else(Uri::default, Uri::from);
    let host = url.authority().map_or("", |authority| authority.as_str());
    let host = HeaderValue::try_from(host).map_err(|it| cause(&it))?;
    request.headers_mut().insert(HOST, host);
    let fetched = timeout(limit, exchange(&url, request, tls, reach, limit)).await;
    let fetched = fetched.unwrap_or_else(|_| Err("no answer in time".to_owned()));
    fetched.map_err(|cause| match tls::failure(&cause) {
        Some(Outcome::Unreachable(word)) => format!("{word}: correct the address"),
        Some(failure) => format!("{cause}: {}", failure.remedy()),
        None => cause,
    })
}

async fn exchange(
    url: &Uri,
    request: Request<Full<Bytes>>,
    tls: &ClientTls,
    reach: Reach,
    limit: Duration,
) -> Result<Response<Bytes>, String> {
    let is_protected = url.scheme() == Some(&Scheme::HTTPS);
    let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
    let usual = if is_protected { 443 } else { 80 };
    let port = url.port_u16().unwrap_or(usual);
    let found = lookup_host((host, port)).await.map_err(|it| cause(&it))?;
    let found: Vec<_> = found.collect();
    let is_public = found.iter().all(|address| is_public(address.ip()));
    if reach == Reach::Public && !is_public {
        return Err("it leads to an address that is not public".to_owned());
    }
    let stream = connect(&found, limit).await?;
    if !is_protected {
        return over(stream, request, ANSWER_BYTES_MAX).await;
    }
    let name = ServerName::try_from(host.to_owned()).map_err(|it| cause(&it))?;
    // It reads files, which may be on a mount that hangs.
    let tls = tls.clone();
    let client = spawn_blocking(move || tls.client()).await;
    let client = client.map_err(|it| cause(&it))?;
    let client = Arc::new(client.map_err(|it| cause(&it))?);
    let stream = TlsConnector::from(client).connect(name, stream).await;
    over(stream.map_err(|it| cause(&it))?, request, ANSWER_BYTES_MAX).await
}

/// An address that leads nowhere leaves time for the others, and for the exchange.
async fn connect(addresses: &[SocketAddr], limit: Duration) -> Result<TcpStream, String> {
    let each = limit / (addresses.len() as u32 + 1);
    let mut last = "no address".to_owned();
    for address in addresses {
        match timeout(each, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = cause(&error),
            Err(_) => last = "no answer in time".to_owned(),
        }
    }
    Err(last)
}

pub(crate) async fn over(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: Request<Full<Bytes>>,
    bytes_max: usize,
) -> Result<Response<Bytes>, String> {
    let connected = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = connected.map_err(|it| cause(&it))?;
    let exchange = pin!(async {
        let response = sender.send_request(request).await;
        let (head, body) = response.map_err(|it| cause(&it))?.into_parts();
        let body = Limited::new(body, bytes_max).collect().await;
        let body = body.map_err(|it| cause(&*it))?;
        Ok(Response::from_parts(head, body.to_bytes()))
    });
    match select(exchange, pin!(connection)).await {
        Either::Left((answer, _)) => answer,
        // What it received is still to be read.
        Either::Right((_, exchange)) => exchange.await,
    }
}

/// The innermost says most.
pub(crate) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

/// Not of a special purpose (RFC 6890), nor one that leads to another address, as those of NAT64 and 6to4.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let is_special = matches!(
                address.octets(),
                // "This network", shared by carriers, protocols, benchmarks, reserved and broadcast.
                [0, ..]
                    | [100, 64..=127, ..]
                    | [192, 0, 0, _]
                    | [198, 18..=19, ..]
                    | [240..=255, ..]
            );
            let is_near = address.is_loopback() || address.is_private() || address.is_link_local();
            !is_special && !is_near && !address.is_multicast() && !address.is_documentation()
        }
        IpAddr::V6(address) => match address.segments() {
            [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => false,
            [first, ..] => first & 0xe000 == 0x2000,
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use futures_util::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const PUBLIC: &str = "1.1.1.1 100.63.255.255 172.32.0.1 192.0.1.1 223.255.255.255 2a00::1 2001:200::1 2606:4700::1111 ::ffff:1.1.1.1";
    const SPECIAL: &str = "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 \
                           :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a00:1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 fc00::1 fd12::1 fe80::1 fec0::1 ff02::1";

    #[test]
    fn only_addresses_that_anybody_may_have_are_public() {
        for (addresses, expected) in [(PUBLIC, true), (SPECIAL, false)] {
            for address in addresses.split_whitespace() {
                assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[tokio::test]
    async fn a_server_without_tls_is_told_with_the_remedy() {
        let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/hunter2", socket.local_addr().unwrap());
        let request = Request::get(url).body(Full::default()).unwrap();
        let (tls, limit) = (ClientTls::default(), Duration::from_secs(5));
        let answers = async {
            let (mut stream, _) = socket.accept().await.unwrap();
            assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
            stream.write_all(b"HTTP/1.1 400 x\r\n\r\n").await.unwrap();
            stream
        };
        let fetched = fetch(request, &tls, Reach::Everything, limit);
        let (fetched, _stream) = tokio::join!(fetched, answers);
        let (error, remedy) = (fetched.unwrap_err(), "correct the address");
        assert!(
            error.contains("speaks no TLS") && error.contains(remedy),
            "{error}"
        );
    }

    /// Whatever leads to the address: a name, digits in another form, an address inside another.
    #[tokio::test]
    async fn an_address_that_is_not_public_is_not_connected_to() {
        let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = socket.local_addr().unwrap().port();
        for host in [
            "127.0.0.1",
            "localhost",
            "127.1",
            "2130706433",
            "[::ffff:127.0.0.1]",
        ] {
            for scheme in ["http", "https"] {
                let request = Request::get(format!("{scheme}://{host}:{port}/hunter2"));
                let request = request.body(Full::default()).unwrap();
                let (tls, limit) = (ClientTls::default(), Duration::from_secs(5));
                let error = fetch(request, &tls, Reach::Public, limit)
                    .await
                    .unwrap_err();
                assert_eq!(error, "it leads to an address that is not public", "{host}");
            }
        }
        assert!(socket.accept().now_or_never().is_none());
    }
}
