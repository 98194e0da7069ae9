//! How long the port waits for those who carry out, and what an order is that nobody waits for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::time::{sleep, timeout};

use super::super::super::overview::{DeadLetterLine, LetterState};
use super::*;

#[test]
fn whoever_waits_no_longer_has_ordered_nothing() {
    run(async {
        let orders = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&orders);
        let port = Port::new(true, move |order| kept.lock().unwrap().push(order));
        let pause = "/v1/routes/a/pause";
        for (path, seconds) in [(pause, 5), ("/v1/reload", 120)] {
            let answer = port.ask("POST", path, &[BEARER], "").await;
            assert_eq!(answer.status(), 504, "{path}");
            let told = format!("no answer within {seconds} s: what was begun goes on");
            assert!(answer.body().contains(&told), "{answer:?}");
        }
        let early = timeout(
            Duration::from_secs(1),
            port.status("POST", pause, &[BEARER]),
        );
        assert!(early.await.is_err());
        let orders = std::mem::take(&mut *orders.lock().unwrap());
        assert_eq!(orders.len(), 3);
        assert!(orders.iter().all(OperatorOrder::is_abandoned));
    });
}

#[test]
fn those_who_read_leave_places_to_those_who_act() {
    run(async {
        let (orders, mut ordered) = mpsc::channel(4);
        let port = Port::to(true, orders);
        let (one, two, three, acts) = tokio::join!(
            port.status("GET", "/v1/settings", &[]),
            port.status("GET", "/v1/routes/a/waiting-events", &[]),
            port.status("GET", "/settings", &[]),
            port.status("POST", "/v1/routes/a/pause", &[BEARER]),
        );
        assert_eq!((one, two, three, acts), (504, 504, 503, 504));
        let mut changing = 0;
        while let Ok(order) = ordered.try_recv() {
            changing += usize::from(!order.only_reads());
        }
        assert_eq!(changing, 1);
    });
}

#[test]
fn a_route_that_drops_an_order_has_not_done_it() {
    run(async {
        let port = Port::new(true, drop);
        let pause = "/v1/routes/a/pause";
        assert_eq!(port.status("POST", pause, &[BEARER]).await, 503);
        let page = port.ask("GET", "/routes/a?lang=en", &[], "").await;
        assert!(page.body().contains("They are not known now"), "{page:?}");
        assert!(!page.body().contains("None: all that was read"), "{page:?}");
        port.telemetry.end("a");
        assert_eq!(port.status("POST", pause, &[BEARER]).await, 409);
        port.telemetry.remove("a");
        assert_eq!(port.status("POST", pause, &[BEARER]).await, 404);
    });
}

#[test]
fn dead_letters_are_read_once_a_minute_and_no_page_waits_for_them() {
    run(async {
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        let port = Port::new(true, move |order| match order {
            OperatorOrder::DeadLetters(_, reply) => {
                let number = counted.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    sleep(Duration::from_secs(12)).await;
                    reply.send(Ok(vec![letter(number)])).unwrap();
                });
            }
            order => does_all(order),
        });
        let page = async || {
            let begun = Instant::now();
            let page = port.ask("GET", "/routes/a", &[], "").await.into_body();
            assert!(begun.elapsed() < Duration::from_secs(3));
            page
        };
        // Whoever leaves early ends nothing.
        timeout(Duration::from_secs(1), page()).await.unwrap_err();
        for _ in 0..3 {
            assert!(page().await.contains("still being read"));
        }
        sleep(Duration::from_secs(8)).await;
        assert!(page().await.contains("letter-0"));
        assert_eq!(reads.load(Ordering::Relaxed), 1);
        sleep(Duration::from_secs(60)).await;
        // The former ones, until they are read anew.
        assert!(page().await.contains("letter-0"));
        sleep(Duration::from_secs(12)).await;
        assert!(page().await.contains("letter-1"));
        assert_eq!(reads.load(Ordering::Relaxed), 2);
        // What was done to them is seen at once.
        let replay = "/v1/routes/a/dead-letters/replay";
        let both = r#"{"positions":["kafka:dead/0/1","kafka:dead/0/2"]}"#;
        assert_eq!(
            port.ask("POST", replay, &[BEARER], both).await.status(),
            200
        );
        let answer = port.ask("GET", "/v1/routes/a/dead-letters", &[], "").await;
        assert!(answer.body().contains("letter-2"), "{answer:?}");
    });
}

fn letter(number: usize) -> DeadLetterLine {
    DeadLetterLine {
        position: format!("letter-{number}"),
        written: None,
        state: LetterState::Open,
        kind: "refused".to_owned(),
        status: "422".to_owned(),
        attempts: 1,
        id: None,
        source: None,
        r#type: None,
    }
}
