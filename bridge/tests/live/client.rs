//! A plain HTTP client: what senders of events use, and what asks the bridge how it is.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// See the module. Clones share their connections.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pool: Pool<HttpConnector, Full<Bytes>>,
    address: SocketAddr,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            pool: Pool::builder(TokioExecutor::new()).build_http(),
            address,
        }
    }

    /// Nothing where no answer came.
    pub(crate) async fn get(&self, path: &str) -> Option<Reply> {
        self.exchange("GET", path, &[], Bytes::new()).await
    }

    /// Nothing where no answer came.
    pub(crate) async fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Option<Reply> {
        self.exchange("POST", path, headers, body.into()).await
    }

    async fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> Option<Reply> {
        let url = format!("http://{}{path}", self.address);
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = self
            .pool
            .request(request.body(Full::new(body)).unwrap())
            .await
            .ok()?;
        let (parts, body) = answer.into_parts();
        Some(Reply {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.ok()?.to_bytes(),
        })
    }
}
