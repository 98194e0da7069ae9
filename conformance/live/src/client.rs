//! An HTTP client that sends what it is told to, byte by byte as far as HTTP allows, and tells what came of it.
//!
//! It follows no redirect, repeats nothing, keeps no cookie, and waits for nothing without a limit. It
//! judges nothing.

mod connection;
mod raw;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use bytes::Bytes;
use cloudevents_nl_conformance::{Capture, Exchange, Header, Part, Protocol, Purpose};
use http::uri::Authority;
use http::{HeaderMap, Method, Uri, Version};
use rustls::ClientConfig;
pub use rustls::SupportedProtocolVersion;
pub(crate) use rustls::version::{TLS12, TLS13};

use crate::tls::client_config;
pub use connection::Connection;

/// What a client is told once, for all it sends.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs, reason = "what may be chosen")]
pub struct Options {
    /// How long connecting may take, and how long an exchange may after that.
    pub timeout: Duration,
    /// PEM file of root certificates to trust beside those of the system.
    pub ca_file: Option<PathBuf>,
    /// What is spoken: HTTP/1.1, or HTTP/2: by ALPN over TLS, and without asking beforehand over plain TCP.
    pub version: Version,
    /// Which version of TLS is offered, if not all.
    pub tls: Option<&'static SupportedProtocolVersion>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            ca_file: None,
            version: Version::HTTP_11,
            tls: None,
        }
    }
}

/// How names of headers are spelled, of which nobody may take notice (RFC 9110, section 5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "there is nothing beside")]
pub enum Letters {
    /// `ce-id`.
    #[default]
    Small,
    /// `Ce-Id`, `WebHook-Request-Origin`.
    Words,
    /// `CE-ID`.
    Capitals,
}

/// A request to be sent as it stands. `Host` and `Content-Length` are added, and nothing else.
#[derive(Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "what a request has")]
pub struct Request {
    /// Its method.
    pub method: Method,
    /// Its whole URL.
    pub url: Uri,
    /// Its headers in order, repeats included.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Its body.
    pub body: Bytes,
    /// How names of headers are spelled in HTTP/1.1.
    pub letters: Letters,
    /// How long to wait before each quarter of the body but the first.
    pub pause: Duration,
}

/// Where requests go.
#[derive(Clone, Debug)]
pub struct Client {
    authority: Authority,
    /// `None` for plain TCP.
    tls: Option<Arc<ClientConfig>>,
    version: Version,
    timeout: Duration,
}

impl Client {
    /// A client for the scheme, host and port of a URL.
    ///
    /// # Errors
    /// When the URL is not one of HTTP, or certificates cannot be read.
    pub fn new(url: &Uri, options: &Options) -> anyhow::Result<Self> {
        let authority = url.authority().context("the URL names no host")?.clone();
        if authority.as_str().contains('@') {
            bail!("the URL holds a user name or password: leave it out");
        }
        let tls = match url.scheme_str() {
            Some("https") => Some(client_config(options)?),
            Some("http") => None,
            _ => bail!("the URL does not begin with https:// or http://"),
        };
        Ok(Self {
            authority,
            tls,
            version: options.version,
            timeout: options.timeout,
        })
    }

    /// Sends a request over a connection of its own.
    ///
    /// # Errors
    /// When there is no connection, or the request is none that HTTP can carry. No answer is no error:
    /// the response has no status then, and says why.
    pub async fn send(&self, request: &Request) -> anyhow::Result<Exchange> {
        if request.letters != Letters::Small && self.version != Version::HTTP_2 {
            let mut sent = self.send_raw(request, 1).await?;
            return sent.pop().context("nothing was sent");
        }
        self.connect().await?.send(request).await
    }
}

impl Request {
    /// A request without headers and body.
    #[must_use]
    pub fn new(method: Method, url: &Uri) -> Self {
        Self {
            method,
            url: url.clone(),
            headers: Vec::new(),
            body: Bytes::new(),
            letters: Letters::Small,
            pause: Duration::ZERO,
        }
    }

