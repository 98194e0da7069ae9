//! Health and metrics over HTTP, on a thread of their own that a busy route cannot block.

use std::future::ready;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::LocalSet;

use crate::server::{self, Bounds, Service};
use crate::telemetry::Telemetry;

const BOUNDS: Bounds = Bounds {
    connections: 256,
    per_address: 64,
    head_timeout: Duration::from_secs(5),
};

/// Serves until the process ends; returns the address it listens on.
pub fn start(listen: SocketAddr, telemetry: Telemetry) -> io::Result<SocketAddr> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(listen))?;
    let address = listener.local_addr()?;
    let serve = move || {
        // Only the end of the process closes it.
        let (_open, closing) = watch::channel(false);
        let serve = server::serve(listener, BOUNDS, closing, Admin(telemetry));
        LocalSet::new().block_on(&runtime, serve);
    };
    thread::Builder::new()
        .name("admin".to_owned())
        .spawn(serve)?;
    Ok(address)
}

#[derive(Clone)]
struct Admin(Telemetry);

impl Service for Admin {
    fn answer(
        &self,
        request: Request<Incoming>,
        _: IpAddr,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static {
        ready(answer(&request, &self.0))
    }
}

fn answer(request: &Request<Incoming>, telemetry: &Telemetry) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    }
    match request.uri().path() {
        "/livez" => text(StatusCode::OK, "alive\n"),
        "/readyz" => match telemetry.not_ready() {
            faults if faults.is_empty() => text(StatusCode::OK, "ready\n"),
            faults => text(StatusCode::SERVICE_UNAVAILABLE, faults),
        },
        "/metrics" => match telemetry.exposition() {
            Ok(metrics) => {
                let format = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                body(StatusCode::OK, format, metrics)
            }
            Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        },
        _ => text(StatusCode::NOT_FOUND, "try /livez, /readyz or /metrics\n"),
    }
}

fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    body(status, "text/plain; charset=utf-8", text)
}

fn body(status: StatusCode, format: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format));
    response
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

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
        let address = start(SocketAddr::from(([127, 0, 0, 1], 0)), telemetry).unwrap();
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
        let telemetry = Telemetry::new(["a".into(), "b".into()]);
        let address = start(SocketAddr::from(([127, 0, 0, 1], 0)), telemetry.clone()).unwrap();
        assert!(get(address, "/livez").starts_with("HTTP/1.1 200"));
        assert!(get(address, "/other").starts_with("HTTP/1.1 404"));

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
