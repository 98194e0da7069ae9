//! Receivers whose backlog is small, and how fast connections are opened to others.

use std::cell::Cell;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::certificates::Certificates;
use super::*;

/// A listener with a backlog of 5 that accepts a connection every 30 ms. It answers at once, and keeps the
/// connection or closes it.
fn slow_to_accept(keeps: bool) -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(5).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::task::spawn_local(async move {
        loop {
            // This is how slow it is: nothing waits for it.
            sleep(Duration::from_millis(30)).await;
            let (stream, _) = listener.accept().await.unwrap();
            tokio::task::spawn_local(answer(stream, keeps));
        }
    });
    address
}

async fn answer(mut stream: TcpStream, keeps: bool) {
    let head = match keeps {
        true => "HTTP/1.1 204 x\r\n\r\n",
        false => "HTTP/1.1 204 x\r\nconnection: close\r\n\r\n",
    };
    while receiver::read_request(&mut stream).await.is_some() {
        drop(stream.write_all(head.as_bytes()).await);
        if !keeps {
            return;
        }
    }
}

/// Nobody waits for a connect that the backlog has no room for: the system repeats it after a second.
#[test]
fn a_backlog_of_five_is_never_too_small() {
    run(async {
        for (keeps, events) in [(true, 640), (false, 100)] {
            let webhook = to(&slow_to_accept(keeps));
            let longest = Cell::new(Duration::ZERO);
            let send = || async {
                let started = Instant::now();
                let outcome = webhook.send(batch()).await;
                longest.set(longest.get().max(started.elapsed()));
                outcome
            };
            let mut under_way: FuturesUnordered<_> = (0..64).map(|_| send()).collect();
            for number in 0..events {
                let outcome = under_way.next().await;
                assert_eq!(outcome, Some(Outcome::Delivered), "{number}");
                if number + 64 < events {
                    under_way.push(send());
                }
            }
            println!("keeps {keeps}: at most {:?}", longest.get());
        }
    });
}

/// The end of the line is sent back in time, and nobody in it hears that the receiver was slow.
#[test]
fn waiting_for_one_of_few_connections_is_not_the_receivers_time_and_has_an_end() {
    run(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::task::spawn_local(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::task::spawn_local(async move {
                    // All answers but the first are late, so that no more connections are allowed.
                    sleep(Duration::from_millis(if number == 0 { 0 } else { 600 })).await;
                    answer(stream, false).await;
                });
            }
        });
        let mut patience = settings(format!("http://{address}/"));
        patience.exchange_timeout = Duration::from_secs(3);
        let webhook = open(&patience);
        let started = Instant::now();
        let outcomes = join_all((0..40).map(|_| webhook.send(batch()))).await;
        assert!(started.elapsed() < patience.exchange_timeout);
        let count = |wanted: Outcome| outcomes.iter().filter(|it| **it == wanted).count();
        let delivered = count(Outcome::Delivered);
        let sent_back = count(Outcome::Unreachable("no connection"));
        assert_eq!(delivered + sent_back, 40, "{outcomes:?}");
        assert!((4..40).contains(&delivered), "{delivered}");
    });
}

const PAUSED: Outcome = Outcome::Unreachable("receiver asked for a pause");

/// They would be sent into the pause that the receiver asks for.
#[test]
fn an_answer_that_asks_for_a_pause_ends_the_wait_of_the_others() {
    run(async {
        for head in ["503 x", "500 x\r\nretry-after: 7"] {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap().to_string();
            let requests = Rc::new(Cell::new(0));
            let counted = Rc::clone(&requests);
            tokio::task::spawn_local(async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    let requests = Rc::clone(&counted);
                    tokio::task::spawn_local(async move {
                        while receiver::read_request(&mut stream).await.is_some() {
                            requests.set(requests.get() + 1);
                            sleep(Duration::from_millis(50)).await;
                            let head = format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n");
                            drop(stream.write_all(head.as_bytes()).await);
                        }
                    });
                }
            });
            let webhook = to(&address);
            let outcomes = join_all((0..64).map(|_| webhook.send(batch()))).await;
            let sent_back = outcomes.iter().filter(|it| **it == PAUSED);
            assert_eq!(sent_back.count(), 60, "{outcomes:?}");
            assert_eq!(requests.get(), 4);
        }
    });
}

