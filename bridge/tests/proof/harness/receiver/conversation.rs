//! One connection: requests, and answers as the mood is.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tokio_rustls::server::TlsStream;

use super::peace::Peace;
use super::request::{self, Request};
use super::{Mood, Shared};
use crate::harness::ledger::{Ledger, place_of};
use crate::support::wire::{self, Seen};

/// Answers until the connection ends.
///
/// # Errors
/// When it breaks, also by a mood.
pub(super) async fn converse(
    mut stream: TlsStream<TcpStream>,
    shared: &Shared,
    moods: watch::Receiver<Option<Mood>>,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(request) = request::read(&mut stream, &mut buffer).await? {
        let step = request.path.split('/').nth(1).unwrap_or_default();
        let ledger = shared.ledgers.get(step).map(Arc::clone);
        let ledger = ledger.ok_or_else(|| io::Error::other("no such path"))?;
        let events = wire::of_request(&request.headers, &request.body);
        events.iter().for_each(|event| ledger.came(event));
        let mood = (*moods.borrow()).unwrap_or(Mood::Well);
        let mood = shared.decide(mood, &request, &events);
        let exchange = Exchange {
            stream: &mut stream,
            ledger: &ledger,
            events: &events,
        };
        let before = Instant::now();
        exchange.answer(mood, moods.clone()).await?;
        // The bridge may have read the answer before this thread goes on.
        if let Mood::AsksForTime { seconds, .. } = mood {
            shared.ask_for_time(&request.path, before + Duration::from_secs(seconds));
        }
    }
    Ok(())
}

impl Shared {
    /// Notes that a request came, and says how this one is treated.
    fn decide(&self, mood: Mood, request: &Request, events: &[Seen]) -> Mood {
        let mut state = self.state();
        let state = &mut *state;
        state.counts.requests += 1;
        Peace::judge(state.peace.get_mut(&request.path), &mut state.counts);
        match mood {
            Mood::Well => Mood::Slow(Duration::from_millis(state.random.u64(0..6))),
            Mood::Fickle => fickle(&mut state.random),
            Mood::Fails { half: true, .. } if !events.iter().any(is_of_the_failing_half) => {
                Mood::Slow(Duration::ZERO)
            }
            mood => mood,
        }
    }

    fn ask_for_time(&self, path: &str, until: Instant) {
        let mut state = self.state();
        let peace = Peace::ask(state.peace.get(path), until);
        state.peace.insert(path.to_owned(), peace);
        state.counts.asked_for_time += 1;
    }
}

fn is_of_the_failing_half(event: &Seen) -> bool {
    place_of(event.id()).is_some_and(|(key, _)| key % 2 == 0)
}

fn fickle(random: &mut fastrand::Rng) -> Mood {
    match random.u8(..10) {
        0 => Mood::Fails {
            code: 500,
            half: false,
        },
        1 => Mood::Closes { after: 0 },
        2 => Mood::Closes { after: 7 },
        3 => Mood::BreaksBody,
        4 => Mood::SticksBody,
        5 => Mood::Slow(Duration::from_millis(300)),
        _ => Mood::Slow(Duration::ZERO),
    }
}

/// One request that waits for its answer.
struct Exchange<'a> {
    stream: &'a mut TlsStream<TcpStream>,
    ledger: &'a Ledger,
    events: &'a [Seen],
}

impl Exchange<'_> {
    async fn answer(self, mood: Mood, mut moods: watch::Receiver<Option<Mood>>) -> io::Result<()> {
        match mood {
            Mood::Well | Mood::Down | Mood::Impostor | Mood::Fickle => {
                self.take("204 No Content", "").await
            }
            Mood::Slow(delay) => {
                sleep(delay).await;
                self.take("204 No Content", "").await
            }
            Mood::Fails { code, .. } => self.say(code, "").await,
            Mood::AsksForTime { code, seconds } => {
                self.say(code, &format!("retry-after: {seconds}\r\n")).await
            }
            Mood::Hangs => {
                drop(moods.wait_for(|mood| *mood != Some(Mood::Hangs)).await);
                Err(io::ErrorKind::ConnectionAborted.into())
            }
            Mood::Closes { after } => {
                self.stream.write_all(&b"HTTP/1.1 204 "[..after]).await?;
                self.stream.flush().await?;
                Err(io::ErrorKind::ConnectionAborted.into())
            }
            Mood::BreaksBody | Mood::SticksBody => {
                let stream = self
                    .take_with("200 OK", "content-length: 1000\r\n", "0123456789")
                    .await?;
                if mood == Mood::SticksBody {
                    // The peer has enough of it after a while.
                    stream.read_u8().await?;
                }
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
    }

    /// Answers with a status that takes nothing.
    async fn say(self, code: u16, headers: &str) -> io::Result<()> {
        let head = format!("HTTP/1.1 {code} No\r\n{headers}content-length: 0\r\n\r\n");
        self.stream.write_all(head.as_bytes()).await?;
        self.stream.flush().await
    }

    async fn take(self, status: &str, headers: &str) -> io::Result<()> {
        self.take_with(status, headers, "").await.map(drop)
    }
}

impl<'a> Exchange<'a> {
    /// Answers with 2xx, and notes the events once the head of that answer is written.
    async fn take_with(
        self,
        status: &str,
        headers: &str,
        body: &str,
    ) -> io::Result<&'a mut TlsStream<TcpStream>> {
        let head = format!("HTTP/1.1 {status}\r\n{headers}\r\n");
        self.stream.write_all(head.as_bytes()).await?;
        self.stream.flush().await?;
        self.events
            .iter()
            .for_each(|event| self.ledger.arrived(event));
        self.stream.write_all(body.as_bytes()).await?;
        self.stream.flush().await?;
        Ok(self.stream)
    }
}
