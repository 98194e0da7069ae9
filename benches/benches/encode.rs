//! Headers and body to structured JSON, the body validated: `encode/SIZE/ENGINE`.

use std::hint::black_box;

use cloudevents_nl_benches::comparison;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn encode(criterion: &mut Criterion) {
    comparison::compare(criterion, "encode", |group, case, mut engine| {
        let headers = case.headers();
        group.bench_function(BenchmarkId::new(case.size.name, engine.name()), |bencher| {
            bencher.iter(|| {
                for message in case.messages(&headers) {
                    engine.encode(&message, &mut |text| {
                        black_box(text);
                    });
                }
            });
        });
    });
}

criterion_group! { name = benches; config = comparison::criterion(); targets = encode }
criterion_main!(benches);
