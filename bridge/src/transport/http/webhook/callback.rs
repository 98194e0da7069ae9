//! `[consent.NAME]`: where receivers that do not consent at once call back later (webhook specification 1.0.2,
//! section 4). The callback URL names the target, and holds a secret that only its receiver was told.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::mpsc::{self, SendError};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use base64_simd::URL_SAFE_NO_PAD;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::OptionFuture;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use ring::digest::{SHA256, digest};
use ring::hmac;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::LocalSet;
use tokio::time::timeout;

use super::cannot_open;
use super::consent_state::ConsentState;
use super::settings::WebhookSettings;
use super::target::DeliveryTarget;
use crate::config::url::checked_url;
use crate::config::{Reported, SecretPlace, Table, read_secret};
use crate::logging::connection_span;
use crate::server::{self, Bounds, Peer, Service};
use crate::shared::{Shared, lock};
use crate::transport::contract::{OpenError, SinkOpening};
use crate::transport::http::ALLOWED_RATE;
use crate::transport::http::ingress::{TlsSettings, read_port};

const BOUNDS: Bounds = Bounds {
    connections: 256,
    per_address: 64,
    head_timeout: Duration::from_secs(5),
};
/// Nothing in it counts.
const BODY_MAX: usize = 64 << 10;
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// A route that has just stopped may still hold the port.
const BIND_ATTEMPTS: u32 = 25;
const BIND_PAUSE: Duration = Duration::from_millis(20);
/// As many characters as a key of HMAC-SHA256 has bytes.
const SECRET_MIN: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallbackSettings {
    url: Uri,
    secret: SecretPlace,
    file: Option<PathBuf>,
    pub(crate) listen: SocketAddr,
    tls: Option<TlsSettings>,
}

impl CallbackSettings {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "where receivers reach `listen` from outside: an `https` URL without a query, such as \
                       `https://events.example.nl/consent`";
        let url = table.key::<String>("url", meaning).required();
        let meaning = "what the secrets in callback URLs are made from, 32 characters at least: `{ file = \"…\" }` or \
                       `{ env = \"…\" }`; the same for all processes of a route";
        let secret = table.key::<SecretPlace>("secret", meaning).required();
        let meaning = "file in which consent is kept over restarts, for routes whose source keeps no position";
        // What is written to it changes no setting.
        let file = table.key::<String>("file", meaning);
        let file = file.optional("beside the position of the route, on Kafka or JetStream");
        let port = read_port(table, "127.0.0.1:8081");
        let url = url.and_then(|text| {
            let url = checked_url(&text, None).map_err(|fault| table.fault(&["url"], fault))?;
            match url.query() {
                None => Ok(url),
                Some(_) => Err(table.report(&["url"], "has a query", "leave it out")),
            }
        });
        let (listen, _, tls) = port?;
        let settings = Self {
            url: url?,
            secret: secret?,
            file: file?.map(|path| table.resolve(&path)),
            listen,
            tls,
        };
        if let Err(what) = settings.key() {
            let remedy =
                "write 32 random characters or more there, as `openssl rand -hex 32` gives them";
            table.report(&["secret"], what, remedy);
        }
        table.sound().map(|()| settings)
    }

    fn key(&self) -> Result<hmac::Key, String> {
        let secret =
            read_secret(&self.secret).map_err(|error| format!("cannot be read: {error}"))?;
        let secret = secret.trim();
        match secret.len() < SECRET_MIN {
            true => Err("is too short to be secret".to_owned()),
            false => Ok(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes())),
        }
    }
}

/// Identifies a target to whoever keeps or calls back its consent; no secret.
fn target_id(url: &Uri, origin: &HeaderValue) -> String {
    let name = [origin.as_bytes(), b"\n", url.to_string().as_bytes()].concat();
    URL_SAFE_NO_PAD.encode_to_string(&digest(&SHA256, &name).as_ref()[..16])
}

/// How the receiver of a route may consent later.
pub(super) struct Callback {
    pub(super) url: HeaderValue,
    state: Option<Arc<ConsentState>>,
    /// Of the process that runs the route.
    _listener: Option<Arc<CallbackListener>>,
}

