//! The receiver of webhooks that the contestants deliver to: hyper on one thread, nothing more.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{LocalSet, spawn_local};

use crate::roll_call::RollCall;
use crate::traffic::{self, Keys};

/// A receiver at work.
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    roll_call: Mutex<RollCall>,
    /// Different events so far.
    arrived: AtomicUsize,
    /// How long it takes for each event, in milliseconds.
    delay_ms: AtomicU64,
}

impl Endpoint {
    /// Different events so far.
    pub(crate) fn arrived(&self) -> usize {
        self.state.arrived.load(Ordering::Relaxed)
    }

    /// Takes so long for each event from now on.
    pub(crate) fn take(&self, delay_ms: u64) {
        self.state.delay_ms.store(delay_ms, Ordering::Relaxed);
    }

    /// Who arrived; to be asked once, when all have.
    pub(crate) fn roll_call(&self) -> RollCall {
        self.state.roll_call.lock().expect("it lives").take()
    }
}

/// Starts a receiver of `events` at most on a free port. Its thread lives until the process ends.
pub(crate) fn start(events: usize, keys: Keys, delay_ms: u64) -> Endpoint {
    let state = Arc::new(State {
        roll_call: Mutex::new(RollCall::new(events, keys)),
        arrived: AtomicUsize::new(0),
        delay_ms: AtomicU64::new(delay_ms),
    });
    let shared = Arc::clone(&state);
    let (ready, address) = sync_channel(1);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let listen = async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            ready
                .send(listener.local_addr().expect("it is bound"))
                .expect("the starter waits");
            serve(listener, shared).await;
        };
        runtime
            .expect("a runtime")
            .block_on(LocalSet::new().run_until(listen));
    });
    Endpoint {
        address: address.recv().expect("the receiver starts"),
        state,
    }
}

async fn serve(listener: TcpListener, state: Arc<State>) {
    loop {
        let (stream, _) = listener.accept().await.expect("the listener works");
        stream.set_nodelay(true).expect("a TCP socket");
        let state = Arc::clone(&state);
        spawn_local(async move {
            let service = service_fn(|request| receive(request, &state));
            let io = TokioIo::new(stream);
            // A sender that goes away in mid-request is noticed by what is missing at the end.
            hyper::server::conn::http1::Builder::new()
                .serve_connection(io, service)
                .await
                .ok();
        });
    }
}

async fn receive(
    request: Request<Incoming>,
    state: &State,
) -> hyper::Result<Response<Empty<Bytes>>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let id = parts
        .headers
        .get("ce-id")
        .map_or(&*body, |id| id.as_bytes());
    let number = traffic::number(id).expect("an event of this benchmark");
    let delay = state.note(number);
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let mut response = Response::new(Empty::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

impl State {
    fn note(&self, number: usize) -> Duration {
        let mut roll_call = self.roll_call.lock().expect("nobody fails with it");
        roll_call.note(number);
        // Last, so that who sees the number finds the roll call.
        self.arrived.store(roll_call.present, Ordering::Relaxed);
        Duration::from_millis(self.delay_ms.load(Ordering::Relaxed))
    }
}
