//! A log that nobody reads.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::process::{Process, begin_post, route, settings, shows, status};
use super::{SOON, free_address, signal};

/// Their lines are more than a pipe holds, and less than the bridge keeps.
const EVENTS: usize = 1000;

type Ids = Arc<Mutex<BTreeSet<usize>>>;

/// A receiver that answers every event with 204, and the ids that it got.
async fn receiver() -> (SocketAddr, Ids) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let ids = Ids::default();
    let received = Arc::clone(&ids);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(answer(stream, Arc::clone(&received)));
        }
    });
    (address, ids)
}

async fn answer(mut stream: TcpStream, ids: Ids) {
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let body = request.iter().position(|byte| *byte == b'{').unwrap();
    let event: Value = serde_json::from_slice(&request[body..]).unwrap();
    let id = event["id"].as_str().unwrap().parse().unwrap();
    ids.lock().unwrap().insert(id);
    let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    stream.write_all(answer).await.ok();
    stream.shutdown().await.ok();
}

/// As `run 2>&1 | less` is, and `run 2>&1 | head`.
#[tokio::test]
async fn a_log_that_is_not_read_or_not_taken_holds_up_neither_events_nor_the_stop() {
    for is_taken in [true, false] {
        let (listen, admin, (answers, ids)) = (free_address(), free_address(), receiver().await);
        let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let hangs = route("/hangs", hanging.local_addr().unwrap(), "");
        let text = settings(listen, &[route("/a", answers, ""), hangs])
            .replace("127.0.0.1:0", &admin.to_string())
            .replace("shutdown_deadline = \"1h\"", "shutdown_deadline = \"1s\"");
        let process = Process::start(&(text + "[log]\ndeliveries = true\n"), &[]).await;
        let (mut bridge, log) = (process.bridge, is_taken.then_some(process.log));
        let event = |id| format!(r#"{{"specversion":"1.0","id":"{id}","source":"/a","type":"t"}}"#);
        let events: Vec<_> = (0..EVENTS).map(event).collect();
        let body = format!("[{}]", events.join(","));
        let request = format!(
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: application/cloudevents-batch+json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut sender = TcpStream::connect(listen).await.unwrap();
        sender.write_all(request.as_bytes()).await.unwrap();
        assert_eq!(status(sender).await, 202);
        assert!(ids.lock().unwrap().iter().copied().eq(0..EVENTS));
        // A line for each, which waits or is lost.
        let lost = if is_taken { "0\n" } else { "10" };
        let lost = format!("\ncenl_log_lines_lost_total{{}} {lost}");
        shows(admin, "/metrics", &lost).await;
        let sender = begin_post(listen, "/hangs", "").await;
        let _exchange = timeout(SOON, hanging.accept()).await.unwrap().unwrap();
        signal(&bridge, "TERM").await;
        assert_eq!(status(sender).await, 503);
        let exit = timeout(SOON, bridge.wait()).await.unwrap().unwrap();
        assert_eq!(exit.code(), Some(1));
        drop(log);
    }
}
