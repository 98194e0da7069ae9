//! An end over HTTP: requests go in, and a listener takes what comes out.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

use anyhow::Context;
use bytes::Bytes;
use cloudevents_nl_conformance::{Capture, Exchange, Header, Part, Protocol, Purpose};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue, RETRY_AFTER};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Inbox, Offered, Security};
use crate::intermediary::address::Address;
use crate::intermediary::plain::Plain;
use crate::intermediary::story::{Came, Outcome};
use crate::listener::{self, Answer, Arrival, Listener, Received};

const PATIENCE: Duration = Duration::from_secs(15);
/// Of an answer, which is kept.
const MOST_ANSWER: usize = 64 << 10;

/// The near end.
pub(crate) struct Poster {
    client: Client<HttpConnector, Full<Bytes>>,
    url: http::Uri,
    token: Option<HeaderValue>,
}

impl Poster {
    pub(super) fn open(address: &Address, security: &Security) -> anyhow::Result<Self> {
        let token = security.token_file.as_ref().map(|file| {
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            let mut value = HeaderValue::from_str(&format!("Bearer {}", text.trim()))?;
            value.set_sensitive(true);
            anyhow::Ok(value)
        });
        let scheme = if address.is_secure { "https" } else { "http" };
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            url: format!("{scheme}://{}{}", address.hosts, address.place).parse()?,
            token: token.transpose()?,
        })
    }

    pub(super) fn framing(&self) -> usize {
        let path = self.url.path_and_query().map_or("/", |path| path.as_str());
        let host = self
            .url
            .authority()
            .map_or("", |authority| authority.as_str());
        let token = self
            .token
            .as_ref()
            .map_or(0, |token| "authorization: \r\n".len() + token.len());
        "POST  HTTP/1.1\r\nhost: \r\ncontent-length: 65536\r\n\r\n".len()
            + path.len()
            + host.len()
            + token
    }

    pub(super) async fn offer(&self, message: &Capture) -> Offered {
        match timeout(PATIENCE, self.post(message)).await {
            Ok(Ok(offered)) => offered,
            Ok(Err(error)) => Offered::of(Outcome::Unknown(format!("{error:#}"))),
            Err(_) => Offered::of(Outcome::Unknown("no answer".to_owned())),
        }
    }

    async fn post(&self, message: &Capture) -> anyhow::Result<Offered> {
        let body = Bytes::from(message.body().to_vec());
        let mut request = http::Request::post(self.url.clone()).body(Full::new(body))?;
        for Header { name, value } in &message.headers {
            let value = HeaderValue::from_bytes(value.as_deref().unwrap_or_default())?;
            request
                .headers_mut()
                .append(HeaderName::from_str(name)?, value);
        }
        if let Some(token) = &self.token {
            request.headers_mut().insert(AUTHORIZATION, token.clone());
        }
        let response = self.client.request(request).await?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, MOST_ANSWER)
            .collect()
            .await
            .map(|body| body.to_bytes());
        let outcome = match head.status.as_u16() {
            200..300 => Outcome::Taken,
            408 | 425 | 429 | 500.. => Outcome::Unknown(head.status.to_string()),
            _ => Outcome::Refused(head.status.to_string()),
        };
        let mut offered = Offered::of(outcome);
        let wait = head
            .headers
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.parse().ok());
        offered.again_after = wait.map_or(offered.again_after, Duration::from_secs);
        let mut answer = Capture::new(Protocol::Http);
        answer.status = Some(head.status.as_u16());
        answer.headers = head.headers.iter().map(header).collect();
        answer.body = Some(body.unwrap_or_default().to_vec());
        offered.exchange = Some(self.exchange(message, answer));
        Ok(offered)
    }

    /// What was exchanged, of which the answer is under test.
    fn exchange(&self, message: &Capture, answer: Capture) -> Exchange {
        let mut request = message.clone();
        if let Some(token) = &self.token {
            request = request.with_header("authorization", token.as_bytes());
        }
        request.method = Some("POST".to_owned());
        request.target = Some(self.url.to_string());
        let mut exchange = Exchange::new(Purpose::Delivery, request, answer);
        exchange.under_test = Some(Part::Response);
        exchange
    }
}

fn header((name, value): (&HeaderName, &HeaderValue)) -> Header {
    Header {
        name: name.to_string(),
        value: Some(value.as_bytes().to_vec()),
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
    let path = address.place.clone();
    Ok(tokio::spawn(serve(
        listener,
        path,
        failing,
        Arc::clone(inbox),
    )))
}

async fn serve(mut listener: Listener, path: String, mut failing: Failing, inbox: Arc<Inbox>) {
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
            received.answer(Answer::status(404));
            continue;
        }
        let message = received.capture();
        let events = Plain::of(&message);
        let answer = failing.answer(&events);
        let is_taken = answer == Answer::status(204);
        let at = Instant::now();
        let exchange = Some(received.answer(answer));
        inbox.put(Came {
            at,
            events,
            message,
            exchange,
            is_taken,
            line: 0,
        });
    }
}

/// Agrees to what is asked (Webhooks, section 4.2).
fn consent(received: &Received) -> Answer {
    let origin = received.header("webhook-request-origin").unwrap_or("*");
    Answer::status(200)
        .with("allow", "POST, OPTIONS")
        .with("webhook-allowed-origin", origin)
        .with("webhook-allowed-rate", "*")
}
