//! NATS servers and streams, written and looked at with a plain client.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::Info;
use async_nats::jetstream::{self, Context, stream};
use async_nats::{Client, ConnectOptions, HeaderMap};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::brokers::{fact, root};
use super::events::{Numbered, SOURCE, TYPE};
use super::ports::free_ports;
use super::wait::{SOON, eventually};

/// How long one answer of a server is waited for: a client whose server was stopped and started comes back within
/// seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server of this test alone, with settings of its own, that may be stopped and killed.
#[derive(Debug)]
pub(crate) struct Server {
    child: Option<Child>,
    port: u16,
    directory: TempDir,
}

impl Server {
    /// Starts a server; `settings` are lines of its configuration beside port and JetStream.
    pub(crate) async fn start(settings: &str) -> Self {
        let directory = TempDir::new().unwrap();
        let port = free_ports(1);
        let mut server = Self {
            child: None,
            port,
            directory,
        };
        server.configure(settings);
        server.again().await;
        server
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Gives it other settings for its next start.
    pub(crate) fn configure(&self, settings: &str) {
        let (port, store) = (self.port, self.directory.path().join("store"));
        let text = format!(
            "listen: \"127.0.0.1:{port}\"\njetstream {{ store_dir: {store:?} }}\n{settings}\n"
        );
        std::fs::write(self.directory.path().join("nats.conf"), text).unwrap();
    }

    /// Gives it other settings while it runs.
    pub(crate) fn reload(&self, settings: &str) {
        self.configure(settings);
        self.signal("HUP");
    }

    /// Sends a signal, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.child.as_ref().expect("the server runs"), name);
    }

    /// Starts it on the data it has.
    pub(crate) async fn again(&mut self) {
        assert!(self.child.is_none(), "the server runs already");
        let log = std::fs::File::create(self.directory.path().join("log")).unwrap();
        let child = Command::new(binary())
            .arg("--config")
            .arg(self.directory.path().join("nats.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let address = self.address();
        eventually("the server greets", SOON, async || {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert_eq!(ended, None, "{}", self.log());
            let stream = TcpStream::connect(&address).await.ok()?;
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).await.ok()?;
            line.starts_with("INFO").then_some(())
        })
        .await;
    }

    /// Stops it in good order.
    pub(crate) fn stop(&mut self) {
        let mut child = self.child.take().expect("the server runs");
        signal(&child, "TERM");
        child.wait().unwrap();
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().expect("the server runs");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// What the server wrote down of a consumer. Look while it is stopped.
    pub(crate) fn notes(&self, stream: &Stream, durable: &str) -> Vec<u8> {
        std::fs::read(self.notes_file(stream, durable)).unwrap()
    }

    /// Puts older notes in the place of the newer ones, which a crash left unwritten.
    pub(crate) fn forget_since(&self, stream: &Stream, durable: &str, notes: &[u8]) {
        let file = self.notes_file(stream, durable);
        assert!(std::fs::read(&file).unwrap() != notes, "nothing is newer");
        std::fs::write(file, notes).unwrap();
    }

    /// Throws away all that it kept. Call it while the server is stopped.
    pub(crate) fn forget_everything(&self) {
        std::fs::remove_dir_all(self.directory.path().join("store")).unwrap();
    }

    fn notes_file(&self, stream: &Stream, durable: &str) -> PathBuf {
        let streams = self.directory.path().join("store/jetstream/$G/streams");
        streams
            .join(&stream.name)
            .join("obs")
            .join(durable)
            .join("o.dat")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
        if std::thread::panicking() {
            eprintln!("== nats-server\n{}", self.log());
        }
    }
}

fn signal(child: &Child, name: &str) {
    // The shell's own `kill`: small machines have no other.
    let command = format!("kill -{name} {}", child.id());
    let sent = Command::new("sh").args(["-c", &command]).status();
    assert!(sent.unwrap().success());
}

fn binary() -> PathBuf {
    let version = fact("NATS_VERSION");
    let path = root().join(format!("target/brokers/packages/nats-server-{version}"));
    assert!(
        path.exists(),
        "{} is missing: run scripts/brokers up",
        path.display()
    );
    path
}

/// A client of this test.
pub(crate) async fn client(address: &str) -> Client {
    ConnectOptions::new().connect(address).await.unwrap()
}

/// A stream of this test alone.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) name: String,
    /// Its subjects begin with this, and a full stop.
    pub(crate) prefix: String,
    pub(crate) server: String,
    pub(crate) context: Context,
}

impl Stream {
    /// Creates a stream whose name holds `word`.
    pub(crate) async fn create(server: &str, word: &str) -> Self {
        let context = jetstream::new(client(server).await);
        Self::create_with(server, word, context).await
    }

