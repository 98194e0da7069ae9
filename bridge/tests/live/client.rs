//! A plain HTTP client: what senders of events use, and what asks the bridge how it is.
//!
//! It runs on one thread. hyper hands a request to the task of its connection through a channel of tokio, which keeps
//! what is sent while its other end is dropped: where the two are on different threads, a request whose connection
//! is closed at that moment waits for ever.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

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
            // Sooner than a server closes one: a request that meets its end has no answer.
            pool: Pool::builder(TokioExecutor::new())
                .pool_idle_timeout(Duration::from_secs(3))
                .build_http(),
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
        let (pool, request) = (self.pool.clone(), request.body(Full::new(body)).unwrap());
        let reply = async move {
            let (parts, body) = pool.request(request).await.ok()?.into_parts();
            Some(Reply {
                status: parts.status,
                headers: parts.headers,
                body: body.collect().await.ok()?.to_bytes(),
            })
        };
        // Ends with whoever waits for it.
        let mut task = JoinSet::new();
        task.spawn_on(reply, one_thread().handle());
        task.join_next().await?.unwrap()
    }
}

fn one_thread() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let mut one = Builder::new_multi_thread();
        one.worker_threads(1).enable_all().build().unwrap()
    })
}
