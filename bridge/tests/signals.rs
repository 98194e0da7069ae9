//! What signals do to a bridge with an event in flight, as a process; and what a lack of file
//! descriptors does.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "signals/log.rs"]
mod log;
#[path = "common/ports.rs"]
mod ports;
#[path = "signals/process.rs"]
mod process;
#[path = "signals/reload.rs"]
mod reload;
#[path = "signals/systemd.rs"]
mod systemd;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;

/// Far below every deadline in the settings, far above what a busy machine needs.
const SOON: Duration = Duration::from_secs(60);

type Log = Lines<BufReader<ChildStderr>>;

/// A bridge that has posted one event to a receiver that has not answered.
struct Scene {
    bridge: Child,
    log: Log,
    sender: TcpStream,
    receiver: TcpStream,
}

/// An address on which the bridge may listen.
fn free_address() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, ports::free_ports(1)))
}

/// Reads the log up to a line that holds `words`.
async fn wait_for(log: &mut Log, words: &str) {
    let found = async {
        while let Some(line) = log.next_line().await.unwrap() {
            if line.contains(words) {
                return;
            }
        }
        panic!("the log ended before {words:?}");
    };
    timeout(SOON, found).await.unwrap();
}

/// Starts a bridge from `listen` to the receiver at `url`, which may open so many files.
async fn start(listen: SocketAddr, url: SocketAddr, files: u32) -> (Child, Log) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bridge.toml");
    let settings = format!(
        r#"
[admin]
listen = "127.0.0.1:0"
[limits]
shutdown_deadline = "1h"
[http.in]
listen = "{listen}"
[[route]]
name = "in"
source = {{ http = "in", path = "/", deadline = "1h" }}
sink = {{ url = "http://{url}/", first_byte_timeout = "1h", exchange_timeout = "1h" }}
"#
    );
    std::fs::write(&file, settings).unwrap();
    let command = format!("ulimit -n {files}; exec \"$0\" run --config \"$1\"");
    let mut bridge = Command::new("sh")
        .args(["-c", &command, env!("CARGO_BIN_EXE_cenl-bridge")])
        .arg(&file)
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut log = BufReader::new(bridge.stderr.take().unwrap()).lines();
    wait_for(&mut log, "running").await;
    (bridge, log)
}

async fn signal(bridge: &Child, name: &str) {
    let process = bridge.id().unwrap();
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name} {process}")])
        .status();
    assert!(sent.await.unwrap().success());
}

impl Scene {
    async fn set() -> Self {
        let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listen = free_address();
        let url = receiver.local_addr().unwrap();
        let (bridge, log) = start(listen, url, 1024).await;
        let mut sender = TcpStream::connect(listen).await.unwrap();
        let event = r#"{"specversion":"1.0","id":"1","source":"/a","type":"t"}"#;
        let request = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/cloudevents+json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{event}",
            event.len()
        );
        sender.write_all(request.as_bytes()).await.unwrap();
        let (mut receiver, _) = timeout(SOON, receiver.accept()).await.unwrap().unwrap();
        // A connection is not yet a request.
        receiver.read_exact(&mut [0; 16]).await.unwrap();
        Self {
            bridge,
            log,
            sender,
            receiver,
        }
    }

    async fn signal(&self, name: &str) {
        signal(&self.bridge, name).await;
    }

    async fn exit_code(&mut self) -> Option<i32> {
        let exit = timeout(SOON, self.bridge.wait()).await;
        exit.expect("the bridge ends").unwrap().code()
    }
}

#[tokio::test]
async fn the_first_signal_waits_for_what_is_in_flight() {
    for name in ["TERM", "INT"] {
        let mut scene = Scene::set().await;
        scene.signal(name).await;
        wait_for(&mut scene.log, "stopping").await;
        let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
        scene.receiver.write_all(answer).await.unwrap();
        let mut heard = String::new();
        scene.sender.read_to_string(&mut heard).await.unwrap();
        assert!(heard.starts_with("HTTP/1.1 2"), "{heard}");
        assert_eq!(scene.exit_code().await, Some(0), "{name}");
    }
}

#[tokio::test]
async fn the_second_signal_ends_at_once_and_the_sender_hears_no_success() {
    for names in [["TERM", "TERM"], ["INT", "INT"], ["TERM", "INT"]] {
        let mut scene = Scene::set().await;
        scene.signal(names[0]).await;
        wait_for(&mut scene.log, "stopping").await;
        scene.signal(names[1]).await;
        assert_eq!(scene.exit_code().await, Some(1), "{names:?}");
        wait_for(&mut scene.log, "second signal").await;
        let mut heard = Vec::new();
        // The connection may be closed or reset.
        scene.sender.read_to_end(&mut heard).await.ok();
        assert!(!heard.starts_with(b"HTTP/1.1 2"), "{heard:?}");
    }
}

/// SIGHUP asks for a reload, and is none here.
#[tokio::test]
async fn a_bridge_that_stops_is_not_ended_by_a_hangup() {
    let mut scene = Scene::set().await;
    scene.signal("TERM").await;
    wait_for(&mut scene.log, "stopping").await;
    for _ in 0..3 {
        scene.signal("HUP").await;
    }
    let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
    scene.receiver.write_all(answer).await.unwrap();
    let mut heard = String::new();
    scene.sender.read_to_string(&mut heard).await.unwrap();
    assert!(heard.starts_with("HTTP/1.1 2"), "{heard}");
    assert_eq!(scene.exit_code().await, Some(0));
}

#[tokio::test]
async fn a_lack_of_file_descriptors_is_told_and_survived() {
    let listen = free_address();
    let (mut bridge, mut log) = start(listen, free_address(), 64).await;
    let mut crowd = Vec::new();
    for _ in 0..64 {
        crowd.push(TcpStream::connect(listen).await.unwrap());
    }
    wait_for(&mut log, "a connection cannot be accepted").await;
    drop(crowd);
    let mut stream = TcpStream::connect(listen).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    let read = timeout(SOON, stream.read_to_string(&mut answer)).await;
    read.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert!(bridge.try_wait().unwrap().is_none());
}
