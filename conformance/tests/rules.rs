//! Every rule by its examples, and the registry against the catalogue.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "rules/texts.rs"]
mod texts;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use cloudevents_nl_conformance::catalogue::{self, Checkable};
use cloudevents_nl_conformance::codec::{Codec, Ours, Refusal};
use cloudevents_nl_conformance::report::Tally;
use cloudevents_nl_conformance::rules::{RULES, rule};
use cloudevents_nl_conformance::{
    Capture, Check, Checked, Checker, Decode, Profile, Protocol, Rule, Sample, Severity, Status,
    StreamFacts,
};

fn profiles_of(rule: &Rule) -> impl Iterator<Item = Profile> {
    Profile::ALL
        .into_iter()
        .filter(|profile| rule.level.of(*profile).is_some())
}

/// All that is found in a sample.
fn checked(sample: &Sample, profile: Profile) -> Vec<Checked> {
    let checker = Checker::new(profile);
    match sample {
        Sample::Message(capture) => vec![checker.check(capture)],
        Sample::Exchange(exchange) => vec![checker.check_exchange(exchange)],
        Sample::Stream(captures) => {
            let mut stream = checker.stream(StreamFacts::new(true));
            let mut checked: Vec<_> = captures.iter().map(|capture| stream.see(capture)).collect();
            checked.push(stream.end());
            checked
        }
    }
}

fn breaks(rule: &Rule, found: &str) -> bool {
    match rule.check {
        Check::Umbrella(parts, _) => parts.contains(&found),
        _ => rule.id == found,
    }
}

#[test]
fn a_good_example_is_not_complained_about() {
    for rule in RULES.iter() {
        let sample = rule
            .good
            .sample()
            .unwrap_or_else(|| panic!("{} has no good example", rule.id));
        for profile in profiles_of(rule) {
            for checked in checked(&sample, profile) {
                assert!(
                    rule.applies.to(checked.kind),
                    "{} is not about its good example",
                    rule.id
                );
                for finding in &checked.findings {
                    let is_fine =
                        finding.severity != Severity::Error && !breaks(rule, finding.rule.id);
                    assert!(is_fine, "{}: {finding:#?}", rule.id);
                }
            }
        }
    }
}

#[test]
fn a_bad_example_breaks_its_rule() {
    let written = |parts: &[&str]| parts.iter().any(|part| rule(part).is_some());
    for rule in RULES.iter() {
        if matches!(rule.check, Check::Umbrella(parts, _) if !written(parts)) {
            continue;
        }
        match (rule.check, rule.bad.sample()) {
            (Check::Acceptance, sample) => assert!(sample.is_none(), "{} can be broken", rule.id),
            (_, None) => panic!("{} has no bad example", rule.id),
            (_, Some(sample)) => {
                for profile in profiles_of(rule) {
                    let checked = checked(&sample, profile);
                    let mut findings = checked.iter().flat_map(|checked| &checked.findings);
                    let is_found = findings.any(|finding| breaks(rule, finding.rule.id));
                    assert!(
                        is_found,
                        "{} under {}: {checked:#?}",
                        rule.id,
                        profile.name()
                    );
                }
            }
        }
    }
}

#[test]
fn the_codec_does_with_examples_what_the_rules_say() {
    for rule in RULES.iter() {
        if let Some(Sample::Message(good)) = rule.good.sample() {
            let decoded = Ours.decode(&good);
            assert!(
                decoded.is_ok(),
                "{}: the good example: {decoded:?}",
                rule.id
            );
        }
        // What is read of a stream is read of its messages, one by one.
        if let (Check::Acceptance, Some(Sample::Stream(good))) = (rule.check, rule.good.sample()) {
            assert!(
                good.iter().all(|good| Ours.decode(good).is_ok()),
                "{}: the good example",
                rule.id
            );
        }
        if let Some(Sample::Message(bad)) = rule.bad.sample() {
            let is_refused = matches!(Ours.decode(&bad), Err(Refusal::Invalid(_)));
            assert_eq!(
                is_refused,
                rule.decode == Decode::Refuse,
                "{}: the bad example",
                rule.id
            );
        }
    }
}

