//! Events judged by the rules of NL GOV 1.1: `check/SIZE/message` one by one, `check/SIZE/lines` as
//! `cenl-conformance check` does it, with JSON lines, fingerprint, counts and the rules about streams.
//! `check/SIZE/route` is an event through the steps of a route that checks it, from the record to the verdict, with a
//! sink that takes all at once; `check/SIZE/route-unchecked` the same without `[route.check]`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use cloudevents_nl_benches::comparison::{self, SEED};
use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES, SMOKE_BYTES};
use cloudevents_nl_benches::mode;
use cloudevents_nl_bridge::delivery::share::Share;
use cloudevents_nl_bridge::delivery::window::Capacity;
use cloudevents_nl_bridge::delivery::{Position, Received, Verdict, Window};
use cloudevents_nl_bridge::outcome::Outcome;
use cloudevents_nl_bridge::route::check::{Check, OnViolation};
use cloudevents_nl_bridge::route::retry::RetryPolicy;
use cloudevents_nl_bridge::route::steps::{OnError, RouteConfig};
use cloudevents_nl_bridge::route::target::{Order, RecordKey, Target, WriteMode};
use cloudevents_nl_bridge::route::{Now, Route};
use cloudevents_nl_codec::{Decoder, HTTP, HeaderList, KAFKA, Leniency};
use cloudevents_nl_conformance::report::{FailOn, Report};
use cloudevents_nl_conformance::{
    Assessment, Capture, Checker, Form, Options, Profile, Severity, Waivers,
};
use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use jiff::Timestamp;

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
        let records: Vec<_> = case.texts().map(record).collect();
        for (name, is_checked) in [("route", true), ("route-unchecked", false)] {
            let mut route = Route::new(route_config(is_checked), SEED);
            group.bench_function(BenchmarkId::new(size.name, name), |bencher| {
                bencher.iter(|| carry(&mut route, &records));
            });
            assert_eq!(
                route.tally().settled(Verdict::Delivered),
                route.tally().taken
            );
            assert!(route.tally().violations.is_empty());
        }
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

fn record(text: &[u8]) -> Received {
    let mut headers = HeaderList::default();
    let structured = b"application/cloudevents+json; charset=UTF-8";
    headers.push(KAFKA.content_type, Some(structured));
    Received {
        binding: &KAFKA,
        headers,
        key: Some("key".into()),
        body: Some(text.to_vec().into()),
        timestamp_ms: None,
        position: Position::numbered("kafka:bench/0/", 0),
        defect: None,
    }
}

fn route_config(is_checked: bool) -> RouteConfig {
    let check = Check {
        checker: Checker::new(PROFILE),
        least: Severity::Error,
        waivers: Waivers::default(),
        on_violation: OnViolation::Count,
    };
    let leniency = Leniency::INTERMEDIARY.with_opaque_data(true);
    let (mode, record_key) = (WriteMode::Structured, RecordKey::Source);
    RouteConfig {
        name: "bench".into(),
        logs_deliveries: false,
        traces: None,
        address: "http receiver.example:443 /hook".into(),
        dead_letter_address: String::new(),
        decoder: Decoder::default().with_leniency(leniency),
        check: is_checked.then_some(check),
        filter: None,
        target: Target {
            binding: &HTTP,
            mode,
            record_key,
            forward_headers: Vec::new(),
            message_id_scope: None,
        },
        order: Order::Key,
        retry: RetryPolicy::default(),
        outcomes: BTreeMap::new(),
        on_error: OnError::Hold,
        stop_after: 100,
        in_flight_max: 64,
        batch: Capacity::SINGLE,
    }
}

fn carry(route: &mut Route, records: &[Received]) {
    let capacity = Capacity {
        events: usize::MAX,
        bytes: usize::MAX,
    };
    let window = Window::partition(capacity, &Share::unbounded());
    let now = Now {
        elapsed: Duration::ZERO,
        wall: Timestamp::UNIX_EPOCH,
    };
    for record in records {
        route.take_in(vec![window.admit(record.clone())], |_| false, now);
        while let Some(sent) = route.start_next(None, now) {
            route.complete(sent, &Outcome::Delivered, now);
        }
    }
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
