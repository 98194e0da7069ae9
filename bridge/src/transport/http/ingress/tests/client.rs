//! A client that writes bytes as they are and reads whole answers.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(super) struct Client(pub(super) TcpStream);

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// In lower case.
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    /// The problem document, after checking what every one has.
    pub(super) fn problem(&self) -> serde_json::Value {
        assert!(
            self.head
                .contains("content-type: application/problem+json\r\n"),
            "{self:?}"
        );
        let problem: serde_json::Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(problem["type"], "about:blank");
        assert_eq!(problem["status"], self.status);
        assert!(problem["title"].is_string() && problem["detail"].is_string());
        problem
    }

    pub(super) fn closes(&self) -> bool {
        self.head.contains("\r\nconnection: close\r\n")
    }
}

impl Client {
    pub(super) async fn connect(address: std::net::SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.unwrap())
    }

    pub(super) async fn write(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Posts to `/events` with these further header lines.
    pub(super) async fn post(&mut self, lines: &[&str], body: &str) -> Answer {
        self.request("POST /events", lines, body).await
    }

    pub(super) async fn request(&mut self, line: &str, lines: &[&str], body: &str) -> Answer {
        let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        self.write(&format!(
            "{line} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n{lines}\r\n{body}"
        ))
        .await;
        self.answer().await
    }

    /// The next answer that is not an interim one.
    pub(super) async fn answer(&mut self) -> Answer {
        let mut bytes = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let head = format!("{}\r\n", head.to_lowercase());
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "))
                    .map_or(0, |length| length.parse().unwrap());
                if body.len() >= length {
                    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
                    let body = body.to_owned();
                    return Answer { status, head, body };
                }
            }
            let read = self.0.read_buf(&mut bytes).await.unwrap();
            assert_ne!(read, 0, "closed without an answer: {text}");
        }
    }

    /// Waits until the listener has closed the connection.
    pub(super) async fn closed(&mut self) {
        let mut rest = Vec::new();
        drop(self.0.read_to_end(&mut rest).await);
    }
}