#[test]
fn the_registry_is_the_catalogue() {
    let mut missing = Vec::new();
    for entry in catalogue::entries() {
        let is_checked = matches!(entry.checkable, Checkable::Static | Checkable::Stream);
        let Some(rule) = rule(&entry.id) else {
            if is_checked || catalogue::texts(&entry.id).is_none() {
                missing.push(entry.id.clone());
            }
            continue;
        };
        // A recorded exchange can show some live rules too; of a declared one a check gives notices.
        let is_stream = matches!(rule.check, Check::Stream(_));
        assert!(
            !is_stream || entry.checkable == Checkable::Stream,
            "{}",
            rule.id
        );
    }
    assert!(missing.is_empty(), "without a rule, or texts: {missing:#?}");
    for id in catalogue::with_texts() {
        let entry = catalogue::entry(id);
        let entry = entry.unwrap_or_else(|| panic!("{id} is not in the catalogue"));
        let is_declared = entry.checkable == Checkable::Declared;
        assert!(
            is_declared || rule(id).is_none(),
            "{id} has a check, so its texts are in its file"
        );
    }
}

/// Only a document shows that they are met, so nothing in a message breaks them and nothing passes.
#[test]
fn a_declared_rule_gives_notices_and_no_verdict() {
    let is_declared = |id: &str| {
        let entry = catalogue::entry(id).unwrap();
        entry.checkable == Checkable::Declared
    };
    let declared: Vec<_> = RULES.iter().filter(|rule| is_declared(rule.id)).collect();
    assert!(!declared.is_empty());
    for rule in declared {
        for profile in profiles_of(rule) {
            let mut tally = Tally::new(profile);
            for checked in checked(&rule.bad.sample().unwrap(), profile) {
                let mut own = checked
                    .broken
                    .iter()
                    .filter(|broken| broken.rule.id == rule.id);
                assert!(
                    own.all(|broken| broken.severity == Severity::Notice),
                    "{}",
                    rule.id
                );
                tally.add(&checked);
            }
            assert!(
                tally.rows().all(|(row, _)| row.rule.id != rule.id),
                "{}",
                rule.id
            );
        }
    }
}

#[test]
fn umbrellas_name_rules() {
    let known: BTreeSet<_> = catalogue::entries()
        .iter()
        .map(|entry| &*entry.id)
        .collect();
    for rule in RULES.iter() {
        if let Check::Umbrella(parts, _) = rule.check {
            assert!(
                !parts.is_empty() && parts.iter().all(|part| known.contains(part)),
                "{}",
                rule.id
            );
        }
    }
}

/// A report shows an umbrella as broken with the gravity of its own level, whatever part is broken.
#[test]
fn an_umbrella_is_no_graver_than_its_parts() {
    let counts = |rule: &Rule| rule.status != Status::Draft || rule.decode == Decode::Refuse;
    for umbrella in RULES.iter() {
        let Check::Umbrella(parts, _) = umbrella.check else {
            continue;
        };
        for part in parts.iter().filter_map(|part| rule(part)) {
            let (id, other) = (umbrella.id, part.id);
            assert!(counts(part) || !counts(umbrella), "{id} over {other}");
            for profile in profiles_of(umbrella) {
                let is_must =
                    |rule: &Rule| rule.level.of(profile).is_some_and(|level| level.is_must());
                let is_refused = part.decode == Decode::Refuse;
                assert!(
                    is_must(part) || is_refused || !is_must(umbrella),
                    "{id} over {other}"
                );
            }
        }
    }
}

/// No row of a report says that something is broken which no message was about.
#[test]
fn what_is_broken_was_asked() {
    for rule in RULES.iter() {
        let Some(sample) = rule.bad.sample() else {
            continue;
        };
        for profile in profiles_of(rule) {
            let mut tally = Tally::new(profile);
            checked(&sample, profile)
                .iter()
                .for_each(|checked| tally.add(checked));
            for (row, _) in tally.rows().filter(|(row, _)| row.broken > 0) {
                assert!(row.applied > 0, "{} by {}", row.rule.id, rule.id);
            }
        }
    }
}

/// A sum of other rules is not broken by what has nothing to do with it.
#[test]
fn a_bad_name_is_not_an_empty_one_and_a_version_no_batch() {
    let rows = |event: &str| {
        let mut tally = Tally::new(Profile::NlGov11);
        tally.add(&Checker::new(Profile::NlGov11).check(&Capture::event(event)));
        let rows = tally.rows().filter(|(row, _)| row.broken > 0);
        rows.map(|(row, _)| row.rule.id).collect::<Vec<_>>()
    };
    let event =
        r#"{"specversion":"1.0","id":"1","source":"urn:nld:a:b","type":"nl.a.b","nl_a":"c"}"#;
    assert_eq!(rows(event), ["CE-NAME-1", "CE-EXT-1"]);
    let other = event.replace("1.0", "0.3").replace("nl_a", "nla");
    assert_eq!(rows(&other), ["CE-SPECVERSION-3"]);
}

