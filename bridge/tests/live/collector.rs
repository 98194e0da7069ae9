//! The OpenTelemetry Collector, as a process of its own, and what it passes on of what it received.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::net::TcpStream;

use super::brokers::root;
use super::receiver::{Answer, Receiver, always};
use super::wait::{SOON, eventually};

/// Killed when dropped.
#[derive(Debug)]
pub(crate) struct Collector {
    child: Child,
    /// Of what it passes on, as JSON.
    receiver: Receiver,
    _directory: TempDir,
}

impl Collector {
    /// `[traces]` of a bridge that traces everything and exports to this address.
    pub(crate) fn table(address: SocketAddr) -> String {
        format!("[traces]\nurl = \"http://{address}/v1/traces\"\nsampled = 1.0\n")
    }

    /// Starts one, and waits until it listens there.
    pub(crate) async fn start(address: SocketAddr) -> Self {
        let directory = TempDir::new().unwrap();
        let at = |name: &str| directory.path().join(name);
        let receiver = Receiver::start(always(Answer::Status(200)));
        let settings = format!(
            "receivers: {{ otlp: {{ protocols: {{ http: {{ endpoint: \"{address}\" }} }} }} }}\n\
             exporters:\n  otlp_http:\n    traces_endpoint: {}\n    encoding: json\n    compression: none\n    \
             sending_queue: {{ enabled: false }}\n\
             service:\n  telemetry: {{ metrics: {{ level: none }} }}\n  \
             pipelines: {{ traces: {{ receivers: [otlp], exporters: [otlp_http] }} }}\n",
            receiver.url()
        );
        fs::write(at("collector.yaml"), settings).unwrap();
        let mut child = Command::new(root().join("scripts/collector"))
            .arg("--config")
            .arg(at("collector.yaml"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(at("log")).unwrap())
            .spawn()
            .unwrap();
        // It may have to be built.
        eventually("the collector listens", 20 * SOON, async || {
            let log = || fs::read_to_string(at("log"));
            assert_eq!(child.try_wait().unwrap(), None, "{:?}", log());
            TcpStream::connect(address).await.ok()
        })
        .await;
        Self {
            child,
            receiver,
            _directory: directory,
        }
    }

    /// Every span so far, with the resource it came with.
    pub(crate) fn spans(&self) -> Vec<(Json, Json)> {
        let mut spans = Vec::new();
        for exchange in self.receiver.exchanges() {
            let request: Json = serde_json::from_slice(&exchange.body).unwrap();
            for of_resource in list(&request["resourceSpans"]) {
                for of_scope in list(&of_resource["scopeSpans"]) {
                    let found = list(&of_scope["spans"]).iter();
                    spans.extend(found.map(|it| (of_resource["resource"].clone(), it.clone())));
                }
            }
        }
        spans
    }

    /// Waits until there are so many spans.
    pub(crate) async fn gets(&self, spans: usize) -> Vec<(Json, Json)> {
        eventually(&format!("{spans} spans"), 3 * SOON, async || {
            let found = self.spans();
            (found.len() >= spans).then_some(found)
        })
        .await
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

/// The value of an attribute of a resource, span or event, as text.
pub(crate) fn attribute(of: &Json, key: &str) -> Option<String> {
    let found = list(&of["attributes"]).iter().find(|it| it["key"] == key)?;
    let value = found["value"].as_object()?.values().next()?;
    Some(match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    })
}
