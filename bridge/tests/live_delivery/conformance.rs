//! The bridge, tried as anybody tries an intermediary: `cenl-conformance-live intermediary` puts events in by
//! one end and awaits them at the other, and `cenl-conformance check` judges what it wrote down.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::checked::{checker, program};
use crate::support::bridge::{Bridge, PROGRAM};
use crate::support::brokers;
use crate::support::kafka::Topic;
use crate::support::settings::{Route, Settings, free_address};
use crate::support::streams::Stream;

/// What they do for a sender over HTTP: these far ends are not reached over TLS, and want no token.
const OF_THE_SCENE: [&str; 2] = ["HOOK-TLS-1", "HOOK-AUTH-1"];

/// The program that tries out: built with the tests of its own package, or else here.
fn tester() -> PathBuf {
    let beside = Path::new(PROGRAM).with_file_name("cenl-conformance-live");
    match beside.exists() {
        true => beside,
        false => program("cloudevents-nl-conformance-live", "cenl-conformance-live"),
    }
}

/// What came of a run.
struct Tried {
    output: Output,
    record: String,
    report: Value,
}

impl Tried {
    /// Runs it between two addresses.
    async fn between(near: String, far: String, more: &[&str]) -> Self {
        let more: Vec<String> = more.iter().map(ToString::to_string).collect();
        let run = tokio::task::spawn_blocking(move || Self::run(&near, &far, &more));
        run.await.unwrap()
    }

    fn run(near: &str, far: &str, more: &[String]) -> Self {
        let directory = TempDir::new().unwrap();
        let record = directory.path().join("record");
        let output = Command::new(tester())
            .args([
                "intermediary",
                "--in",
                near,
                "--out",
                far,
                "--wait",
                "30s",
                "--record",
            ])
            .arg(&record)
            .args(more)
            .output()
            .unwrap();
        let report = judged(&checker(), &record);
        let record = std::fs::read_to_string(record).unwrap();
        Self {
            output,
            record,
            report,
        }
    }

    fn said(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Nothing is wrong, by figure and by rule, and these rules were shown to be met.
    fn is_good(&self, met: &[&str]) {
        assert!(self.output.status.success(), "{}", self.said());
        let findings = self.report["findings"].as_array().unwrap().iter();
        let rules = findings.map(|finding| finding["rule"].as_str().unwrap());
        let wrong: Vec<_> = rules.filter(|rule| !OF_THE_SCENE.contains(rule)).collect();
        assert_eq!(wrong, [""; 0], "{}", self.said());
        for rule in met {
            let line = format!("{{\"live\":\"{rule}\",\"shown\":\"met\"}}");
            let is_met = self.record.lines().any(|of_record| of_record == line);
            assert!(is_met, "{rule} was not shown: {}", self.said());
        }
    }
}

fn judged(checker: &Path, record: &Path) -> Value {
    let check = Command::new(checker)
        .args(["check", "--profile", "cloudevents-1.0", "--format", "json"])
        .args(["--stream", "unordered"])
        .arg(record)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&check.stderr).into_owned();
    serde_json::from_slice(&check.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

#[tokio::test]
async fn http_to_kafka() {
    let broker = brokers::kafka();
    let (listen, topic) = (free_address(), Topic::create(&broker, "tried").await);
    let route = Route::to_topic("/in", &topic);
    let settings = Settings::new(&broker).listen(listen).route(route);
    let bridge = Bridge::start(&settings).await;
    let far = format!("kafka://{}/{}", broker.plaintext(), topic.name);
    let tried = Tried::between(format!("http://{listen}/in"), far, &[]).await;
    tried.is_good(&[
        "SIZE-1",
        "CE-INT-1",
        "HTTP-MODE-1",
        "KAFKA-KEY-4",
        "EXT-TRACE-3",
    ]);
    bridge.stop().await;
}

#[tokio::test]
async fn kafka_to_a_webhook_that_fails() {
    let broker = brokers::kafka();
    let (far, topic) = (free_address(), Topic::create(&broker, "tried").await);
    let dead = Topic::create(&broker, "dead").await;
    let sink = format!("url = \"http://{far}/hook\"\n");
    let dead_letter = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    let route = Route::from_topic(&topic, &sink, &dead_letter);
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    let near = format!("kafka://{}/{}", broker.plaintext(), topic.name);
    let fails = ["--receiver-fails", "503,closed,429"];
    let tried = Tried::between(near, format!("http://{far}/hook"), &fails).await;
    tried.is_good(&[
        "SIZE-1",
        "CE-INT-1",
        "KAFKA-MODE-4",
        "KAFKA-KEY-5",
        "HTTP-BATCH-1",
    ]);
    assert_eq!(dead.len().await, 0, "nothing may end there");
    bridge.stop().await;
}

#[tokio::test]
async fn nats_to_kafka() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let stream = Stream::create(&server, "tried").await;
    let (topic, dead) = (
        Topic::create(&broker, "tried").await,
        Topic::create(&broker, "dead").await,
    );
    let tables = format!(
        "[kafka.main]\nbrokers = \"{}\"\n[nats.main]\nservers = \"{server}\"\n\
         [[route]]\nname = \"tried\"\n\
         [route.source]\nnats = \"main\"\nstream = \"{}\"\nsubject = \"{}\"\ndurable = \"{}\"\n\
         [route.sink]\nkafka = \"main\"\ntopic = \"{}\"\nmode = \"binary\"\n\
         [route.dead_letter]\nkafka = \"main\"\ntopic = \"{}\"\n",
        broker.plaintext(),
        stream.name,
        stream.subject,
        stream.name,
        topic.name,
        dead.name,
    );
    let bridge = Bridge::start(&Settings::written(tables)).await;
    let near = format!("nats://{server}/{}", stream.subject);
    let far = format!("kafka://{}/{}", broker.plaintext(), topic.name);
    let tried = Tried::between(near, far, &[]).await;
    tried.is_good(&[
        "SIZE-1",
        "CE-INT-1",
        "NATS-MODE-1",
        "JSON-DATA-12",
        "KAFKA-KEY-4",
    ]);
    assert_eq!(dead.len().await, 0, "nothing may end there");
    bridge.stop().await;
}

/// Across a kill in the middle of the load, with the commands of an operator.
#[tokio::test]
async fn http_to_kafka_across_a_kill() {
    let broker = brokers::kafka();
    let (listen, topic) = (free_address(), Topic::create(&broker, "tried").await);
    let route = Route::to_topic("/in", &topic);
    let settings = Settings::new(&broker).listen(listen).route(route);
    let directory = TempDir::new().unwrap();
    let (file, pid) = (
        directory.path().join("bridge.toml"),
        directory.path().join("pid"),
    );
    std::fs::write(&file, settings.text()).unwrap();
    let start = format!(
        "{PROGRAM} run --config {} >/dev/null 2>&1 & echo $! >{}",
        file.display(),
        pid.display()
    );
    let kill = format!("kill -9 $(cat {})", pid.display());
    let shell = |command: &str| Command::new("sh").args(["-c", command]).status().unwrap();
    assert!(shell(&start).success());
    let far = format!("kafka://{}/{}", broker.plaintext(), topic.name);
    let near = format!("http://{listen}/in");
    let commands = ["--rate", "100", "--kill", &kill, "--restart", &start];
    let tried = Tried::between(near, far, &commands).await;
    shell(&kill);
    assert!(
        tried.said().contains("killed\nrestarted\n"),
        "{}",
        tried.said()
    );
    tried.is_good(&["SIZE-1", "CE-INT-1"]);
}
