//! Short of device memory, the GPU yields what the CPU does. Needs a GPU: `cargo test -p woodstocc --test gpu_alone -- --ignored`,
//! while no other program uses it, as the test takes its memory.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use std::sync::Arc;

use aligner_core::Device;
use aligner_core::gpu::{DeviceBuffer, Gpu};
use common::{Random, index, queries};
use woodstocc::{Mapper, Params, Report, Strategy};

/// Takes all device memory but about `left` bytes.
fn hog(gpu: &Gpu, left: u64) -> Vec<DeviceBuffer<u8>> {
    let mut taken = Vec::new();
    let mut piece = 1 << 36;
    while piece >= 1 << 21 {
        if gpu.free_memory().expect("answers") > left + piece
            && let Ok(buffer) = gpu.zeros::<u8>(piece as usize)
        {
            taken.push(buffer);
        } else {
            piece /= 2;
        }
    }
    taken
}

#[test]
#[ignore = "needs a GPU"]
fn short_of_memory_batches_are_halved_and_then_left_to_the_cpu() {
    let mut random = Random(21);
    let contigs = vec![random.bases(20_000, b"ACGT")];
    let index = index(&contigs);
    let reads: Vec<Vec<u8>> = (0..40_000).map(|_| random.read(&contigs, 40, 2)).collect();
    let params =
        Params { k: 2, report: Report::All, strategy: Strategy::Trie, ..Params::default() };
    let on_cpu = Mapper::new(Arc::clone(&index), params, Device::Cpu).expect("a mapper");
    let expected = on_cpu.map(&queries(&reads)).expect("maps");
    for (left, enough) in [(40 << 20, true), (0, false)] {
        let gpu = Gpu::open(0).expect("a GPU");
        let on_gpu =
            Mapper::new(Arc::clone(&index), params, Device::Cuda(gpu.clone())).expect("a mapper");
        let taken = hog(&gpu, left);
        let mappings = on_gpu.map(&queries(&reads)).expect("maps");
        drop(taken);
        assert_eq!(mappings, expected, "{left} bytes left");
        assert_eq!(on_gpu.failure().is_none(), enough, "{left} bytes left: {:?}", on_gpu.failure());
    }
}
