//! A listening socket that the paths of one thread share.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use super::answer::ProblemDetails;
use super::call_back::call_back;
use super::clients::Client;
use super::path::IngressPath;
use super::refusals::{OTHER, Refusals};
use super::request;
use super::settings::{ListenerSettings, PathSettings, is_wanted};
use super::tls::TlsSettings;
use crate::logging::connection_span;
use crate::server::{self, AnswerCounts, Answers, Bounds, Peer, Service};
use crate::transport::contract::{OpenError, SourceOpening};
use crate::transport::{Intake, Source, SourceError, Stop};

/// Further connections wait in the backlog of the system.
const MOST_CONNECTIONS: usize = 1024;
/// A proxy brings the connections of all senders.
const MOST_PER_ADDRESS: usize = MOST_CONNECTIONS / 2;
const BACKLOG: u32 = 1024;
/// For the headers of a request, and for the next request on a connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// For answers that are written at the deadline of a stop.
const ANSWER_GRACE: Duration = Duration::from_millis(250);

/// What one socket serves.
pub(super) struct Served {
    listen: SocketAddr,
    /// By their path in URLs.
    pub(super) paths: RefCell<HashMap<String, Rc<IngressPath>>>,
    /// Answers to requests for no path of these.
    pub(super) other: Arc<AnswerCounts>,
    pub(super) refusals: Refusals,
}

impl Served {
    /// Why no route takes a request.
    pub(super) fn missing(&self, path: &str) -> ProblemDetails {
        // One that is among them is missing because settings name it no longer.
        if !self.paths.borrow().contains_key(path) && is_wanted(self.listen, path) {
            return ProblemDetails::not_now("the route of this path does not run yet");
        }
        let detail = "no route takes events on this path";
        ProblemDetails::new(StatusCode::NOT_FOUND, detail)
    }
}

pub(super) struct Listener {
    served: Rc<Served>,
    closing: watch::Sender<bool>,
    /// One task, which ends with this.
    pub(super) serving: JoinSet<()>,
}

impl Listener {
    /// Runs on this thread, in a [`LocalSet`](tokio::task::LocalSet).
    pub(super) fn serve(
        socket: TcpListener,
        settings: &ListenerSettings,
        answers: &Answers,
    ) -> io::Result<Rc<Self>> {
        let bounds = Bounds {
            connections: MOST_CONNECTIONS,
            per_address: match settings.behind_proxy {
                true => MOST_CONNECTIONS,
                false => MOST_PER_ADDRESS,
            },
            head_timeout: HEADER_TIMEOUT,
        };
        let listen = settings.listen.to_string();
        let served = Rc::new(Served {
            listen: settings.listen,
            paths: RefCell::default(),
            other: answers.of(&listen, OTHER),
            refusals: Refusals::new(listen.clone(), settings.behind_proxy, answers.clone()),
        });
        let (closing, closed) = watch::channel(false);
        let mut serving = JoinSet::new();
        let tls = settings.tls.as_ref().map(TlsSettings::open).transpose()?;
        let span = connection_span(&listen);
        let mut issuers = JoinSet::new();
        for keys in settings.clients.iter().filter_map(Client::issuer_keys) {
            issuers.spawn_local(keys.follow().instrument(span.clone()));
        }
        let service = Rc::clone(&served);
        let tell = Rc::clone(&served);
        serving.spawn_local(async move {
            let serve = server::serve(socket, bounds, tls, closed, service);
            tokio::select! {
                () = serve => {}
                // By a panic alone. The routes end with the listener, so that somebody hears of it.
                Some(_) = issuers.join_next() => {}
                () = tell.refusals.tell() => {}
            }
            tell.refusals.tell_now();
        });
        Ok(Rc::new(Self {
            served,
            closing,
            serving,
        }))
    }

    /// A source of one path. Before it runs, and once it stops, the answer is 503; 404 where settings do not name
    /// the path.
    pub(super) fn route(
        self: &Rc<Self>,
        settings: PathSettings,
        opening: &SourceOpening,
    ) -> Result<Box<dyn Source>, OpenError> {
        let name = settings.path.clone();
        let path = Rc::new(IngressPath::open(settings, opening)?);
        let mut paths = self.served.paths.borrow_mut();
        paths.retain(|_, path| path.is_wanted());
        paths.insert(name, Rc::clone(&path));
        Ok(Box::new(Ingress {
            listener: Rc::clone(self),
            path,
        }))
    }
}

impl Service for Rc<Served> {
    fn answer(
        &self,
        request: Request<Incoming>,
        peer: Peer,
    ) -> impl Future<Output = Response<Full<Bytes>>> + 'static {
        let served = Self::clone(self);
        let path = served.paths.borrow().get(request.uri().path()).cloned();
        let path = path.filter(|path| path.is_wanted());
        request::answer(served, path, request, peer)
    }

    fn unreadable(&self, status: StatusCode, peer: IpAddr) {
        let reason = "the head of the request cannot be read";
        self.other.count(status);
        self.refusals.add(OTHER, status, peer, reason);
    }
}

/// Connections wait until they are [served](Listener::serve).
pub(super) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

struct Ingress {
    listener: Rc<Listener>,
    path: Rc<IngressPath>,
}

impl Source for Ingress {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        let Self { listener, path } = *self;
        Box::pin(async move {
            path.start(intake);
            let mut calling = JoinSet::new();
            calling.spawn_local(call_back(Rc::clone(&path)).in_current_span());
            let deadline = tokio::select! {
                deadline = stop.requested() => Ok(deadline),
                // The task that serves holds all receivers.
                () = listener.closing.closed() => {
                    let listen = path.settings.listener.listen;
                    let detail = format!(
                        "nobody serves {listen} any more, a fault of the bridge: report it, and reload to start again"
                    );
                    Err(SourceError { reason: "listener-ended", detail })
                }
            };
            drop(calling);
            path.stop();
            let deadline = deadline?;
            path.status.each(|window| window.drain_together(deadline));
            // What is left at the deadline is answered 503.
            drop(timeout_at(deadline, path.idle()).await);
            path.status.each(|window| window.abandon());
            if let Some(mut last) = Rc::into_inner(listener) {
                last.closing.send_replace(true);
                // It ends once the answers under way are written.
                let deadline = deadline.max(Instant::now() + ANSWER_GRACE);
                drop(timeout_at(deadline, last.serving.join_next()).await);
            }
            Ok(())
        })
    }
}