    /// As [`Self::create`], over a connection of the caller.
    pub(crate) async fn create_with(server: &str, word: &str, mut context: Context) -> Self {
        context.set_timeout(PATIENCE);
        let prefix = unique(word);
        let config = stream::Config {
            name: prefix.to_uppercase(),
            subjects: vec![format!("{prefix}.>")],
            ..stream::Config::default()
        };
        context.create_stream(config).await.unwrap();
        Self {
            name: prefix.to_uppercase(),
            prefix,
            server: server.to_owned(),
            context,
        }
    }

    /// The subject of events of a key.
    pub(crate) fn subject(&self, key: &str) -> String {
        format!("{}.{key}", self.prefix)
    }

    /// Writes events in structured mode, each on the subject of its key, and waits until all are kept.
    pub(crate) async fn write(&self, events: &[Numbered], padding: usize) {
        let mut headers = HeaderMap::new();
        headers.insert("Content-Type", "application/cloudevents+json");
        for event in events {
            let (subject, body) = (self.subject(&event.key), event.json(padding));
            self.write_one(subject, Some(headers.clone()), body).await;
        }
    }

    /// Writes one message.
    pub(crate) async fn write_one(
        &self,
        subject: String,
        headers: Option<HeaderMap>,
        body: String,
    ) {
        let sent = match headers {
            Some(headers) => {
                self.context
                    .publish_with_headers(subject, headers, body.into())
                    .await
            }
            None => self.context.publish(subject, body.into()).await,
        };
        sent.unwrap().await.unwrap();
    }

    /// The consumer as the server sees it.
    pub(crate) async fn consumer(&self, durable: &str) -> Info {
        // A server that is stopped and started meanwhile may leave a question unanswered.
        eventually("the server tells of the consumer", SOON, async || {
            let stream = self.context.get_stream(&self.name).await.ok()?;
            stream.consumer_info(durable).await.ok()
        })
        .await
    }

    /// Sets the consumer back, or ahead, to a sequence, as an operator does.
    pub(crate) async fn reset(&self, durable: &str, sequence: usize) {
        let question = format!("CONSUMER.RESET.{}.{durable}", self.name);
        let there = serde_json::json!({ "seq": sequence });
        let reset = self
            .context
            .request::<_, _, serde_json::Value>(question, &there);
        assert_eq!(reset.await.unwrap()["reset_seq"], sequence);
    }

    /// The server gives nothing more to this consumer.
    pub(crate) async fn pause(&self, durable: &str) {
        assert!(self.pauses_until(durable, "2999-01-01T00:00:00Z").await);
    }

    pub(crate) async fn resume(&self, durable: &str) {
        assert!(!self.pauses_until(durable, "0001-01-01T00:00:00Z").await);
    }

    async fn pauses_until(&self, durable: &str, until: &str) -> bool {
        let question = format!("CONSUMER.PAUSE.{}.{durable}", self.name);
        let asked = serde_json::json!({ "pause_until": until });
        let answer = self.context.request(question, &asked);
        let answer: serde_json::Value = answer.await.unwrap();
        answer["paused"].as_bool().unwrap()
    }

    /// Waits until the consumer has nothing left, neither to deliver nor to acknowledge.
    pub(crate) async fn is_drained(&self, durable: &str) {
        eventually("everything is acknowledged", SOON, async || {
            let info = self.consumer(durable).await;
            (info.num_pending == 0 && info.num_ack_pending == 0).then_some(())
        })
        .await;
    }
}

/// A name that nothing else has.
pub(crate) fn unique(word: &str) -> String {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let moment = jiff::Timestamp::now().as_second() % 1_000_000;
    format!("live-{}-{moment}-{number}-{word}", std::process::id())
}

/// Headers of an event in binary mode; the header of its content type is the caller's.
pub(crate) fn binary_headers(event: &Numbered, content_type: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("ce-specversion", "1.0");
    headers.insert("ce-id", event.id().as_str());
    headers.insert("ce-source", SOURCE);
    headers.insert("ce-type", TYPE);
    headers.insert("ce-partitionkey", event.key.as_str());
    headers.insert(content_type, "application/json");
    headers
}

/// Writes a message with any bytes as its subject and header block, as no client would.
pub(crate) async fn write_raw(
    server: &str,
    subject: impl AsRef<[u8]>,
    headers: &[u8],
    body: &[u8],
) {
    let mut stream = TcpStream::connect(server).await.unwrap();
    let mut message = b"CONNECT {\"verbose\":false,\"headers\":true}\r\n".to_vec();
    let (head, all) = (headers.len(), headers.len() + body.len());
    message.extend([b"HPUB ", subject.as_ref()].concat());
    message.extend(format!(" {head} {all}\r\n").bytes());
    message.extend([headers, body, b"\r\nPING\r\n"].concat());
    stream.write_all(&message).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        assert!(!line.starts_with("-ERR"), "{line}");
        if line == "PONG" {
            return;
        }
    }
    panic!("the server closed the connection");
}
