//! Events judged by the rules of NL GOV 1.1: `check/SIZE/message` one by one, `check/SIZE/lines` as
//! `cenl-conformance check` does it, with JSON lines, fingerprint, counts and the rules about streams.

use std::hint::black_box;

use cloudevents_nl_benches::comparison::{self, SEED};
use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES, SMOKE_BYTES};
use cloudevents_nl_benches::mode;
use cloudevents_nl_conformance::report::{FailOn, Report};
use cloudevents_nl_conformance::{Assessment, Capture, Checker, Form, Options, Profile, Severity};
use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};

const PROFILE: Profile = Profile::NlGov11;

fn check(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("check");
    group.sampling_mode(SamplingMode::Flat);
    let bytes = if mode::is_smoke() {
        SMOKE_BYTES
    } else {
        CASE_BYTES
    };
    for size in SIZES.into_iter().take(3) {
        let case = Case::generate(Kind::Compact, size, bytes, SEED);
        let captures: Vec<_> = case.texts().map(Capture::event).collect();
        let mut lines = case.texts().collect::<Vec<_>>().join(&b'\n');
        lines.push(b'\n');
        let checker = Checker::new(PROFILE);
        assert_answers(&checker, &captures);
        assert_counts(&lines, captures.len() as u64);
        group.throughput(Throughput::ElementsAndBytes {
            elements: captures.len() as u64,
            bytes: case.byte_len() as u64,
        });
        group.bench_function(BenchmarkId::new(size.name, "message"), |bencher| {
            bencher.iter(|| {
                for capture in &captures {
                    black_box(checker.check(capture));
                }
            });
        });
        group.bench_function(BenchmarkId::new(size.name, "lines"), |bencher| {
            bencher.iter(|| black_box(report(&lines)));
        });
    }
    group.finish();
}

fn report(lines: &[u8]) -> Report {
    let today = "2026-11-21".parse().expect("a date");
    let mut options = Options::new(PROFILE, today);
    options.fail_on = FailOn::Error;
    let mut assessment = Assessment::new(options);
    assessment.read("lines", lines, Form::Recognised);
    assessment.finish()
}

/// The corpus breaks no rule at MUST level, and a breach in any event of it is seen.
fn assert_answers(checker: &Checker, captures: &[Capture]) {
    let errors = |capture: &Capture| -> Vec<&str> {
        let checked = checker.check(capture);
        let errors = checked
            .findings
            .into_iter()
            .filter(|finding| finding.severity == Severity::Error);
        errors.map(|finding| finding.rule.id).collect()
    };
    for capture in captures {
        assert_eq!(errors(capture), [""; 0]);
        let text = String::from_utf8_lossy(capture.body());
        let broken = text.replacen("\"specversion\":\"1.0\"", "\"specversion\":\"\"", 1);
        assert_ne!(broken, text);
        assert_ne!(errors(&Capture::event(broken)), [""; 0]);
    }
}

fn assert_counts(lines: &[u8], events: u64) {
    let counts = report(lines).counts;
    let counted = (counts.messages, counts.events, counts.failed);
    assert_eq!(counted, (events, events, 0));
}

criterion_group! { name = benches; config = comparison::criterion(); targets = check }
criterion_main!(benches);
