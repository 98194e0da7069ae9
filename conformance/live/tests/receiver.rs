//! Receivers over real sockets: one as it should be, and the same with one fault each, which must be named.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/certificates.rs"]
mod certificates;
#[path = "receiver/fault.rs"]
mod fault;
#[path = "receiver/model.rs"]
mod model;
#[path = "common/ports.rs"]
mod ports;
#[path = "receiver/spelled.rs"]
mod spelled;
#[path = "receiver/tokens.rs"]
mod tokens;
#[path = "receiver/unreachable.rs"]
mod unreachable;

use std::collections::BTreeSet;
use std::process::Output;

use certificates::Certificates;
use cloudevents_nl_conformance::catalogue::{self, Checkable};
use cloudevents_nl_conformance::report::Report;
use cloudevents_nl_conformance::{Assessment, Form, Options, Profile, rules};
use cloudevents_nl_conformance_live::listener::server_config;
use cloudevents_nl_conformance_live::receiver;
use fault::{Fault, NAMED};
use model::Receiver;
use tokens::TOKEN;
use tokio::process::Command;

async fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
        .arg("receiver")
        .args(arguments)
        .env("CENL_TOKEN", TOKEN)
        .output()
        .await
        .unwrap()
}

#[tokio::test]
async fn what_no_rule_binds_is_told() {
    let told = output(Receiver::new(Fault::None), &["--lang", "en"])
        .await
        .stderr;
    let told = String::from_utf8(told).unwrap();
    for what in ["GET → 405", "pipelined → 2"] {
        assert!(told.contains(what), "{what} is missing:\n{told}");
    }
}

/// What `cenl-conformance check` says of what was written.
fn checked(output: &Output) -> Report {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    read(output)
}

/// The same, of a run that came to no end too.
fn read(output: &Output) -> Report {
    let options = Options::new(Profile::NlGov11, "2026-11-25".parse().unwrap());
    let mut assessment = Assessment::new(options);
    assessment.read("run.jsonl", &*output.stdout, Form::Recognised);
    assert!(
        assessment.problems().is_empty(),
        "{:?}",
        assessment.problems()
    );
    assessment.finish()
}

/// The rules that it names.
fn named(report: &Report) -> BTreeSet<&'static str> {
    let findings = report.findings.iter();
    findings.map(|reported| reported.finding.rule.id).collect()
}

/// The findings, for somebody who looks into a test that failed.
fn seen(report: &Report) -> Vec<String> {
    let findings = report.findings.iter().map(|reported| &reported.finding);
    findings
        .map(|finding| format!("{} {}", finding.rule.id, finding.seen))
        .collect()
}

/// Tries out a receiver, fast, with its token and what a fault needs beside.
async fn output(receiver: Receiver, more: &[&str]) -> Output {
    let (address, serving) = receiver.start(None).await;
    let url = format!("http://{address}/hook");
    let retired = format!("http://{address}/retired");
    let usual = [
        &*url,
        "--rate",
        "60000",
        "--token-env",
        "CENL_TOKEN",
        "--retired",
        &*retired,
    ];
    let output = command(&[&usual[..], more].concat()).await;
    serving.abort();
    output
}

/// What is reported on it.
async fn tried(receiver: Receiver, more: &[&str]) -> Report {
    checked(&output(receiver, more).await)
}

#[tokio::test]
async fn a_good_receiver_passes() {
    let report = tried(Receiver::new(Fault::None), &[]).await;
    assert_eq!(named(&report), BTreeSet::new(), "{:?}", seen(&report));
    assert!(report.counts.tried > 25, "{}", report.counts.tried);
}

#[tokio::test]
async fn a_good_receiver_passes_over_tls() {
    let certificates = Certificates::new();
    let tls = server_config(
        &certificates.path("server.pem"),
        &certificates.path("server.key"),
    );
    let (address, serving) = Receiver::new(Fault::None).start(Some(tls.unwrap())).await;
    let url = format!("https://{address}/hook");
    let root = certificates.path("root.pem");
    let usual = [&*url, "--rate", "60000", "--token-env", "CENL_TOKEN"];
    let trusting = command(&[&usual[..], &["--ca-file", root.to_str().unwrap()]].concat()).await;
    let distrusting = command(&usual).await;
    serving.abort();
    let report = checked(&trusting);
    assert_eq!(named(&report), BTreeSet::new(), "{:?}", seen(&report));
    assert!(!String::from_utf8_lossy(&trusting.stdout).contains(TOKEN));
    let told = String::from_utf8_lossy(&distrusting.stderr);
    assert_eq!(distrusting.status.code(), Some(2), "{told}");
    assert!(
        told.contains("TLS failed") && told.contains("--ca-file"),
        "{told}"
    );
}

