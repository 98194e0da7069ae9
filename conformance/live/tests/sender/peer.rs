//! A small sender, which does all right, or one thing wrong.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use cloudevents_nl_conformance_live::listener::{Answer, Arrival, Listener, server_config};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsConnector;

use super::certificates::Certificates;
use super::fault::Fault;

const ORIGIN: &str = "zaken.example.nl";
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(150);
const BETWEEN_EVENTS: Duration = Duration::from_millis(20);
/// More than what is looked on for after 410 beside patience, and less than both. Half of it is more than
/// that after a redirect.
const LONG_AFTER: Duration = Duration::from_secs(7);

pub(crate) struct Peer {
    pub(crate) fault: Fault,
    address: SocketAddr,
    /// Where events go.
    path: &'static str,
    tls: Option<Arc<ClientConfig>>,
    /// The file to which the trigger adds a byte each time.
    pub(crate) triggered: Option<PathBuf>,
    /// Where consent may be given later.
    callback: Option<String>,
    /// Requests per minute; 0 where there is no limit.
    granted: Arc<AtomicU32>,
    sent: Vec<Instant>,
    /// Copies of an event that were made.
    copies: u32,
}

pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Bytes,
}

impl Peer {
    pub(crate) fn new(
        fault: Fault,
        address: SocketAddr,
        certificates: Option<&Certificates>,
    ) -> Self {
        let tls = certificates.map(|certificates| match fault {
            Fault::TrustsAnyone => Certificates::credulous(),
            Fault::TrustsAnyName => certificates.careless(),
            _ => certificates.trusting(),
        });
        Self {
            fault,
            address,
            path: "/hook",
            tls,
            triggered: certificates.map(|certificates| certificates.path("triggered")),
            callback: None,
            granted: Arc::default(),
            sent: Vec::new(),
            copies: 0,
        }
    }

    /// Offers a callback from now on.
    pub(crate) async fn offer_callback(&mut self, certificates: &Certificates) -> JoinHandle<()> {
        let [pem, key] = ["server.pem", "server.key"].map(|file| certificates.path(file));
        let tls = server_config(&pem, &key).unwrap();
        let any = "127.0.0.1:0".parse().unwrap();
        let mut listener = Listener::bind(any, Some(tls)).await.unwrap();
        let address = listener.address();
        let secret = "6f1d2c9ab03e4f57816a2b3c4d5e6f70";
        self.callback = Some(format!("https://{address}/consent/hook-1/{secret}"));
        let (fault, granted) = (self.fault, Arc::clone(&self.granted));
        tokio::spawn(async move {
            while let Arrival::Request(asked) = listener.next().await {
                let status = match (&asked.head.method, fault) {
                    (&Method::GET, Fault::CallbackWithoutGet) => 405,
                    (&Method::POST, Fault::CallbackWithoutPost) => 405,
                    _ => 200,
                };
                let rate = asked.header("webhook-allowed-rate");
                let rate = rate.and_then(|rate| rate.parse().ok());
                granted.store(rate.unwrap_or_default(), Ordering::SeqCst);
                asked.answer(Answer::status(status));
            }
        })
    }

    /// Sends events until it is stopped, or has to stop.
    pub(crate) async fn run(mut self) {
        if self.fault != Fault::NoHandshake {
            self.ask().await;
        }
        if self.fault == Fault::NeverHolds {
            return self.send_when_triggered().await;
        }
        for number in 1.. {
            if self.fault == Fault::LooksIn {
                let look = Request::get("/health").body(Full::default()).unwrap();
                self.send(look).await;
            }
            if !self.deliver(number).await {
                match self.fault {
                    Fault::GoesOnAfter410 => {}
                    Fault::RetriesLongAfter410 => sleep(LONG_AFTER).await,
                    Fault::HasAnotherTarget if self.path == "/hook" => {
                        self.path = "/other";
                        sleep(LONG_AFTER).await;
                    }
                    _ => return,
                }
            }
            sleep(BETWEEN_EVENTS).await;
        }
    }

