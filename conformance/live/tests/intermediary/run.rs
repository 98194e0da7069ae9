//! One run of the program, and what it said.

use std::process::Stdio;

use cloudevents_nl_conformance::report::Report;
use cloudevents_nl_conformance::{Assessment, Form, Options, Profile};
use cloudevents_nl_conformance_live::listener::Listener;
use tempfile::TempDir;
use tokio::process::Command;

use super::faults::Fault;
use super::{peer, ports};

pub(crate) struct Run {
    pub(crate) code: i32,
    /// On standard error.
    pub(crate) said: String,
    pub(crate) record: String,
}

impl Run {
    /// Tries a peer with a fault.
    pub(crate) async fn of(fault: &Fault) -> Self {
        let usual = "--wait 2s --events 40 --keys 4 --lang en";
        let usual: Vec<_> = usual.split(' ').collect();
        Self::program(&["intermediary"], &usual, "--record", fault).await
    }

    /// Measures one; its record is the figures.
    pub(crate) async fn bench(fault: &Fault) -> Self {
        let usual = [
            "--time", "2s", "--wait", "2s", "--keys", "1", "--rate", "50",
        ];
        Self::program(&["bench", "intermediary"], &usual, "--json", fault).await
    }

    async fn program(command: &[&str], usual: &[&str], file: &str, fault: &Fault) -> Self {
        let near = Listener::bind(([127, 0, 0, 1], 0).into(), None)
            .await
            .unwrap();
        let address = near.address();
        // The program listens there.
        let port = ports::reserved();
        let far = port.local_addr().unwrap();
        let peer = tokio::spawn(peer::serve(
            near,
            format!("http://{far}{}", fault.place),
            fault.clone(),
        ));
        let directory = TempDir::new().unwrap();
        let record = directory.path().join("record");
        let output = Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
            .args(command)
            .args([
                "--in",
                &format!("http://{address}/in"),
                "--out",
                &format!("http://{far}/out"),
            ])
            .args(usual)
            .arg(file)
            .arg(&record)
            .args(&fault.arguments)
            .stdin(Stdio::null())
            .output()
            .await
            .unwrap();
        peer.abort();
        Self {
            code: output.status.code().unwrap(),
            said: String::from_utf8(output.stderr).unwrap(),
            record: std::fs::read_to_string(record).unwrap_or_default(),
        }
    }

    /// What the checker makes of it.
    pub(crate) fn report(&self, profile: Profile) -> Report {
        let options = Options::new(profile, "2026-11-25".parse().unwrap());
        let mut assessment = Assessment::new(options);
        assessment.read("run", self.record.as_bytes(), Form::Recognised);
        let report = assessment.finish();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        report
    }

    /// Rules that were shown broken.
    pub(crate) fn broken(&self) -> Vec<String> {
        let lines = self
            .record
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let broken = lines.filter(|line: &serde_json::Value| line["shown"] == "broken");
        broken
            .map(|line| line["live"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Figures that are wrong.
    pub(crate) fn figures(&self) -> Vec<&'static str> {
        let names = [
            "lost",
            "invented",
            "overtaken",
            "refused",
            "changed",
            "unexplained",
        ];
        let count = |name: &str| {
            let line = self
                .said
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap();
            line.trim().parse::<usize>().unwrap()
        };
        names.into_iter().filter(|name| count(name) > 0).collect()
    }

    /// The figures of a measurement at a rate.
    pub(crate) fn at_a_rate(&self) -> serde_json::Value {
        let report: serde_json::Value = serde_json::from_str(&self.record).expect(&self.said);
        report["figures"][0].clone()
    }
}
