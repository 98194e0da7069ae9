//! A sender that does all right passes, and one with a single fault is found out by the rule of it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/certificates.rs"]
mod certificates;
#[path = "sender/fault.rs"]
mod fault;
#[path = "sender/peer.rs"]
mod peer;
#[path = "sender/trial.rs"]
mod trial;
#[path = "sender/triggered.rs"]
mod triggered;
#[path = "sender/trust.rs"]
mod trust;

use std::process::Command;

use fault::Fault;
use trial::trial;

/// More than one thread: the program is waited for while the sender sends.
#[tokio::test(flavor = "multi_thread")]
async fn a_good_sender_passes() {
    let arguments =
        "--profile cloudevents-1.0 --allow retire,refuse --asks-consent --order key --patience 30";
    let trial = trial(Fault::None, false, arguments).await;
    assert_eq!(trial.errors(), [""; 0], "{}", trial.told);
    assert_eq!(trial.code, Some(0), "{}", trial.told);
    assert_eq!(
        trial.met(),
        [
            "CE-FMT-1",
            "CE-ID-5",
            "CE-SEC-3",
            "EXT-TRACE-2",
            "HOOK-ABUSE-2",
            "HOOK-RESP-10",
            "HOOK-RESP-12",
            "HOOK-RESP-2",
            "HOOK-RESP-7",
            "HOOK-TLS-1",
            "HTTP-BATCH-1",
            "JSON-BATCH-3",
            "JSON-DATA-5",
        ],
        "{}",
        trial.told
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_sender_passes_what_takes_an_agreement() {
    let arguments = "--only HOOK-CB-1,HOOK-RATE-1,NL-GL-HOOK-2 \
        --asks-consent --rate 10 --patience 5";
    let trial = trial(Fault::None, true, arguments).await;
    assert_eq!(trial.errors(), [""; 0], "{}", trial.told);
    for rule in ["HOOK-CB-1", "HOOK-RATE-1", "NL-GL-HOOK-2"] {
        assert!(trial.met().contains(&rule), "{rule}: {}", trial.told);
    }
}

/// A sender with a fault, for which the report names a rule.
async fn named(fault: Fault, rule: &str, arguments: &str) {
    let trial = trial(fault, false, &format!("{arguments} --patience 8")).await;
    assert!(
        trial.names(rule),
        "{fault:?}: {:?}\n{}",
        trial.findings,
        trial.told
    );
}

macro_rules! faults {
    ($($name:ident: $fault:ident, $rule:literal, $arguments:literal;)*) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            named(Fault::$fault, $rule, $arguments).await;
        })*
    };
}

faults! {
    follows_redirects: FollowsRedirects, "HOOK-RESP-2", "--only HOOK-RESP-2";
    ignores_seconds: IgnoresSeconds, "HOOK-RESP-10", "--only HOOK-RESP-10";
    ignores_a_date: IgnoresDate, "HOOK-RESP-10", "--only HOOK-RESP-10";
    goes_on_after_410: GoesOnAfter410, "HOOK-RESP-7", "--only HOOK-RESP-7 --allow retire";
    follows_one_kind_of_redirect: FollowsSeeOther, "HOOK-RESP-2", "--only HOOK-RESP-2";
    follows_late: FollowsLate, "HOOK-RESP-2", "--only HOOK-RESP-2,HOOK-RESP-7 --allow retire";
    retries_long_after_410: RetriesLongAfter410, "HOOK-RESP-7", "--only HOOK-RESP-7 --allow retire";
    asks_at_another_address: AsksElsewhere, "HOOK-VREQ-1",
        "--only NL-GL-HOOK-2 --url https://hook.example.nl/hook";
    asks_by_get: AsksByGet, "HOOK-VREQ-1", "--only NL-GL-HOOK-2";
    no_handshake: NoHandshake, "NL-GL-HOOK-2", "--only NL-GL-HOOK-2 --asks-consent";
    exceeds_the_rate: ExceedsRate, "HOOK-RATE-1", "--only HOOK-RATE-1 --rate 10";
    exceeds_it_when_triggered: NeverHolds, "HOOK-RATE-1", "--only HOOK-RATE-1 --rate 20";
    waits_with_one_event_alone: NeverHolds, "HOOK-RESP-10", "--only HOOK-RESP-10";
    batches_unasked: Batches, "HTTP-BATCH-1", "--only HTTP-BATCH-1";
    takes_any_certificate: TrustsAnyone, "HOOK-TLS-1", "--only HOOK-TLS-1";
    falls_back_to_plain_http: FallsBack, "HOOK-TLS-1", "--only HOOK-TLS-1";
    takes_a_certificate_for_another_name: TrustsAnyName, "HOOK-TLS-1", "--only HOOK-TLS-1";
    wrong_percent_coding: WrongPercentCoding, "HTTP-ENC-", "--only HTTP-ENC-6";
    a_control_character_as_it_is: ControlCharacterRaw, "HTTP-ENC-6", "--only HTTP-ENC-6";
    another_trace: OtherTrace, "EXT-TRACE-2", "--only EXT-TRACE-2";
    quotes_its_token: QuotesToken, "HOOK-AUTH-5", "--only NL-GL-HOOK-2";
    names_the_scheme_twice: SchemeTwice, "HOOK-AUTH-5", "--only NL-GL-HOOK-2";
    has_no_token_to_send: TokenUndefined, "HOOK-AUTH-5", "--only NL-GL-HOOK-2";
    its_sequence_falls: SequenceFalls, "EXT-SEQ-6", "--only CE-FMT-1 --order key";
}

