//! Senders that want too much, send too slowly or never end.

use tokio::io::AsyncWriteExt;

use super::*;

#[test]
fn a_declared_size_above_the_limit_is_refused_unread() {
    run(async {
        let route = serve(&settings(), delivers);
        for (content_type, size) in [
            (STRUCTURED, (1 << 20) + 1),
            ("ce-id: 1", (1 << 20) + 1),
            (BATCHED, (4 << 20) + 1),
            (STRUCTURED, usize::MAX / 2),
        ] {
            let mut client = Client::connect(route.address).await;
            client
                .write(&format!(
                    "POST /events HTTP/1.1\r\nhost: x\r\n{content_type}\r\ncontent-length: {size}\r\n\r\n"
                ))
                .await;
            let answer = client.answer().await;
            assert_eq!(answer.status, 413, "{content_type}");
            assert!(answer.closes());
            answer.problem();
        }
        assert_eq!(route.taken.get(), 0);
    });
}

#[test]
fn the_largest_body_is_taken_whole() {
    run(async {
        let length = Rc::<Cell<usize>>::default();
        let seen = Rc::clone(&length);
        let route = serve(&settings(), move |delivery| {
            seen.set(delivery.received.body.as_ref().unwrap().len());
            delivery.settle(Verdict::Delivered);
        });
        let mut client = Client::connect(route.address).await;
        let answer = client.post(&[STRUCTURED], &"x".repeat(1 << 20)).await;
        assert_eq!(answer.status, 202);
        assert_eq!(length.get(), 1 << 20);
    });
}

#[test]
fn a_chunked_body_without_end_is_cut_off_at_the_limit() {
    run(async {
        let route = serve(&settings(), delivers);
        let mut client = Client::connect(route.address).await;
        client
            .write(&format!(
                "POST /events HTTP/1.1\r\nhost: x\r\n{STRUCTURED}\r\ntransfer-encoding: chunked\r\n\r\n"
            ))
            .await;
        let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
        for _ in 0..257 {
            client.write(&chunk).await;
        }
        let answer = client.answer().await;
        assert_eq!(answer.status, 413);
        assert!(answer.closes());
        assert_eq!(route.taken.get(), 0);
    });
}

#[test]
fn a_body_that_does_not_arrive_is_408() {
    run(async {
        let impatient = PathSettings {
            body_timeout: Duration::from_millis(30),
            ..settings()
        };
        let route = serve(&impatient, delivers);
        let mut client = Client::connect(route.address).await;
        let head = "POST /events HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf";
        client.write(head).await;
        let answer = client.answer().await;
        assert_eq!(answer.status, 408);
        assert!(answer.closes());
        assert_eq!(route.taken.get(), 0);
    });
}

#[test]
fn a_body_that_breaks_off_or_lies_reaches_nobody() {
    run(async {
        let route = serve(&settings(), delivers);
        let mut client = Client::connect(route.address).await;
        let head = format!("POST /events HTTP/1.1\r\nhost: x\r\n{STRUCTURED}\r\n");
        client
            .write(&format!(
                "{head}transfer-encoding: chunked\r\n\r\nnonsense\r\n"
            ))
            .await;
        assert_eq!(client.answer().await.status, 400);
        let mut client = Client::connect(route.address).await;
        client
            .write(&format!(
                "{head}content-length: 1\r\ncontent-length: 2\r\n\r\n{{}}"
            ))
            .await;
        assert_eq!(client.answer().await.status, 400);
        assert_eq!(route.taken.get(), 0);
    });
}

#[test]
fn too_many_or_too_large_headers_are_refused() {
    run(async {
        let route = serve(&settings(), delivers);
        let many: String = (0..400).map(|i| format!("x-{i}: 1\r\n")).collect();
        let mut client = Client::connect(route.address).await;
        client
            .write(&format!("POST /events HTTP/1.1\r\nhost: x\r\n{many}\r\n"))
            .await;
        assert_eq!(client.answer().await.status, 431);
        client.closed().await;

        // The answer may be lost to the reset of a sender that is still writing.
        let large = format!("x: {}", "x".repeat(1 << 20));
        let mut client = Client::connect(route.address).await;
        let head = format!("POST /events HTTP/1.1\r\nhost: x\r\n{large}\r\n\r\n");
        drop(client.0.write_all(head.as_bytes()).await);
        client.closed().await;
        assert_eq!(route.taken.get(), 0);

        let mut client = Client::connect(route.address).await;
        let most: Vec<_> = (0..256).map(|i| format!("ce-x{i}: 1")).collect();
        let most: Vec<_> = most.iter().map(String::as_str).collect();
        assert_eq!(client.post(&most, "").await.status, 202);
    });
}