#[test]
fn who_takes_an_event_asks_for_no_pause() {
    run(async {
        let reply = |_| Reply::status("202 x\r\nretry-after: 7");
        let (address, _seen) = start(None, reply).await;
        let webhook = to(&address);
        let outcomes = join_all((0..64).map(|_| webhook.send(batch()))).await;
        assert_eq!(outcomes, vec![Outcome::Delivered; 64]);
    });
}

/// It is not sent on, either: to connect takes time.
#[test]
fn what_has_its_connection_in_a_pause_is_not_sent() {
    run(async {
        let certificates = Certificates::new();
        let tls = certificates.acceptor(false);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_paused, pause) = watch::channel(false);
        let requests = Rc::new(Cell::new(0));
        let counted = Rc::clone(&requests);
        tokio::task::spawn_local(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let (tls, mut pause) = (tls.clone(), pause.clone());
                let requests = Rc::clone(&counted);
                tokio::task::spawn_local(async move {
                    if number > 0 {
                        pause.wait_for(|is_paused| *is_paused).await.unwrap();
                    }
                    let mut stream = tls.accept(stream).await.unwrap();
                    while receiver::read_request(&mut stream).await.is_some() {
                        requests.set(requests.get() + 1);
                        let head = b"HTTP/1.1 503 x\r\ncontent-length: 0\r\n\r\n";
                        drop(stream.write_all(head).await);
                    }
                });
            }
        });
        let mut trusting = settings(format!("https://{address}/"));
        trusting.tls.ca_file = Some(certificates.root());
        let webhook = open(&trusting);
        let first = async {
            let outcome = webhook.send(batch()).await;
            is_paused.send_replace(true);
            outcome
        };
        let (first, second) = tokio::join!(first, webhook.send(batch()));
        assert!(
            matches!(first, Outcome::Status { code: 503, .. }),
            "{first:?}"
        );
        assert_eq!(second, PAUSED);
        assert_eq!(requests.get(), 1);
    });
}

/// They would keep the next probe waiting, four at a time, until each of them had failed.
#[test]
fn a_connect_that_fails_ends_the_wait_of_the_others() {
    run(async {
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut patience = settings(format!("https://{}/", silent.local_addr().unwrap()));
        patience.connect_timeout = Duration::from_millis(300);
        let webhook = open(&patience);
        let outcomes = join_all((0..64).map(|_| webhook.send(batch()))).await;
        let count = |word| {
            let told = outcomes.iter();
            told.filter(|told| **told == Outcome::Unreachable(word))
                .count()
        };
        let counts = (count("connect timeout"), count("no connection"));
        assert_eq!(counts, (4, 60), "{outcomes:?}");
    });
}

/// As the route does it: one more under way for each answer, from four on.
#[test]
fn sixty_four_are_soon_under_way_where_an_answer_takes_twenty_milliseconds() {
    run(async {
        let mut took = Vec::new();
        // Far less on a machine with nothing else to do; a busy one has more tries.
        let is_soon = |took: &Duration| *took < Duration::from_secs(1);
        while took.len() < 5 && !took.iter().any(is_soon) {
            took.push(until_sixty_four_are_under_way().await);
        }
        println!("64 under way after {took:?}");
        assert!(took.iter().any(is_soon), "{took:?}");
    });
}

async fn until_sixty_four_are_under_way() -> Duration {
    let under_way = Rc::new(Cell::new(0_usize));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let counted = Rc::clone(&under_way);
    tokio::task::spawn_local(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let under_way = Rc::clone(&counted);
            tokio::task::spawn_local(async move {
                while receiver::read_request(&mut stream).await.is_some() {
                    under_way.set(under_way.get() + 1);
                    sleep(Duration::from_millis(20)).await;
                    under_way.set(under_way.get() - 1);
                    let answer = b"HTTP/1.1 204 x\r\n\r\n";
                    drop(stream.write_all(answer).await);
                }
            });
        }
    });
    let webhook = to(&address);
    let (started, mut limit) = (Instant::now(), 4);
    let mut sending = FuturesUnordered::new();
    while under_way.get() < 64 {
        while sending.len() < limit.min(64) {
            sending.push(webhook.send(batch()));
        }
        tokio::select! {
            _ = sending.next() => limit += 1,
            () = sleep(Duration::from_millis(1)) => {}
        }
    }
    started.elapsed()
}
