//! The two ends: what goes in by the near one is awaited at the far one.

mod http;
mod kafka;
mod nats;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use cloudevents_nl_conformance::{Capture, Exchange, Language, Protocol};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::address::Address;
use super::story::{Came, Outcome};
use crate::listener::Answer;
pub(crate) use http::failure;

/// Settings of the clients. What is secret stands in files.
#[derive(Clone, Debug, Args)]
pub(crate) struct Security {
    /// Properties of librdkafka, one `name=value` a line
    #[arg(long, value_name = "FILE")]
    kafka_properties: Option<PathBuf>,
    /// Credentials of NATS, as `nsc` writes them
    #[arg(long, value_name = "FILE")]
    nats_credentials: Option<PathBuf>,
    /// Token of the near end over HTTP
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Authorities, in PEM, that ends over TLS are trusted by, beside those of the system
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Certificate that the far end over https:// shows
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// Its key
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Security {
    pub(crate) fn token(&self) -> anyhow::Result<Option<String>> {
        let Some(file) = &self.token_file else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        Ok(Some(text.trim().to_owned()))
    }
}

/// The end that events go in by.
pub(crate) enum Near {
    Kafka(kafka::Producer),
    Nats(nats::Publisher),
    Http(http::Poster),
}

/// What became of an offer.
#[derive(Debug)]
struct Offered {
    outcome: Outcome,
    /// How long to wait before the next, where nobody knows.
    again_after: Duration,
    exchange: Option<Exchange>,
}

impl Near {
    pub(crate) async fn open(address: &Address, security: &Security) -> anyhow::Result<Self> {
        Ok(match address.protocol {
            Protocol::Kafka => Self::Kafka(kafka::Producer::open(address, security)?),
            Protocol::Nats => Self::Nats(nats::Publisher::open(address, security).await?),
            _ => Self::Http(http::Poster::open(address, security)?),
        })
    }

    /// Waits until somebody listens, where that is seen without sending anything, or has the first message show it.
    pub(crate) async fn reach(&self, patience: Duration) -> anyhow::Result<()> {
        match self {
            Self::Http(poster) => return poster.reach(patience).await,
            Self::Kafka(_) => {}
            Self::Nats(publisher) => publisher.ask(),
        }
        Ok(())
    }

    /// Whether no message has shown that yet.
    pub(crate) fn is_unheard(&self) -> bool {
        matches!(self, Self::Nats(publisher) if publisher.asks.get())
    }

    /// Offers a message until it is known what became of it, or another offer would be too late. Tells how
    /// often, too, and what was exchanged.
    pub(crate) async fn put(
        &self,
        message: &Capture,
        until: Instant,
    ) -> (Outcome, usize, Vec<Exchange>) {
        let (mut offers, mut exchanges) = (0, Vec::<Exchange>::new());
        loop {
            let offered = self.offer(message).await;
            offers += 1;
            exchanges.extend(offered.exchange);
            // The first of each status is kept, and the last.
            if let [earlier @ .., one, _] = &*exchanges
                && earlier
                    .iter()
                    .any(|it| it.response.status == one.response.status)
            {
                exchanges.remove(exchanges.len() - 2);
            }
            let is_known = !matches!(offered.outcome, Outcome::Unknown(_));
            if is_known || Instant::now() + offered.again_after >= until {
                return (offered.outcome, offers, exchanges);
            }
            sleep(offered.again_after).await;
        }
    }

    async fn offer(&self, message: &Capture) -> Offered {
        match self {
            Self::Kafka(producer) => Offered::of(producer.offer(message).await),
            Self::Nats(publisher) => Offered::of(publisher.offer(message).await),
            Self::Http(poster) => poster.offer(message).await,
        }
    }

    /// What it sends beside headers and body, at most.
    pub(crate) fn framing(&self) -> usize {
        match self {
            // A batch of one record: 61 bytes, and lengths of up to five bytes each.
            Self::Kafka(_) => 128,
            Self::Nats(publisher) => publisher.framing(),
            Self::Http(poster) => poster.framing(),
        }
    }
}

impl Offered {
    fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            again_after: Duration::from_millis(100),
            exchange: None,
        }
    }
}

/// The end that events come out by. It is read from the moment it is opened.
#[derive(Debug)]
pub(crate) struct Far {
    /// What came out and was not looked at yet.
    came: UnboundedReceiver<Came>,
    /// While it is there, the channel has no end.
    _inbox: Inbox,
    _reading: JoinSet<()>,
}

type Inbox = UnboundedSender<Came>;

impl Far {
    /// Opens it. Over HTTP it lets deliveries fail so, in turn; see [`failure`].
    pub(crate) async fn open(
        address: &Address,
        security: &Security,
        failures: Vec<Answer>,
        lang: Language,
    ) -> anyhow::Result<Self> {
        #[allow(clippy::disallowed_methods, reason = "all of a run is kept anyhow")]
        let (inbox, came) = unbounded_channel();
        let own = inbox.clone();
        let reading = match address.protocol {
            Protocol::Kafka => kafka::open(address, security, own).await,
            Protocol::Nats => nats::open(address, security, own, lang).await,
            _ => http::open(address, security, failures, own, lang).await,
        };
        Ok(Self {
            came,
            _inbox: inbox,
            _reading: reading.context("the far end")?,
        })
    }

    /// What is there already.
    pub(crate) fn already(&mut self) -> impl Iterator<Item = Came> {
        std::iter::from_fn(move || self.came.try_recv().ok())
    }

    /// Takes what is there, or waits for something.
    pub(crate) async fn take(&mut self) -> Vec<Came> {
        let first = self.came.recv().await;
        first.into_iter().chain(self.already()).collect()
    }
}
