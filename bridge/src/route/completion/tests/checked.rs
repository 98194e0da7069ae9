//! What becomes of events that violate the profile which the route checks.

use cloudevents_nl_conformance::{Checker, Profile, Severity, Waivers};

use super::logged::logged;
use super::*;
use crate::delivery::Violations;
use crate::route::check::{Check, OnViolation};
use crate::route::dead_letter::restore;
use crate::route::filter::Filter;

/// What the events of the bench violate: neither `source` nor `type` says whose they are.
const RULES: [&str; 2] = ["NL-SOURCE-2", "NL-TYPE-1"];

impl Bench {
    fn checking(on_violation: OnViolation) -> Self {
        let mut bench = Self::new();
        bench.route.config.check = Some(Check {
            checker: Checker::new(Profile::NlGov11),
            least: Severity::Warning,
            waivers: Waivers::default(),
            on_violation,
        });
        bench
    }

    fn waive_all(&mut self) {
        let waiver = |rule| {
            format!(
                "[[waiver]]\nrule = \"{rule}\"\nreason = \"r\"\nowner = \"o\"\nuntil = 1970-01-01\n"
            )
        };
        let waivers = RULES.map(waiver).concat();
        self.route.config.check.as_mut().unwrap().waivers = Waivers::read(&waivers).unwrap();
    }

    fn violations(&self) -> [u64; 2] {
        let counts = &self.route.tally().violations;
        RULES.map(|rule| counts.get(rule).copied().unwrap_or_default())
    }
}

#[test]
fn what_is_counted_goes_on_and_is_summed_up_each_minute_without_content() {
    logged(|lines| {
        let mut bench = Bench::checking(OnViolation::Count);
        bench.elapsed = Duration::from_secs(3600);
        for seconds in [1, 58, 2] {
            bench.take_in("secret-key");
            bench.route.sweep(bench.now());
            bench.elapsed += Duration::from_secs(seconds);
            assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::Sink));
        }
        bench.route.sweep(bench.now());
        bench.take_in("secret-key");
        bench.route.sum_up_events();
        assert_eq!(bench.violations(), [4, 4]);
        let said = lines.take();
        for (line, count) in said.iter().zip([1, 2, 1]) {
            let words = [
                "violate the profile",
                "nl-gov-1.1",
                &RULES.map(|rule| format!("{count} {rule}")).join(", "),
            ];
            assert!(words.iter().all(|word| line.contains(word)), "{line}");
            assert!(!line.contains("secret"), "{line}");
        }
        assert_eq!(said.len(), 3, "{said:#?}");
    });
}

#[test]
fn a_dead_letter_names_the_rules_and_gives_back_the_event() {
    let mut bench = Bench::checking(OnViolation::DeadLetter);
    bench.take_in("a");
    let sent = bench.leaving().remove(0);
    assert_eq!(sent.stage, Stage::DeadLetter);
    let letter = &sent.batch[0];
    let (restored, explanation) = restore(&Received {
        binding: &KAFKA,
        headers: letter.headers.clone(),
        key: letter.key.clone(),
        body: letter.body.clone(),
        timestamp_ms: letter.timestamp_ms,
        position: Position::numbered("kafka:dead/0/", 0),
        defect: None,
    })
    .unwrap();
    assert_eq!(
        (&*explanation.kind, &*explanation.status),
        ("profile", &*RULES.join(", "))
    );
    assert_eq!(restored.headers.len(), 1);
    bench.route.complete(sent, &Outcome::Delivered, bench.now());
    assert_eq!(bench.window.len(), 0);
    assert_eq!(bench.violations(), [1, 1]);
    assert_eq!(bench.route.tally().dead_letters(Kind::Profile), 1);
    // Once somebody agrees to it, it is delivered.
    bench.waive_all();
    bench.take_in("a");
    assert_eq!(bench.complete(&Outcome::Delivered), Some(Stage::Sink));
}

#[test]
fn a_sender_hears_which_event_of_its_request_violates_what() {
    let mut bench = Bench::checking(OnViolation::Refuse);
    let window = bench.request(&["a", "b"]);
    let Some(Refusal::Violating(Violations {
        position, findings, ..
    })) = window.refusal()
    else {
        panic!("{:?}", window.refusal());
    };
    assert_eq!((position.number, findings[0].rule), (Some(0), RULES[0]));
    assert_eq!(ids(&bench.leaving()), Vec::<String>::new());
    bench.waive_all();
    let window = bench.request(&["a", "b"]);
    assert_eq!(ids(&bench.leaving()).len(), 2);
    assert_eq!(window.refusal(), None);
}

#[test]
fn what_the_filter_does_not_want_is_checked_all_the_same() {
    let mut bench = Bench::checking(OnViolation::Count);
    let wanted = [("type".into(), "other".into())];
    bench.route.config.filter = Some(Filter::Exact(BTreeMap::from(wanted)));
    bench.take_in("a");
    assert!(bench.leaving().is_empty());
    assert_eq!(bench.violations(), [1, 1]);
}