    /// Asks for consent, until there is some.
    async fn ask(&self) {
        loop {
            let mut request = self.asking(Method::OPTIONS);
            let headers = request.headers_mut();
            if self.fault == Fault::AsksWithoutOrigin {
                headers.remove("webhook-request-origin");
            }
            if let Some(callback) = &self.callback {
                headers.insert("webhook-request-callback", callback.parse().unwrap());
            }
            if self.fault == Fault::AsksForNoRate {
                headers.insert("webhook-request-rate", HeaderValue::from_static("0"));
            }
            match self.fault {
                Fault::AsksElsewhere => *request.uri_mut() = Uri::from_static("/"),
                Fault::AsksByGet => *request.method_mut() = Method::GET,
                _ => {}
            }
            if let Some(answered) = self.send(request).await {
                let to = answered.headers.get("webhook-allowed-origin");
                let is_to_another = to.is_some_and(|to| to != ORIGIN && to != "*");
                if is_to_another && self.fault != Fault::TakesConsentToAnother {
                    sleep(BETWEEN_ATTEMPTS).await;
                    continue;
                }
                let rate = answered.headers.get("webhook-allowed-rate");
                // The callback may have said it before this is read.
                if let Some(granted) = rate.and_then(|rate| rate.to_str().ok()?.parse().ok()) {
                    self.granted.store(granted, Ordering::SeqCst);
                }
                // By callback, it comes later.
                if rate.is_some() || self.callback.is_some() || self.fault == Fault::DeliversUnasked
                {
                    sleep(BETWEEN_ATTEMPTS).await;
                    return;
                }
            }
            sleep(BETWEEN_ATTEMPTS).await;
        }
    }

    /// Until it is taken, or given up; whether the target is still there.
    async fn deliver(&mut self, number: u32) -> bool {
        let mut is_overtaken = false;
        loop {
            self.keep_to_rate().await;
            let Some(answered) = self.attempt(number).await else {
                sleep(BETWEEN_ATTEMPTS).await;
                self.copies += u32::from(self.fault != Fault::NewIdAfter429);
                continue;
            };
            let is_html = answered.body.starts_with(b"<p>");
            match answered.status.as_u16() {
                200..300 => {
                    self.copies = 0;
                    return true;
                }
                410 => return false,
                status @ 300..400 if self.follows(status) => {
                    if self.fault == Fault::FollowsLate {
                        sleep(LONG_AFTER / 2).await;
                    }
                    let location = answered.headers["location"].to_str().unwrap();
                    let url: Uri = location.parse().unwrap();
                    let mut request = match self.fault {
                        Fault::FollowsSeeOther => self.asking(Method::GET),
                        _ => self.event(number),
                    };
                    let place = url.path_and_query().unwrap();
                    *request.uri_mut() = place.as_str().parse().unwrap();
                    self.send(request).await;
                }
                500 if self.fault == Fault::ReadsErrors && !answered.body.is_empty() => {
                    let read = serde_json::from_slice::<serde_json::Value>(&answered.body);
                    if read.is_ok() {
                        return true;
                    }
                }
                500 if self.fault == Fault::GivesUpOnHtml && is_html => return true,
                400.. if self.fault == Fault::GivesUpAfterTwo && self.copies > 0 => {
                    self.copies = 0;
                    return true;
                }
                _ => {}
            }
            let overtakes = matches!(self.fault, Fault::OvertakesOfKey | Fault::GivesUpAfterTwo);
            if overtakes && !is_overtaken {
                is_overtaken = true;
                self.attempt(number + 1_000_000).await;
            }
            // After 503 nobody has to.
            let has_to_wait = answered.status == StatusCode::TOO_MANY_REQUESTS;
            let wait = match has_to_wait {
                true => self.wait(&answered.headers),
                false => BETWEEN_ATTEMPTS,
            };
            sleep(wait).await;
            self.copies += u32::from(has_to_wait || self.fault != Fault::NewIdAfter429);
        }
    }

    pub(crate) async fn attempt(&mut self, number: u32) -> Option<Answered> {
        let request = self.event(number);
        self.sent.push(Instant::now());
        self.send(request).await
    }

    /// As long as the answer says.
    pub(crate) fn wait(&self, headers: &HeaderMap) -> Duration {
        let Some(text) = headers.get("retry-after").and_then(|it| it.to_str().ok()) else {
            return BETWEEN_ATTEMPTS;
        };
        match text.parse() {
            Ok(_) if self.fault == Fault::IgnoresSeconds => BETWEEN_ATTEMPTS,
            Ok(seconds) => Duration::from_secs(seconds),
            Err(_) if self.fault == Fault::IgnoresDate => BETWEEN_ATTEMPTS,
            Err(_) => {
                let date = httpdate::parse_http_date(text).unwrap();
                date.duration_since(SystemTime::now()).unwrap_or_default()
            }
        }
    }

    async fn keep_to_rate(&self) {
        let mut granted = self.granted.load(Ordering::SeqCst) as usize;
        if self.fault == Fault::DoublesRate {
            granted *= 2;
        }
        if granted == 0 || self.fault == Fault::ExceedsRate {
            return;
        }
        // The one that has to be a minute old.
        let last = self.sent.len().checked_sub(granted);
        if let Some(sent) = last.and_then(|last| self.sent.get(last)) {
            tokio::time::sleep_until(*sent + Duration::from_secs(60)).await;
        }
    }

