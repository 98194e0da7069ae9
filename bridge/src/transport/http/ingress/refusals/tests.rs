#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use http::Request;
use tokio::task::LocalSet;
use tokio::time::advance;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

use super::*;

/// What this thread logs.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Log {
    fn start() -> (Self, DefaultGuard) {
        let log = Self::default();
        let lines = tracing_subscriber::fmt().with_writer(log.clone());
        let guard = tracing::subscriber::set_default(lines.with_ansi(false).finish());
        (log, guard)
    }

    /// The lines since the last look.
    fn lines(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

fn address(number: u8) -> IpAddr {
    [192, 0, 2, number].into()
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_a_few_lines_at_once_and_a_summary_a_minute() {
    let (log, _guard) = Log::start();
    let refusals = Rc::new(Refusals::new(
        "127.0.0.1:8080".to_owned(),
        false,
        Answers::default(),
    ));
    let told = Rc::clone(&refusals);
    let tasks = LocalSet::new();
    tasks.spawn_local(async move { told.tell().await });
    let add = |status: StatusCode, count: u8| {
        for number in 1..=count {
            refusals.add("/events", status, address(number), "the reason");
        }
    };
    tasks
        .run_until(async {
            for _ in 0..2 {
                add(StatusCode::UNAUTHORIZED, 100);
                add(StatusCode::SERVICE_UNAVAILABLE, 1);
                let lines = log.lines();
                assert_eq!(lines.len(), 4, "{lines:#?}");
                let first = "WARN";
                assert!(lines[0].contains(first) && lines[0].contains("peer=192.0.2.1 reason"));
                tokio::task::yield_now().await;
                advance(MINUTE).await;
                tokio::task::yield_now().await;
                let lines = log.lines();
                assert_eq!(lines.len(), 1, "{lines:#?}");
                let peers = "peers=\"192.0.2.4, 192.0.2.5, 192.0.2.6, 192.0.2.7, 192.0.2.8\"";
                for word in ["path=\"/events\" status=401 count=97", peers] {
                    assert!(lines[0].contains(word), "{word} in {}", lines[0]);
                }
                // Without a pause nothing is told at once.
                add(StatusCode::UNAUTHORIZED, 1);
                assert!(log.lines().is_empty());
                tokio::task::yield_now().await;
                advance(MINUTE).await;
                tokio::task::yield_now().await;
                assert_eq!(log.lines().len(), 1);
                // After a quiet minute it begins anew.
                advance(MINUTE).await;
                tokio::task::yield_now().await;
            }
        })
        .await;
}

#[test]
fn only_behind_a_proxy_a_header_names_the_sender() {
    let peer = address(9);
    for (forwarded, behind_proxy, expected) in [
        (Some("203.0.113.7, 192.0.2.1"), true, address(1)),
        (Some("192.0.2.1"), false, peer),
        (Some("no address"), true, peer),
        (None, true, peer),
    ] {
        let mut request = Request::post("/");
        if let Some(forwarded) = forwarded {
            request = request.header("x-forwarded-for", forwarded);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let refusals = Refusals::new(String::new(), behind_proxy, Answers::default());
        assert_eq!(refusals.sender(&head, peer), expected, "{forwarded:?}");
    }
}
