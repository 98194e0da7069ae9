//! A bridge from webhook to webhook whose settings can be written anew.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::{Log, SOON, signal};

pub(crate) struct Process {
    pub(crate) bridge: Child,
    pub(crate) log: Log,
    pub(crate) folder: TempDir,
}

impl Process {
    pub(crate) fn spawn(folder: TempDir, variables: &[(&str, &str)]) -> Self {
        let mut bridge = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
            .args(["run", "--config"])
            .arg(folder.path().join("bridge.toml"))
            .envs(variables.iter().copied())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let log = BufReader::new(bridge.stderr.take().unwrap()).lines();
        Self {
            bridge,
            log,
            folder,
        }
    }

    pub(crate) async fn start(settings: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bridge.toml"), settings).unwrap();
        let mut process = Self::spawn(folder, variables);
        process.says(" running ").await;
        process
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, settings: &str) {
        std::fs::write(self.path("bridge.toml"), settings).unwrap();
    }

    pub(crate) async fn signal(&self, name: &str) {
        signal(&self.bridge, name).await;
    }

    /// Writes the settings and waits for the line that says what they changed.
    pub(crate) async fn reload(&mut self, settings: &str) -> String {
        self.write(settings);
        self.signal("HUP").await;
        self.says("settings taken over").await
    }

    /// The next line that holds `words`.
    pub(crate) async fn says(&mut self, words: &str) -> String {
        let mut before = String::new();
        let found = async {
            while let Some(line) = self.log.next_line().await.unwrap() {
                if line.contains(words) {
                    return Some(line);
                }
                before += &line;
                before.push('\n');
            }
            None
        };
        let found = timeout(SOON, found).await.ok().flatten();
        found.unwrap_or_else(|| panic!("no line with {words:?} among\n{before}"))
    }

    /// Ends it in good order, and returns the rest of its log.
    pub(crate) async fn stop(mut self, code: i32) -> String {
        self.signal("TERM").await;
        self.ends(code).await
    }

    pub(crate) async fn ends(&mut self, code: i32) -> String {
        let mut rest = String::new();
        while let Some(line) = timeout(SOON, self.log.next_line()).await.unwrap().unwrap() {
            rest += &line;
            rest.push('\n');
        }
        let exit = timeout(SOON, self.bridge.wait()).await.unwrap().unwrap();
        assert_eq!(exit.code(), Some(code), "{rest}");
        rest
    }
}

/// One route from `path` of the listener `[http.in]` to `url`.
pub(crate) fn route(path: &str, url: SocketAddr, more: &str) -> String {
    let name = path.trim_start_matches('/');
    format!(
        "[[route]]\nname = \"{name}\"\nsource = {{ http = \"in\", path = \"{path}\", deadline = \"1h\" {more} }}\n\
         sink = {{ url = \"http://{url}/\", first_byte_timeout = \"1h\", exchange_timeout = \"1h\" }}\n"
    )
}

pub(crate) fn settings(listen: SocketAddr, routes: &[String]) -> String {
    format!(
        "[admin]\nlisten = \"127.0.0.1:0\"\n[limits]\nshutdown_deadline = \"1h\"\n\
         [http.in]\nlisten = \"{listen}\"\n{}",
        routes.concat()
    )
}

/// A receiver that answers every request with 204.
pub(crate) async fn receiver() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
                    stream.write_all(answer).await.ok();
                    stream.shutdown().await.ok();
                }
            });
        }
    });
    address
}

/// Posts an event over a connection of its own.
pub(crate) async fn begin_post(listen: SocketAddr, path: &str, token: &str) -> TcpStream {
    let mut sender = TcpStream::connect(listen).await.unwrap();
    let event = r#"{"specversion":"1.0","id":"1","source":"/a","type":"t"}"#;
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/cloudevents+json\r\n\
         Authorization: Bearer {token}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{event}",
        event.len()
    );
    sender.write_all(request.as_bytes()).await.unwrap();
    sender
}

/// Until what `path` answers holds `words`.
pub(crate) async fn shows(admin: SocketAddr, path: &str, words: &str) {
    let asked = async {
        loop {
            let mut connection = TcpStream::connect(admin).await.unwrap();
            let head = format!("GET {path} HTTP/1.0\r\nhost: {admin}\r\n\r\n");
            connection.write_all(head.as_bytes()).await.unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).await.unwrap();
            if answer.contains(words) {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    let shown = timeout(SOON, asked).await;
    shown.unwrap_or_else(|_| panic!("{path} never shows {words}"));
}

/// The status of the answer.
pub(crate) async fn status(mut sender: TcpStream) -> u16 {
    let mut heard = String::new();
    let read = timeout(SOON, sender.read_to_string(&mut heard)).await;
    read.unwrap().unwrap();
    heard.split(' ').nth(1).unwrap().parse().unwrap()
}

pub(crate) async fn post(listen: SocketAddr, path: &str, token: &str) -> u16 {
    status(begin_post(listen, path, token).await).await
}
