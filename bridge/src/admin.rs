//! The admin port: health, metrics, the operations page and `/v1`, on a thread of their own that a busy route
//! cannot block. It changes nothing itself: orders go to the process that carries the routes.

pub(crate) mod client;
mod guard;
pub(crate) mod orders;
pub mod overview;
mod page;
pub(crate) mod problem;
mod router;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{LocalSet, spawn};
use tokio::time::{Instant, timeout};
use tower_service::Service as _;

use crate::config;
use crate::logging::Throttle;
use crate::server::{self, Bounds, Peer, Service};
use crate::shared::lock;
use crate::telemetry::Telemetry;
use orders::OperatorOrder;
use overview::{DeadLetterLine, Done, Overview, RouteOverview};
use problem::ProblemDetails;

const BOUNDS: Bounds = Bounds {
    connections: 256,
    per_address: 64,
    head_timeout: Duration::from_secs(5),
};
/// Positions of the dead letters of a page, and more.
const BODY_MAX: usize = 64 << 10;
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// Long enough to be read, and short enough to be news.
const NOTICE_KEPT: Duration = Duration::from_secs(60);
/// A page that is open asks every few seconds. Whatever is done here to them is seen at once.
const LETTERS_KEPT: Duration = Duration::from_secs(60);
/// Longer than a place that does not answer is waited for.
const NO_LETTERS_KEPT: Duration = Duration::from_secs(30);

/// Serves until the process ends; returns the address it listens on.
pub(crate) fn start(
    settings: &config::AdminSettings,
    telemetry: Telemetry,
    orders: mpsc::Sender<OperatorOrder>,
) -> io::Result<SocketAddr> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(settings.listen))?;
    let address = listener.local_addr()?;
    let admin = Admin {
        telemetry,
        settings: Arc::new(settings.clone()),
        orders,
        started: Timestamp::now(),
        notices: Arc::default(),
        letters: Arc::default(),
        turned_away: Arc::default(),
    };
    let serve = move || {
        // Only the end of the process closes it.
        let (_open, closing) = watch::channel(false);
        let serve = server::serve(listener, BOUNDS, None, closing, router::router(admin));
        LocalSet::new().block_on(&runtime, serve);
    };
    thread::Builder::new()
        .name("admin".to_owned())
        .spawn(serve)?;
    Ok(address)
}

impl Service for Router {
    fn answer(
        &self,
        request: Request<Incoming>,
        peer: Peer,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static {
        let mut router = self.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = Limited::new(body, BODY_MAX).collect();
            let (body, unread) = match timeout(BODY_TIMEOUT, body).await {
                Ok(Ok(body)) => (body.to_bytes(), None),
                Ok(Err(_)) => (Bytes::new(), Some(StatusCode::PAYLOAD_TOO_LARGE)),
                Err(_) => (Bytes::new(), Some(StatusCode::REQUEST_TIMEOUT)),
            };
            let mut request = Request::from_parts(head, Body::from(body));
            request.extensions_mut().insert(peer.address);
            // The guard answers it.
            let unread =
                unread.map(|status| ProblemDetails::new(status, "the body cannot be read"));
            unread.map(|problem| request.extensions_mut().insert(problem));
            let Ok(answer) = router.call(request).await;
            let (head, body) = answer.into_parts();
            // It is in memory.
            let body = body.collect().await.map(|body| body.to_bytes());
            Response::from_parts(head, Full::new(body.unwrap_or_default()))
        }
    }
}

/// What was done, or why it was not.
type Notice = Result<Done, String>;
type Letters = Result<Vec<DeadLetterLine>, ProblemDetails>;
/// When it began, and what is known.
type Reading = (Instant, watch::Receiver<Option<Letters>>);

#[derive(Clone)]
struct Admin {
    telemetry: Telemetry,
    settings: Arc<config::AdminSettings>,
    orders: mpsc::Sender<OperatorOrder>,
    started: Timestamp,
    /// What became of the last order for a route, and of the last reload by no name, for the page.
    notices: Arc<Mutex<BTreeMap<String, (Instant, Notice)>>>,
    /// The last of each route.
    letters: Arc<Mutex<BTreeMap<String, Reading>>>,
    turned_away: Arc<Throttle>,
}

impl Admin {
    fn overview(&self) -> Overview {
        let telemetry = &self.telemetry;
        Overview {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: self.started,
            at: Timestamp::now(),
            ready: telemetry.not_ready().is_empty(),
            actions: self.settings.token.is_some(),
            settings_fault: telemetry.settings_fault(),
            routes: telemetry.each(overview::route),
            ingress_refusals: telemetry.answers.refusals(),
        }
    }

    async fn ask<T>(
        &self,
        limit: Duration,
        order: impl FnOnce(oneshot::Sender<T>) -> OperatorOrder,
    ) -> Result<T, ProblemDetails> {
        let (reply, answered) = oneshot::channel();
        let order = order(reply);
        let busy = "the bridge or the route is starting, reloading, stopping or busy: try again";
        let busy = || ProblemDetails::not_now(busy);
        // Those who only read leave half of the places to those who act.
        let few_are_left = self.orders.capacity() <= self.orders.max_capacity() / 2;
        if order.only_reads() && few_are_left || self.orders.try_send(order).is_err() {
            return Err(busy());
        }
        match timeout(limit, answered).await {
            Ok(answer) => answer.map_err(|_| busy()),
            Err(_) => {
                let limit = limit.as_secs();
                let detail =
                    format!("no answer within {limit} s: what was begun goes on, see the log");
                Err(ProblemDetails::new(StatusCode::GATEWAY_TIMEOUT, detail))
            }
        }
    }

