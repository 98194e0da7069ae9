//! A receiver as it should be, and the same with one fault.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cloudevents_nl_codec::{Data, DecodeErrorKind, Decoded, Decoder, Event, HTTP, Header};
use cloudevents_nl_conformance_live::client::{Client, Options, Request};
use cloudevents_nl_conformance_live::listener::{Answer, Arrival, Listener, Received};
use http::Method;
use rustls::ServerConfig;
use tokio::task::JoinHandle;

use super::fault::Fault;
use super::tokens::is_authorized;

pub(crate) struct Receiver {
    fault: Fault,
    /// Deliveries that are taken, of `None` all.
    pub(crate) limit: Option<usize>,
    /// Whether it consents by callback alone.
    pub(crate) calls_back: bool,
    /// Whether its call was answered.
    has_consented: Arc<AtomicBool>,
    ids: HashSet<String>,
    taken: usize,
    unauthorized: usize,
}

impl Receiver {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            limit: None,
            calls_back: false,
            has_consented: Arc::default(),
            ids: HashSet::new(),
            taken: 0,
            unauthorized: 0,
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

    fn is_locked(&self) -> bool {
        self.is(Fault::LocksOut) && self.unauthorized > 10
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn answer(&mut self, received: &Received) -> Answer {
        if received.head.uri.path() == "/retired" && !self.is_locked() {
            let is_unknown = self.is(Fault::NotFoundWhenRetired);
            return Answer::status(if is_unknown { 404 } else { 410 });
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
        let is_hidden = match self.fault {
            Fault::HandshakeNotFound => true,
            Fault::HandshakeHidden => received.header("authorization").is_none(),
            _ => false,
        };
        if is_hidden {
            return Answer::status(404);
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
            let Some(url) = callback else {
                return answer;
            };
            self.call_back(url);
            return Answer::status(202).with("allow", "POST, OPTIONS");
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
        let has_consented = self.has_consented.clone();
        tokio::spawn(async move {
            let client = Client::new(&request.url, &Options::default()).unwrap();
            // Of a port that is open to all.
            let elsewhere = format!("http://{}/", request.url.authority().unwrap());
            let stranger = Request::new(Method::GET, &elsewhere.parse().unwrap());
            // Nobody is at the address of HOOK-VREQ-3.
            let Ok(answer) = client.send(&stranger).await else {
                return;
            };
            // `None` where TLS is spoken.
            assert!(matches!(answer.response.status, None | Some(404)));
            let answer = client.send(&request).await.unwrap();
            let is_taken = answer.response.status == Some(200);
            has_consented.store(is_taken, Ordering::Relaxed);
        });
    }

    fn delivery(&mut self, received: &Received) -> Answer {
        if self.is(Fault::NoneTaken) {
            return Answer::status(404);
        }
        let has_consented = self.has_consented.load(Ordering::Relaxed);
        if self.is(Fault::ConsentAwaited) && !has_consented {
            return Answer::status(403);
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
        if self.is_locked() || !is_authorized(self.fault, received, query) {
            self.unauthorized += 1;
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

    fn read(&mut self, received: &Received) -> Answer {
        let media = received.header("content-type").unwrap_or_default();
        let is_structured = media
            .to_ascii_lowercase()
            .starts_with("application/cloudevents+");
        let is_batch = media.starts_with("application/cloudevents-batch");
        let is_binary = !is_structured && !is_batch;
        let value = |name| received.header(name).unwrap_or_default();
        let body = String::from_utf8_lossy(&received.body);
        let is_wrong = match self.fault {
            Fault::BatchCapitalsCounted => media.starts_with("Application/CloudEvents-Batch"),
            Fault::NegativeRefused | Fault::NegativeAndSchemaRefused => body.contains(":-1"),
            Fault::EscapesRefused => is_structured && body.contains("\\u"),
            Fault::Base64Refused => body.contains("data_base64"),
            Fault::EmptyObjectRefused => is_binary && body == "{}",
            Fault::SourceDecodedTwice => value("ce-source").contains("%25"),
            Fault::CodesReadOneByOne => value("ce-subject").contains("%C3"),
            Fault::AllCopiesBelieved => {
                let copies = ["ce-specversion", "ce-id", "ce-source", "ce-type"];
                is_structured && copies.iter().all(|name| received.header(name).is_some())
            }
            Fault::FormatGuessed if media.ends_with("x-cenl-unknown") && body.starts_with('{') => {
                return Answer::status(204);
            }
            Fault::BinaryRefused => is_binary && received.header("ce-id").is_some(),
            Fault::StructuredRefused | Fault::BinaryAloneCharsetRefused => {
                is_structured && media.ends_with("json")
            }
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
            Fault::DataFails if has_scalar(&body) => return Answer::status(500),
            Fault::BodyBelieved => is_binary && received.body.starts_with(b"{\"specversion"),
            Fault::LowerCaseTimeRefused => value("ce-time").ends_with('z'),
            Fault::NeedlessCodesKept => is_binary && value("ce-specversion").contains('%'),
            Fault::DecodedTwice => value("ce-subject").contains("%25FF"),
            Fault::PlusIsBlank => value("ce-dataschema").contains('+'),
            Fault::TimePlusIsBlank => value("ce-time").contains('+'),
            Fault::TextRefused => {
                media.starts_with("text/plain")
                    || body.contains(r#":"text/plain"#) && !body.contains("base64")
            }
            Fault::QuotesKept => value("ce-specversion").starts_with('"'),
            Fault::BackslashesKept => value("ce-specversion").contains('\\'),
            Fault::CopiesBelieved => is_structured && received.header("ce-id").is_some(),
            Fault::BreaksOffBytes if value("content-type") == "application/octet-stream" => {
                return Answer::BreakOff;
            }
            Fault::BatchIsUnknownFormat if is_batch => return Answer::status(415),
            Fault::JsonAlone if is_binary && !media.is_empty() && !is_json(media) => {
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
            Fault::NoUtf8Awaited | Fault::NoUtf8Taken if value("ce-subject").contains("%C0") => {
                let is_awaited = self.is(Fault::NoUtf8Awaited);
                return Answer::status(if is_awaited { 202 } else { 204 });
            }
            Fault::NullRefused => body.contains(":null"),
            _ => false,
        };
        if is_wrong {
            return Answer::status(400);
        }
        // Coded once more, a code stays as it is.
        let code = if self.is(Fault::CodesKept) {
            "%25"
        } else {
            "%"
        };
        let headers = received.head.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            (name.as_str(), value.replace('%', code))
        });
        let headers: Vec<_> = headers.collect();
        let headers = headers.iter();
        let headers = headers.map(|(name, value)| Header::from((*name, value.as_bytes())));
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
        let is_structured = matches!(decoded, Decoded::Structured(_));
        let media = event.datacontenttype().unwrap_or_default();
        let is_wrong = match self.fault {
            Fault::JsonDataAlone
                if *event.data() != Data::None && !is_json(media) && json(event).is_none() =>
            {
                return Answer::status(415);
            }
            Fault::RepeatRefused => !is_new,
            Fault::BinaryRepeatRefused => !is_new && !is_structured,
            Fault::IdAloneCounted => !is_new && event.source().ends_with("-2"),
            Fault::OtherSourceRefused => event.source().ends_with("-2"),
            Fault::OtherTypeRefused => event.ty().ends_with(".specifiek"),
            Fault::SuffixRefused => is_structured && media.ends_with("+json"),
            Fault::LeapSecondRefused => event.time().is_some_and(|time| time.contains(":60")),
            Fault::TimesRefused => event.time().is_some(),
            Fault::ExtensionRefused => event.extensions().next().is_some(),
            Fault::OffsetRefused => event.time().is_some_and(|time| time.ends_with("02:00")),
            Fault::DataCharsetRefused | Fault::BinaryAloneCharsetRefused => {
                media == "application/json; charset=utf-8"
            }
            Fault::XmlRefused => is_structured && media == "application/xml",
            Fault::SchemaRefused | Fault::NegativeAndSchemaRefused => event.dataschema().is_some(),
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

fn is_json(media: &str) -> bool {
    media.to_ascii_lowercase().contains("json")
}

/// Whether an event has a text or `false` as data.
fn has_scalar(body: &str) -> bool {
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
