//! Structured JSON to headers and body: `decode/SIZE/ENGINE`.

use std::hint::black_box;

use cloudevents_nl_benches::comparison;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn decode(criterion: &mut Criterion) {
    comparison::compare(criterion, "decode", |group, case, mut engine| {
        group.bench_function(BenchmarkId::new(case.size.name, engine.name()), |bencher| {
            bencher.iter(|| {
                for text in case.texts() {
                    engine.decode(text, &mut |_, body| {
                        black_box(body);
                    });
                }
            });
        });
    });
}

criterion_group! { name = benches; config = comparison::criterion(); targets = decode }
criterion_main!(benches);
