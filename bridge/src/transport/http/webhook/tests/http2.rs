//! Receivers that offer HTTP/2, played by hyper's server.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::pin::pin;

use http::{HeaderMap, Request, Response, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use super::certificates::Certificates;
use super::*;
use crate::local_executor::LocalExecutor;

/// What becomes of a request.
#[derive(Clone)]
enum Reply {
    Status(u16),
    /// Once as many requests wait as the barrier asks for.
    Together(Arc<Barrier>),
    /// An answer, and no further stream on this connection.
    Last,
    Reset,
    Hang,
}

#[derive(Default)]
struct Seen {
    opened: Cell<usize>,
    requests: RefCell<Vec<(Version, String, HeaderMap)>>,
}

/// Where it listens; it takes what ALPN offers of these protocols.
async fn start(
    certificates: &Certificates,
    protocols: &[&str],
    script: impl Fn(usize) -> Reply + 'static,
) -> (String, Rc<Seen>) {
    let mut config = (**certificates.acceptor(false).config()).clone();
    config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
    let tls = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = Rc::<Seen>::default();
    let (script, counted) = (Rc::new(script), Rc::clone(&seen));
    tokio::task::spawn_local(async move {
        loop {
            let (tcp, _) = listener.accept().await.unwrap();
            counted.opened.set(counted.opened.get() + 1);
            let (tls, script, seen) = (tls.clone(), Rc::clone(&script), Rc::clone(&counted));
            tokio::task::spawn_local(serve(tls, tcp, script, seen));
        }
    });
    (address, seen)
}

async fn serve(
    tls: TlsAcceptor,
    tcp: tokio::net::TcpStream,
    script: Rc<impl Fn(usize) -> Reply + 'static>,
    seen: Rc<Seen>,
) {
    let Ok(stream) = tls.accept(tcp).await else {
        return;
    };
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let last = Rc::new(Notify::new());
    let noted = Rc::clone(&last);
    let answer = service_fn(move |request: Request<Incoming>| {
        let (seen, script, last) = (Rc::clone(&seen), Rc::clone(&script), Rc::clone(&noted));
        async move {
            let (parts, body) = request.into_parts();
            drop(body.collect().await);
            let number = seen.requests.borrow().len();
            let seen_as = (parts.version, parts.uri.to_string(), parts.headers);
            seen.requests.borrow_mut().push(seen_as);
            let code = match script(number) {
                Reply::Status(code) => code,
                Reply::Together(barrier) => {
                    barrier.wait().await;
                    200
                }
                Reply::Last => {
                    last.notify_one();
                    200
                }
                Reply::Reset => return Err("reset"),
                Reply::Hang => pending().await,
            };
            let mut answer = Response::new(Full::<Bytes>::default());
            *answer.status_mut() = StatusCode::from_u16(code).unwrap();
            Ok(answer)
        }
    });
    if !is_http2 {
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
        return drop(connection.await);
    }
    let connection =
        http2::Builder::new(LocalExecutor).serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => return drop(ended),
        () = last.notified() => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

fn speaking(version: HttpVersion, address: &str, certificates: &Certificates) -> WebhookSettings {
    let mut settings = settings(format!("https://{address}/hook?x=1"));
    settings.tls.ca_file = Some(certificates.root());
    settings.http_version = version;
    settings
}

#[test]
fn it_is_spoken_where_both_sides_want_it() {
    run(async {
        let certificates = Certificates::new();
        let (both, one) = (&["h2", "http/1.1"][..], &["http/1.1"][..]);
        for (version, offered, spoken) in [
            (HttpVersion::Http2, both, Version::HTTP_2),
            (HttpVersion::Http2, one, Version::HTTP_11),
            (HttpVersion::Http1, both, Version::HTTP_11),
        ] {
            let (address, seen) = start(&certificates, offered, |_| Reply::Status(204)).await;
            let webhook = open(&speaking(version, &address, &certificates));
            for _ in 0..3 {
                assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
            }
            assert_eq!(seen.opened.get(), 1);
            let requests = seen.requests.borrow();
            assert_eq!(requests.len(), 3);
            let (version, url, headers) = &requests[2];
            assert_eq!(*version, spoken);
            // The host stands in the URL, or in its header.
            let (host, in_header) = match spoken {
                Version::HTTP_2 => (format!("https://{address}"), None),
                _ => (String::new(), Some(address.as_str())),
            };
            assert_eq!(*url, format!("{host}/hook?x=1"));
            let header = headers.get("host").map(|host| host.to_str().unwrap());
            assert_eq!(header, in_header);
            let content_type = &headers["content-type"];
            assert_eq!(content_type, "application/cloudevents+json");
        }
    });
}

/// Four connections may be opened before the first of them says that it takes many exchanges.
#[test]
fn sixty_four_in_flight_share_few_connections() {
    run(async {
        let certificates = Certificates::new();
        let barrier = Arc::new(Barrier::new(64));
        let script = move |_| Reply::Together(Arc::clone(&barrier));
        let (address, seen) = start(&certificates, &["h2"], script).await;
        let webhook = open(&speaking(HttpVersion::Http2, &address, &certificates));
        for _ in 0..5 {
            let outcomes = join_all((0..64).map(|_| webhook.send(batch()))).await;
            assert!(outcomes.iter().all(|o| *o == Outcome::Delivered));
        }
        assert_eq!(seen.requests.borrow().len(), 320);
        assert!(seen.opened.get() <= 4, "{}", seen.opened.get());
    });
}

#[test]
fn a_connection_that_takes_no_more_is_replaced_without_a_failure() {
    run(async {
        let certificates = Certificates::new();
        let (address, seen) = start(&certificates, &["h2"], |_| Reply::Last).await;
        let webhook = open(&speaking(HttpVersion::Http2, &address, &certificates));
        for round in 1..=20 {
            assert_eq!(webhook.send(batch()).await, Outcome::Delivered, "{round}");
        }
        assert_eq!(seen.requests.borrow().len(), 20);
        assert!(seen.opened.get() > 1);
    });
}

#[test]
fn a_stream_that_is_reset_says_nothing_of_the_others() {
    run(async {
        let certificates = Certificates::new();
        let barrier = Arc::new(Barrier::new(3));
        let script = move |number| match number {
            0 => Reply::Status(200),
            2 => Reply::Reset,
            4 => Reply::Status(410),
            _ => Reply::Together(Arc::clone(&barrier)),
        };
        let (address, seen) = start(&certificates, &["h2"], script).await;
        let webhook = open(&speaking(HttpVersion::Http2, &address, &certificates));
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        let mut outcomes = join_all((0..5).map(|_| webhook.send(batch()))).await;
        outcomes.sort_unstable_by_key(|outcome| format!("{outcome:?}"));
        let gone = Outcome::Status {
            code: 410,
            retry_after: None,
            error_body: None,
        };
        let expected = [
            Outcome::Delivered,
            Outcome::Delivered,
            Outcome::Delivered,
            gone,
            Outcome::Unanswered("stream reset"),
        ];
        assert_eq!(outcomes, expected);
        assert_eq!(seen.opened.get(), 1);
    });
}

/// The way may be dead, and the system does not know.
#[test]
fn nothing_more_is_sent_where_no_answer_came_in_time() {
    run(async {
        let certificates = Certificates::new();
        let script = |number| match number {
            1 => Reply::Hang,
            _ => Reply::Status(200),
        };
        let (address, seen) = start(&certificates, &["h2"], script).await;
        let mut patience = speaking(HttpVersion::Http2, &address, &certificates);
        patience.first_byte_timeout = Duration::from_secs(1);
        let webhook = open(&patience);
        for (expected, opened) in [
            (Outcome::Delivered, 1),
            (Outcome::Unanswered("first byte timeout"), 1),
            (Outcome::Delivered, 2),
        ] {
            assert_eq!(webhook.send(batch()).await, expected);
            assert_eq!(seen.opened.get(), opened);
        }
    });
}
