//! Peers on real sockets that take all there is and do nothing for it, while the clock leaps over what
//! nobody waits for otherwise.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::RefCell;
use std::fs::{self, File};
use std::net::SocketAddr;

use hyper::client::conn::http2;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Notify;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, timeout};

use super::connection::{ANSWER_TIMEOUT, MOST_HEADERS, answer_requests};
use super::*;

const GREEDY: &str = "127.0.0.1:0";
const HONEST: &str = "127.0.0.2:0";
const REQUEST: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

const BOUNDS: Bounds = Bounds {
    connections: 8,
    per_address: 4,
    head_timeout: Duration::from_secs(30),
};

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, test);
}

/// Answers everything alike.
#[derive(Clone)]
struct Same(Bytes);

impl Service for Same {
    fn answer(
        &self,
        _: Request<Incoming>,
        _: Peer,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static {
        std::future::ready(Response::new(Full::new(self.0.clone())))
    }
}

/// Serves a body of this size; returns where.
async fn start(bounds: Bounds, body: usize) -> SocketAddr {
    let socket = socket(GREEDY).listen(64).unwrap();
    let address = socket.local_addr().unwrap();
    let body = Bytes::from(vec![b'x'; body]);
    spawn_local(async move {
        let (_open, closing) = watch::channel(false);
        serve(socket, bounds, None, closing, Same(body)).await;
    });
    address
}

/// Its buffers are small, so that little is under way.
fn socket(from: &str) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(16 << 10).unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    socket.bind(from.parse().unwrap()).unwrap();
    socket
}

async fn connect(from: &str, to: SocketAddr) -> TcpStream {
    socket(from).connect(to).await.unwrap()
}

/// Whether a peer from there is answered within this time.
async fn is_served(from: &str, to: SocketAddr, patience: Duration) -> bool {
    let exchange = async {
        let mut stream = connect(from, to).await;
        stream.write_all(REQUEST.as_bytes()).await.ok()?;
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.ok()?;
        (&first == b"HTTP/1.1 200").then_some(())
    };
    timeout(patience, exchange)
        .await
        .is_ok_and(|answered| answered.is_some())
}

/// Opens as many from each of the addresses, and lets them do what `behave` says.
async fn crowd(count: usize, to: SocketAddr, text: &str) -> Vec<TcpStream> {
    let mut crowd = Vec::new();
    for number in 0..count {
        let mut stream = connect(&format!("127.0.1.{}:0", number + 1), to).await;
        stream.write_all(text.as_bytes()).await.unwrap();
        crowd.push(stream);
    }
    crowd
}

/// Notes what it is told of heads that cannot be read.
#[derive(Clone, Default)]
struct Told(Rc<RefCell<Vec<(StatusCode, IpAddr)>>>);