    /// By route.
    fn notices(&self) -> BTreeMap<String, Notice> {
        let mut notices = lock(&self.notices);
        notices.retain(|_, (at, _)| at.elapsed() < NOTICE_KEPT);
        let notices = notices.iter();
        notices
            .map(|(route, (_, notice))| (route.clone(), notice.clone()))
            .collect()
    }

    /// As far as they are known within `limit`.
    async fn dead_letters(&self, route: &RouteOverview, limit: Duration) -> Letters {
        if route.dead_letter_place.is_none() {
            return Ok(Vec::new());
        }
        let mut reading = self.letters_of(&route.name);
        timeout(limit, reading.changed()).await.ok();
        let known = reading.borrow().clone();
        let unread = || ProblemDetails::not_now("they are still being read: look again");
        known.unwrap_or_else(|| Err(unread()))
    }

    /// Read in a task of its own, which goes on when whoever asked has left, and one at a time.
    fn letters_of(&self, route: &str) -> watch::Receiver<Option<Letters>> {
        let mut all = lock(&self.letters);
        let mut known = None;
        if let Some((began, reading)) = all.get(route) {
            known = reading.borrow().clone();
            let kept = match &known {
                _ if reading.has_changed().is_ok() => Duration::MAX,
                Some(Err(busy)) if busy.status == StatusCode::SERVICE_UNAVAILABLE => Duration::ZERO,
                Some(Err(_)) => NO_LETTERS_KEPT,
                _ => LETTERS_KEPT,
            };
            if began.elapsed() < kept {
                return reading.clone();
            }
        }
        let (read, reading) = watch::channel(known);
        all.insert(route.to_owned(), (Instant::now(), reading.clone()));
        let (admin, route) = (self.clone(), route.to_owned());
        spawn(async move {
            let order = |reply| OperatorOrder::DeadLetters(route, reply);
            let letters = admin.ask(router::LETTERS_TIMEOUT, order).await;
            read.send_replace(Some(letters.and_then(|letters| letters)));
        });
        reading
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;
    use crate::telemetry::Places;

    fn start(telemetry: Telemetry) -> SocketAddr {
        let settings = config::AdminSettings {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: None,
            hosts: vec!["x".to_owned()],
            count_dead_letters_every: None,
        };
        super::start(&settings, telemetry, mpsc::channel(1).0).unwrap()
    }

    fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn one_address_has_so_many_connections_and_no_more() {
        let telemetry = Telemetry::default();
        let address = start(telemetry);
        let connect = |from: [u8; 4]| {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            let connected = runtime.block_on(async {
                let socket = tokio::net::TcpSocket::new_v4().unwrap();
                socket.bind((from, 0).into()).unwrap();
                socket.connect(address).await.unwrap().into_std().unwrap()
            });
            connected.set_nonblocking(false).unwrap();
            connected
        };
        let is_served = |mut stream: TcpStream| {
            let request = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
            let mut answer = String::new();
            stream.write_all(request.as_bytes()).is_ok()
                && stream.read_to_string(&mut answer).is_ok()
                && answer.starts_with("HTTP/1.1 200")
        };
        let mut silent: Vec<_> = (0..=64).map(|_| connect([127, 0, 0, 1])).collect();
        // One too many: it is closed while the first one is still waited for.
        let mut last = silent.pop().unwrap();
        assert!(matches!(last.read(&mut [0]), Ok(0) | Err(_)));
        assert!(is_served(connect([127, 0, 0, 2])));
        assert!(is_served(silent.swap_remove(0)));
    }

    #[test]
    fn answers_health_and_metrics() {
        let telemetry = Telemetry::new(["a", "b"].map(|name| (name.into(), Places::default())));
        let address = start(telemetry.clone());
        assert!(get(address, "/livez").starts_with("HTTP/1.1 200"));
        assert!(get(address, "/other").starts_with("HTTP/1.1 404"));
        let mut stream = TcpStream::connect(address).unwrap();
        let head = "POST /v1/reload HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&[b' '; BODY_MAX + 1]).unwrap();
        let mut answer = [0; 400];
        let read = stream.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        assert!(answer.contains("api-version: 1.0.0"), "{answer}");

        telemetry.tick("a", true);
        telemetry.tick("b", false);
        let answer = get(address, "/readyz");
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        assert!(
            answer.ends_with("\r\n\r\nroute b: its source has not joined\n"),
            "{answer}"
        );
        telemetry.tick("b", true);
        assert!(get(address, "/readyz").starts_with("HTTP/1.1 200"));

        let metrics = get(address, "/metrics");
        for line in [
            r#"cenl_events_total{route="a",verdict="delivered"} 0"#,
            r#"cenl_endpoint_state{route="b",state="closed"} 1"#,
            r#"cenl_endpoint_state{route="b",state="open"} 0"#,
            r#"cenl_source_joined{route="a"} 1"#,
            r#"cenl_attempt_duration_seconds_bucket{le="+Inf",route="a"} 0"#,
            r#"cenl_attempt_duration_seconds_sum{route="a"} 0.0"#,
            r#"cenl_dead_letters_total{route="a",kind="exhausted"} 0"#,
            r#"cenl_in_flight{route="b"} 0"#,
            "# HELP cenl_windows Partitions assigned, or requests that wait.\n# TYPE cenl_windows gauge\n",
        ] {
            assert!(metrics.contains(line), "{line} in {metrics}");
        }
        assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    }
}
