//! The Rust stages and the CUDA stages, which the SIMT shim runs on the CPU, yield what plain code on letters yields.

use aligner_core::stream::{Capacity, CpuExecutor, CudaExecutor, Policy, Settings};
use kmer_sketch::{K, KERNELS, Kmer, SHIM, kmers, sketch};
use simt::{Module, ShimBackend};

/// A sequence with repeats of single bases, some of them long, and letters that are no bases.
fn sequence(rng: &mut fastrand::Rng, length: usize) -> Vec<u8> {
    let mut sequence = Vec::new();
    while sequence.len() < length {
        let letters: &[u8] = if rng.u32(..50) == 0 { b"ACGTN" } else { b"ACGT" };
        let base = letters[rng.usize(..letters.len())];
        let run = if rng.u32(..20) == 0 { rng.usize(1..30) } else { 1 };
        sequence.extend(std::iter::repeat_n(base, run));
    }
    sequence
}

/// The sketch, computed from the letters.
fn expected(sequence: &[u8], equal_neighbours: usize, threshold: u32) -> Vec<Kmer> {
    let mut found = Vec::new();
    for (position, bases) in sequence.windows(K).enumerate() {
        let equal = bases.windows(2).filter(|pair| pair[0] == pair[1]).count();
        if bases.contains(&b'N') || equal > equal_neighbours {
            continue;
        }
        let complement = |base: &u8| b"TGCA"[b"ACGT".iter().position(|it| it == base).unwrap()];
        let reverse: Vec<u8> = bases.iter().rev().map(complement).collect();
        // The order of letters is that of their codes.
        let code = kmers(bases.min(&reverse[..]))[0].code;
        if hash(code) < threshold {
            found.push(Kmer { code, position: position as u32 });
        }
    }
    found
}

/// The hash in numbers of 64 bits.
fn hash(code: u32) -> u32 {
    let mask = u64::from(u32::MAX);
    let first = u64::from(code ^ code >> 16) * 0x7FEB_352D & mask;
    let second = (first ^ first >> 15) * 0x846C_A68B & mask;
    (second ^ second >> 16) as u32
}

#[test]
fn stages_yield_what_plain_code_yields() {
    for seed in 0..12 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let length = rng.usize(..5_000);
        let sequence = sequence(rng, length);
        let equal_neighbours = rng.u32(2..16);
        let threshold = rng.u32(..);
        let settings = Settings {
            width: [32, 64, 128][rng.usize(..3)],
            policy: if rng.bool() { Policy::Lazy } else { Policy::Naive },
            capacity: if rng.bool() { Capacity::Minimum } else { Capacity::Ensembles(2) },
            ..Settings::default()
        };
        let (app, sink) = sketch(equal_neighbours, threshold);
        let inputs = kmers(&sequence);
        let expected = expected(&sequence, equal_neighbours as usize, threshold);
        let context = format!("seed {seed}, {settings:?}");

        let mut outputs = CpuExecutor::new(&app, &settings).unwrap().run(&inputs).unwrap();
        let mut on_the_cpu = outputs.take(sink);
        on_the_cpu.sort_unstable_by_key(|kmer| kmer.position);
        assert_eq!(on_the_cpu, expected, "Rust, {context}");

        let backend = ShimBackend::new(Module::open(SHIM.as_ref()).unwrap(), seed);
        let executor =
            CudaExecutor::with_backend(backend, &app, &settings, KERNELS.name, &()).unwrap();
        let mut outputs = executor.run(&inputs).unwrap();
        let mut by_kernels = outputs.take(sink);
        by_kernels.sort_unstable_by_key(|kmer| kmer.position);
        assert_eq!(by_kernels, expected, "CUDA, {context}");
    }
}
