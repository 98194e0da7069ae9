//! What the strategies promise: valid is valid, and a defect breaks the rules it names and no others.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::collections::BTreeSet;
use std::fmt::Write;

use cloudevents_nl_conformance::codec::{Codec, Ours, Refusal};
use cloudevents_nl_conformance::generate::{self, Defect, WAYS, defects};
use cloudevents_nl_conformance::rules::rule;
use cloudevents_nl_conformance::{Capture, Checker, Decode, Mode, Profile, Protocol, Severity};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The rules that a checker says are broken.
fn found(capture: &Capture, profile: Profile) -> BTreeSet<&'static str> {
    let checked = Checker::new(profile).check(capture);
    let findings = checked.findings.iter();
    findings.map(|finding| finding.rule.id).collect()
}

proptest! {
    #[test]
    fn a_valid_message_breaks_no_must((protocol, mode) in way(), event in generate::event()) {
        let message = Ours.encode(&event, protocol, mode).unwrap();
        let checked = Checker::new(Profile::CloudEvents10).check(&message);
        let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error);
        prop_assert_eq!(errors.count(), 0, "{:?}", checked.findings);
    }

    #[test]
    fn of_a_compliant_event_no_rule_has_a_word_to_say(event in generate::compliant()) {
        for (protocol, mode) in WAYS {
            let message = Ours.encode(&event, protocol, mode).unwrap();
            // The profile would rather have one structured event on HTTP.
            let profiles = match (protocol, mode) {
                (Protocol::Http, Mode::Binary | Mode::Batched) => &Profile::ALL[..1],
                _ => &Profile::ALL[..],
            };
            for &profile in profiles {
                prop_assert_eq!(found(&message, profile), BTreeSet::new(), "{:?}", message);
            }
        }
    }
}

fn way() -> impl Strategy<Value = (Protocol, Mode)> {
    prop::sample::select(WAYS.to_vec())
}

/// What differs between what a defect says of itself and what checker and codec say of it.
fn differences(defect: &'static Defect, (protocol, mode): (Protocol, Mode)) -> BTreeSet<String> {
    let mut runner = TestRunner::deterministic();
    let messages = defect.messages(protocol, mode);
    let mut differences = BTreeSet::new();
    for _ in 0..24 {
        let message = messages.new_tree(&mut runner).unwrap().current().message;
        let found = found(&message, defect.profile);
        if !found.iter().eq(defect.rules) {
            differences.insert(format!("found {found:?}"));
        }
        let decoded = Ours.decode(&message);
        let is_refused = matches!(decoded, Err(Refusal::Invalid(_)));
        let mut rules = defect.rules.iter().map(|id| rule(id).unwrap());
        if rules.any(|rule| rule.decode == Decode::Refuse) != is_refused {
            differences.insert(format!("decoded {:?}", decoded.map(drop)));
        }
        assert!(!defect.must_be_refused() || is_refused, "{}", defect.name);
        assert!(!defect.must_be_read() || !is_refused, "{}", defect.name);
    }
    differences
}

#[test]
fn a_defect_breaks_its_rules_and_no_others() {
    let mut wrong = String::new();
    for defect in defects() {
        for way in WAYS {
            if !defect.applies_to(way.0, way.1) {
                continue;
            }
            for difference in differences(defect, way) {
                writeln!(wrong, "{} on {way:?}: {difference}", defect.name).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn defects_have_names_and_rules() {
    let names: BTreeSet<_> = defects().map(|defect| defect.name).collect();
    assert_eq!(names.len(), defects().count());
    for defect in defects() {
        assert!(
            defect.rules.is_sorted() && !defect.rules.is_empty(),
            "{}",
            defect.name
        );
        assert!(
            defect.rules.iter().all(|id| rule(id).is_some()),
            "{}",
            defect.name
        );
        assert!(
            WAYS.iter().any(|way| defect.applies_to(way.0, way.1)),
            "{}",
            defect.name
        );
    }
}

#[test]
fn every_way_has_defects_that_must_be_refused_and_ones_that_must_be_read() {
    for (protocol, mode) in WAYS {
        let all: Vec<_> = defects()
            .filter(|defect| defect.applies_to(protocol, mode))
            .collect();
        let names = |wanted: fn(&Defect) -> bool| -> Vec<&str> {
            let all = all.iter().filter(|defect| wanted(defect));
            all.map(|defect| defect.name).collect()
        };
        let (refused, read) = (names(Defect::must_be_refused), names(Defect::must_be_read));
        assert!(
            refused.len() > 15 && read.len() > 5,
            "{protocol:?} {mode:?}: {refused:?}, {read:?}"
        );
    }
}
