//! The harness for intermediaries, run as a program against one of HTTP: a good one passes, and one with a
//! single fault is found by the rule or the figure that names it.

#![allow(clippy::unwrap_used, reason = "tests")]

mod faults;
mod peer;
#[path = "../common/ports.rs"]
mod ports;
mod run;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use cloudevents_nl_conformance::{Capture, Mode, Profile};
use futures_util::future::join_all;

use faults::{Does, FAULTS, Fault};
use run::Run;

const GOOD: Fault = Fault::new("good");

#[tokio::test(flavor = "multi_thread")]
async fn a_good_one_passes() {
    let batches = ["--in-mode", "structured,binary,batch", "--odd"];
    let fails = ["--receiver-fails", "503,timeout,closed,429"];
    let each = [
        GOOD,
        Fault::new("in every mode").with(&batches),
        Fault::new("to binary mode").binary().with(&batches),
        Fault::new("under a receiver that fails").with(&fails),
        Fault::new("as they are").does(Does::PassOn),
    ];
    join_all(each.iter().map(async |fault| {
        let run = Run::of(fault).await;
        assert_eq!(
            (run.code, run.broken(), run.figures()),
            (0, vec![], vec![]),
            "{}\n{}",
            fault.name,
            run.said
        );
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_is_named() {
    join_all(FAULTS.iter().map(async |fault| {
        let run = Run::of(fault).await;
        assert_eq!(
            run.broken(),
            fault.rules,
            "{}: rules\n{}",
            fault.name,
            run.said
        );
        assert_eq!(
            run.figures(),
            fault.figures,
            "{}: figures\n{}",
            fault.name,
            run.said
        );
        assert_eq!(
            run.code == 0,
            fault.figures.is_empty(),
            "{}: code {}",
            fault.name,
            run.code
        );
    }))
    .await;
}

/// Nobody listens at either end.
#[test]
fn a_dry_run_tells_what_would_go_in() {
    let ends = "--in http://127.0.0.1:9/in --out http://127.0.0.1:9/out --in-mode structured,batch";
    let told = |language: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
            .args("intermediary --dry-run --odd --rate 10 --kill stop --lang".split(' '))
            .arg(language)
            .args(ends.split(' '))
            .output()
            .unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let dutch = told("nl");
    let what = "dan 200 gebeurtenissen in structured mode, van 8 sleutels, 10 per seconde";
    assert!(dutch.contains(what), "{what} is missing:\n{dutch}");
    let told = told("en");
    for what in [
        "http://127.0.0.1:9/in → http://127.0.0.1:9/out",
        "in batch mode:",
        "  escapes: ",
        "then 200 events in structured mode, of 8 keys, 10 a second",
        "unknown-format: ",
        "--kill: stop",
    ] {
        assert!(told.contains(what), "{what} is missing:\n{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_tolerated_is_told_and_does_not_count() {
    let fault = FAULTS
        .iter()
        .find(|fault| fault.name == "numbers spelled otherwise")
        .unwrap();
    let fault = fault.clone().with(&["--tolerate", "data-spelling"]);
    let run = Run::of(&fault).await;
    assert_eq!((run.code, run.figures()), (0, vec![]), "{}", run.said);
    assert!(run.said.contains("data-spelling: "), "{}", run.said);
    let fault = FAULTS
        .iter()
        .find(|fault| fault.name == "everything twice")
        .unwrap();
    let fault = fault.clone().with(&["--allow", "repeats"]);
    let run = Run::of(&fault).await;
    assert_eq!(
        (run.code, run.figures()),
        (0, vec!["unexplained"]),
        "{}",
        run.said
    );
}

/// It answers only once it has delivered, which it never has.
#[tokio::test(flavor = "multi_thread")]
async fn a_content_coding_alone_ends_it() {
    let mut faults = FAULTS.iter();
    let coded = faults.find(|fault| fault.name == "a content coding");
    let mut fault = coded.unwrap().clone();
    fault.tries = usize::MAX;
    let run = Run::of(&fault).await;
    assert_eq!(run.code, 2, "{}", run.said);
    let what = "all that comes is in a content coding";
    assert!(run.said.contains(what), "{}", run.said);
}

/// They are answered 404, and somebody has to look into his settings.
#[tokio::test(flavor = "multi_thread")]
async fn deliveries_to_another_path_are_told_once() {
    let mut fault = Fault::new("to another path");
    (fault.place, fault.tries) = ("/elsewhere", 1);
    let run = Run::of(&fault).await;
    let what = "a delivery came at /elsewhere, not at /out, and was answered 404";
    assert_eq!(run.said.matches(what).count(), 1, "{}", run.said);
}

/// What was exchanged is read by the checker, and what is no fault of the intermediary is not held
/// against it: we are reached over plain HTTP, gave no token, and send what is not JSON ourselves.
#[tokio::test(flavor = "multi_thread")]
async fn the_record_is_one_that_the_checker_reads() {
    let batches = Fault {
        mode: Mode::Batched,
        ..GOOD
    };
    let too_much = Fault {
        refuses: too_much,
        ..GOOD
    };
    let is_renamed = |fault: &&Fault| fault.name == "an id of the hop";
    let renamed = FAULTS.iter().find(is_renamed).unwrap().clone();
    let quoting = Fault {
        message: with_bare_quotes,
        ..GOOD.binary()
    };
    let cases: [(Fault, &[&str], &[&str]); 10] = [
        (GOOD, &[], &[]),
        // This peer delivers data without a type in binary mode, and so without `Content-Type`.
        (GOOD.binary(), &["HOOK-REQ-2"], &["NL-GL-HTTP-1"]),
        (quoting, &["HTTP-ENC-2", "HOOK-REQ-2"], &["NL-GL-HTTP-1"]),
        (GOOD.with(&["--expect-token"]), &["HOOK-AUTH-1"], &[]),
        // Binary mode without data or a type is none of its choice here, and the token is.
        (
            GOOD.binary()
                .with(&["--in-mode", "binary", "--expect-token"]),
            &["HOOK-AUTH-1"],
            &[],
        ),
        (GOOD.does(Does::PassOn), &[], &[]),
        (
            batches.with(&["--asked-for-batches"]),
            &[],
            &["NL-GL-HTTP-2"],
        ),
        (too_much, &["HOOK-RESP-9"], &[]),
        (GOOD.does(Does::Ask), &["HOOK-REQ-3", "HOOK-VREQ-2"], &[]),
        // Text went in as text, whatever its id has become.
        (renamed, &["CE-TYPES-13"], &[]),
    ];
    for (fault, of_all, of_nl_gov) in cases {
        let run = Run::of(&fault).await;
        for profile in Profile::ALL {
            let report = run.report(profile);
            let found = report.findings.iter().map(|found| found.finding.rule.id);
            let found: BTreeSet<_> = found.collect();
            let mut expected: BTreeSet<_> = of_all.iter().copied().collect();
            if profile != Profile::CloudEvents10 {
                expected.extend(of_nl_gov);
            }
            assert_eq!(found, expected, "{:?} {}", fault.mode, profile.name());
            assert!(report.counts.events > 40, "{:?}", report.counts);
            assert!(report.why_not_tried("HOOK-TLS-1").is_some());
        }
    }
}

/// In the middle of a value, where they are no quotes of an older text.
fn with_bare_quotes(message: &mut Capture) {
    let mut headers = message.headers.iter_mut();
    if let Some(header) = headers.find(|header| header.name == "ce-onbekend") {
        let value = String::from_utf8_lossy(header.value.as_deref().unwrap());
        header.value = Some(value.replace("%22", "\"").into_bytes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_id_is_told_by_its_beginning() {
    let wrapping = Fault {
        message: |message| {
            let event = String::from_utf8_lossy(message.body());
            message.body = Some(format!(r#"{{"payload":{event}}}"#).into_bytes());
        },
        ..GOOD
    };
    let run = Run::of(&wrapping).await;
    assert!(run.figures().contains(&"invented"), "{}", run.said);
    assert!(run.said.contains("payload"), "{}", run.said);
}

/// Says 429 once, and not when to come again.
fn too_much(message: &Capture) -> Option<u16> {
    static IS_SAID: AtomicBool = AtomicBool::new(false);
    let is_it = String::from_utf8_lossy(message.body()).contains("/load/0/7\"");
    (is_it && !IS_SAID.swap(true, Ordering::Relaxed)).then_some(429)
}

/// That ends it soon, with no verdict on anybody.
#[tokio::test]
async fn nobody_at_the_near_end_is_no_fault() {
    let near = ports::reserved();
    let address = near.local_addr().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
        .args("intermediary --out http://127.0.0.1:0/out --wait 1s --lang en --in".split(' '))
        .arg(format!("http://{address}/in"))
        .output()
        .unwrap();
    drop(near);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is the intermediary running"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_measured_counts_losses_and_repeats() {
    let good = Run::bench(&Fault::new("good").with(&["--bare"])).await;
    let figures = good.at_a_rate();
    assert_eq!(
        (good.code, &figures["lost"], &figures["repeats"]),
        (0, &0.into(), &0.into()),
        "{figures:#}"
    );
    assert!(figures["taken"].as_u64() > Some(50), "{figures:#}");
    let faulty = async |name: &str| {
        let fault = FAULTS.iter().find(|fault| fault.name == name).unwrap();
        Run::bench(fault).await
    };
    let twice = faulty("everything twice").await.at_a_rate();
    assert_eq!(twice["repeats"], twice["taken"], "{twice:#}");
    let own = Fault::new("one is lost").event(|event, _| match event.id().ends_with("/load/0/7") {
        true => vec![],
        false => vec![event],
    });
    let lossy = Run::bench(&own).await;
    assert_eq!(
        (lossy.code, &lossy.at_a_rate()["lost"]),
        (1, &1.into()),
        "{}",
        lossy.said
    );
}

/// One event waits for a second and a half. So do most others, that should have gone in meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn those_that_wait_for_a_stall_are_late_too() {
    let run = Run::bench(&Fault::new("stalls").does(Does::Stall)).await;
    let figures = run.at_a_rate();
    assert!(figures["p50_ms"].as_f64() > Some(100.0), "{figures:#}");
    assert!(figures["p99_ms"].as_f64() > Some(1000.0), "{figures:#}");
}
