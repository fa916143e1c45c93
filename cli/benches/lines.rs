//! Criterion benchmark: making lines of SAM.

#![allow(missing_docs, reason = "criterion's macros make functions without")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

// The module is private to the library.
#[allow(
    dead_code,
    unused_imports,
    reason = "the benchmark uses a part of the module, whose tests belong to the library"
)]
#[path = "../src/output/lines.rs"]
mod lines;

use lines::Lines;

/// The number of records that a round formats.
const RECORDS: u32 = 1000;

fn formatting(criterion: &mut Criterion) {
    let (bases, qualities) = ([b'C'; 150], [b'F'; 150]);
    let mut lines = Lines::default();
    let mut group = criterion.benchmark_group("formatting");
    group.throughput(Throughput::Elements(RECORDS.into()));
    group.bench_function("record of 150 bases", |bencher| {
        bencher.iter(|| {
            lines.clear();
            for record in 0..RECORDS {
                lines.append(600, |line| {
                    line.bytes(b"chr20_1000_1400_1:0:0_2:0:0_");
                    line.number(record);
                    for number in [83, 63_025_000 - record, 60, 150, 63_024_600, 400] {
                        line.byte(b'\t');
                        line.number(number);
                    }
                    for text in [&bases, &qualities] {
                        line.byte(b'\t');
                        line.bytes(text);
                    }
                    line.bytes(b"\tNM:i:0\tMD:Z:150\tAS:i:150\n");
                });
            }
            lines.bytes().len()
        });
    });
    group.finish();
}

criterion_group!(benches, formatting);
criterion_main!(benches);
