//! `[consent.NAME]`: where receivers that do not consent at once call back later (webhook specification 1.0.2,
//! section 4). The callback URL names the target, and holds a secret that only its receiver was told.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use base64_simd::URL_SAFE_NO_PAD;
use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use ring::digest::{SHA256, digest};
use ring::hmac;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::Instrument;

use super::cannot_open;
use super::consent_state::ConsentState;
use super::settings::WebhookSettings;
use super::target::DeliveryTarget;
use crate::config::url::checked_url;
use crate::config::{Reported, SecretPlace, Table, read_secret};
use crate::logging::connection_span;
use crate::server::{self, Bounds, Peer, Service};
use crate::shared::{Shared, lock, spawn_thread};
use crate::transport::contract::{OpenError, SinkOpening};
use crate::transport::http::ingress::{TlsSettings, discard, read_port};

const BOUNDS: Bounds = Bounds {
    connections: 256,
    per_address: 64,
    head_timeout: Duration::from_secs(5),
};
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
    id: String,
    pub(super) url: HeaderValue,
    pub(super) state: Option<ConsentState>,
    target: Arc<DeliveryTarget>,
    /// Of the process that runs the route.
    listener: Option<Arc<CallbackListener>>,
}

impl Callback {
    pub(super) fn open(
        settings: &WebhookSettings,
        target: &Arc<DeliveryTarget>,
        opening: &SinkOpening,
    ) -> Result<Option<Arc<Self>>, OpenError> {
        let contract = &settings.contract;
        let (Some(callback), Some(origin)) = (&contract.callback, &contract.origin) else {
            return Ok(None);
        };
        let id = target_id(&settings.url, origin);
        let key = callback.key().map_err(cannot_open)?;
        let key = URL_SAFE_NO_PAD.encode_to_string(hmac::sign(&key, id.as_bytes()));
        let url = format!("{}?id={id}&key={key}", callback.url);
        let mut url = HeaderValue::try_from(url).expect("a URL is visible ASCII");
        url.set_sensitive(true);
        let serves = opening.serves_route;
        let listener = serves.then(|| CallbackListener::shared(callback));
        let callback = Arc::new(Self {
            state: ConsentState::new(&id, callback.file.clone(), opening.kept_at.clone()),
            id,
            url,
            target: Arc::clone(target),
            listener: listener.transpose()?,
        });
        if let Some(listener) = &callback.listener {
            let mut routes = lock(&listener.routes);
            routes.retain(|route| route.strong_count() > 0);
            routes.push(Arc::downgrade(&callback));
        }
        Ok(Some(callback))
    }
}

/// A port of ours, which closes when the last route with these settings stops.
struct CallbackListener {
    settings: CallbackSettings,
    key: hmac::Key,
    routes: Mutex<Vec<Weak<Callback>>>,
    closing: watch::Sender<bool>,
}

impl CallbackListener {
    fn shared(settings: &CallbackSettings) -> Result<Arc<Self>, OpenError> {
        static LISTENERS: Shared<CallbackSettings, CallbackListener> = Shared::new();
        LISTENERS.try_get(settings.clone(), || {
            let listener = Arc::new(Self {
                key: settings.key().map_err(cannot_open)?,
                settings: settings.clone(),
                routes: Mutex::default(),
                closing: watch::Sender::new(false),
            });
            let started = listener.start();
            started.map_err(|error| cannot_open(format!("{}: {error}", settings.listen)))?;
            Ok(listener)
        })
    }

    fn start(self: &Arc<Self>) -> io::Result<()> {
        let socket = self.bind()?;
        socket.set_nonblocking(true)?;
        let tls = self.settings.tls.as_ref().map(TlsSettings::open);
        let tls = tls.transpose()?;
        let (closing, service) = (self.closing.subscribe(), Arc::downgrade(self));
        let span = connection_span(&self.settings.listen.to_string());
        let port = || async {
            let served = caught(async move {
                let socket = TcpListener::from_std(socket)?;
                server::serve(socket, BOUNDS, tls, closing, service).await;
                Ok(())
            });
            if let Err(error) = served.await {
                let remedy = "report it, and restart the bridge to listen again";
                tracing::error!(%error, remedy, "receivers cannot call back any more to consent");
            }
        };
        spawn_thread("consent".to_owned(), || port().instrument(span))?;
        Ok(())
    }

    fn bind(&self) -> io::Result<std::net::TcpListener> {
        for _ in 0..BIND_ATTEMPTS {
            match std::net::TcpListener::bind(self.settings.listen) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => thread::sleep(BIND_PAUSE),
                bound => return bound,
            }
        }
        std::net::TcpListener::bind(self.settings.listen)
    }

    async fn called(&self, head: &Parts) -> (StatusCode, &'static str) {
        if head.uri.path() != self.settings.url.path() {
            return (StatusCode::NOT_FOUND, "nothing is answered on this path");
        }
        if ![Method::GET, Method::POST].contains(&head.method) {
            let what = "consent is given by GET or POST";
            return (StatusCode::METHOD_NOT_ALLOWED, what);
        }
        let routes = self.routes_of(head.uri.query().unwrap_or_default());
        let routes = routes.unwrap_or_default();
        if routes.is_empty() {
            let what = "no consent is asked for under this URL";
            return (StatusCode::NOT_FOUND, what);
        }
        // Routes may ask one receiver for other rates.
        let consents = routes.iter().map(|route| {
            let consent = route.target.settings.granted(&head.headers);
            consent.map(|consent| (route, consent))
        });
        let Ok(consents) = consents.collect::<Result<Vec<_>, _>>() else {
            let what = "WebHook-Allowed-Rate is neither a number above zero nor an asterisk";
            return (StatusCode::BAD_REQUEST, what);
        };
        for (route, consent) in &consents {
            if let Some(state) = &route.state
                && let Err(error) = state.write(*consent).await
            {
                let remedy = "correct that, or name a `file` in [consent.NAME]; the receiver was told to call again";
                tracing::error!(error, remedy, "consent that was given cannot be kept");
                let what = "consent cannot be kept now, call again";
                return (StatusCode::SERVICE_UNAVAILABLE, what);
            }
        }
        let is_kept = routes.iter().all(|route| route.state.is_some());
        tracing::info!(is_kept, "a receiver has called back and consents");
        for (route, consent) in consents {
            route.target.grant(consent);
        }
        (StatusCode::OK, "consent is noted, thank you")
    }

    /// `None` without the secret.
    fn routes_of(&self, query: &str) -> Option<Vec<Arc<Callback>>> {
        let pairs: HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
        let (id, key) = (pairs.get("id")?, pairs.get("key")?);
        let key = URL_SAFE_NO_PAD.decode_to_vec(key.as_bytes()).ok()?;
        hmac::verify(&self.key, id.as_bytes(), &key).ok()?;
        let routes = lock(&self.routes);
        let routes = routes.iter().filter_map(Weak::upgrade);
        Some(routes.filter(|route| route.id == **id).collect())
    }
}

/// Nobody waits for the end of its thread: a panic is an error too.
pub(super) async fn caught(port: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    let served = AssertUnwindSafe(port).catch_unwind().await;
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
            // Nothing in it counts.
            discard(body);
            let mut response = Response::new(Full::from(text));
            *response.status_mut() = status;
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            let (name, value) = match status {
                StatusCode::SERVICE_UNAVAILABLE => (RETRY_AFTER, "10"),
                _ => (ALLOW, "GET, POST"),
            };
            headers.insert(name, HeaderValue::from_static(value));
            response
        }
    }
}