/// At the turn of a minute it may be two.
#[tokio::test(flavor = "multi_thread")]
async fn one_burst_of_twice_the_rate_shows_nothing() {
    let arguments = "--only HOOK-RATE-1 --rate 10 --patience 8";
    let trial = trial(Fault::DoublesRate, false, arguments).await;
    let is_shown = trial.met().contains(&"HOOK-RATE-1") || trial.broken("HOOK-RATE-1");
    assert!(
        !is_shown && trial.told.contains("20 requests"),
        "{}",
        trial.told
    );
}

/// That text may be the data.
#[tokio::test(flavor = "multi_thread")]
async fn json_in_a_text_is_told() {
    for fault in [Fault::DataAsText, Fault::BodyAsText] {
        let trial = trial(fault, false, "--only JSON-DATA-5 --patience 8").await;
        assert_eq!(trial.errors(), [""; 0], "{fault:?}: {}", trial.told);
        let told = "JSON-DATA-5 not shown: the data";
        assert!(trial.told.contains(told), "{fault:?}: {}", trial.told);
    }
}

/// Who looks whether we are there delivers nothing, and nobody declared an order.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_promised_is_no_fault() {
    for fault in [Fault::LooksIn, Fault::SequenceFalls] {
        let trial = trial(fault, false, "--only HOOK-RESP-10 --patience 20").await;
        assert_eq!(trial.errors(), [""; 0], "{fault:?}: {}", trial.told);
        assert!(trial.met().contains(&"HOOK-RESP-10"), "{}", trial.told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_that_refuse_a_method() {
    for fault in [Fault::CallbackWithoutGet, Fault::CallbackWithoutPost] {
        let trial = trial(fault, true, "--only HOOK-CB-1 --patience 5").await;
        // A draft has it, so that reports notice it.
        assert!(trial.broken("HOOK-CB-1"), "{fault:?}: {}", trial.told);
    }
}

/// What is wrong with the handshake alone is held against no delivery.
#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_without_an_origin() {
    let arguments = "--only NL-GL-HOOK-2 --patience 5";
    let trial = trial(Fault::AsksWithoutOrigin, false, arguments).await;
    assert_eq!(trial.errors(), ["HOOK-VREQ-2"], "{}", trial.told);
}

/// What is wrong with the rate that was asked for is not held against deliveries.
#[tokio::test(flavor = "multi_thread")]
async fn a_rate_of_none_is_not_granted() {
    let arguments = "--only NL-GL-HOOK-2,HOOK-RATE-1 --patience 5";
    let trial = trial(Fault::AsksForNoRate, false, arguments).await;
    assert_eq!(trial.errors(), ["HOOK-VREQ-6"], "{}", trial.told);
    assert!(!trial.broken("HOOK-RATE-1"), "{}", trial.told);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_gone_ends_no_other() {
    let arguments = "--only HOOK-RESP-7 --allow retire --patience 8";
    let trial = trial(Fault::HasAnotherTarget, false, arguments).await;
    assert_eq!(trial.errors(), [""; 0], "{}", trial.told);
    assert!(trial.met().contains(&"HOOK-RESP-7"), "{}", trial.told);
}

/// How many tries an event gets, is for the sender to say, and what it delivers between them.
#[tokio::test(flavor = "multi_thread")]
async fn giving_up_after_two_tries_is_no_fault() {
    let arguments = "--only HOOK-RESP-12 --patience 8";
    let trial = trial(Fault::GivesUpAfterTwo, false, arguments).await;
    assert!(!trial.broken("HOOK-RESP-12"), "{}", trial.told);
    assert_eq!(trial.errors(), [""; 0], "{}", trial.told);
}

/// Rules of MAY.
#[tokio::test(flavor = "multi_thread")]
async fn what_everybody_may_choose_is_shown_too() {
    for (fault, rule, arguments) in [
        (Fault::NewIdOnRepeat, "CE-ID-5", "HOOK-RESP-2"),
        (Fault::NewSourceOnRepeat, "CE-ID-5", ""),
        (Fault::NewIdAfter429, "CE-ID-5", "HOOK-RESP-10"),
        (Fault::ReadsErrors, "HOOK-RESP-12", ""),
        (Fault::GivesUpOnHtml, "HOOK-RESP-12", ""),
        (Fault::DeliversUnasked, "HOOK-ABUSE-2", "--allow refuse"),
        (
            Fault::TakesConsentToAnother,
            "HOOK-ABUSE-2",
            "--allow refuse",
        ),
    ] {
        let arguments = format!("--profile cloudevents-1.0 --only {rule} {arguments} --patience 8");
        let trial = trial(fault, false, &arguments).await;
        assert!(trial.broken(rule), "{fault:?}: {}", trial.told);
        let is_to_another = trial.told.contains("consent to elsewhere.example → POST");
        assert_eq!(is_to_another, fault == Fault::TakesConsentToAnother);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_was_declared_and_not_kept() {
    let arguments = "--only CE-ID-5 --order key --patience 8";
    let broken = trial(Fault::OvertakesOfKey, false, arguments).await;
    assert_eq!(broken.code, Some(1), "{}", broken.told);
    assert!(broken.told.contains("overtook"), "{}", broken.told);
    let kept = trial(Fault::None, false, arguments).await;
    assert_eq!(kept.code, Some(0), "{}", kept.told);
}

fn program(arguments: &str) -> (Option<i32>, String, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        program.status.code(),
        text(program.stdout),
        text(program.stderr),
    )
}

#[test]
fn tells_what_to_do_where_nothing_came() {
    let (code, stdout, stderr) = program("sender --listen 127.0.0.1:0 --patience 1 --lang en");
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("no delivery came") && stderr.contains("--trigger"),
        "{stderr}"
    );
    // Every rule is told of all the same.
    assert!(
        stdout.contains(r#"{"live":"HOOK-RESP-7","shown":"nothing""#),
        "{stdout}"
    );
}

#[test]
fn tells_what_it_would_play() {
    let (code, stdout, _) = program("sender --dry-run");
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("retires: antwoordt voorgoed 410"),
        "{stdout}"
    );
    assert!(stdout.contains("--allow retire"), "{stdout}");
}

#[test]
fn a_rule_that_nobody_knows_is_refused() {
    let (code, _, stderr) = program("sender --only HOOK-RESP-99");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("HOOK-RESP-10"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trigger_is_pulled_where_nothing_comes() {
    // At once and after two seconds; a third time would be after its patience.
    let folder = tempfile::tempdir().unwrap();
    let pulled = folder.path().join("pulled");
    let command = format!("echo x >> {}", pulled.display());
    let ended = Command::new(env!("CARGO_BIN_EXE_cenl-conformance-live"))
        .args("sender --listen 127.0.0.1:0 --patience 4 --trigger".split(' '))
        .arg(command)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(pulled).unwrap(), "x\nx\n");
}
