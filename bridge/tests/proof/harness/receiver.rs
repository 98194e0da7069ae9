//! A receiver with moods, over TLS. It writes HTTP itself, so that it knows what was truly answered: an event
//! counts as taken only when the whole head of a 2xx answer is written, and as seen before that.

mod conversation;
mod peace;
mod request;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::ledger::Ledger;
use crate::support::brokers::certificate;
use crate::support::receiver::server::showing;
use peace::Peace;

/// How the receiver treats every request for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Answers 204 within a few milliseconds.
    Well,
    /// Does not listen, and has dropped every connection.
    Down,
    /// Shows the certificate of somebody else, and has dropped every connection.
    Impostor,
    /// Answers 204 after this time.
    Slow(Duration),
    /// Answers with this status; if `half`, only to events of every other key.
    Fails { code: u16, half: bool },
    /// Answers with this status and `Retry-After` in seconds.
    AsksForTime { code: u16, seconds: u64 },
    /// Reads requests and never answers; when the mood ends, it closes those connections.
    Hangs,
    /// Closes the connection after so many bytes of the answer, none of which make a status line.
    Closes { after: usize },
    /// Answers 200, announces a body and closes in the middle of it.
    BreaksBody,
    /// Answers 200, announces a body and stops in the middle of it.
    SticksBody,
    /// Any of these, one request at a time.
    Fickle,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    mood: watch::Sender<Option<Mood>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// By the first step of the path: the name of the pair.
    ledgers: BTreeMap<&'static str, Arc<Ledger>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    random: fastrand::Rng,
    /// By path, which is different for every process.
    peace: BTreeMap<String, Peace>,
    counts: Counts,
}

/// What the receiver counted over all pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) requests: usize,
    /// Answers with `Retry-After`.
    pub(crate) asked_for_time: usize,
    /// Requests that may have been on the way when such an answer was given.
    pub(crate) crossed: usize,
    /// Requests that came before such a time was over.
    pub(crate) hurried: usize,
}

impl Receiver {
    pub(crate) fn start(seed: u64, ledgers: BTreeMap<&'static str, Arc<Ledger>>) -> Self {
        let shared = Arc::new(Shared {
            ledgers,
            state: Mutex::new(State {
                random: fastrand::Rng::with_seed(seed),
                peace: BTreeMap::new(),
                counts: Counts::default(),
            }),
        });
        let (mood, moods) = watch::channel(Some(Mood::Well));
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let own = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            // One thread: between the last byte of an answer and the note of it, nothing else runs.
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(serve(listener, &own, moods));
        });
        Self {
            address,
            shared,
            mood,
            thread: Some(thread),
        }
    }

    /// Is in another mood from now on.
    pub(crate) fn be(&self, mood: Mood) {
        self.mood.send_replace(Some(mood));
    }

    pub(crate) fn counts(&self) -> Counts {
        self.shared.state().counts
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.mood.send_replace(None);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

/// Listens, but for the time that it is down, until the mood is none at all.
async fn serve(
    listener: std::net::TcpListener,
    shared: &Arc<Shared>,
    mut moods: watch::Receiver<Option<Mood>>,
) {
    let address = listener.local_addr().unwrap();
    let mut listener = Some(TcpListener::from_std(listener).unwrap());
    let showing = |name: &str| {
        let file = |kind| certificate(&format!("{name}.{kind}"));
        TlsAcceptor::from(showing(&(file("pem"), file("key"))))
    };
    let (own, another) = (showing("server"), showing("client"));
    loop {
        let open = match listener.take() {
            Some(listener) => listener,
            None => listen_again(address),
        };
        let mut connections = JoinSet::new();
        let is_impostor = *moods.borrow() == Some(Mood::Impostor);
        let tls = if is_impostor { &another } else { &own };
        let mut other = moods.clone();
        let is_other = |mood: &Option<Mood>| {
            matches!(mood, None | Some(Mood::Down))
                || (*mood == Some(Mood::Impostor)) != is_impostor
        };
        tokio::select! {
            () = accept(&open, tls, shared, &moods, &mut connections) => {}
            _ = other.wait_for(is_other) => {}
        }
        drop(open);
        connections.shutdown().await;
        let up = moods.wait_for(|mood| *mood != Some(Mood::Down)).await;
        if up.is_err() || up.is_ok_and(|mood| mood.is_none()) {
            return;
        }
    }
}

fn listen_again(address: SocketAddr) -> TcpListener {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(address).unwrap();
    socket.listen(1024).unwrap()
}

async fn accept(
    listener: &TcpListener,
    tls: &TlsAcceptor,
    shared: &Arc<Shared>,
    moods: &watch::Receiver<Option<Mood>>,
    connections: &mut JoinSet<()>,
) {
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                stream.set_nodelay(true).ok();
                let (tls, shared, moods) = (tls.clone(), Arc::clone(shared), moods.clone());
                // Connections break: that is what this is for.
                connections.spawn(async move {
                    if let Ok(stream) = tls.accept(stream).await {
                        conversation::converse(stream, &shared, moods).await.ok();
                    }
                });
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