/// A sum of other rules counts only what it is about: extensions, or attributes.
#[test]
fn an_umbrella_over_extensions_says_nothing_of_others() {
    let rows = |capture: &Capture| {
        let mut tally = Tally::new(Profile::NlGov11);
        tally.add(&Checker::new(Profile::NlGov11).check(capture));
        let rows = tally.rows().filter(|(row, _)| row.broken > 0);
        rows.map(|(row, _)| row.rule.id).collect::<Vec<_>>()
    };
    let usual = r#""specversion":"1.0","id":"1","source":"urn:nld:a:b","type":"nl.a.b""#;
    let event = |more: &str| Capture::event(format!("{{{usual},{more}}}"));
    for (more, extension, repeat) in [
        (r#""subject":["a"]"#, false, false),
        (r#""nla":["a"]"#, true, false),
        (r#""data":1,"data":2"#, false, false),
        (r#""subject":"a","subject":"b""#, false, true),
    ] {
        let rows = rows(&event(more));
        assert_eq!(rows.contains(&"EXT-USE-1"), extension, "{more}: {rows:?}");
        assert_eq!(rows.contains(&"CE-EXT-1"), extension, "{more}: {rows:?}");
        assert_eq!(rows.contains(&"CE-NAME-7"), repeat, "{more}: {rows:?}");
    }
    let structured = Capture::event(format!("{{{usual}}}"));
    let twice = |mut capture: Capture, content_type: &str| {
        capture.protocol = Protocol::Http;
        let capture = capture.with_header("content-type", content_type);
        capture.with_header("Content-Type", content_type)
    };
    let rows_of = rows(&twice(structured, "application/cloudevents+json"));
    assert_eq!(rows_of, ["HTTP-BIN-8"]);
    let binary = Capture::new(Protocol::Http)
        .with_header("ce-specversion", "1.0")
        .with_header("ce-id", "1")
        .with_header("ce-source", "urn:nld:a:b")
        .with_header("ce-type", "nl.a.b");
    let rows_of = rows(&twice(binary, "application/json"));
    assert!(rows_of.contains(&"CE-NAME-7"), "{rows_of:?}");
}

/// Data that is elsewhere, or nowhere, is not in a wrong format.
#[test]
fn no_data_is_no_data_that_is_not_json() {
    let event = r#"{"specversion":"1.0","id":"1","source":"urn:nld:a:b","type":"nl.a.b","datacontenttype":"text/xml","dataref":"/a"}"#;
    let checked = Checker::new(Profile::NlGov11).check(&Capture::event(event));
    assert_eq!(checked.count_of("NL-DCT-1"), 0);
}

#[test]
fn every_file_has_its_entry() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    for family in std::fs::read_dir(&folder).unwrap() {
        let family = family.unwrap().path();
        if !family.is_dir() {
            continue;
        }
        let list = std::fs::read_to_string(family.with_extension("rs")).unwrap();
        for file in std::fs::read_dir(&family).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_str().unwrap();
            let has_entry =
                list.contains(&format!("mod {name};")) && list.contains(&format!("{name}::RULE"));
            assert!(
                has_entry,
                "{} has no entry in {}",
                file.display(),
                family.display()
            );
        }
    }
}

/// An id never changes its meaning and never goes away.
#[test]
fn ids_are_frozen() {
    let mut ids = String::new();
    for rule in RULES.iter() {
        writeln!(ids, "{}: {}", rule.id, rule.title.en).unwrap();
    }
    insta::assert_snapshot!(ids);
    let unique: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(unique.len(), RULES.len());
}

#[test]
fn no_draft_counts_unless_it_leaves_no_event() {
    for rule in RULES
        .iter()
        .filter(|rule| rule.status == Status::Draft && rule.decode == Decode::Accept)
    {
        let Some(sample) = rule.bad.sample() else {
            continue;
        };
        for checked in checked(&sample, Profile::NlGov11) {
            let own = checked
                .findings
                .iter()
                .filter(|finding| finding.rule.id == rule.id);
            assert!(
                own.map(|finding| finding.severity)
                    .all(|severity| severity == Severity::Notice)
            );
        }
    }
}
