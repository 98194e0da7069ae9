//! A listening socket that the paths of one worker share.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::OpenError;
use super::path::Path;
use super::request;
use super::settings::{ListenerSettings, PathSettings};
use crate::server::{self, Bounds};
use crate::transport::contract::SourceOpening;
use crate::transport::{Intake, Source, SourceError, Stop};

/// Most connections at the same time; further ones wait in the backlog of the system.
const MOST_CONNECTIONS: usize = 1024;
/// Most of them from one address; a proxy brings those of all senders.
const MOST_PER_ADDRESS: usize = MOST_CONNECTIONS / 2;
const BACKLOG: u32 = 1024;
/// Longest wait for the headers of a request, and for the next request on a connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// What an answer that is already written may take to leave after the deadline of a stop.
const FAREWELL: Duration = Duration::from_millis(250);

/// The paths of a listener.
#[derive(Default)]
pub(super) struct Paths(RefCell<HashMap<String, Rc<Path>>>);

impl Paths {
    pub(super) fn find(&self, path: &str) -> Option<Rc<Path>> {
        self.0.borrow().get(path).cloned()
    }
}

/// Listens for the routes of one worker; see [`Listener::route`].
pub struct Listener {
    address: SocketAddr,
    bounds: Bounds,
    /// Bound and not yet served.
    socket: RefCell<Option<TcpListener>>,
    paths: Rc<Paths>,
    running: Cell<usize>,
    serving: RefCell<Option<Serving>>,
}

struct Serving {
    closing: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = &self.address;
        f.debug_struct("Listener")
            .field("address", address)
            .finish_non_exhaustive()
    }
}

impl Listener {
    /// Binds the address; connections wait until the first of its sources runs.
    ///
    /// # Errors
    /// When the address is taken or not this machine's.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn bind(settings: ListenerSettings) -> io::Result<Rc<Self>> {
        let socket = bind(settings.listen)?;
        let per_address = match settings.behind_proxy {
            true => MOST_CONNECTIONS,
            false => MOST_PER_ADDRESS,
        };
        Ok(Rc::new(Self {
            address: socket.local_addr()?,
            bounds: Bounds {
                connections: MOST_CONNECTIONS,
                per_address,
                head_timeout: HEADER_TIMEOUT,
            },
            socket: RefCell::new(Some(socket)),
            paths: Rc::default(),
            running: Cell::new(0),
            serving: RefCell::default(),
        }))
    }

    /// The address bound, with the port that the system chose for port 0.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A source that takes what is posted to one path. Until it runs, and once it was told to stop,
    /// its path answers 503.
    ///
    /// # Errors
    /// When another route has the path, or its tokens cannot be read.
    pub fn route(
        self: &Rc<Self>,
        plan: PathSettings,
        opening: &SourceOpening,
    ) -> Result<Box<dyn Source>, OpenError> {
        let mut paths = self.paths.0.borrow_mut();
        if paths.contains_key(&plan.path) {
            return Err(OpenError::Taken(plan.path));
        }
        let name = plan.path.clone();
        let path = Rc::new(Path::open(plan, opening)?);
        paths.insert(name, Rc::clone(&path));
        Ok(Box::new(Ingress {
            listener: Rc::clone(self),
            path,
        }))
    }

    /// Serves, if no other source has begun to.
    fn enter(&self) -> io::Result<()> {
        if self.serving.borrow().is_none() {
            let socket = match self.socket.take() {
                Some(socket) => socket,
                None => bind(self.address)?,
            };
            let (closing, closed) = watch::channel(false);
            let paths = Rc::clone(&self.paths);
            let answer = move |asked| {
                let paths = Rc::clone(&paths);
                async move { request::answer(&paths, asked).await }
            };
            let task = tokio::task::spawn_local(server::serve(socket, self.bounds, closed, answer));
            self.serving.replace(Some(Serving { closing, task }));
        }
        self.running.set(self.running.get() + 1);
        Ok(())
    }

    /// Hands out the task to be ended when the last source has left.
    fn leave(&self) -> Option<Serving> {
        self.running.set(self.running.get() - 1);
        if self.running.get() > 0 {
            return None;
        }
        let serving = self.serving.take();
        if let Some(serving) = &serving {
            serving.closing.send_replace(true);
        }
        serving
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The source of one path.
struct Ingress {
    listener: Rc<Listener>,
    path: Rc<Path>,
}

impl Source for Ingress {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        Box::pin(async move {
            self.listener.enter().map_err(|error| SourceError {
                reason: "listen",
                detail: error.to_string(),
            })?;
            let running = Running(Some(*self));
            running.path().set_intake(Some(intake));
            running.path().status.set_joined(true);
            let deadline = stop.requested().await;
            running.path().set_intake(None);
            running.path().status.set_joined(false);
            // What is left at the deadline is abandoned by leaving.
            drop(timeout_at(deadline, running.path().idle()).await);
            if let Some(mut serving) = running.leave() {
                let farewell = deadline.max(Instant::now() + FAREWELL);
                if timeout_at(farewell, &mut serving.task).await.is_err() {
                    serving.task.abort();
                }
            }
            Ok(())
        })
    }
}

/// Leaves the listener exactly once, also when the source is dropped while it runs.
struct Running(Option<Ingress>);

impl Running {
    fn path(&self) -> &Path {
        &self.0.as_ref().expect("present until it leaves").path
    }

    fn leave(mut self) -> Option<Serving> {
        self.0.take().and_then(Ingress::leave)
    }
}

impl Ingress {
    fn leave(self) -> Option<Serving> {
        self.path.set_intake(None);
        self.path.abandon();
        self.listener.leave()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(serving) = self.0.take().and_then(Ingress::leave) {
            serving.task.abort();
        }
    }
}
