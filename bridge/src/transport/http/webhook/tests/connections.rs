//! How many connections there are, how long they are kept, and what their ends mean.

use futures_util::future::join_all;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::Barrier;

use super::*;

#[test]
fn sixty_four_in_flight_need_sixty_four_connections_and_no_more() {
    run(async {
        let barrier = Arc::new(Barrier::new(64));
        let ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_owned();
        let script = move |_| Reply::Together(Arc::clone(&barrier), ok.clone());
        let (address, seen) = start(None, script).await;
        let webhook = to(&address);
        for _ in 0..5 {
            let outcomes = join_all((0..64).map(|_| webhook.send(batch()))).await;
            assert!(outcomes.iter().all(|o| *o == Outcome::Delivered));
        }
        assert_eq!(seen.requests.borrow().len(), 320);
        assert_eq!(seen.opened.get(), 64);
    });
}

#[test]
fn a_connection_closed_between_exchanges_is_replaced_without_a_failure() {
    run(async {
        let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let elsewhere = other.local_addr().unwrap();
        // Not announced by `connection: close`: the client finds out by itself.
        let script = |_| Reply::Close("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned());
        let (address, seen) = start(None, script).await;
        let webhook = to(&address);
        for round in 1..=20 {
            assert_eq!(webhook.send(batch()).await, Outcome::Delivered, "{round}");
            seen.closed(round).await;
            // What waits for the system sees all that the system has to tell, the end of the kept
            // connection included.
            tokio::net::TcpStream::connect(elsewhere).await.unwrap();
            tokio::task::yield_now().await;
        }
        assert_eq!(seen.requests.borrow().len(), 20);
    });
}

/// The receiver may have closed it as the request was written; or that is how it answers this one.
#[test]
fn a_request_over_a_kept_connection_that_is_closed_without_a_word_goes_once_more() {
    let ok = || Reply::status("200 OK");
    let close = |text: &str| Reply::Close(text.to_owned());
    let closed = Outcome::Unanswered("closed early");
    for (replies, expected, opened) in [
        (vec![ok(), close(""), ok()], Outcome::Delivered, 2),
        (vec![ok(), close(""), close("")], closed.clone(), 2),
        (vec![ok(), close("HTTP/1.1 2")], closed, 1),
    ] {
        run(async {
            let requests = replies.len();
            let script = move |number: usize| replies[number].clone();
            let (address, seen) = start(None, script).await;
            let webhook = to(&address);
            assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
            assert_eq!(webhook.send(batch()).await, expected);
            let seen = (seen.opened.get(), seen.requests.borrow().len());
            assert_eq!(seen, (opened, requests));
        });
    }
}

/// It closes each connection after its first answer, when the next request is there, which it leaves unread.
#[test]
fn a_receiver_that_closes_while_requests_are_written_fails_none_of_them() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let webhook = to(&listener.local_addr().unwrap().to_string());
        tokio::task::spawn_local(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                tokio::task::spawn_local(async move {
                    receiver::read_request(&mut stream).await;
                    let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                    stream.write_all(ok).await.unwrap();
                    drop(stream.peek(&mut [0]).await);
                });
            }
        });
        for round in 0..20 {
            let outcomes = join_all((0..16).map(|_| webhook.send(batch()))).await;
            assert_eq!(outcomes, [const { Outcome::Delivered }; 16], "{round}");
        }
    });
}

/// Else it would count as never sent, which an event is not blamed for.
#[test]
fn a_receiver_that_is_gone_after_a_request_does_not_hide_that_it_was_sent() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let webhook = to(&listener.local_addr().unwrap().to_string());
        let dies = async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            receiver::read_request(&mut stream).await;
            let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(ok).await.unwrap();
            receiver::read_request(&mut stream).await;
            drop((listener, stream));
        };
        let sends = async {
            assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
            webhook.send(batch()).await
        };
        let (outcome, ()) = tokio::join!(sends, dies);
        assert_eq!(outcome, Outcome::Unanswered("closed early"));
    });
}

/// Not a byte was sent, so it is not a request without an answer.
#[test]
fn a_new_connection_that_is_closed_at_once_is_no_connection() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let webhook = to(&listener.local_addr().unwrap().to_string());
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut connection = webhook
            .connections
            .take(deadline, false)
            .await
            .ok()
            .unwrap();
        drop(listener.accept().await.unwrap());
        while connection.sender.ready().await.is_ok() {
            tokio::task::yield_now().await;
        }
        let request = webhook.requests.request(&batch(), None).unwrap();
        let told = webhook.exchange(connection, request, deadline).await;
        assert_eq!(told.unwrap(), Outcome::Unreachable("closed early"));
    });
}

#[test]
fn dropping_the_sink_closes_its_connections() {
    run(async {
        let (address, seen) = start(None, |_| Reply::status("200 OK")).await;
        let webhook = to(&address);
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        drop(webhook);
        seen.closed(1).await;
    });
}
