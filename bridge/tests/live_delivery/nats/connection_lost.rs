//! A connection that ends and takes a request along, and one that is slow.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use super::{Scene, unchanged};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::nats::Stream;
use crate::support::receiver::{Answer, always};

/// What was asked over a connection that is gone is never answered: nobody waits for that.
#[tokio::test]
async fn a_question_that_its_connection_took_along_is_asked_anew() {
    let mut stream = Stream::create(&brokers::nats(), "question").await;
    stream.server = losing(&stream.server, "$JS.API.CONSUMER.INFO.").await;
    let script = always(Answer::Status(204));
    let scene = Scene::over(stream, 60, 6, script, unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    bridge
        .says(&["WARN", "interrupted", "the connection was lost"])
        .await;
    scene.receiver.gets(&scene.sent).await;
    let verdict = scene.verdict("a question that was lost", bridge).await;
    verdict.is_clean();
}

/// Each message takes longer than an answer may: while bytes come it is waited for, and not asked for again.
#[tokio::test]
async fn without_order_a_message_that_is_slow_on_the_wire_is_waited_for() {
    let mut stream = Stream::create(&brokers::nats(), "slow-wire").await;
    stream.server = slow(&stream.server).await;
    let script = always(Answer::Status(204));
    let scene = Scene::over(stream, 2, 2, script, |route| route.own("order = \"none\"")).await;
    scene.stream.write(&scene.sent, 600_000).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    assert!(!bridge.log().contains("interrupted"), "{}", bridge.log());
    let verdict = scene.verdict("a slow wire", bridge).await;
    verdict.is_clean();
}

/// The address of a way to a server that brings 150 kB in a second.
async fn slow(server: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, server) = (listener.local_addr().unwrap(), server.to_owned());
    tokio::spawn(async move {
        loop {
            let (near, _) = listener.accept().await.unwrap();
            let far = TcpStream::connect(&server).await.unwrap();
            let (mut asked, mut heard) = near.into_split();
            let (mut answered, mut told) = far.into_split();
            tokio::spawn(async move { copy(&mut asked, &mut told).await });
            tokio::spawn(async move {
                let mut bytes = vec![0; 15_000];
                while let Ok(read @ 1..) = answered.read(&mut bytes).await {
                    if heard.write_all(&bytes[..read]).await.is_err() {
                        break;
                    }
                    sleep(Duration::from_millis(100)).await;
                }
            });
        }
    });
    address.to_string()
}

/// The address of a way to a server, on which the first request with this word is lost, and its
/// connection with it.
async fn losing(server: &str, word: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, server) = (listener.local_addr().unwrap(), server.to_owned());
    tokio::spawn(async move {
        let accept = async || {
            let (near, _) = listener.accept().await.unwrap();
            (near, TcpStream::connect(&server).await.unwrap())
        };
        let (mut near, mut far) = accept().await;
        let (mut asked, mut answered) = (Vec::new(), vec![0; 4096]);
        loop {
            let forwarded = asked.len();
            tokio::select! {
                read = near.read_buf(&mut asked) => {
                    assert!(read.unwrap() > 0, "the bridge left before it asked");
                    if String::from_utf8_lossy(&asked).contains(word) {
                        break;
                    }
                    far.write_all(&asked[forwarded..]).await.unwrap();
                }
                read = far.read(&mut answered) => {
                    near.write_all(&answered[..read.unwrap()]).await.unwrap();
                }
            }
        }
        drop((near, far));
        loop {
            let (mut near, mut far) = accept().await;
            tokio::spawn(async move { copy_bidirectional(&mut near, &mut far).await });
        }
    });
    address.to_string()
}
