//! A listening socket that the paths of one thread share.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::path::IngressPath;
use super::request;
use super::settings::PathSettings;
use crate::server::{self, Bounds};
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

/// By their path in URLs.
pub(super) type IngressPaths = RefCell<HashMap<String, Rc<IngressPath>>>;

pub(super) struct Listener {
    paths: Rc<IngressPaths>,
    closing: watch::Sender<bool>,
    /// One task, which ends with this.
    serving: JoinSet<()>,
}

impl Listener {
    /// Runs on this thread, in a [`LocalSet`](tokio::task::LocalSet).
    pub(super) fn serve(socket: TcpListener, behind_proxy: bool) -> Rc<Self> {
        let bounds = Bounds {
            connections: MOST_CONNECTIONS,
            per_address: match behind_proxy {
                true => MOST_CONNECTIONS,
                false => MOST_PER_ADDRESS,
            },
            head_timeout: HEADER_TIMEOUT,
        };
        let paths = Rc::<IngressPaths>::default();
        let served = Rc::clone(&paths);
        let answer = move |asked| {
            let paths = Rc::clone(&served);
            async move { request::answer(&paths, asked).await }
        };
        let (closing, closed) = watch::channel(false);
        let mut serving = JoinSet::new();
        serving.spawn_local(server::serve(socket, bounds, closed, answer));
        Rc::new(Self {
            paths,
            closing,
            serving,
        })
    }

    /// A source of one path. Before it runs, and once it stops, the answer is 503.
    pub(super) fn route(
        self: &Rc<Self>,
        settings: PathSettings,
        opening: &SourceOpening,
    ) -> Result<Box<dyn Source>, OpenError> {
        let name = settings.path.clone();
        let path = Rc::new(IngressPath::open(settings, opening)?);
        self.paths.borrow_mut().insert(name, Rc::clone(&path));
        Ok(Box::new(Ingress {
            listener: Rc::clone(self),
            path,
        }))
    }

    /// Ends once the answers under way are written.
    async fn close(mut self, deadline: Instant) {
        self.closing.send_replace(true);
        let last = deadline.max(Instant::now() + ANSWER_GRACE);
        drop(timeout_at(last, self.serving.join_next()).await);
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
            let deadline = stop.requested().await;
            path.stop();
            path.status.drain_requests(deadline);
            // What is left at the deadline is answered 503.
            drop(timeout_at(deadline, path.idle()).await);
            path.status.abandon();
            if let Some(last) = Rc::into_inner(listener) {
                last.close(deadline).await;
            }
            Ok(())
        })
    }
}