#[tokio::test]
async fn each_fault_is_named_by_its_rule() {
    let mut wrong = Vec::new();
    for (fault, expected) in NAMED {
        let report = tried(Receiver::new(*fault), &[]).await;
        let expected: BTreeSet<_> = expected.iter().copied().collect();
        if named(&report) != expected {
            wrong.push(format!("{fault:?}: {:?}", seen(&report)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn who_takes_no_event_gets_no_verdict() {
    let faults: &[(Fault, &[&str])] = &[
        (Fault::NoneTaken, &[]),
        (Fault::Redirects, &["HOOK-RESP-1"]),
        (Fault::Cookie, &["HOOK-AUTH-4"]),
    ];
    for (fault, expected) in faults {
        let output = output(Receiver::new(*fault), &["--lang", "en"]).await;
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        let last = told.lines().last().unwrap();
        for what in ["--token-file", "`id`"] {
            assert!(last.contains(what), "{told}");
        }
        // What is broken shows all the same.
        let report = read(&output);
        let expected: BTreeSet<_> = expected.iter().copied().collect();
        assert_eq!(named(&report), expected, "{fault:?}: {:?}", seen(&report));
    }
    // Who asks for some rules alone may ask for those of the handshake.
    let more = ["--only", "HOOK-ABUSE-1"];
    checked(&output(Receiver::new(Fault::NoneTaken), &more).await);
}

#[tokio::test]
async fn who_takes_any_version_shows_nothing_of_how_it_decodes() {
    let report = tried(Receiver::new(Fault::AnyVersionTaken), &[]).await;
    assert_eq!(named(&report), BTreeSet::new(), "{:?}", seen(&report));
    for rule in ["HTTP-DEC-1", "HTTP-DEC-2", "HTTP-DEC-3", "HTTP-DEC-4"] {
        assert!(report.why_not_tried(rule).is_some(), "{rule}");
    }
}

#[tokio::test]
async fn over_the_rate_it_is_429_with_a_time() {
    let faults: &[(Fault, &[&str])] = &[
        (Fault::None, &[]),
        (Fault::Busy503, &["HOOK-RESP-8"]),
        (Fault::RetryAfterMissing, &["HOOK-RESP-9"]),
    ];
    for (fault, expected) in faults {
        let mut receiver = Receiver::new(*fault);
        receiver.limit = Some(20);
        let report = tried(receiver, &["--only", "HOOK-RESP-8", "--allow", "load"]).await;
        let expected: BTreeSet<_> = expected.iter().copied().collect();
        assert_eq!(named(&report), expected, "{fault:?}: {:?}", seen(&report));
        assert_eq!(report.counts.tried, 1);
    }
    let report = tried(Receiver::new(Fault::None), &["--only", "HOOK-RESP-8"]).await;
    assert!(
        report.why_not_tried("HOOK-RESP-8").is_some(),
        "it may do harm"
    );
    // Who locks out after wrong tokens shows nothing of rates.
    let mut receiver = Receiver::new(Fault::LocksOut);
    receiver.limit = Some(20);
    let rules = "HOOK-AUTH-2,HOOK-RESP-8";
    let report = tried(receiver, &["--only", rules, "--allow", "load"]).await;
    let why = report.why_not_tried("HOOK-RESP-8");
    assert!(why.is_some(), "{:?}", seen(&report));
}

#[tokio::test]
async fn nothing_is_sent_to_who_asks_to_wait_for_an_hour() {
    let mut receiver = Receiver::new(Fault::RetryAfterAnHour);
    // The plain events.
    receiver.limit = Some(3);
    let output = output(receiver, &[]).await;
    let record = String::from_utf8_lossy(&output.stdout);
    assert!(
        record.matches(r#""method":"POST""#).count() <= 4,
        "{record}"
    );
    let report = checked(&output);
    let why = report.why_not_tried("HOOK-RESP-11").unwrap();
    assert!(why.en.contains("Retry-After"), "{}", why.en);
}

/// Of a receiver that consents by callback alone, where somebody listens for that.
async fn called_back(fault: Fault, more: &[&str]) -> Report {
    let port = ports::reserved();
    let listen = port.local_addr().unwrap().to_string();
    let url = format!("https://{listen}/consent?id=1&key=2");
    let mut receiver = Receiver::new(fault);
    receiver.calls_back = true;
    let callback = ["--callback", &*url, "--callback-listen", &*listen];
    tried(receiver, &[&callback[..], more].concat()).await
}

#[tokio::test]
async fn consent_by_callback_is_waited_for() {
    let faults: &[(Fault, &[&str])] = &[
        (Fault::None, &[]),
        (Fault::CallbackByPut, &["HOOK-VRES-9"]),
        (Fault::CallbackElsewhere, &["HOOK-VRES-9"]),
        (Fault::CallbackRateZero, &["HOOK-CB-2"]),
        (Fault::CallbackWithoutRate, &["HOOK-CB-2"]),
    ];
    for (fault, expected) in faults {
        let report = called_back(*fault, &["--only", "HOOK-VRES-9,HOOK-CB-2"]).await;
        let expected: BTreeSet<_> = expected.iter().copied().collect();
        assert_eq!(named(&report), expected, "{fault:?}: {:?}", seen(&report));
        assert_eq!(report.counts.tried, 2);
    }
}

#[tokio::test]
async fn consent_that_comes_without_tls_is_named() {
    let certificates = Certificates::new();
    let [pem, key] = ["server.pem", "server.key"].map(|name| certificates.path(name));
    let (pem, key) = (pem.to_str().unwrap(), key.to_str().unwrap());
    let more = ["--callback-identity", pem, key, "--only", "HOOK-VRES-9"];
    let report = called_back(Fault::None, &more).await;
    let expected = BTreeSet::from(["HOOK-VRES-9"]);
    assert_eq!(named(&report), expected, "{:?}", seen(&report));
}

#[tokio::test]
async fn who_consents_by_callback_alone_passes() {
    // It is told of its consent before it is sent anything.
    let report = called_back(Fault::ConsentAwaited, &[]).await;
    assert_eq!(named(&report), BTreeSet::new(), "{:?}", seen(&report));
    // Nobody listens.
    let mut receiver = Receiver::new(Fault::None);
    receiver.calls_back = true;
    let report = tried(receiver, &[]).await;
    assert_eq!(named(&report), BTreeSet::new(), "{:?}", seen(&report));
}

#[tokio::test]
async fn a_dry_run_sends_nothing_and_tells_all() {
    // Nobody listens there.
    let output = command(&["http://127.0.0.1:9/", "--dry-run", "--lang", "en"]).await;
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for rule in receiver::rules() {
        assert!(told.contains(rule), "{rule} is missing:\n{told}");
    }
    assert!(told.contains("only with --allow load"), "{told}");
}

#[tokio::test]
async fn a_rule_that_is_not_tried_is_refused() {
    let output = command(&["http://127.0.0.1:9/", "--only", "HOOK-RESP-9"]).await;
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told.contains("HOOK-RESP-9") && told.contains("HOOK-RESP-11"),
        "{told}"
    );
}

/// Rules for HTTP and JSON that bind those who write and send.
const OF_SENDERS: [&str; 5] = [
    "JSON-DATA-1",
    "JSON-DATA-2",
    "JSON-DATA-5",
    "HTTP-ENC-6",
    "HTTP-BATCH-2",
];

/// Rules that bind receivers, and that the checker judges by every exchange that is recorded.
const FROM_EXCHANGES: [&str; 1] = ["HOOK-RESP-1"];

/// Rules that say what senders may do, or what others than receivers of webhooks read.
const NOT_OF_RECEIVERS: [&str; 2] = ["HOOK-VRES-10", "CE-ID-5"];

#[test]
fn no_rule_of_receivers_is_left_out() {
    let tried: BTreeSet<_> = receiver::rules().collect();
    assert_eq!(
        tried.len(),
        receiver::rules().count(),
        "a rule is tried twice"
    );
    let of_http = ["webhook-receiver", "consumer", "http", "json"];
    for entry in catalogue::entries() {
        let id = &*entry.id;
        let is_live = entry.checkable == Checkable::Live && of_http.contains(&&*entry.applies_to);
        let is_acceptance = rules::rule(id).is_some_and(|rule| rule.is_acceptance());
        let is_elsewhere = id.starts_with("KAFKA-") || id.starts_with("NATS-");
        if (is_live || is_acceptance) && !is_elsewhere {
            let is_listed = OF_SENDERS.contains(&id) || NOT_OF_RECEIVERS.contains(&id);
            let is_told = FROM_EXCHANGES.contains(&id);
            let places = [tried.contains(id), is_told, is_listed];
            assert_eq!(places.into_iter().filter(|is| *is).count(), 1, "{id}");
        }
    }
}
