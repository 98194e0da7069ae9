//! An end on a subject of NATS: of a stream of JetStream where one has it, else of NATS alone.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::{self, Context};
use async_nats::{
    Client, ConnectOptions, Event, HeaderMap, HeaderName, HeaderValue, Request, RequestErrorKind,
};
use cloudevents_nl_conformance::{Capture, Header, Language, Protocol};
use futures_util::StreamExt as _;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Inbox, Security};
use crate::intermediary::address::Address;
use crate::intermediary::story::{Came, Outcome};
use crate::shown::say;

const PATIENCE: Duration = Duration::from_secs(10);
/// How long the server may take to tell that nobody is subscribed.
const SOON: Duration = Duration::from_secs(1);

pub(crate) struct Publisher {
    client: Client,
    context: Context,
    subject: String,
    is_kept: bool,
    /// Whether it is not known yet that somebody is subscribed.
    pub(super) asks: Cell<bool>,
}

impl Publisher {
    pub(super) async fn open(address: &Address, security: &Security) -> anyhow::Result<Self> {
        let client = connect(address, security, |_| {}).await;
        let client = client.context("the near end")?;
        let context = jetstream::new(client.clone());
        // One of those that a pattern stands for.
        let subject = address.place.replace(['*', '>'], "cenl");
        let is_kept = context.stream_by_subject(&*subject).await.is_ok();
        Ok(Self {
            client,
            context,
            subject,
            is_kept,
            asks: Cell::new(false),
        })
    }

    /// Has what goes in next show whether somebody is subscribed. A stream takes it for those who come later.
    pub(super) fn ask(&self) {
        self.asks.set(!self.is_kept);
    }

    pub(super) fn framing(&self) -> usize {
        // HPUB with two lengths, the version line, and the ends of the two parts.
        "HPUB   65536 65536\r\nNATS/1.0\r\n\r\n\r\n".len() + self.subject.len()
    }

    pub(super) async fn offer(&self, message: &Capture) -> Outcome {
        let mut headers = HeaderMap::new();
        for Header { name, value } in &message.headers {
            let value = String::from_utf8_lossy(value.as_deref().unwrap_or_default());
            match (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) {
                (Ok(name), Ok(value)) => headers.append(name, value),
                _ => return Outcome::Refused(format!("{name} is no header of NATS")),
            }
        }
        let body = message.body().to_vec().into();
        match timeout(PATIENCE, self.publish(headers, body)).await {
            Ok(Ok(())) => Outcome::Taken,
            Ok(Err(error)) => Outcome::Unknown(error.to_string()),
            Err(_) => Outcome::Unknown("no answer".to_owned()),
        }
    }

    async fn publish(&self, headers: HeaderMap, body: bytes::Bytes) -> anyhow::Result<()> {
        let subject = self.subject.clone();
        if self.is_kept {
            let publishing = self.context.publish_with_headers(subject, headers, body);
            publishing.await?.await?;
        } else if self.asks.get() {
            // Where an answer is wanted, the server tells that nobody is there to give one.
            let request = Request::new().headers(headers).payload(body);
            let request = request.timeout(Some(SOON));
            let answer = self.client.send_request(subject, request).await;
            if let Err(error) = answer
                && error.kind() != RequestErrorKind::TimedOut
            {
                return Err(error.into());
            }
            self.asks.set(false);
        } else {
            let publishing = self.client.publish_with_headers(subject, headers, body);
            publishing.await?;
            self.client.flush().await?;
        }
        Ok(())
    }
}

/// Opens the far end: what a stream holds already is none of this run.
pub(super) async fn open(
    address: &Address,
    security: &Security,
    inbox: Inbox,
    lang: Language,
) -> anyhow::Result<JoinSet<()>> {
    let own = inbox.clone();
    // Told at the second: a stream has what came meanwhile, unless it is that on which the connection ends.
    let breaks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&breaks);
    let client = connect(address, security, move |event| {
        if event == Event::Disconnected && counted.fetch_add(1, Ordering::Relaxed) == 1 {
            drop(own.send(unseen(lang)));
        }
    });
    let client = client.await?;
    let context = jetstream::new(client.clone());
    let subject = address.place.clone();
    let come = move |message: Capture| drop(inbox.send(Came::now(message)));
    let mut reading = JoinSet::new();
    match context.stream_by_subject(&*subject).await {
        Ok(name) => {
            let mut stream = context.get_stream(&name).await?;
            let last = stream.info().await?.state.last_sequence;
            let consumer = stream.create_consumer(OrderedConfig {
                filter_subject: subject,
                deliver_policy: DeliverPolicy::ByStartSequence {
                    start_sequence: last + 1,
                },
                ..OrderedConfig::default()
            });
            let mut messages = consumer.await?.messages().await?;
            reading.spawn(async move {
                while let Some(message) = messages.next().await {
                    // The consumer is made anew where it was lost.
                    let Ok(message) = message else { continue };
                    breaks.store(0, Ordering::Relaxed);
                    let sequence = message.info().map_or(0, |info| info.stream_sequence);
                    let mut capture = capture(&message);
                    capture.position = Some(format!("nats:{name}/{sequence}"));
                    come(capture);
                }
            });
        }
        Err(_) => {
            // Without one the first counts.
            breaks.store(1, Ordering::Relaxed);
            let mut messages = client.subscribe(subject).await?;
            // Only an answer to what goes behind it tells that the server has it.
            drop(context.stream_by_subject(&*address.place).await);
            reading.spawn(async move {
                while let Some(message) = messages.next().await {
                    come(capture(&message));
                }
            });
        }
    }
    Ok(reading)
}