impl Callback {
    pub(super) fn open(
        settings: &WebhookSettings,
        target: &Arc<DeliveryTarget>,
        opening: &SinkOpening,
    ) -> Result<Option<Self>, OpenError> {
        let contract = &settings.contract;
        let (Some(callback), Some(origin)) = (&contract.callback, contract.sent_origin()) else {
            return Ok(None);
        };
        let id = target_id(&settings.url, &origin);
        let key = callback.key().map_err(cannot_open)?;
        let key = URL_SAFE_NO_PAD.encode_to_string(hmac::sign(&key, id.as_bytes()));
        let url = format!("{}?id={id}&key={key}", callback.url);
        let mut url = HeaderValue::try_from(url).expect("a URL is visible ASCII");
        url.set_sensitive(true);
        let state = ConsentState::new(&id, callback.file.as_deref(), opening.kept_at.clone());
        let state = state.map(Arc::new);
        if let Some(state) = &state {
            target.keep_in(state);
        }
        let listener = opening
            .serves_route
            .then(|| CallbackListener::shared(callback));
        let listener = listener.transpose()?;
        if let Some(listener) = &listener {
            listener.register(id, target);
        }
        Ok(Some(Self {
            url,
            state,
            _listener: listener,
        }))
    }

    pub(super) fn state(&self) -> Option<&ConsentState> {
        self.state.as_deref()
    }
}

/// A port of ours, which closes when the last route with these settings stops.
struct CallbackListener {
    settings: CallbackSettings,
    key: hmac::Key,
    /// By their ids: routes may ask one receiver with other settings.
    targets: Mutex<Vec<(String, Weak<DeliveryTarget>)>>,
    closing: watch::Sender<bool>,
}

impl CallbackListener {
    fn shared(settings: &CallbackSettings) -> Result<Arc<Self>, OpenError> {
        static LISTENERS: Shared<CallbackSettings, CallbackListener> = Shared::new();
        LISTENERS.try_get(settings.clone(), || {
            let listener = Arc::new(Self {
                key: settings.key().map_err(cannot_open)?,
                settings: settings.clone(),
                targets: Mutex::default(),
                closing: watch::Sender::new(false),
            });
            let started = listener.start();
            started.map_err(|error| cannot_open(format!("{}: {error}", settings.listen)))?;
            Ok(listener)
        })
    }

    fn register(&self, id: String, target: &Arc<DeliveryTarget>) {
        let mut targets = lock(&self.targets);
        targets.retain(|(_, target)| target.strong_count() > 0);
        targets.push((id, Arc::downgrade(target)));
    }

    fn start(self: &Arc<Self>) -> io::Result<()> {
        let socket = self.bind()?;
        socket.set_nonblocking(true)?;
        let tls = self.settings.tls.clone().map(TlsSettings::open);
        let (current, follow) = tls.transpose()?.unzip();
        let (closing, service) = (self.closing.subscribe(), Arc::downgrade(self));
        let span = connection_span(&self.settings.listen.to_string());
        // Without room in it: once this one has heard that it began, nobody takes anything out.
        let (sender, started) = mpsc::sync_channel(0);
        let begun = sender.clone();
        let thread = thread::Builder::new().name("consent".to_owned());
        thread.spawn(move || {
            let _inside = span.enter();
            let served = on_own_runtime(async move {
                let socket = TcpListener::from_std(socket)?;
                begun.send(Ok(())).ok();
                tokio::select! {
                    () = server::serve(socket, BOUNDS, current, closing, service) => {}
                    Some(()) = OptionFuture::from(follow) => {}
                }
                Ok(())
            });
            if let Err(error) = served
                && let Err(SendError(Err(error))) = sender.send(Err(error))
            {
                let remedy = "report it, and restart the bridge to listen again";
                tracing::error!(%error, remedy, "receivers cannot call back any more to consent");
            }
        })?;
        let started = started.recv();
        started.unwrap_or_else(|_| Err(io::Error::other("its thread ended")))
    }

    fn bind(&self) -> io::Result<std::net::TcpListener> {
        let bind = || std::net::TcpListener::bind(self.settings.listen);
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AddrInUse;
        let mut bound = bind();
        for _ in 0..BIND_ATTEMPTS {
            if !bound.as_ref().is_err_and(is_taken) {
                break;
            }
            thread::sleep(BIND_PAUSE);
            bound = bind();
        }
        bound
    }

