//! Verdicts that do not come, and senders that do not wait for them.

use super::*;

#[test]
fn silence_until_the_deadline_is_503_and_nothing_more_starts() {
    run(async {
        let started = Rc::<RefCell<Vec<Delivery>>>::default();
        let held = Rc::clone(&started);
        let impatient = PathSettings {
            deadline: Duration::from_millis(30),
            ..settings()
        };
        let route = serve(&impatient, move |delivery| {
            // One of the two is acknowledged: still the whole request is to be repeated.
            if held.borrow().is_empty() {
                held.borrow_mut().push(delivery);
            } else {
                delivery.settle(Verdict::Delivered);
            }
        });
        let mut client = Client::connect(route.address).await;
        let answer = client.post(&[BATCHED], &format!("[{EVENT},{EVENT}]")).await;
        assert_eq!(answer.status, 503);
        assert!(answer.head.contains("\r\nretry-after: 1\r\n"));
        answer.problem();
        let late = started.borrow_mut().pop().unwrap();
        assert!(!late.start());
        late.settle(Verdict::Delivered);
    });
}

#[test]
fn a_window_that_the_route_gives_up_is_503_at_once() {
    run(async {
        let patient = PathSettings {
            deadline: Duration::from_secs(600),
            ..settings()
        };
        // The first event of a request is delivered, the second one given up.
        let has_first = Cell::new(false);
        let route = serve(&patient, move |delivery| {
            if has_first.replace(!has_first.get()) {
                delivery.window().abandon();
            } else {
                delivery.settle(Verdict::Delivered);
            }
        });
        let mut client = Client::connect(route.address).await;
        for _ in 0..2 {
            let answer = client.post(&[BATCHED], &format!("[{EVENT},{EVENT}]")).await;
            assert_eq!(answer.status, 503);
            assert!(answer.head.contains("\r\nretry-after: 1\r\n"));
            assert!(!answer.closes());
            let detail = &answer.problem()["detail"];
            assert_eq!(detail, "given up by the route; repeat the request");
        }
    });
}

/// Over HTTP/1.1 it may have closed its side alone, and wait for its answer.
#[test]
fn a_client_that_leaves_has_its_place_until_the_deadline() {
    run(async {
        let held = Rc::<RefCell<Vec<Delivery>>>::default();
        let holding = Rc::clone(&held);
        let narrow = PathSettings {
            deadline: Duration::from_millis(30),
            requests_in_flight: 1,
            ..settings()
        };
        let route = serve(&narrow, move |delivery| holding.borrow_mut().push(delivery));
        let mut client = Client::connect(route.address).await;
        let length = EVENT.len();
        client
            .write(&format!(
                "POST /events HTTP/1.1\r\nhost: x\r\n{STRUCTURED}\r\ncontent-length: {length}\r\n\r\n{EVENT}"
            ))
            .await;
        route.taken(1).await;
        let delivery = held.borrow_mut().pop().unwrap();
        drop(client);
        delivery.window().finished().await;
        assert!(!delivery.start());
        let mut next = Client::connect(route.address).await;
        let answer = next.post(&[STRUCTURED], EVENT).await;
        assert_eq!(answer.problem()["detail"], request::LATE);
    });
}
