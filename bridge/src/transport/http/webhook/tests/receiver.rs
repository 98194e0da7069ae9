//! A receiver that answers as a test tells it to, over real sockets.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{Barrier, watch};
use tokio_rustls::TlsAcceptor;

/// What the receiver does with a request it has read.
#[derive(Clone)]
pub(super) enum Reply {
    /// Writes these bytes and waits for the next request.
    Answer(String),
    /// The same, once as many requests wait as the barrier asks for.
    Together(Arc<Barrier>, String),
    /// Writes these bytes and closes.
    Close(String),
    /// Writes these bytes, then more bytes until the client closes.
    Endless(String),
    /// Says nothing more until the client closes.
    Hang,
}

impl Reply {
    pub(super) fn status(line: &str) -> Self {
        Self::Answer(format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\n\r\n"))
    }
}

/// What a test sees of a receiver.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) opened: Cell<usize>,
    pub(super) requests: RefCell<Vec<String>>,
    closed: watch::Sender<usize>,
}

impl Seen {
    /// Waits until the client has closed `count` connections.
    pub(super) async fn closed(&self, count: usize) {
        let mut closed = self.closed.subscribe();
        closed.wait_for(|closed| *closed >= count).await.unwrap();
    }
}

/// Starts a receiver; returns where it listens. `script` gets the number of the request, from 0.
pub(super) async fn start(
    tls: Option<TlsAcceptor>,
    script: impl Fn(usize) -> Reply + 'static,
) -> (String, Rc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = Rc::<Seen>::default();
    let (script, counted) = (Rc::new(script), Rc::clone(&seen));
    tokio::task::spawn_local(async move {
        loop {
            let (tcp, _) = listener.accept().await.unwrap();
            counted.opened.set(counted.opened.get() + 1);
            let (tls, script, seen) = (tls.clone(), Rc::clone(&script), Rc::clone(&counted));
            tokio::task::spawn_local(async move {
                match tls {
                    None => serve(tcp, &*script, &seen).await,
                    Some(tls) => match tls.accept(tcp).into_fallible().await {
                        Ok(stream) => serve(stream, &*script, &seen).await,
                        // Reads on, so that the alert is not lost to a reset.
                        Err((_, mut tcp)) => drop(tcp.read_to_end(&mut Vec::new()).await),
                    },
                }
                seen.closed.send_modify(|closed| *closed += 1);
            });
        }
    });
    (address, seen)
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    script: &dyn Fn(usize) -> Reply,
    seen: &Seen,
) {
    while let Some(request) = read_request(&mut stream).await {
        let number = seen.requests.borrow().len();
        seen.requests.borrow_mut().push(request);
        let written = match script(number) {
            Reply::Answer(text) => stream.write_all(text.as_bytes()).await,
            Reply::Together(barrier, text) => {
                barrier.wait().await;
                stream.write_all(text.as_bytes()).await
            }
            Reply::Close(text) => {
                drop(stream.write_all(text.as_bytes()).await);
                drop(stream.shutdown().await);
                return;
            }
            Reply::Endless(text) => {
                let mut written = stream.write_all(text.as_bytes()).await;
                while written.is_ok() {
                    written = stream.write_all(&[b'x'; 1024]).await;
                }
                written
            }
            Reply::Hang => Ok(()),
        };
        if written.is_err() {
            return;
        }
    }
}

/// One request with a content length; `None` when the client closed.
pub(super) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return Some(text);
            }
        }
        match stream.read_buf(&mut bytes).await {
            Ok(1..) => {}
            _ => return None,
        }
    }
}