    fn event(&self, number: u32) -> Request<Full<Bytes>> {
        let mut id = format!("zaak-{number}");
        let is_new = matches!(self.fault, Fault::NewIdOnRepeat | Fault::NewIdAfter429);
        if is_new && self.copies > 0 {
            id = format!("{id}-{}", self.copies);
        }
        let (mut source, ty) = ("urn:nld:kvknr:09220932.zaken", "nl.vng.zaken.zaak_gesloten");
        if self.fault == Fault::NewSourceOnRepeat && self.copies > 0 {
            source = "urn:nld:kvknr:09220932.opnieuw";
        }
        let body = format!(r#"{{"number":{number}}}"#);
        let is_structured = number.is_multiple_of(3) || self.fault == Fault::Batches;
        let body = match self.fault {
            Fault::DataAsText if is_structured => serde_json::json!(body).to_string(),
            Fault::BodyAsText if !is_structured => serde_json::json!(body).to_string(),
            _ => body,
        };
        if is_structured {
            let event = format!(
                r#"{{"specversion":"1.0","id":"{id}","source":"{source}","type":"{ty}","subject":"zaak","data":{body}}}"#
            );
            let (body, media_type) = match self.fault {
                Fault::Batches => (format!("[{event}]"), "application/cloudevents-batch+json"),
                _ => (event, "application/cloudevents+json"),
            };
            let mut request = self.request(Method::POST, body.into());
            let media_type = HeaderValue::from_static(media_type);
            request.headers_mut().insert("content-type", media_type);
            return request;
        }
        let mut request = self.request(Method::POST, body.into());
        let trace = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{number:016x}-01");
        let other = match self.fault {
            Fault::OtherTrace => trace.replace("4bf9", "5bf9"),
            _ => trace.clone(),
        };
        let subject = match self.fault {
            Fault::WrongPercentCoding => "zaak é".as_bytes(),
            Fault::ControlCharacterRaw => b"zaak\t1",
            _ => b"zaak",
        };
        let mut put = |name: &'static str, value: &[u8]| {
            let value = HeaderValue::from_bytes(value).unwrap();
            request.headers_mut().insert(name, value);
        };
        put("content-type", b"application/json");
        put("ce-specversion", b"1.0");
        put("ce-id", id.as_bytes());
        put("ce-source", source.as_bytes());
        put("ce-type", ty.as_bytes());
        put("ce-subject", subject);
        if self.fault == Fault::SequenceFalls {
            let sequence = format!("{:08}", 99_999_999 - number);
            put("ce-sequence", sequence.as_bytes());
        }
        put("ce-traceparent", other.as_bytes());
        put("traceparent", trace.as_bytes());
        request
    }

    fn follows(&self, status: u16) -> bool {
        match self.fault {
            Fault::FollowsRedirects => true,
            Fault::FollowsSeeOther => status == 303,
            Fault::FollowsLate => status == 308,
            _ => false,
        }
    }

    /// A request for a rate, and of no event.
    fn asking(&self, method: Method) -> Request<Full<Bytes>> {
        let mut request = self.request(method, Bytes::new());
        let rate = HeaderValue::from_static("6000");
        request.headers_mut().insert("webhook-request-rate", rate);
        request
    }

    fn request(&self, method: Method, body: Bytes) -> Request<Full<Bytes>> {
        Request::builder()
            .method(method)
            .uri(self.path)
            .header("host", self.address.to_string())
            .header("webhook-request-origin", ORIGIN)
            .header("authorization", self.fault.authorization())
            .body(Full::new(body))
            .unwrap()
    }

    /// Over a connection of its own; `None` where no answer came.
    async fn send(&self, request: Request<Full<Bytes>>) -> Option<Answered> {
        let answered = timeout(Duration::from_secs(3), self.exchange(request)).await;
        answered.ok().flatten()
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Option<Answered> {
        let tcp = TcpStream::connect(self.address).await.ok()?;
        let name = ServerName::from(self.address.ip());
        match &self.tls {
            None => converse(tcp, request).await,
            Some(tls) => {
                let connector = TlsConnector::from(Arc::clone(tls));
                match connector.connect(name, tcp).await {
                    Err(_) if self.fault == Fault::FallsBack => {
                        let tcp = TcpStream::connect(self.address).await.ok()?;
                        converse(tcp, request).await
                    }
                    secure => converse(secure.ok()?, request).await,
                }
            }
        }
    }
}

async fn converse<S>(stream: S, request: Request<Full<Bytes>>) -> Option<Answered>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let carried = tokio::spawn(connection);
    let response = sender.send_request(request).await.ok()?;
    let (head, body) = response.into_parts();
    let body = body.collect().await.ok()?.to_bytes();
    carried.abort();
    Some(Answered {
        status: head.status,
        headers: head.headers,
        body,
    })
}
