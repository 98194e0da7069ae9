//! Asks the bridge that runs with the same settings, through its admin port.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http::header::HOST;
use http::{Request, Response};
use http_body_util::Full;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::fetch;

const LIMIT: Duration = Duration::from_secs(5);
const ANSWER_MAX: usize = 16 << 20;

/// The error is a sentence: why there is no answer, or what the answer says.
pub(crate) async fn get<T: DeserializeOwned>(listen: SocketAddr, path: &str) -> Result<T, String> {
    let asked = timeout(LIMIT, exchange(reachable(listen), path)).await;
    let asked = asked.unwrap_or_else(|_| Err(format!("no answer within {} s", LIMIT.as_secs())));
    let silent = |why| format!("no bridge answers at {listen} ([admin] listen): {why}");
    let (head, body) = asked.map_err(silent)?.into_parts();
    let status = head.status;
    if !status.is_success() {
        let problem: Value = serde_json::from_slice(&body).unwrap_or_default();
        let detail = problem["detail"].as_str().unwrap_or("no reason is given");
        return Err(format!(
            "{listen} ([admin] listen) answers {status}: {detail}"
        ));
    }
    let unread = |error| format!("the answer of {listen} ([admin] listen) cannot be read: {error}");
    serde_json::from_slice(&body).map_err(unread)
}

async fn exchange(address: SocketAddr, path: &str) -> Result<Response<Bytes>, String> {
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| error.to_string())?;
    let request = Request::get(path).header(HOST, address.to_string());
    let request = request.body(Full::default());
    let request = request.map_err(|error| error.to_string())?;
    fetch::over(stream, request, ANSWER_MAX).await
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn an_answer_that_is_none_of_success_is_told_from_no_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answer = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert!(stream.read(&mut [0; 1_024]).await.unwrap() > 0);
            let body = r#"{"status":503,"detail":"the bridge is reloading"}"#;
            let length = body.len();
            let head = format!("HTTP/1.1 503 Busy\r\ncontent-length: {length}\r\n\r\n");
            stream.write_all((head + body).as_bytes()).await.unwrap();
            stream
        };
        let (said, stream) = tokio::join!(get::<Value>(address, "/"), answer);
        let expected = "answers 503 Service Unavailable: the bridge is reloading";
        let said = said.unwrap_err();
        assert!(
            said.ends_with(expected) && !said.contains("no bridge"),
            "{said}"
        );
        drop((stream, listener));
        let said = get::<Value>(address, "/").await.unwrap_err();
        assert!(
            said.starts_with("no bridge answers at 127.0.0.1:"),
            "{said}"
        );
    }
}
