//! A receiver with real HTTP on its own thread, which does as its script says and remembers all.

pub(crate) mod server;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::brokers;
use super::events::Numbered;
use super::wait::{SOON, until};
use super::wire::Seen;
use server::Shown;

/// What the receiver does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// Answers with this status, without a body.
    Status(u16),
    /// Answers with this status, and `Retry-After` in seconds.
    RetryAfter(u16, u64),
    /// Answers 204 after a while.
    Slow(Duration),
    /// Never answers.
    Hang,
    /// Closes the connection without an answer.
    Close,
    /// Answers 200, announces a body, and closes in the middle of it.
    BrokenBody,
    /// Answers 200, announces a body, and stops in the middle of it.
    StuckBody,
    /// Answers with this status and the place to go to instead.
    Redirect(u16, String),
    /// Answers with this status, and says why.
    Explained(u16, &'static str),
}

/// Decides about each request, given its events.
pub(crate) type Script = Box<dyn FnMut(&[Seen]) -> Answer + Send>;

/// Whether a request with these headers may come in; else the answer is 401.
pub(crate) type Guard = Box<dyn Fn(&HeaderMap) -> bool + Send>;

/// Its file and that of its key, in PEM.
pub(crate) type Certificate = (PathBuf, PathBuf);

/// Always the same.
pub(crate) fn always(answer: Answer) -> Script {
    Box::new(move |_| answer.clone())
}

/// These answers first, one request each, and 204 from then on.
pub(crate) fn first(answers: impl IntoIterator<Item = Answer>) -> Script {
    let mut answers: Vec<_> = answers.into_iter().collect();
    answers.reverse();
    Box::new(move |_| answers.pop().unwrap_or(Answer::Status(204)))
}

