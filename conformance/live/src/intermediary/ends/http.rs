//! An end over HTTP: requests go in, and a listener takes what comes out.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use cloudevents_nl_conformance::{Capture, Exchange, Header, Language, Protocol};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::{Inbox, Offered, Security};
use crate::client::{self, Client, Connection, Request};
use crate::intermediary::address::Address;
use crate::intermediary::plain::Plain;
use crate::intermediary::story::{Came, Outcome};
use crate::listener::{self, Answer, Arrival, Listener, Received};
use crate::shown::why;

const PATIENCE: Duration = Duration::from_secs(15);
/// Between two tries to connect.
const PAUSE: Duration = Duration::from_millis(100);

/// The near end. Connections are used again, as a sender does that has much to send.
pub(crate) struct Poster {
    client: Client,
    url: http::Uri,
    token: Option<String>,
    idle: Mutex<Vec<Connection>>,
}

impl Poster {
    pub(super) fn open(address: &Address, security: &Security) -> anyhow::Result<Self> {
        let token = security.token()?;
        let scheme = if address.is_secure { "https" } else { "http" };
        let url = format!("{scheme}://{}{}", address.hosts, address.place).parse()?;
        let options = client::Options {
            timeout: PATIENCE,
            ca_file: security.ca.clone(),
            ..client::Options::default()
        };
        Ok(Self {
            client: Client::new(&url, &options)?,
            url,
            token: token.map(|token| format!("Bearer {token}")),
            idle: Mutex::default(),
        })
    }

    pub(super) async fn reach(&self, patience: Duration) -> anyhow::Result<()> {
        let since = Instant::now();
        loop {
            match self.client.connect().await {
                Ok(connection) => {
                    self.idle().push(connection);
                    return Ok(());
                }
                Err(error) if since.elapsed() >= patience => return Err(error),
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    pub(super) fn framing(&self) -> usize {
        let empty = self.request(&Capture::new(Protocol::Http));
        // Its length has five digits where it is as large as may be.
        empty.size() + "65536".len() - "0".len()
    }

    pub(super) async fn offer(&self, message: &Capture) -> Offered {
        match self.post(&self.request(message)).await {
            Ok(exchange) => Offered::by(exchange),
            Err(error) => Offered::of(Outcome::Unknown(format!("{error:#}"))),
        }
    }

    fn request(&self, message: &Capture) -> Request {
        let body = message.body().to_vec();
        let mut request = Request::new(http::Method::POST, &self.url).with_body(body);
        for Header { name, value } in &message.headers {
            request = request.with(name, value.clone().unwrap_or_default());
        }
        match &self.token {
            Some(token) => request.with("authorization", token.as_bytes()),
            None => request,
        }
    }

    async fn post(&self, request: &Request) -> anyhow::Result<Exchange> {
        let mut connection = match self.unused() {
            Some(connection) => connection,
            None => self.client.connect().await?,
        };
        let exchange = connection.send(request).await?;
        if exchange.response.status.is_some() && connection.is_open() {
            self.idle().push(connection);
        }
        Ok(exchange)
    }

    fn unused(&self) -> Option<Connection> {
        let mut idle = self.idle();
        idle.retain(Connection::is_open);
        idle.pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds that an answer may ask to wait before the same is offered again.
const LONGEST_WAIT: u64 = 60;

impl Offered {
    fn by(exchange: Exchange) -> Self {
        let response = &exchange.response;
        let outcome = match response.status {
            Some(200..300) => Outcome::Taken,
            Some(status @ (408 | 425 | 429 | 500..)) => Outcome::Unknown(status.to_string()),
            Some(status) => Outcome::Refused(status.to_string()),
            None => Outcome::Unknown(response.defect.clone().unwrap_or_default()),
        };
        let wait = response
            .header("retry-after")
            .and_then(|wait| wait.parse().ok());
        let mut offered = Self::of(outcome);
        // Who asks to wait for longer is asked again all the same, as nobody waits for ever.
        let wait = wait.map(|wait: u64| Duration::from_secs(wait.min(LONGEST_WAIT)));
        offered.again_after = wait.unwrap_or(offered.again_after);
        // What has no status is no answer to judge.
        offered.exchange = Some(exchange).filter(|exchange| exchange.response.status.is_some());
        offered
    }
}

/// Which deliveries a receiver lets fail: one event of [`Failing::EACH`], at its first delivery.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failing {
    pub(crate) how: Vec<Failure>,
    seen: HashSet<String>,
    failed: usize,
}

/// How a receiver fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Status(u16),
    /// No answer comes.
    Timeout,
    /// The connection is closed without one.
    Closed,
}

impl FromStr for Failure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "timeout" => Ok(Self::Timeout),
            "closed" => Ok(Self::Closed),
            _ => match text.parse() {
                Ok(status @ 400..600) => Ok(Self::Status(status)),
                _ => Err("neither a status from 400 to 599, nor timeout, nor closed".to_owned()),
            },
        }
    }
}

