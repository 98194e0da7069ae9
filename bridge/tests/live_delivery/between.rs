//! What happens between two steps: before the first delivery, between a question and its answer, on a
//! connection that falls silent.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use jiff::{Timestamp, ToSpan};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::{Running, start};
use crate::support::events::{Numbered, numbered};
use crate::support::exclusive::alone;
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::wait::{SOON, eventually, until};

#[tokio::test]
async fn what_is_deleted_before_the_first_delivery_is_told() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "deleted").await;
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(80, 16);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let receiver = Receiver::start(always(Answer::Status(503)));
    let settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    until("events were tried", SOON, || receiver.came() > 0).await;
    bridge.stop().await;
    let emptied = topic.delete_records().await;
    assert!(emptied > 0);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    receiver.follow(first([]));
    let bridge = Bridge::start(&settings.another()).await;
    eventually("what was lost is told", SOON, async || {
        let held = bridge.metric("cenl_windows_held").await?;
        assert_eq!(receiver.accepted_count(), 0, "the loss is passed over");
        (held == f64::from(emptied)).then_some(())
    })
    .await;
    bridge.says(&["offset-lost", &topic.name]).await;
    bridge.stop().await;
}

/// The broker answers the question after a time with "no record is so young", and before that answer
/// arrives there is one.
#[tokio::test]
async fn what_is_written_while_a_time_is_looked_for_is_read() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "times").await;
    let dead = Topic::create(&broker, "dead").await;
    let now = Timestamp::now();
    let at = |event: &Numbered, seconds: i64| Record {
        timestamp_ms: Some((now + seconds.seconds()).as_millisecond()),
        ..event.record(20)
    };
    let sent = numbered(10, 1);
    topic.write(sent[..8].iter().map(|e| at(e, -60))).await;
    let late = Arc::new(Mutex::new(Some(at(&sent[8], 60))));
    let door = Door {
        moment: now.as_millisecond(),
        topic: topic.clone(),
        late: Arc::clone(&late),
        is_mute: Arc::default(),
    };
    let listener = TcpListener::bind(broker.proxy()).await.unwrap();
    let door = tokio::spawn(door.open(listener, broker.behind_proxy()));
    let receiver = Receiver::start(first([]));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let route = route.source(&format!("start = \"{now}\""));
    let settings = Settings::over(&broker.proxy().to_string(), "").route(route);
    let bridge = Bridge::start(&settings).await;
    let is_begun = async || (bridge.metric("cenl_windows").await? > 0.0).then_some(());
    eventually("the group has begun", SOON, is_begun).await;
    assert!(late.lock().unwrap().is_none(), "nobody asked for a time");
    topic.write([at(&sent[9], 61)]).await;
    until("the last arrived", SOON, || {
        receiver.accepted().contains(&sent[9].id())
    })
    .await;
    assert_eq!(receiver.accepted(), [sent[8].id(), sent[9].id()]);
    bridge.stop().await;
    door.abort();
}

/// A connection on which the broker seems to forget every request for records, and no other.
#[tokio::test]
async fn tail_goes_on_when_its_client_falls_silent() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "silent").await;
    let is_mute = Arc::new(AtomicBool::new(false));
    let door = Door {
        moment: i64::MAX,
        topic: topic.clone(),
        late: Arc::default(),
        is_mute: Arc::clone(&is_mute),
    };
    let listener = TcpListener::bind(broker.proxy()).await.unwrap();
    let door = tokio::spawn(door.open(listener, broker.behind_proxy()));
    // The client itself gives up on an answer after that time, a minute as it is shipped.
    let patience = "\"socket.timeout.ms\" = \"300000\"";
    let receiver = Receiver::start(first([]));
    let settings = Settings::over(&broker.proxy().to_string(), patience).route(
        Route::to_webhook(&topic, &receiver, &topic)
            .without_dead_letter()
            .own("on_error = \"hold\""),
    );
    let words = [
        "--kafka",
        "main",
        "--topic",
        &topic.name,
        "--follow",
        "--since",
        "1h",
    ];
    let mut tail = Killed(start("tail", &settings, &words));
    let (sender, lines) = mpsc::sync_channel(16);
    let out = BufReader::new(tail.0.child.stdout.take().unwrap());
    std::thread::spawn(move || {
        let lines = out.lines().map_while(Result::ok);
        lines.for_each(|line| sender.send(line).unwrap_or_default());
    });
    for event in numbered(3, 1) {
        topic.write([event.record(20)]).await;
        let mut line = None;
        until("tail shows the event", 2 * SOON, || {
            tail.0.assert_running();
            line = lines.try_recv().ok();
            line.is_some()
        })
        .await;
        assert!(line.unwrap().contains(&event.id()));
        is_mute.store(true, Ordering::Relaxed);
    }
    door.abort();
}

