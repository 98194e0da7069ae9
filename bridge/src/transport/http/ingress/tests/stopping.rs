//! Routes that stop or have ended, alone and beside others on the same listener.

use super::*;

#[test]
fn routes_share_a_listener_and_stop_one_by_one() {
    run(async {
        let listener = listen();
        let first = serve_on(&listener, &settings(), delivers);
        let other = PathSettings {
            path: "/other".to_owned(),
            ..settings()
        };
        let second = serve_on(&listener, &other, delivers);
        let taken = listener.route(other, &opening());
        assert!(matches!(taken.err(), Some(OpenError::Taken(_))));
        let mut client = Client::connect(listener.address()).await;
        assert_eq!(client.post(&[STRUCTURED], EVENT).await.status, 202);
        first
            .stop
            .send_replace(Some(Instant::now() + Duration::from_secs(5)));
        first.source.await.unwrap().unwrap();
        let stopped = client.post(&[STRUCTURED], EVENT).await;
        assert_eq!(stopped.status, 503);
        assert!(stopped.head.contains("\r\nretry-after: 1\r\n"));
        let still = client.request("POST /other", &[STRUCTURED], EVENT).await;
        assert_eq!(still.status, 202);
        second
            .stop
            .send_replace(Some(Instant::now() + Duration::from_secs(5)));
        second.source.await.unwrap().unwrap();
        client.closed().await;
        assert!(
            tokio::net::TcpStream::connect(listener.address())
                .await
                .is_err()
        );
        assert_eq!((first.taken.get(), second.taken.get()), (1, 1));
    });
}

#[test]
fn a_stop_lets_requests_finish_and_answers_the_rest_at_the_deadline() {
    run(async {
        let held = Rc::<RefCell<Vec<Delivery>>>::default();
        let holding = Rc::clone(&held);
        let route = serve(&settings(), move |delivery| {
            holding.borrow_mut().push(delivery)
        });
        let length = EVENT.len();
        let request = format!(
            "POST /events HTTP/1.1\r\nhost: x\r\n{STRUCTURED}\r\ncontent-length: {length}\r\n\r\n{EVENT}"
        );
        let mut finishing = Client::connect(route.address).await;
        finishing.write(&request).await;
        route.taken(1).await;
        let mut left = Client::connect(route.address).await;
        left.write(&request).await;
        route.taken(2).await;
        route
            .stop
            .send_replace(Some(Instant::now() + Duration::from_millis(200)));
        tokio::task::yield_now().await;
        held.borrow_mut().remove(0).settle(Verdict::Delivered);
        assert_eq!(finishing.answer().await.status, 202);
        let answer = left.answer().await;
        assert_eq!(answer.status, 503);
        route.source.await.unwrap().unwrap();
        assert!(!held.borrow_mut().remove(0).start());
    });
}

#[test]
fn a_route_that_ended_is_503() {
    run(async {
        let listener = listen();
        let source = listener.route(settings(), &opening()).unwrap();
        let (intake, deliveries) = Intake::new();
        let (_stop, stopped) = Stop::new();
        drop(deliveries);
        tokio::task::spawn_local(source.run(intake, stopped));
        let mut client = Client::connect(listener.address()).await;
        let answer = client.post(&[STRUCTURED], EVENT).await;
        assert_eq!(answer.status, 503);
        answer.problem();
    });
}
