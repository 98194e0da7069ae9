//! A connection that ends and takes a request along.

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

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