impl Service for Told {
    fn answer(
        &self,
        _: Request<Incoming>,
        _: Peer,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static {
        std::future::ready(Response::default())
    }

    fn unreadable(&self, status: StatusCode, peer: IpAddr) {
        self.0.borrow_mut().push((status, peer));
    }
}

#[test]
fn the_service_is_told_what_was_answered_to_a_head_that_cannot_be_read() {
    run(async {
        let socket = socket(GREEDY).listen(64).unwrap();
        let address = socket.local_addr().unwrap();
        let told = Told::default();
        let service = told.clone();
        spawn_local(async move {
            let (_open, closing) = watch::channel(false);
            serve(socket, BOUNDS, None, closing, service).await;
        });
        let headers = "x: y\r\n".repeat(MOST_HEADERS + 1);
        let too_many = format!("GET / HTTP/1.1\r\n{headers}\r\n");
        for (head, status) in [
            (REQUEST, 200),
            ("no request\r\n\r\n", 400),
            (&too_many, 431),
        ] {
            let mut stream = connect(HONEST, address).await;
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut first = [0; 12];
            stream.read_exact(&mut first).await.unwrap();
            assert_eq!(&first, format!("HTTP/1.1 {status}").as_bytes());
            drop(stream);
            let peer: IpAddr = [127, 0, 0, 2].into();
            let expected = (status != 200).then(|| (StatusCode::from_u16(status).unwrap(), peer));
            while told.0.borrow().is_empty() && expected.is_some() {
                tokio::task::yield_now().await;
            }
            assert_eq!(told.0.take(), Vec::from_iter(expected));
        }
    });
}

#[test]
fn peers_that_take_no_answers_are_let_go() {
    run(async {
        let address = start(BOUNDS, 1 << 20).await;
        let greedy = crowd(BOUNDS.connections, address, &REQUEST.repeat(64)).await;
        let begun = Instant::now();
        // All seats are taken until the answers are late.
        assert!(is_served(HONEST, address, Duration::from_secs(60)).await);
        let waited = begun.elapsed();
        assert!(
            waited <= ANSWER_TIMEOUT + Duration::from_secs(1),
            "{waited:?}"
        );
        drop(greedy);
    });
}

#[test]
fn peers_that_say_nothing_are_let_go() {
    run(async {
        let address = start(BOUNDS, 1).await;
        for text in ["", "GET / HTTP/1.1\r\nhost:"] {
            let silent = crowd(BOUNDS.connections, address, text).await;
            assert!(
                is_served(HONEST, address, Duration::from_secs(60)).await,
                "{text:?}"
            );
            drop(silent);
        }
    });
}

/// Tells that it was asked, and answers when it is told to.
#[derive(Clone, Default)]
struct Waiting {
    asked: Rc<Notify>,
    told: Rc<Notify>,
}

impl Service for Waiting {
    fn answer(
        &self,
        _: Request<Incoming>,
        _: Peer,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static {
        self.asked.notify_one();
        let told = Rc::clone(&self.told);
        async move {
            told.notified().await;
            Response::default()
        }
    }
}

fn peer() -> Peer {
    Peer {
        address: [127, 0, 0, 1].into(),
        certificate: None,
    }
}

/// Until its answer is written nobody knows which of the two it is.
#[test]
fn a_peer_that_writes_no_more_is_answered_and_one_that_has_left_is_noticed_then() {
    run(async {
        for has_left in [false, true] {
            let (ours, mut theirs) = tokio::io::duplex(64 << 10);
            let (_open, closing) = watch::channel(false);
            let service = Waiting::default();
            let Waiting { asked, told } = service.clone();
            let served = answer_requests(ours, false, peer(), BOUNDS, closing, service);
            let served = spawn_local(served);
            theirs.write_all(REQUEST.as_bytes()).await.unwrap();
            theirs.shutdown().await.unwrap();
            asked.notified().await;
            let theirs = Some(theirs).filter(|_| !has_left);
            told.notify_one();
            if let Some(mut theirs) = theirs {
                let mut answer = String::new();
                theirs.read_to_string(&mut answer).await.unwrap();
                assert!(answer.starts_with("HTTP/1.1 200"), "{answer:?}");
            }
            served.await.unwrap();
        }
    });
}

#[test]
fn a_stream_of_http_2_that_its_peer_resets_is_under_way_no_longer() {
    run(async {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (_open, closing) = watch::channel(false);
        let service = Waiting::default();
        let asked = Rc::clone(&service.asked);
        let served = answer_requests(ours, true, peer(), BOUNDS, closing, service);
        let mut served = spawn_local(served);
        let opened = http2::handshake(LocalExecutor, TokioIo::new(theirs)).await;
        let (mut requests, connection) = opened.unwrap();
        spawn_local(connection);
        let request = Request::get("https://x/").body(Full::<Bytes>::default());
        let mut answer = Box::pin(requests.send_request(request.unwrap()));
        assert!(timeout(Duration::from_secs(1), &mut answer).await.is_err());
        asked.notified().await;
        // While the peer waits, the connection is in use.
        let long = 3 * BOUNDS.head_timeout;
        assert!(timeout(long, &mut served).await.is_err());
        // Its frame is RST_STREAM.
        drop(answer);
        let begun = Instant::now();
        timeout(long, served).await.unwrap().unwrap();
        assert!(begun.elapsed() >= BOUNDS.head_timeout);
    });
}

#[test]
fn one_address_leaves_room_for_the_others() {
    run(async {
        let address = start(BOUNDS, 1).await;
        let mut many = Vec::new();
        for _ in 0..2 * BOUNDS.connections {
            many.push(connect(GREEDY, address).await);
        }
        let at_once = Duration::from_secs(1);
        assert!(is_served(HONEST, address, at_once).await);
        assert!(!is_served(GREEDY, address, at_once).await);
        // What is above the limit was closed, not kept waiting.
        let last = many.last_mut().unwrap();
        assert!(matches!(last.read(&mut [0]).await, Ok(0) | Err(_)));
        assert!(timeout(at_once, many[0].read(&mut [0])).await.is_err());
        // Whoever leaves makes room.
        drop(many);
        while !is_served(GREEDY, address, at_once).await {}
    });
}

#[test]
fn connections_that_are_closed_for_their_address_are_logged_once_in_a_while() {
    let crowd = || {
        run(async {
            let address = start(BOUNDS, 1).await;
            let mut many = Vec::new();
            for _ in 0..2 * BOUNDS.connections {
                many.push(connect(GREEDY, address).await);
            }
            let last = many.last_mut().unwrap();
            assert!(matches!(last.read(&mut [0]).await, Ok(0) | Err(_)));
        });
    };
    // The line is known then, and no thread beside this one decides that nobody wants it.
    crowd();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let lines = File::create(&log).unwrap();
    let lines = tracing_subscriber::fmt().with_writer(lines);
    let guard = tracing::subscriber::set_default(lines.with_ansi(false).finish());
    crowd();
    drop(guard);
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    for words in ["peer=127.0.0.1", "most=4", "behind_proxy = true"] {
        assert!(said.contains(words), "{words} in {said}");
    }
}

/// The server reads no further while answers wait, which would be memory, and must begin again.
#[test]
fn a_peer_that_takes_its_answers_late_gets_them_all() {
    const REQUESTS: usize = 10_000;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, async {
        let address = start(BOUNDS, 1 << 10).await;
        let (mut answers, mut requests) = connect(GREEDY, address).await.into_split();
        let mut left = REQUESTS * REQUEST.len();
        let text = REQUEST.repeat(REQUESTS);
        // Until nothing more goes in: the buffers on the way are full, and nobody reads.
        while let Ok(written) = timeout(
            Duration::from_millis(200),
            requests.write(&text.as_bytes()[text.len() - left..]),
        )
        .await
        {
            left -= written.unwrap();
        }
        assert_ne!(left, 0, "the server reads on");
        let rest = text.as_bytes()[text.len() - left..].to_vec();
        spawn_local(async move { requests.write_all(&rest).await.unwrap() });
        let (mut taken, mut chunk) = (0, vec![0; 1 << 20]);
        while taken < REQUESTS << 10 {
            let read = answers.read(&mut chunk).await.unwrap();
            assert_ne!(read, 0, "cut off after {taken} bytes");
            taken += read;
        }
    });
}

#[test]
fn the_addresses_of_one_network_count_as_one() {
    for (address, expected) in [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1::7", "2001:db8:0:1::"),
        ("2001:db8:0:1:ffff::8", "2001:db8:0:1::"),
        ("2001:db8:0:2::7", "2001:db8:0:2::"),
    ] {
        let address: IpAddr = address.parse().unwrap();
        let expected: IpAddr = expected.parse().unwrap();
        assert_eq!(network(address), expected, "{address}");
    }
}
