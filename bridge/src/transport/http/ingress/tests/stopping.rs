//! Routes that stop or have ended, alone and beside others on the same listener.

use super::*;

#[test]
fn routes_share_a_listener_and_stop_one_by_one() {
    run(async {
        let listening = listen(false);
        let first = serve_on(&listening, &settings(), delivers);
        let other = PathSettings {
            path: "/other".to_owned(),
            ..settings()
        };
        let second = serve_on(&listening, &other, delivers);
        // From now on only the sources hold the listener.
        let (listener, address) = listening;
        drop(listener);
        let mut client = Client::connect(address).await;
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
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
        assert_eq!((first.taken.get(), second.taken.get()), (1, 1));
    });
}

#[test]
fn a_path_whose_route_has_stopped_is_503_and_404_once_no_settings_name_it() {
    run(async {
        let listening = listen(false);
        let _beside = serve_on(&listening, &settings(), delivers);
        let mut client = Client::connect(listening.1).await;
        let mut status = async || {
            let answer = client.request("POST /gone", &[STRUCTURED], EVENT).await;
            answer.status
        };
        let stop = async |route: Running| {
            route.stop.send_replace(Some(Instant::now()));
            route.source.await.unwrap().unwrap();
        };
        let first = serve_on(&listening, &settings_of("/gone"), delivers);
        assert_eq!(status().await, 202);
        // A reload reads the next settings before the last route stops.
        let next = settings_of("/gone");
        stop(first).await;
        assert_eq!(status().await, 503);
        let second = serve_on(&listening, &next, delivers);
        drop(next);
        assert_eq!(status().await, 202);
        stop(second).await;
        assert_eq!(status().await, 404);
        let _third = serve_on(&listening, &settings_of("/gone"), delivers);
        assert_eq!(status().await, 202);
    });
}

#[test]
fn a_path_whose_route_has_not_started_is_503_as_long_as_settings_name_it() {
    run(async {
        let listening = listen(false);
        let _beside = serve_on(&listening, &settings(), delivers);
        let listener = format!(r#"{{"listen": "{}"}}"#, listening.1);
        let listener = read(&listener, ListenerSettings::read).unwrap();
        let read_path = |table: &Table<'_>| PathSettings::read(table, Ok(listener));
        let later = read(r#"{"path": "/later"}"#, read_path).unwrap();
        let mut client = Client::connect(listening.1).await;
        let early = client.request("POST /later", &[STRUCTURED], EVENT).await;
        assert_eq!(early.status, 503);
        assert!(early.head.contains("\r\nretry-after: 1\r\n"));
        drop(later);
        let gone = client.request("POST /later", &[STRUCTURED], EVENT).await;
        assert_eq!(gone.status, 404);
    });
}

#[test]
fn a_route_ends_when_nobody_serves_its_listener_any_more() {
    run(async {
        let (listener, address) = listen(false);
        let mut listener = Rc::into_inner(listener).unwrap();
        listener.serving.abort_all();
        let mut settings = settings();
        settings.listener.listen = address;
        let route = serve_on(&(Rc::new(listener), address), &settings, delivers);
        let error = route.source.await.unwrap().unwrap_err();
        assert_eq!(error.reason, "listener-ended");
        assert!(error.detail.contains(&address.to_string()));
    });
}

#[test]
fn a_stop_lets_requests_finish_and_answers_the_rest_at_the_deadline() {
    run(async {
        let held = Rc::<RefCell<Vec<Delivery>>>::default();
        let holding = Rc::clone(&held);
        let route = serve(&settings(), move |delivery| {
            assert!(delivery.start());
            holding.borrow_mut().push(delivery);
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
            .send_replace(Some(Instant::now() + Duration::from_secs(1)));
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
fn a_stop_answers_at_once_whose_events_wait_and_waits_for_those_that_have_started() {
    run(async {
        let started = Rc::<RefCell<Vec<Delivery>>>::default();
        let waiting = Rc::<RefCell<Vec<Delivery>>>::default();
        let (begun, waits) = (Rc::clone(&started), Rc::clone(&waiting));
        // The first event of all starts: it is the first of a batch of two.
        let route = serve(&settings(), move |delivery| {
            match begun.borrow().is_empty() && delivery.start() {
                true => &begun,
                false => &waits,
            }
            .borrow_mut()
            .push(delivery);
        });
        let write = async |content_type: &str, body: &str| {
            let mut client = Client::connect(route.address).await;
            let length = body.len();
            let request = format!(
                "POST /events HTTP/1.1\r\nhost: x\r\n{content_type}\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            client.write(&request).await;
            client
        };
        let mut batch = write(BATCHED, &format!("[{EVENT},{EVENT}]")).await;
        route.taken(2).await;
        let mut single = write(STRUCTURED, EVENT).await;
        route.taken(3).await;
        route
            .stop
            .send_replace(Some(Instant::now() + Duration::from_secs(600)));
        assert_eq!(single.answer().await.status, 503);
        // The batch is answered as a whole.
        let second = waiting.borrow_mut().remove(0);
        assert!(second.start());
        second.settle(Verdict::Delivered);
        let first = started.borrow_mut().remove(0);
        first.settle(Verdict::Delivered);
        assert_eq!(batch.answer().await.status, 202);
        route.source.await.unwrap().unwrap();
    });
}

#[test]
fn a_route_that_ended_is_503() {
    run(async {
        let (listener, address) = listen(false);
        let opening = opening();
        let status = opening.status.clone();
        let settings = settings();
        let source = listener.route(settings.clone(), &opening).unwrap();
        let (intake, deliveries) = Intake::new();
        let (_stop, stopped) = Stop::new();
        drop(deliveries);
        tokio::task::spawn_local(source.run(intake, stopped));
        let mut client = Client::connect(address).await;
        let answer = client.post(&[STRUCTURED], EVENT).await;
        assert_eq!(answer.status, 503);
        answer.problem();
        assert_eq!(
            status.dropped(),
            0,
            "nothing was taken that could be dropped"
        );
    });
}

/// What is left of its body would be read in vain: nobody takes the event any more.
#[test]
fn a_stop_answers_who_is_still_writing_and_does_not_wait_for_the_rest() {
    run(async {
        let route = serve(&settings(), delivers);
        let mut client = Client::connect(route.address).await;
        client
            .write("POST /events HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 10\r\n\r\n")
            .await;
        assert_eq!(client.answer().await.status, 100);
        client.write("half").await;
        route
            .stop
            .send_replace(Some(Instant::now() + Duration::from_secs(600)));
        let answer = client.answer().await;
        assert_eq!(answer.status, 503);
        assert!(answer.closes() && answer.head.contains("\r\nretry-after: 1\r\n"));
        drop(client);
        route.source.await.unwrap().unwrap();
        assert_eq!(route.taken.get(), 0);
    });
}
