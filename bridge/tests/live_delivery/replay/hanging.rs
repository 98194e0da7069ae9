//! `cenl-bridge replay` from a broker that suddenly says nothing more.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::Refused;
use crate::support::brokers;
use crate::support::command::start;
use crate::support::exclusive::alone;
use crate::support::receiver::{Answer, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::wait::{SOON, until};

#[tokio::test]
async fn a_broker_that_hangs_keeps_nobody_waiting_with_ctrl_c_or_without() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let scene = Refused::new(300, 10, "").await;
    let receiver = &scene.receiver;
    receiver.follow(always(Answer::Slow(Duration::from_millis(100))));
    let hangs = Arc::new(AtomicBool::new(false));
    let listener = TcpListener::bind(broker.proxy()).await.unwrap();
    let door = open(listener, broker.behind_proxy(), Arc::clone(&hangs));
    let door = tokio::spawn(door);
    let route = Route::to_webhook(&scene.topic, receiver, &scene.dead);
    let settings = Settings::over(&broker.proxy().to_string(), "").route(route);
    let words = ["--route", "to-webhook", "--all", "--deadline", "2s"];
    for code in [130, 1] {
        let before = receiver.arrived();
        let running = start("replay", &settings, &words);
        until("it sends", SOON, || receiver.arrived() > before).await;
        hangs.store(true, Ordering::Relaxed);
        if code == 130 {
            running.signal("INT");
        }
        let said = timeout(SOON, running.end()).await;
        let said = said.expect("it does not wait for the broker");
        let said = said.ends_with(code);
        assert!(said.errors.contains("may not be noted"), "{}", said.errors);
        hangs.store(false, Ordering::Relaxed);
    }
    door.abort();
    receiver.follow(first([]));
    scene.replay(&["--all"]).await.ends_with(0);
    scene.verdict("replay, hanging").keeps_the_promise();
}

/// Passes everything on; but connections over which something goes while it hangs are silent for ever.
async fn open(listener: TcpListener, upstream: SocketAddr, hangs: Arc<AtomicBool>) {
    while let Ok((client, _)) = listener.accept().await {
        let server = TcpStream::connect(upstream).await.unwrap();
        let (asks, hears) = client.into_split();
        let (answers, listens) = server.into_split();
        tokio::spawn(carry(asks, listens, Arc::clone(&hangs)));
        tokio::spawn(carry(answers, hears, Arc::clone(&hangs)));
    }
}

async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    hangs: Arc<AtomicBool>,
) -> io::Result<()> {
    let mut piece = vec![0; 64 << 10];
    loop {
        let count = from.read(&mut piece).await?;
        if count == 0 {
            return Ok(());
        }
        if hangs.load(Ordering::Relaxed) {
            pending::<()>().await;
        }
        to.write_all(&piece[..count]).await?;
    }
}
