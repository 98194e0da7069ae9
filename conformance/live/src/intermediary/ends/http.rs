//! An end over HTTP: requests go in, and a listener takes what comes out.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use cloudevents_nl_conformance::{Capture, Exchange, Header, Language, Protocol};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::{Inbox, Offered, Security};
use crate::client::{self, Client, Connection, Request};
use crate::intermediary::address::Address;
use crate::intermediary::plain::Plain;
use crate::intermediary::story::{Came, Outcome};
use crate::listener::{self, Answer, Arrival, Listener};
use crate::shown::say;

const PATIENCE: Duration = Duration::from_secs(15);
/// Between two tries to connect.
const PAUSE: Duration = Duration::from_millis(100);

/// The near end. Connections are used again, as a sender does that has much to send.
pub(crate) struct Poster {
    client: Client,
    url: http::Uri,
    token: Option<String>,
    idle: RefCell<Vec<Connection>>,
}

impl Poster {
    pub(super) fn open(address: &Address, security: &Security) -> anyhow::Result<Self> {
        let token = security.token()?;
        let url = format!("{}://{}{}", address.scheme, address.hosts, address.place).parse()?;
        let options = client::Options {
            timeout: PATIENCE,
            ca_file: security.ca.clone(),
            ..client::Options::default()
        };
        Ok(Self {
            client: Client::new(&url, &options)?,
            url,
            token: token.map(|token| format!("Bearer {token}")),
            idle: RefCell::default(),
        })
    }

    pub(super) async fn reach(&self, patience: Duration) -> anyhow::Result<()> {
        let since = Instant::now();
        loop {
            match self.client.connect().await {
                Ok(connection) => {
                    self.idle.borrow_mut().push(connection);
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
            self.idle.borrow_mut().push(connection);
        }
        Ok(exchange)
    }

    fn unused(&self) -> Option<Connection> {
        let mut idle = self.idle.borrow_mut();
        idle.retain(Connection::is_open);
        idle.pop()
    }
}

/// What an answer may ask to wait before the same is offered again.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Offered {
    fn by(exchange: Exchange) -> Self {
        let response = &exchange.response;
        let outcome = match response.status {
            Some(200..300) => Outcome::Taken,
            Some(status @ (408 | 425 | 429 | 500..)) => Outcome::Unknown(status.to_string()),
            Some(status) => Outcome::Refused(status.to_string()),
            None => Outcome::Unknown(response.defect.clone().unwrap_or_default()),
        };
        let mut offered = Self::of(outcome);
        if let Some(wait) = client::retry_after(response) {
            // Who asks to wait for longer is asked again all the same, as nobody waits for ever.
            offered.again_after = wait.min(LONGEST_WAIT);
        }
        // What has no status is no answer to judge.
        offered.exchange = Some(exchange).filter(|exchange| exchange.response.status.is_some());
        offered
    }
}

/// A receiver lets one event of so many fail, at its first delivery.
const EACH: usize = 5;
/// The first of those fails so often: somebody may give up after two.
const AT_FIRST: usize = 3;

pub(crate) fn failure(text: &str) -> Result<Answer, String> {
    match (text, text.parse::<u16>()) {
        ("timeout", _) => Ok(Answer::Hang),
        ("closed", _) => Ok(Answer::BreakOff),
        (_, Ok(429)) => Ok(Answer::status(429).with("retry-after", "1")),
        (_, Ok(status @ 400..600)) => Ok(Answer::status(status)),
        _ => Err("neither a status from 400 to 599, nor timeout, nor closed".to_owned()),
    }
}

pub(super) async fn open(
    address: &Address,
    security: &Security,
    how: Vec<Answer>,
    inbox: Inbox,
    lang: Language,
) -> anyhow::Result<JoinSet<()>> {
    let mut resolved = tokio::net::lookup_host(&address.hosts).await?;
    let socket: SocketAddr = resolved.next().context("no such address")?;
    let tls = match (&security.certificate, &security.key, address.is_secure) {
        (Some(certificate), Some(key), true) => Some(listener::server_config(certificate, key)?),
        (_, _, true) => anyhow::bail!("https:// at the far end takes --certificate and --key"),
        _ => None,
    };
    let listener = Listener::bind(socket, tls).await;
    let mut listener = listener.with_context(|| address.to_string())?;
    // A query is the sender's business.
    let path = address.place.split('?').next().unwrap_or_default();
    let path = path.to_owned();
    let (mut how, mut left, mut told) = (how.into_iter().cycle(), HashMap::new(), HashSet::new());
    let mut reply = move |events: &[Plain]| {
        let id = events.first().map_or("", Plain::id);
        let failures = match left.len() + 1 {
            EACH => AT_FIRST,
            number => usize::from(number.is_multiple_of(EACH)),
        };
        let left = left.entry(id.to_owned()).or_insert(failures);
        let failure = (*left > 0).then(|| how.next()).flatten();
        *left = left.saturating_sub(1);
        failure.unwrap_or_else(|| Answer::status(204))
    };
    // Once of each status: they are not in the record.
    let mut refuse = move |status, en: String, nl: String| {
        if told.insert(status) {
            say(lang, en, nl);
        }
        Answer::status(status)
    };
    let mut reading = JoinSet::new();
    reading.spawn(async move {
        let (mut agreed, mut has_closed) = (None, false);
        loop {
            let Arrival::Request(received) = listener.next().await else {
                continue;
            };
            let (place, mut came) = (received.head.uri.path(), Came::now(received.capture()));
            let is_handshake = received.is_handshake();
            // One that asks for nothing is a probe.
            let mut headers = came.message.headers.iter();
            if is_handshake && !headers.any(|it| it.name.starts_with(ASKS)) {
                received.answer(consent(None));
                continue;
            }
            let answer = if is_handshake {
                let origin = received.header(ORIGIN).filter(|it| !it.is_empty());
                agreed = origin.map(str::to_owned);
                consent(agreed.as_deref())
            } else if place != path {
                let en = format!("a delivery came at {place}, not at {path}, and was answered 404");
                let nl = format!(
                    "een aflevering kwam op {place}, niet op {path}, en kreeg antwoord 404"
                );
                received.answer(refuse(404, en, nl));
                continue;
            } else if came.is_closed() {
                let en = "a delivery came in a content coding, and was answered 415".to_owned();
                let nl = "een aflevering kwam in een content coding, en kreeg antwoord 415";
                // What is understood instead (RFC 9110, 15.5.16).
                refuse(415, en, nl.to_owned()).with("accept-encoding", "identity")
            } else {
                reply(&came.events)
            };
            came.is_taken = answer == Answer::status(204);
            let mut exchange = received.answer(answer);
            if !is_handshake {
                exchange.handshake_origin.clone_from(&agreed);
            }
            came.exchange = Some(exchange);
            // One stands for all that nobody can look into, however often each is tried again.
            if !came.is_closed() || !std::mem::replace(&mut has_closed, true) {
                drop(inbox.send(came));
            }
        }
    });
    Ok(reading)
}

/// What the names of headers begin with that ask for consent.
const ASKS: &str = "webhook-request-";
const ORIGIN: &str = "webhook-request-origin";

/// Agrees to what is asked (Webhooks, section 4.2).
fn consent(origin: Option<&str>) -> Answer {
    Answer::status(200)
        .with("allow", "POST, OPTIONS")
        .with("webhook-allowed-origin", origin.unwrap_or("*"))
        .with("webhook-allowed-rate", "*")
}
