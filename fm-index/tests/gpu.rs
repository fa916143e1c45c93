//! The device index against the host's. `cargo test -p fm-index --test gpu -- --ignored`
#![allow(missing_docs, clippy::unwrap_used)]

use aligner_core::gpu::Gpu;
use fastrand::Rng;
use fm_index::gpu::DeviceIndex;
use fm_index::{BuildOptions, FmIndex, Reference};

fn check(index: &FmIndex, device: &DeviceIndex, gpu: &Gpu, rng: &mut Rng, what: &str) {
    let rows = index.rows();
    let expected: Vec<u32> = (0..rows).map(|row| index.locate(row)).collect();
    assert_eq!(device.locate(gpu, &[0], &[rows]).unwrap(), expected, "{what}, all rows");
    assert_eq!(device.locate(gpu, &[], &[]).unwrap(), [0; 0], "{what}, no range");
    assert_eq!(device.locate(gpu, &[0, 0], &[0, 0]).unwrap(), [0; 0], "{what}, empty ranges");
    let (lo, sizes): (Vec<u32>, Vec<u32>) = (0..1000)
        .map(|_| {
            let lo = rng.u32(0..rows);
            (lo, rng.u32(0..=(rows - lo).min(20)))
        })
        .unzip();
    let ranges = lo.iter().zip(&sizes);
    let expected: Vec<u32> =
        ranges.flat_map(|(&lo, &size)| (lo..lo + size).map(|row| index.locate(row))).collect();
    assert_eq!(device.locate(gpu, &lo, &sizes).unwrap(), expected, "{what}, ranges");
}

#[test]
#[ignore = "needs a GPU"]
fn rows_are_located_as_on_the_host() {
    let gpu = Gpu::open(0).unwrap();
    let mut rng = Rng::with_seed(1);
    for length in [1, 2, 63, 191, 192, 193, 1000, 300_000] {
        for shift in 0..=6 {
            let letters: Vec<u8> = (0..length)
                .map(|_| b"ACGT"[rng.usize(0..if shift == 3 { 1 } else { 4 })])
                .collect();
            let reference = Reference::from_records([("text", letters)]).unwrap();
            let options = BuildOptions { sample_rate: 1 << shift, ..BuildOptions::default() };
            let index = FmIndex::build(reference, &options).unwrap();
            let what = format!("length {length}, rate {}", 1 << shift);
            let device = DeviceIndex::new(&gpu, &index).unwrap();
            check(&index, &device, &gpu, &mut rng, &what);
            assert!(!device.has_all_positions());
            // The positions of all rows may be there soon, and are afterwards.
            device.locate_ahead().unwrap();
            check(&index, &device, &gpu, &mut rng, &what);
            device.wait_for_positions().unwrap();
            assert!(device.has_all_positions());
            check(&index, &device, &gpu, &mut rng, &what);
        }
    }
}