/// A command that ends with its test.
struct Killed(Running);

impl Drop for Killed {
    fn drop(&mut self) {
        drop(self.0.child.kill());
        drop(self.0.child.wait());
    }
}

/// Between the bridge and the broker: passes everything on, but writes a record before the first answer
/// about a time goes back, and forgets requests for records on the connections there are when it is mute.
#[derive(Clone)]
struct Door {
    moment: i64,
    topic: Topic,
    late: Arc<Mutex<Option<Record>>>,
    is_mute: Arc<AtomicBool>,
}

const FETCH: [u8; 2] = [0, 1];
const LIST_OFFSETS: [u8; 2] = [0, 2];

impl Door {
    async fn open(self, listener: TcpListener, upstream: SocketAddr) {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(upstream).await.unwrap();
            let (asks, hears) = client.into_split();
            let (answers, listens) = server.into_split();
            let asked = Arc::default();
            let questions = self
                .clone()
                .carry_questions(asks, listens, Arc::clone(&asked));
            tokio::spawn(questions);
            tokio::spawn(self.clone().carry_answers(answers, hears, asked));
        }
    }

    async fn carry_questions(
        self,
        mut from: OwnedReadHalf,
        mut to: OwnedWriteHalf,
        asked: Arc<Mutex<Option<[u8; 4]>>>,
    ) -> io::Result<()> {
        let was_mute = self.is_mute.load(Ordering::Relaxed);
        loop {
            let frame = frame(&mut from).await?;
            let is_mute = self.is_mute.load(Ordering::Relaxed) && !was_mute;
            if is_mute && frame[4..6] == FETCH {
                continue;
            }
            let moment = self.moment.to_be_bytes();
            let is_about_time = frame.windows(8).any(|bytes| bytes == moment);
            if frame[4..6] == LIST_OFFSETS && is_about_time {
                *asked.lock().unwrap() = frame[8..12].try_into().ok();
            }
            to.write_all(&frame).await?;
        }
    }

    async fn carry_answers(
        self,
        mut from: OwnedReadHalf,
        mut to: OwnedWriteHalf,
        asked: Arc<Mutex<Option<[u8; 4]>>>,
    ) -> io::Result<()> {
        loop {
            let frame = frame(&mut from).await?;
            let is_answer = asked.lock().unwrap().as_ref() == frame[4..8].try_into().ok().as_ref();
            let late = is_answer.then(|| self.late.lock().unwrap().take());
            if let Some(late) = late.flatten() {
                self.topic.write([late]).await;
            }
            to.write_all(&frame).await?;
        }
    }
}

/// The next request or answer, with the size before it.
async fn frame(from: &mut OwnedReadHalf) -> io::Result<Vec<u8>> {
    let mut size = [0; 4];
    from.read_exact(&mut size).await?;
    let mut frame = size.to_vec();
    frame.resize(4 + u32::from_be_bytes(size) as usize, 0);
    from.read_exact(&mut frame[4..]).await?;
    Ok(frame)
}