impl Failing {
    const EACH: usize = 5;

    /// One that fails so, in turn.
    pub(crate) fn new(how: Vec<Failure>) -> Self {
        Self {
            how,
            ..Self::default()
        }
    }

    fn answer(&mut self, events: &[Plain]) -> Answer {
        let id = events.first().map_or("", Plain::id);
        let is_first = !self.how.is_empty() && self.seen.insert(id.to_owned());
        if !is_first || !self.seen.len().is_multiple_of(Self::EACH) {
            return Answer::status(204);
        }
        self.failed += 1;
        match self.how.get((self.failed - 1) % self.how.len()) {
            Some(Failure::Status(status)) => {
                let answer = Answer::status(*status);
                match status {
                    429 => answer.with("retry-after", "1"),
                    _ => answer,
                }
            }
            Some(Failure::Timeout) => Answer::Hang,
            Some(Failure::Closed) | None => Answer::BreakOff,
        }
    }
}

/// Opens the far end.
pub(super) async fn open(
    address: &Address,
    security: &Security,
    failing: Failing,
    inbox: &Arc<Inbox>,
    lang: Language,
) -> anyhow::Result<JoinHandle<()>> {
    let mut resolved = tokio::net::lookup_host(&address.hosts).await?;
    let socket: SocketAddr = resolved.next().context("no such address")?;
    let tls = match (&security.certificate, &security.key, address.is_secure) {
        (Some(certificate), Some(key), true) => Some(listener::server_config(certificate, key)?),
        (_, _, true) => anyhow::bail!("https:// at the far end takes --certificate and --key"),
        _ => None,
    };
    let listener = Listener::bind(socket, tls)
        .await
        .with_context(|| address.to_string())?;
    // A query is the sender's business.
    let path = address.place.split('?').next().unwrap_or_default();
    let path = path.to_owned();
    Ok(tokio::spawn(serve(
        listener,
        path,
        failing,
        Arc::clone(inbox),
        lang,
    )))
}

async fn serve(
    mut listener: Listener,
    path: String,
    mut failing: Failing,
    inbox: Arc<Inbox>,
    lang: Language,
) {
    let mut is_told = false;
    loop {
        let Arrival::Request(received) = listener.next().await else {
            continue;
        };
        if received.head.method == http::Method::OPTIONS {
            let answer = consent(&received);
            received.answer(answer);
            continue;
        }
        if received.head.uri.path() != path {
            if !is_told {
                tell_elsewhere(received.head.uri.path(), &path, lang);
                is_told = true;
            }
            received.answer(Answer::status(404));
            continue;
        }
        let mut came = Came::now(received.capture());
        let answer = failing.answer(&came.events);
        came.is_taken = answer == Answer::status(204);
        came.exchange = Some(received.answer(answer));
        inbox.put(came);
    }
}

/// Says it for all of them: they are not in the record.
fn tell_elsewhere(place: &str, path: &str, lang: Language) {
    let told = why(
        format!("a delivery came at {place}, not at {path}, and was answered 404"),
        format!("een aflevering kwam op {place}, niet op {path}, en kreeg antwoord 404"),
    );
    eprintln!("{}", told.told(lang));
}

/// Agrees to what is asked (Webhooks, section 4.2).
fn consent(received: &Received) -> Answer {
    let origin = received.header("webhook-request-origin").unwrap_or("*");
    Answer::status(200)
        .with("allow", "POST, OPTIONS")
        .with("webhook-allowed-origin", origin)
        .with("webhook-allowed-rate", "*")
}
