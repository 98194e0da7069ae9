//! The OpenTelemetry Collector, as a process of its own; what it received lies in a file.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::net::TcpStream;

use super::brokers::root;
use super::wait::{SOON, eventually};

/// Killed when dropped.
#[derive(Debug)]
pub(crate) struct Collector {
    child: Child,
    directory: TempDir,
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
        let settings = format!(
            "receivers: {{ otlp: {{ protocols: {{ http: {{ endpoint: \"{address}\" }} }} }} }}\n\
             exporters: {{ file: {{ path: {:?}, flush_interval: 100ms }} }}\n\
             service:\n  telemetry: {{ metrics: {{ level: none }} }}\n  \
             pipelines: {{ traces: {{ receivers: [otlp], exporters: [file] }} }}\n",
            at("spans")
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
        Self { child, directory }
    }

    /// Every span so far, with the resource it came with.
    pub(crate) fn spans(&self) -> Vec<(Json, Json)> {
        let text = fs::read_to_string(self.directory.path().join("spans")).unwrap_or_default();
        let mut spans = Vec::new();
        // A line that is not whole is being written.
        for line in text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            let line: Json = serde_json::from_str(line).unwrap();
            for of_resource in list(&line["resourceSpans"]) {
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
        eventually(&format!("{spans} spans"), SOON, async || {
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