    async fn called(&self, head: &Parts) -> (StatusCode, &'static str) {
        if head.uri.path() != self.settings.url.path() {
            return (StatusCode::NOT_FOUND, "nothing is answered on this path");
        }
        if ![Method::GET, Method::POST].contains(&head.method) {
            return (
                StatusCode::METHOD_NOT_ALLOWED,
                "consent is given by GET or POST",
            );
        }
        let targets = self.targets_of(head.uri.query().unwrap_or_default());
        if targets.is_empty() {
            return (
                StatusCode::NOT_FOUND,
                "no consent is asked for under this URL",
            );
        }
        let rate = head.headers.get(ALLOWED_RATE).map(HeaderValue::to_str);
        let granted = rate.map(|rate| rate.ok().and_then(|rate| rate.parse().ok()));
        if granted == Some(None) {
            let what = "WebHook-Allowed-Rate is neither a number above zero nor an asterisk";
            return (StatusCode::BAD_REQUEST, what);
        }
        for target in targets {
            let as_requested = target.settings.as_requested();
            let consent = granted.flatten().unwrap_or(as_requested);
            let states = target.states();
            for state in &states {
                if let Err(error) = state.write(consent).await {
                    let remedy = "correct that, or name a `file` in [consent.NAME]; the receiver was told to call again";
                    tracing::error!(error, remedy, "consent that was given cannot be kept");
                    return (
                        StatusCode::SERVICE_UNAVAILABLE,
                        "consent cannot be kept now, call again",
                    );
                }
            }
            let is_kept = !states.is_empty();
            tracing::info!(is_kept, "a receiver has called back and consents");
            target.grant(consent);
        }
        (StatusCode::OK, "consent is noted, thank you")
    }

    /// None without the secret.
    fn targets_of(&self, query: &str) -> Vec<Arc<DeliveryTarget>> {
        let pairs = form_urlencoded::parse(query.as_bytes());
        let pairs: HashMap<_, _> = pairs.collect();
        let (Some(id), Some(key)) = (pairs.get("id"), pairs.get("key")) else {
            return Vec::new();
        };
        let key = URL_SAFE_NO_PAD.decode_to_vec(key.as_bytes());
        let is_right = |key: Vec<u8>| hmac::verify(&self.key, id.as_bytes(), &key).is_ok();
        if !key.is_ok_and(is_right) {
            return Vec::new();
        }
        let targets = lock(&self.targets);
        let of_id = targets.iter().filter(|(other, _)| other == id);
        of_id.filter_map(|(_, target)| target.upgrade()).collect()
    }
}

/// On this thread, whose end nobody waits for: a panic is an error too. A route opens in a runtime, where no other
/// may end and be waited for, so this one is made here.
pub(super) fn on_own_runtime(port: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let served = LocalSet::new().block_on(&runtime, AssertUnwindSafe(port).catch_unwind());
    served.unwrap_or_else(|_| Err(io::Error::other("a panic")))
}

impl Drop for CallbackListener {
    fn drop(&mut self) {
        self.closing.send_replace(true);
    }
}

impl Service for Weak<CallbackListener> {
    fn answer(
        &self,
        request: Request<Incoming>,
        _: Peer,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static {
        let listener = self.upgrade();
        async move {
            let (head, body) = request.into_parts();
            let (status, text) = match &listener {
                Some(listener) => listener.called(&head).await,
                None => (StatusCode::NOT_FOUND, "the bridge is stopping"),
            };
            // A connection whose request is read to the end can be answered in order.
            drop(timeout(BODY_TIMEOUT, Limited::new(body, BODY_MAX).collect()).await);
            let mut response = Response::new(Full::from(text));
            *response.status_mut() = status;
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            match status {
                StatusCode::METHOD_NOT_ALLOWED => {
                    headers.insert(ALLOW, HeaderValue::from_static("GET, POST"));
                }
                StatusCode::SERVICE_UNAVAILABLE => {
                    headers.insert(RETRY_AFTER, HeaderValue::from_static("10"));
                }
                _ => {}
            }
            response
        }
    }
}