    /// With one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Without the headers of a name.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(its, _)| its != name);
        self
    }

    /// With its headers spelled so.
    #[must_use]
    pub fn spelled(mut self, letters: Letters) -> Self {
        self.letters = letters;
        self
    }

    /// With a body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    fn capture(&self) -> Capture {
        let mut capture = Capture::new(Protocol::Http);
        for (name, value) in self.all_headers() {
            capture = capture.with_header(&name, value);
        }
        capture.method = Some(self.method.to_string());
        capture.target = Some(self.url.to_string());
        capture.body = Some(self.body.to_vec());
        capture
    }

    /// What HTTP/1.1 asks for.
    fn path(&self) -> &str {
        self.url.path_and_query().map_or("/", |path| path.as_str())
    }

    /// As HTTP/1.1 carries it.
    fn text(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path()).into_bytes();
        for (name, value) in self.all_headers() {
            text.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
        }
        text.extend(b"\r\n");
        text.extend(&self.body);
        text
    }

    /// How many bytes it takes in HTTP/1.1.
    #[must_use]
    pub fn size(&self) -> usize {
        self.text().len()
    }

    /// Those that are sent, in the case that they are sent in.
    fn all_headers(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let host = self.url.authority().map(|host| host.as_str().to_owned());
        let host = host.map(|host| ("host".to_owned(), host.into_bytes()));
        let has_body = !self.body.is_empty() || self.method == Method::POST;
        let length = has_body.then(|| self.body.len().to_string().into_bytes());
        let length = length.map(|length| ("content-length".to_owned(), length));
        let all = host.into_iter().chain(self.headers.clone()).chain(length);
        let letters = self.letters;
        all.map(move |(name, value)| (letters.spell(&name), value))
    }

    pub(crate) fn exchange(&self, response: Capture) -> Exchange {
        let purpose = match self.method {
            Method::OPTIONS => Purpose::Validation,
            _ => Purpose::Delivery,
        };
        let mut exchange = Exchange::new(purpose, self.capture(), response);
        exchange.under_test = Some(Part::Response);
        exchange
    }
}

/// How long an answer asks to wait, in seconds or by a date.
pub(crate) fn retry_after(answer: &Capture) -> Option<Duration> {
    let value = answer.header("retry-after")?;
    // Nobody waits for longer than a year, and an instant has an end.
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds.min(31_536_000)));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    at.duration_since(SystemTime::now()).ok()
}

pub(crate) fn headers_of(headers: &HeaderMap) -> Vec<Header> {
    let headers = headers.iter().map(|(name, value)| Header {
        name: name.as_str().to_owned(),
        value: Some(value.as_bytes().to_vec()),
    });
    headers.collect()
}

impl Letters {
    /// A name that is in small letters.
    pub(crate) fn spell(self, name: &str) -> String {
        match self {
            Self::Small => return name.to_owned(),
            Self::Words => {}
            Self::Capitals => return name.to_ascii_uppercase(),
        }
        let words = name.split('-').map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        });
        let words = words.collect::<Vec<_>>().join("-");
        words.replace("Webhook", "WebHook")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_request_is_written_as_it_stands() {
        let url: Uri = "http://a.example:8080/hook?x=1".parse().unwrap();
        let request = Request::new(Method::POST, &url)
            .with("ce-id", "1")
            .with_body("{}");
        let text = "POST /hook?x=1 HTTP/1.1\r\nhost: a.example:8080\r\nce-id: 1\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(String::from_utf8(request.text()).unwrap(), text);
    }

    #[test]
    fn names_are_spelled_as_specifications_do() {
        for (letters, expected) in [
            (Letters::Small, "webhook-request-rate"),
            (Letters::Words, "WebHook-Request-Rate"),
            (Letters::Capitals, "WEBHOOK-REQUEST-RATE"),
        ] {
            assert_eq!(letters.spell("webhook-request-rate"), expected);
        }
    }

    #[test]
    fn a_url_of_no_use_is_told() {
        for url in ["ftp://a.example/", "/hook", "https://me:secret@a.example/"] {
            let error = Client::new(&url.parse().unwrap(), &Options::default()).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
