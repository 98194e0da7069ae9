//! A TCP proxy between the bridge and a party, which delays, blocks, refuses and cuts.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

/// What happens to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    /// They pass.
    Fair,
    /// They pass after a while, in order.
    Slow(Duration),
    /// Nothing passes and nothing ends, as if the cable were out: the half-open connection.
    Still,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    weather: Weather,
    /// Connections made before the last cut are reset.
    cuts: u32,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    line: watch::Sender<Line>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Listens on `port` of loopback and joins each connection to one to `upstream`.
    pub(crate) async fn start(port: u16, upstream: SocketAddr) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.unwrap();
        let (line, watched) = watch::channel(Line {
            weather: Weather::Fair,
            cuts: 0,
        });
        let task = tokio::spawn(accept(listener, upstream, watched));
        Self {
            address,
            line,
            task,
        }
    }

    pub(crate) fn set(&self, weather: Weather) {
        self.line.send_modify(|line| line.weather = weather);
    }

    /// Resets every connection there is.
    pub(crate) fn cut(&self) {
        self.line.send_modify(|line| line.cuts += 1);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, upstream: SocketAddr, line: watch::Receiver<Line>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((client, _)) = accepted {
                connections.spawn(join(client, upstream, line.clone()));
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn join(mut client: TcpStream, upstream: SocketAddr, mut line: watch::Receiver<Line>) {
    let cuts = line.borrow().cuts;
    client.set_nodelay(true).ok();
    // Without this, closing sends what is buffered and says goodbye, which no cut cable does.
    let is_open = line.wait_for(|line| line.weather != Weather::Still || line.cuts != cuts);
    if is_open.await.is_err() {
        return;
    }
    let Ok(mut server) = TcpStream::connect(upstream).await else {
        return;
    };
    server.set_nodelay(true).ok();
    let is_cut = {
        let mut cut = line.clone();
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        tokio::select! {
            _ = async { tokio::join!(
                pump(from_client, to_server, line.clone()),
                pump(from_server, to_client, line.clone()),
            ) } => false,
            _ = cut.wait_for(|line| line.cuts != cuts) => true,
        }
    };
    if is_cut {
        client.set_zero_linger().ok();
        server.set_zero_linger().ok();
    }
}

/// Carries bytes one way until their end, and passes that end on.
async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let count = from.read(&mut bytes).await.unwrap_or(0);
        let weather = line.borrow_and_update().weather;
        match weather {
            Weather::Fair => {}
            Weather::Slow(delay) => sleep(delay).await,
            Weather::Still => {
                let moves = line.wait_for(|line| line.weather != Weather::Still);
                if moves.await.is_err() {
                    return;
                }
            }
        }
        if count == 0 || to.write_all(&bytes[..count]).await.is_err() {
            to.shutdown().await.ok();
            return;
        }
    }
}