/// One request, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) events: Vec<Seen>,
    /// When its headers had come.
    pub(crate) came: Instant,
    /// Whether it was answered with 2xx.
    pub(crate) accepted: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Receiver {
    address: SocketAddr,
    scheme: &'static str,
    certificate: watch::Sender<Option<Shown>>,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared(Mutex<State>);

struct State {
    script: Script,
    guard: Guard,
    /// The paths of requests that came, answered or not.
    came: Vec<String>,
    /// In the order in which they were decided.
    exchanges: Vec<Exchange>,
    /// Ids answered with 2xx, in that order, and when.
    accepted: Vec<(String, Instant)>,
    /// The same ids, each once.
    known: HashSet<String>,
    /// When the last answer with `Retry-After` was given, and until when it asked for peace.
    peace: Option<(Instant, Instant)>,
    /// Requests that may have crossed that answer.
    crossing: usize,
    hurried: usize,
}

/// A request that comes so soon after an answer with `Retry-After` may have been on the wire, or
/// in the receiver's own queue on a busy machine, before the bridge could have read that answer.
const CROSSING: Duration = Duration::from_millis(500);
/// Of such requests there can be no more than the bridge has in flight beside the answered one.
const CROSSING_MOST: usize = 63;

impl Receiver {
    /// Plain HTTP.
    pub(crate) fn start(script: Script) -> Self {
        Self::run(script, None)
    }

    /// HTTPS, with a certificate of the private test root.
    pub(crate) fn start_tls(script: Script) -> Self {
        let files = ["server.pem", "server.key"].map(brokers::certificate);
        Self::start_tls_with(script, files.into())
    }

    /// HTTPS, with another certificate.
    pub(crate) fn start_tls_with(script: Script, certificate: Certificate) -> Self {
        Self::run(script, Some(certificate))
    }

    fn run(script: Script, certificate: Option<Certificate>) -> Self {
        let scheme = match certificate {
            Some(_) => "https",
            None => "http",
        };
        let shared = Arc::new(Shared(Mutex::new(State {
            script,
            guard: Box::new(|_| true),
            exchanges: Vec::new(),
            accepted: Vec::new(),
            known: HashSet::new(),
            peace: None,
            crossing: 0,
            came: Vec::new(),
            hurried: 0,
        })));
        let (stop, stopped) = oneshot::channel();
        let certificate = certificate.as_ref().map(Shown::new);
        let (certificate, shown) = watch::channel(certificate);
        let (address, thread) = server::start(Arc::clone(&shared), shown, stopped);
        Self {
            address,
            scheme,
            certificate,
            shared,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Where to post.
    pub(crate) fn url(&self) -> String {
        format!("{}://{}/hook", self.scheme, self.address)
    }

    /// Does as another script says from now on.
    pub(crate) fn follow(&self, script: Script) {
        self.shared.state().script = script;
    }

    /// Lets others in from now on.
    pub(crate) fn admit(&self, guard: Guard) {
        self.shared.state().guard = guard;
    }

    /// Shows another certificate from now on, and closes every connection.
    pub(crate) fn show(&self, certificate: &Certificate) {
        self.certificate.send_replace(Some(Shown::new(certificate)));
    }

    /// How many peers trusted the certificate of now.
    pub(crate) fn trusted(&self) -> usize {
        let shown = self.certificate.borrow();
        shown
            .as_ref()
            .map_or(0, |shown| shown.trusted.load(Ordering::Relaxed))
    }

    /// A new process knows nothing of the waits that its predecessor was asked for.
    pub(crate) fn forget_waits(&self) {
        self.shared.state().peace = None;
    }

    /// Every request so far.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        self.shared.state().exchanges.clone()
    }

    /// How many requests came so far, those among them that are not answered yet.
    pub(crate) fn came(&self) -> usize {
        self.shared.state().came.len()
    }

    /// How many requests came to `path` so far, those among them that are not answered yet.
    pub(crate) fn came_to(&self, path: &str) -> usize {
        let state = self.shared.state();
        state.came.iter().filter(|other| *other == path).count()
    }

    /// How many requests came and were answered so far.
    pub(crate) fn requests(&self) -> usize {
        self.shared.state().exchanges.len()
    }

    /// How many requests came to `path` and were answered so far.
    pub(crate) fn requests_to(&self, path: &str) -> usize {
        let state = self.shared.state();
        state
            .exchanges
            .iter()
            .filter(|exchange| exchange.path == path)
            .count()
    }

    /// Ids of the events answered with 2xx, in that order, repeats included.
    pub(crate) fn accepted(&self) -> Vec<String> {
        let state = self.shared.state();
        state.accepted.iter().map(|(id, _)| id.clone()).collect()
    }

    /// How many events were answered with 2xx so far, repeats included.
    pub(crate) fn accepted_count(&self) -> usize {
        self.shared.state().accepted.len()
    }

    /// How many events were answered with 2xx so far, each counted once.
    pub(crate) fn arrived(&self) -> usize {
        self.shared.state().known.len()
    }

    /// How many events were answered with 2xx since `moment`.
    pub(crate) fn accepted_since(&self, moment: Instant) -> usize {
        let state = self.shared.state();
        let late = state.accepted.iter().rev();
        late.take_while(|(_, accepted)| *accepted >= moment).count()
    }

    /// Waits until every one of `sent` was answered with 2xx.
    ///
    /// # Panics
    /// When that takes longer than four minutes.
    pub(crate) async fn gets(&self, sent: &[Numbered]) {
        let has_all = || {
            let state = self.shared.state();
            let has = |event: &Numbered| state.known.contains(&event.id());
            state.known.len() >= sent.len() && sent.iter().all(has)
        };
        until("every event arrived", 4 * SOON, has_all).await;
    }

    /// Events answered with 2xx, as they were on the wire.
    pub(crate) fn events(&self) -> Vec<Seen> {
        let exchanges = self.exchanges();
        let accepted = exchanges.into_iter().filter(|exchange| exchange.accepted);
        accepted.flat_map(|exchange| exchange.events).collect()
    }

    /// Requests that came before a `Retry-After` was over.
    pub(crate) fn hurried(&self) -> usize {
        self.shared.state().hurried
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Notes that a request came, and asks the script about it.
    fn decide(&self, came: Instant, path: &str, headers: &HeaderMap, events: &[Seen]) -> Answer {
        let mut state = self.state();
        state.came.push(path.to_owned());
        if let Some((given, over)) = state.peace
            && came < over
        {
            let may_cross = came < given + CROSSING && state.crossing < CROSSING_MOST;
            match may_cross {
                true => state.crossing += 1,
                false => state.hurried += 1,
            }
        }
        let answer = match (state.guard)(headers) {
            true => (state.script)(events),
            false => Answer::Status(401),
        };
        if let Answer::RetryAfter(_, seconds) = answer {
            let over = Instant::now() + Duration::from_secs(seconds);
            let latest = state.peace.map_or(over, |(_, other)| other.max(over));
            state.peace = Some((Instant::now(), latest));
            state.crossing = 0;
        }
        answer
    }

    /// Notes what became of a request.
    fn note(&self, exchange: Exchange) {
        let mut state = self.state();
        if exchange.accepted {
            let now = Instant::now();
            for event in &exchange.events {
                state.known.insert(event.id().to_owned());
                state.accepted.push((event.id().to_owned(), now));
            }
        }
        state.exchanges.push(exchange);
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}
