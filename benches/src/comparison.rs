//! The settings of criterion, and the walk over every size and engine.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};

use crate::check::check;
use crate::corpus::{CASE_BYTES, Case, Kind, SIZES, SMOKE_BYTES};
use crate::engine::{self, Engine};
use crate::mode;

/// The seed of the corpus in every benchmark.
pub const SEED: u64 = 2026;

/// One iteration is a whole case, so a few samples are enough.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
}

/// Calls `bench` for each size of compact JSON and each engine, in a group called `name`, after checking the answers.
pub fn compare(
    criterion: &mut Criterion,
    name: &str,
    bench: impl Fn(&mut BenchmarkGroup<'_, WallTime>, &Case, Box<dyn Engine>),
) {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    let bytes = if mode::is_smoke() {
        SMOKE_BYTES
    } else {
        CASE_BYTES
    };
    for size in SIZES {
        let case = Case::generate(Kind::Compact, size, bytes, SEED);
        group.throughput(Throughput::ElementsAndBytes {
            elements: case.samples.len() as u64,
            bytes: case.byte_len() as u64,
        });
        for mut engine in engine::all() {
            check(&mut *engine, &case);
            bench(&mut group, &case, engine);
        }
    }
    group.finish();
}