#[test]
fn there_is_one_host_and_at_most_one_token() {
    run(async {
        let route = serve(&settings(), delivers);
        let tokens = "host: x\r\nauthorization: Bearer a\r\nAuthorization: Bearer a\r\n";
        for (version, lines, expected) in [
            ("1.1", "", 400),
            ("1.1", "host: x\r\nHost: x\r\n", 400),
            ("1.1", tokens, 400),
            ("1.1", "host: x\r\nauthorization: Bearer a\r\n", 202),
            ("1.0", "", 202),
        ] {
            let mut client = Client::connect(route.address).await;
            let length = EVENT.len();
            let head = format!("POST /events HTTP/{version}\r\n{lines}{STRUCTURED}\r\n");
            let request = format!("{head}content-length: {length}\r\n\r\n{EVENT}");
            client.write(&request).await;
            let answer = client.answer().await;
            assert_eq!(answer.status, expected, "{version} {lines}");
        }
        assert_eq!(route.taken.get(), 2);
    });
}

#[test]
fn requests_and_bytes_in_flight_are_bounded() {
    run(async {
        let narrow = PathSettings {
            requests_in_flight: 3,
            bytes_in_flight: 2 * EVENT.len(),
            ..settings()
        };
        let route = serve(&narrow, ignores());
        let request = |body: &str| {
            let length = body.len();
            format!(
                "POST /events HTTP/1.1\r\nhost: x\r\n{STRUCTURED}\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        };
        let mut waiting = Vec::new();
        for count in 1..=2 {
            let mut client = Client::connect(route.address).await;
            client.write(&request(EVENT)).await;
            route.taken(count).await;
            waiting.push(client);
        }
        let mut client = Client::connect(route.address).await;
        let answer = client.post(&[STRUCTURED], EVENT).await;
        assert_eq!(answer.status, 503, "bytes");
        assert!(answer.head.contains("\r\nretry-after: 1\r\n"));
        let mut client = Client::connect(route.address).await;
        client.write(&request("")).await;
        route.taken(3).await;
        waiting.push(client);
        let mut client = Client::connect(route.address).await;
        let answer = client.post(&[STRUCTURED], "").await;
        assert_eq!(answer.status, 503, "requests");
        assert_eq!(route.taken.get(), 3);
    });
}

#[test]
fn bytes_that_are_no_http_reach_nobody() {
    run(async {
        let route = serve(&settings(), delivers);
        for text in [
            "\0\0\0\0\r\n\r\n",
            "GET\r\n\r\n",
            "POST /events HTTP/9.9\r\n\r\n",
        ] {
            let mut client = Client::connect(route.address).await;
            client.write(text).await;
            client.closed().await;
        }
        assert_eq!(route.taken.get(), 0);
    });
}

/// Behind a proxy, one address brings the connections of all senders.
#[test]
fn one_address_has_half_of_the_connections_unless_it_is_a_proxy() {
    for (behind_proxy, most) in [(false, 512), (true, 600)] {
        run(async move {
            let route = serve_on(&listen(behind_proxy), &settings(), delivers);
            let mut clients = Vec::new();
            for _ in 0..600 {
                clients.push(Client::connect(route.address).await);
            }
            let answered =
                async |client: &mut Client| client.post(&[STRUCTURED], EVENT).await.status == 202;
            for client in &mut clients[..most] {
                assert!(answered(client).await);
            }
            for client in &mut clients[most..] {
                client.closed().await;
            }
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
            let mut other = Client(socket.connect(route.address).await.unwrap());
            assert!(answered(&mut other).await);
        });
    }
}
