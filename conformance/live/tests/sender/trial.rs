//! The program, played to a small sender, and the report on what it wrote.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use cloudevents_nl_conformance::{
    Assessment, Form, Live, Options, Profile, Shown, report::Severity,
};

use super::certificates::Certificates;
use super::fault::Fault;
use super::peer::Peer;

pub(crate) struct Trial {
    /// What was found, by rule, from warnings on.
    pub(crate) findings: Vec<(String, Severity)>,
    /// What was shown by trying out.
    pub(crate) live: Vec<Live>,
    pub(crate) code: Option<i32>,
    pub(crate) told: String,
}

/// Plays to a sender, which offers a callback if it is told to.
pub(crate) async fn trial(fault: Fault, has_callback: bool, arguments: &str) -> Trial {
    let certificates = Certificates::new();
    let out = certificates.path("record.jsonl");
    let trigger = format!("echo >> {}", certificates.path("triggered").display());
    let trigger = ["--trigger".to_owned(), trigger];
    let trigger = trigger.iter().filter(|_| fault == Fault::NeverHolds);
    let mut program = Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
        .args("sender --listen 127.0.0.1:0 --lang en".split(' '))
        .args(arguments.split_whitespace())
        .arg("--tls-cert")
        .arg(certificates.path("server.pem"))
        .arg("--tls-key")
        .arg(certificates.path("server.key"))
        .arg("--tls-faulty")
        .arg(certificates.path("other.pem"))
        .arg(certificates.path("other.key"))
        .arg("--callback-ca")
        .arg(certificates.path("root.pem"))
        .args(trigger)
        .arg("--record")
        .arg(&out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(program.stderr.take().unwrap());
    let mut first = String::new();
    stderr.read_line(&mut first).unwrap();
    let address: SocketAddr = first
        .split_once("https://")
        .and_then(|(_, rest)| rest.split_once(';')?.0.parse().ok())
        .unwrap_or_else(|| panic!("{first}"));
    let mut peer = Peer::new(fault, address, Some(&certificates));
    let callback = match has_callback {
        true => Some(peer.offer_callback(&certificates).await),
        false => None,
    };
    let sending = tokio::spawn(peer.run());
    let ended = tokio::task::spawn_blocking(move || {
        let mut told = String::new();
        stderr.read_to_string(&mut told).unwrap();
        (told, program.wait().unwrap())
    });
    let (told, status) = ended.await.unwrap();
    sending.abort();
    if let Some(callback) = callback {
        callback.abort();
    }
    let record = std::fs::read(&out).unwrap();
    let today = "2026-11-25".parse().unwrap();
    let mut assessment = Assessment::new(Options::new(Profile::NlGov11, today));
    assessment.read("record", &*record, Form::Captures);
    let report = assessment.finish();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let findings = report.findings.iter().map(|reported| &reported.finding);
    let findings = findings.filter(|finding| finding.severity != Severity::Notice);
    let findings = findings.map(|it| (it.rule.id.to_owned(), it.severity));
    let lines = record.split(|byte| *byte == b'\n');
    Trial {
        findings: findings.collect(),
        live: lines.filter_map(|line| Live::read(line).ok()).collect(),
        code: status.code(),
        told,
    }
}

impl Trial {
    /// Where a rule is shown broken.
    pub(crate) fn broken(&self, rule: &str) -> bool {
        let mut of = self.live.iter().filter(|live| live.rule.id == rule);
        of.any(|live| matches!(live.shown, Shown::Broken(_)))
    }

    /// Rules of MUST, which a report fails for.
    pub(crate) fn errors(&self) -> Vec<&str> {
        let errors = self
            .findings
            .iter()
            .filter(|(_, severity)| *severity == Severity::Error);
        errors.map(|(rule, _)| &**rule).collect()
    }

    pub(crate) fn met(&self) -> Vec<&str> {
        let met = self.live.iter().filter(|live| live.shown == Shown::Met);
        met.map(|live| live.rule.id).collect()
    }

    pub(crate) fn names(&self, rule: &str) -> bool {
        self.findings
            .iter()
            .any(|(found, _)| found.starts_with(rule))
    }
}
