//! A sender that is played to over plain HTTP, and that was given no token: neither is held against it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use cloudevents_nl_conformance::report::Report;
use cloudevents_nl_conformance::{Assessment, Form, Options, Profile};

const RULES: [&str; 3] = ["CE-SEC-3", "HOOK-AUTH-1", "HOOK-TLS-1"];

/// The program, what it tells, and where it listens.
fn started(arguments: &str) -> (Child, BufReader<ChildStderr>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
        .args("sender --listen 127.0.0.1:0 --lang en".split(' '))
        .args("--only HOOK-TLS-1,CE-SEC-3".split(' '))
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(program.stderr.take().unwrap());
    let mut first = String::new();
    told.read_line(&mut first).unwrap();
    let address = first.split_once("http://").unwrap().1;
    let address = address.split_once(';').unwrap().0.to_owned();
    (program, told, address)
}

/// The report on a sender that delivers four events.
fn played(arguments: &str) -> Report {
    let (program, _told, address) = started(&format!("--patience 5 {arguments}"));
    for number in 0..4 {
        let event = format!(
            r#"{{"specversion":"1.0","id":"{number}","source":"urn:nld:kvknr:09220932.zaken","type":"nl.zaken.zaak"}}"#
        );
        let mut connection = TcpStream::connect(&address).unwrap();
        write!(
            connection,
            "POST /hook HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
             content-type: application/cloudevents+json\r\ncontent-length: {}\r\n\r\n{event}",
            event.len()
        )
        .unwrap();
        connection.read_to_end(&mut Vec::new()).unwrap();
    }
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let today = "2026-11-25".parse().unwrap();
    let mut assessment = Assessment::new(Options::new(Profile::NlGov11, today));
    assessment.read("record", &*output.stdout, Form::Captures);
    let report = assessment.finish();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(report.counts.events, 4);
    report
}

/// Which of the rules are broken, and of which nothing was shown.
fn of_them(report: &Report) -> (BTreeSet<&str>, Vec<&str>) {
    let found = report.findings.iter().map(|found| found.finding.rule.id);
    let not_shown = RULES.into_iter();
    (
        found.filter(|id| RULES.contains(id)).collect(),
        not_shown
            .filter(|id| report.why_not_tried(id).is_some())
            .collect(),
    )
}

#[test]
fn what_could_not_be_read_is_told() {
    let (program, mut told, address) = started("--patience 2");
    let folded = format!("POST /hook HTTP/1.1\r\nhost: {address}\r\nce-lang: a\r\n b\r\n\r\n");
    let mut connection = TcpStream::connect(&address).unwrap();
    connection.write_all(folded.as_bytes()).unwrap();
    let mut text = String::new();
    told.read_to_string(&mut text).unwrap();
    assert!(text.contains("without a readable request: 1;"), "{text}");
    assert_eq!(program.wait_with_output().unwrap().status.code(), Some(2));
}

#[test]
fn what_was_not_given_is_not_asked_for() {
    let report = played("");
    assert_eq!(of_them(&report), (BTreeSet::new(), RULES.to_vec()));
}

#[test]
fn what_was_given_is_asked_for() {
    let report = played("--expect-token");
    let broken = BTreeSet::from(["HOOK-AUTH-1"]);
    assert_eq!(of_them(&report), (broken, vec!["CE-SEC-3", "HOOK-TLS-1"]));
}
