//! A receiver as it should be, and the same with one fault.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use cloudevents_nl_codec::{Data, DecodeErrorKind, Decoded, Decoder, Event, HTTP, Header};
use cloudevents_nl_conformance_live::client::{Client, Options, Request};
use cloudevents_nl_conformance_live::listener::{Answer, Arrival, Listener, Received};
use http::Method;
use rustls::ServerConfig;
use tokio::task::JoinHandle;

use super::fault::Fault;

pub(crate) const TOKEN: &str = "right+token=";

pub(crate) struct Receiver {
    fault: Fault,
    /// Deliveries that are taken, of `None` all.
    pub(crate) limit: Option<usize>,
    /// Whether it consents by callback alone.
    pub(crate) calls_back: bool,
    ids: HashSet<String>,
    taken: usize,
}

impl Receiver {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            limit: None,
            calls_back: false,
            ids: HashSet::new(),
            taken: 0,
        }
    }

    /// Answers until it is aborted.
    pub(crate) async fn start(
        mut self,
        tls: Option<Arc<ServerConfig>>,
    ) -> (SocketAddr, JoinHandle<()>) {
        let any = "127.0.0.1:0".parse().unwrap();
        let mut listener = Listener::bind(any, tls).await.unwrap();
        let address = listener.address();
        let serving = tokio::spawn(async move {
            loop {
                if let Arrival::Request(received) = listener.next().await {
                    let answer = self.answer(&received);
                    received.answer(answer);
                }
            }
        });
        (address, serving)
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn answer(&mut self, received: &Received) -> Answer {
        if received.head.uri.path() == "/retired" {
            return Answer::status(if self.is(Fault::NotFoundWhenRetired) {
                404
            } else {
                410
            });
        }
        match received.head.method.as_str() {
            "OPTIONS" => self.handshake(received),
            "POST" => self.delivery(received),
            _ => Answer::status(405).with("allow", "POST, OPTIONS"),
        }
    }

    fn handshake(&self, received: &Received) -> Answer {
        let callback = received
            .header("webhook-request-callback")
            .map(ToOwned::to_owned);
        let origin = match self.fault {
            Fault::ConsentToAnother => "other.example",
            _ => received
                .header("webhook-request-origin")
                .unwrap_or_default(),
        };
        if self.is(Fault::NoHandshake) {
            return Answer::status(405).with("allow", "POST");
        }
        if self.is(Fault::HandshakeUnauthorized) {
            return Answer::status(401).with("www-authenticate", "Bearer realm=\"a\"");
        }
        let is_refused = match self.fault {
            Fault::CallbackRefused => callback.is_some(),
            Fault::RateRefused => received.header("webhook-request-rate").is_some(),
            Fault::RateNeeded => received.header("webhook-request-rate").is_none(),
            _ => false,
        };
        if is_refused {
            return Answer::status(400);
        }
        let answer = Answer::status(200).with("allow", "POST, OPTIONS");
        if self.calls_back {
            if let Some(url) = callback {
                self.call_back(url);
            }
            return answer;
        }
        let rate = if self.limit.is_some() { "300" } else { "*" };
        let answer = answer.with("webhook-allowed-origin", origin);
        match self.is(Fault::HalfConsent) {
            true => answer,
            false => answer.with("webhook-allowed-rate", rate),
        }
    }

    /// At the address that the URL says, which is told by the test, and not over TLS.
    fn call_back(&self, url: String) {
        let method = if self.is(Fault::CallbackByPut) {
            Method::PUT
        } else {
            Method::POST
        };
        let url = url.replace("https://", "http://");
        let url = match self.is(Fault::CallbackElsewhere) {
            true => url.replace("/consent", "/elsewhere"),
            false => url,
        };
        let request = Request::new(method, &url.parse().unwrap());
        let request = match self.fault {
            Fault::CallbackWithoutRate => request,
            Fault::CallbackRateZero => request.with("webhook-allowed-rate", "0"),
            _ => request.with("webhook-allowed-rate", "60000"),
        };
        tokio::spawn(async move {
            let client = Client::new(&request.url, &Options::default()).unwrap();
            // Of a port that is open to all.
            let elsewhere = format!("http://{}/", request.url.authority().unwrap());
            let stranger = Request::new(Method::GET, &elsewhere.parse().unwrap());
            let answer = client.send(&stranger).await.unwrap();
            assert_eq!(answer.response.status, Some(404));
            client.send(&request).await.unwrap();
        });
    }

    fn delivery(&mut self, received: &Received) -> Answer {
        if self.is(Fault::NoneTaken) {
            return Answer::status(404);
        }
        if self.is(Fault::Redirects) {
            return Answer::status(308).with("location", "/elsewhere");
        }
        if self.is(Fault::Cookie) && received.header("cookie").is_none() {
            return Answer::status(403).with("set-cookie", "session=1; Path=/");
        }
        if self.is(Fault::AgentNeeded) && received.header("user-agent").is_none() {
            return Answer::status(403);
        }
        let query = received.head.uri.query().unwrap_or_default();
        if self.is(Fault::QueryStrict) && query.contains("cenl=") {
            return Answer::status(404);
        }
        if !self.is_authorized(received, query) {
            let scheme = if self.is(Fault::Digest) {
                "Digest realm=\"a\", nonce=\"b\""
            } else {
                "Bearer realm=\"a\""
            };
            return Answer::status(401).with("www-authenticate", scheme);
        }
        self.taken += 1;
        if self.limit.is_some_and(|limit| self.taken > limit) {
            return match self.fault {
                Fault::Busy503 => Answer::status(503),
                Fault::RetryAfterMissing => Answer::status(429),
                Fault::RetryAfterAnHour => Answer::status(429).with("retry-after", "3600"),
                _ => Answer::status(429).with("retry-after", "1"),
            };
        }
        if self.is(Fault::Limit32KiB) && received.body.len() > 32 << 10 {
            return Answer::status(413);
        }
        let answer = self.read(received);
        match query.contains("access_token") && !self.is(Fault::QueryAnswerShared) {
            true => answer.with("cache-control", "private"),
            false => answer,
        }
    }

    fn is_authorized(&self, received: &Received, query: &str) -> bool {
        let right = format!("Bearer {TOKEN}");
        let sent = received.header("authorization").unwrap_or_default();
        let is_begun = sent.starts_with(&right) && self.is(Fault::TokenBeginningCounted);
        let is_alike = sent.eq_ignore_ascii_case(&right) && self.is(Fault::TokenCapitalsOverlooked);
        let is_beginning = right.starts_with(sent) && sent.len() > "Bearer ".len();
        let is_in_header = match self.fault {
            Fault::TokenBeginningEnough => is_beginning,
            Fault::EmptyTokenTaken => sent == right || sent.trim() == "Bearer",
            _ => sent == right || is_begun || is_alike,
        };
        let is_in_query = query.contains("access_token=right%2Btoken%3D")
            && !(self.is(Fault::QueryTokenAlone) && query.contains('&'));
        is_in_header
            || (is_in_query && !self.is(Fault::QueryTokenIgnored))
            || self.is(Fault::TokenIgnored)
    }

    fn read(&mut self, received: &Received) -> Answer {
        let media = received.header("content-type").unwrap_or_default();
        let is_structured = media
            .to_ascii_lowercase()
            .starts_with("application/cloudevents+");
        let is_batch = media.starts_with("application/cloudevents-batch");
        let is_binary = !is_structured && !is_batch;
        let value = |name| received.header(name).unwrap_or_default();
        let is_wrong = match self.fault {
            Fault::BinaryRefused => is_binary && received.header("ce-id").is_some(),
            Fault::StructuredRefused => is_structured && media.ends_with("json"),
            Fault::BatchIsBadRequest => is_batch && media.ends_with("json"),
            Fault::CapitalsCounted => media.starts_with("Application"),
            Fault::CharsetRefused => media.ends_with("json; charset=utf-8"),
            Fault::QuotedCharsetRefused => media.contains("=\""),
            Fault::LineBreakRefused => is_structured && received.body.starts_with(b"\n"),
            Fault::ParametersRefused => is_structured && media.contains(';'),
            Fault::TypeRequired => media.is_empty(),
            Fault::FalseFails if received.body.ends_with(b"false") => {
                return Answer::status(500);
            }
            Fault::DataFails if has_scalar(&received.body) => return Answer::status(500),
            Fault::BodyBelieved => is_binary && received.body.starts_with(b"{\"specversion"),
            Fault::LowerCaseTimeRefused => value("ce-time").ends_with('z'),
            Fault::CodesKept => is_binary && value("ce-specversion").contains('%'),
            Fault::DecodedTwice => value("ce-subject").contains("%25FF"),
            Fault::PlusIsBlank => value("ce-dataschema").contains('+'),
            Fault::QuotesKept => value("ce-specversion").starts_with('"'),
            Fault::BackslashesKept => value("ce-specversion").contains('\\'),
            Fault::CopiesBelieved => is_structured && received.header("ce-id").is_some(),
            Fault::BreaksOffBytes if value("content-type") == "application/octet-stream" => {
                return Answer::BreakOff;
            }
            Fault::BatchIsUnknownFormat if is_batch => return Answer::status(415),
            Fault::JsonAlone if is_binary && !media.is_empty() && !media.contains("json") => {
                return Answer::status(415);
            }
            Fault::DecodedTwiceAndTaken if value("ce-specversion") == "1%252E0" => {
                return Answer::status(204);
            }
            Fault::QuotesUndoneLast if value("ce-specversion") == "%221.0%22" => {
                return Answer::status(204);
            }
            Fault::AnyVersionTaken if !matches!(value("ce-specversion"), "" | "1.0") => {
                return Answer::status(204);
            }
            Fault::NoUtf8Awaited if value("ce-subject").contains("%C0") => {
                return Answer::status(202);
            }
            Fault::NoUtf8Taken if value("ce-subject").contains("%C0") => {
                return Answer::status(204);
            }
            Fault::NullRefused => received.body.windows(5).any(|text| text == b":null"),
            _ => false,
        };
        if is_wrong {
            return Answer::status(400);
        }
        let headers = received.head.headers.iter();
        let headers = headers.map(|(name, value)| Header::from((name.as_str(), value.as_bytes())));
        let decoded = Decoder::default().decode_any(&HTTP, headers, Some(&received.body));
        match decoded {
            Ok(decoded) => self.take(&decoded),
            Err(error) => match error.kind {
                DecodeErrorKind::NotACloudEvent if self.is(Fault::NoEventBadRequest) => {
                    Answer::status(400)
                }
                DecodeErrorKind::NotACloudEvent | DecodeErrorKind::UnsupportedFormat => {
                    self.unknown_format()
                }
                _ => Answer::status(400),
            },
        }
    }

    fn take(&mut self, decoded: &Decoded<'_>) -> Answer {
        let event = match decoded {
            Decoded::Batch(events) if events.is_empty() && self.is(Fault::EmptyBatchFails) => {
                return Answer::status(500);
            }
            Decoded::Batch(_) => return Answer::status(204),
            Decoded::Structured(event) | Decoded::Binary(event) => event,
        };
        let is_new = self.ids.insert(event.id().to_owned());
        let is_wrong = match self.fault {
            Fault::RepeatRefused => !is_new,
            Fault::ExtensionRefused => event.extensions().next().is_some(),
            Fault::OffsetRefused => event.time().is_some_and(|time| time.contains('+')),
            Fault::XmlRefused => is_xml_in_json(event, decoded),
            Fault::SchemaRefused => event.dataschema().is_some(),
            Fault::ObjectsAlone => json(event).is_some_and(|json| !json.starts_with('{')),
            Fault::JsonObjectsAlone => match event.data() {
                Data::None => false,
                _ => json(event).is_none_or(|json| !json.starts_with('{')),
            },
            Fault::EmojiRefused => event.subject().is_some_and(|text| text.contains('😀')),
            Fault::TraceRefused => event.extension("traceparent").is_some(),
            Fault::TextsParsed => json(event).is_some_and(|json| json.starts_with('"')),
            _ => false,
        };
        match self.fault {
            _ if is_wrong => Answer::status(422),
            Fault::EmptyTypeAnswered => Answer::status(200).with_body("", "ok"),
            Fault::OkWithoutBody => Answer::status(200),
            _ => Answer::status(204),
        }
    }

    fn unknown_format(&self) -> Answer {
        Answer::status(match self.fault {
            Fault::UnknownFormatTaken => 204,
            Fault::UnknownFormatBadRequest => 400,
            _ => 415,
        })
    }
}

fn is_xml_in_json(event: &Event<'_>, decoded: &Decoded<'_>) -> bool {
    matches!(decoded, Decoded::Structured(_)) && event.datacontenttype() == Some("application/xml")
}

/// Whether an event has a text or `false` as data.
fn has_scalar(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    [r#""data":""#, r#""data":false"#]
        .iter()
        .any(|data| body.contains(data))
}

fn json<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event.data() {
        Data::Json(json) => Some(json.as_str()),
        _ => None,
    }
}