/// What came while the client was not connected. It ends the connection at a header that is not UTF-8.
fn unseen(lang: Language) -> Came {
    let en = "the connection to the far end broke, as it does on a header that is not UTF-8: what comes meanwhile is not seen";
    let nl = "de verbinding met het andere einde brak, zoals bij een header die geen UTF-8 is: wat intussen komt, is niet te zien";
    say(lang, en, nl);
    let mut capture = Capture::new(Protocol::Nats);
    capture.defect = Some(en.to_owned());
    Came::now(capture)
}

fn capture(message: &async_nats::Message) -> Capture {
    let mut capture = Capture::new(Protocol::Nats);
    for (name, values) in message.headers.iter().flat_map(HeaderMap::iter) {
        for value in values {
            capture = capture.with_header(name.as_ref(), value.as_str());
        }
    }
    capture.subject = Some(message.subject.to_string());
    capture.body = Some(message.payload.to_vec());
    capture
}

async fn connect(
    address: &Address,
    security: &Security,
    see: impl Fn(Event) + Send + Sync + 'static,
) -> anyhow::Result<Client> {
    let mut options = ConnectOptions::new()
        .name("cenl-conformance")
        .require_tls(address.is_secure)
        .event_callback(move |event| {
            see(event);
            std::future::ready(())
        });
    if let Some(file) = &security.nats_credentials {
        options = options.credentials_file(file).await?;
    }
    if let Some(file) = &security.ca {
        options = options.add_root_certificates(file.clone());
    }
    let hosts: Vec<_> = address.hosts.split(',').collect();
    Ok(options.connect(hosts).await?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::atomic::AtomicBool;

    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::intermediary::ends::Far;

    /// As one without JetStream, to whose subject nobody is subscribed at first. Notes whether it answered anything
    /// behind the subscription of the far end.
    async fn serve(stream: TcpStream, has_answered: Arc<AtomicBool>) {
        const INFO: &[u8] = b"INFO {\"headers\":true,\"max_payload\":1048576}\r\n";
        let mut stream = BufReader::new(stream);
        stream.write_all(INFO).await.unwrap();
        let (mut line, mut is_subscribed, mut is_first) = (String::new(), false, true);
        while stream.read_line(&mut line).await.unwrap() > 0 {
            is_subscribed |= line.starts_with("SUB zaken ");
            let words: Vec<_> = line.split_whitespace().collect();
            let answer = match words[..] {
                ["PING"] => "PONG\r\n".to_owned(),
                ["PUB", _, reply, _] => {
                    has_answered.store(is_subscribed, Ordering::Relaxed);
                    nobody(reply)
                }
                ["HPUB", _, reply, _, _] if std::mem::take(&mut is_first) => nobody(reply),
                _ => String::new(),
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
            line.clear();
        }
    }

    fn nobody(reply: &str) -> String {
        format!("HMSG {reply} 0 16 16\r\nNATS/1.0 503\r\n\r\n\r\n")
    }

    /// Its address, and what it notes.
    async fn server() -> (Address, Arc<AtomicBool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("nats://{}/zaken", listener.local_addr().unwrap());
        let seen = Arc::new(AtomicBool::new(false));
        let has_answered = Arc::clone(&seen);
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            serve(stream, has_answered).await;
        });
        (address.parse().unwrap(), seen)
    }

    const SECURITY: Security = Security {
        kafka_properties: None,
        nats_credentials: None,
        token_file: None,
        ca: None,
        certificate: None,
        key: None,
    };

    /// What an intermediary publishes before that is not sent here.
    #[tokio::test]
    async fn the_far_end_is_open_once_the_server_has_its_subscription() {
        let (address, seen) = server().await;
        let far = Far::open(&address, &SECURITY, Vec::new(), Language::English).await;
        assert!(far.is_ok() && seen.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn what_nobody_is_subscribed_to_is_not_taken() {
        let (address, _) = server().await;
        let publisher = Publisher::open(&address, &SECURITY).await.unwrap();
        publisher.ask();
        let message = Capture::new(Protocol::Nats).with_header("ce-id", "1");
        let outcome = publisher.offer(&message).await;
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert!(publisher.asks.get());
        // Somebody is, and answers nothing.
        assert_eq!(publisher.offer(&message).await, Outcome::Taken);
        assert!(!publisher.asks.get());
    }
}
