//! The receiver of webhooks that both contestants deliver to: hyper on one thread, nothing more.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
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

/// A receiver that counts to `events`.
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    arrived: Arc<AtomicUsize>,
    complete: Receiver<RollCall>,
}

impl Endpoint {
    /// Different events so far.
    pub(crate) fn arrived(&self) -> usize {
        self.arrived.load(Ordering::Relaxed)
    }

    /// Who arrived; to be asked once, when all have.
    pub(crate) fn roll_call(&self) -> RollCall {
        self.complete.recv().expect("every event has arrived")
    }
}

struct State {
    roll_call: RollCall,
    events: usize,
    delay: Duration,
    arrived: Arc<AtomicUsize>,
    complete: SyncSender<RollCall>,
}

/// Starts a receiver on a free port. Its thread lives until the process ends.
pub(crate) fn start(events: usize, keys: Keys, delay: Duration) -> Endpoint {
    let (complete, completed) = sync_channel(1);
    let arrived = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&arrived);
    let (ready, address) = sync_channel(1);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let roll_call = RollCall::new(events, keys);
        let state = Rc::new(RefCell::new(State {
            roll_call,
            events,
            delay,
            arrived: counter,
            complete,
        }));
        let listen = async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            ready
                .send(listener.local_addr().expect("it is bound"))
                .expect("the starter waits");
            serve(listener, state).await;
        };
        runtime
            .expect("a runtime")
            .block_on(LocalSet::new().run_until(listen));
    });
    Endpoint {
        address: address.recv().expect("the receiver starts"),
        arrived,
        complete: completed,
    }
}

async fn serve(listener: TcpListener, state: Rc<RefCell<State>>) {
    loop {
        let (stream, _) = listener.accept().await.expect("the listener works");
        stream.set_nodelay(true).expect("a TCP socket");
        let state = Rc::clone(&state);
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
    state: &RefCell<State>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a whole request").to_bytes();
    let id = parts
        .headers
        .get("ce-id")
        .map_or(&*body, |id| id.as_bytes());
    let number = traffic::number(id).expect("an event of this benchmark");
    let delay = state.borrow_mut().note(number);
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let mut response = Response::new(Empty::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

impl State {
    fn note(&mut self, number: usize) -> Duration {
        self.roll_call.note(number);
        let present = self.roll_call.present;
        if self.roll_call.present == self.events {
            let complete = self.roll_call.take();
            self.complete.try_send(complete).ok();
        }
        // Last, so that who sees the number finds the roll call.
        self.arrived.fetch_max(present, Ordering::Relaxed);
        self.delay
    }
}
