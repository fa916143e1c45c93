//! Sums of counts by the kernels of seed-extend, run on the CPU, are those of a plain loop.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]
// Launching a kernel is unsafe; the launches pass what the kernels take.
#![allow(unsafe_code)]

use aligner_core::gpu::DeviceAddress;
use gpualign_tests::kernels;
use seed_extend::chain::gpu::parameters::{FindSumsParameters, FindTotalsParameters};
use simt::{Argument, Launch};

const POISON: u64 = 0x5A5A_5A5A_5A5A_5A5A;

/// Address of an array, as kernels on the CPU see it.
fn address<T>(array: *const T) -> DeviceAddress<T> {
    DeviceAddress::new(array.expose_provenance() as u64)
}

#[test]
fn sums_of_parts_are_those_of_all() {
    let module = kernels("seed-extend", "find").expect("it is built");
    let seed = 5;
    let mut random = fastrand::Rng::with_seed(seed);
    // None, one, and about borders of threads, tiles and parts; the most blocks there may be.
    for (count, blocks) in
        [(0, 1), (1, 1), (3, 7), (1023, 1), (1024, 1), (1025, 1), (5000, 2), (4097, 4), (3000, 256)]
    {
        let counts: Vec<u32> = (0..count)
            .map(|_| if random.u8(..9) == 0 { u32::MAX } else { random.u32(..9) })
            .collect();
        let part = (count as u32).div_ceil(blocks);
        let mut totals = vec![POISON; blocks as usize];
        let (mut sums, mut total) = (vec![POISON; count + 1], [POISON]);
        let launch = Launch::new(blocks, 256);
        let (of_counts, of_totals) = (address(counts.as_ptr()), address(totals.as_mut_ptr()));
        let count = count as u32;
        let parameters = FindTotalsParameters { counts: of_counts, totals: of_totals, count, part };
        let kernel = module.kernel("find_totals").expect("exported");
        // SAFETY: these are the kernel's parameters.
        unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
        let parameters = FindSumsParameters {
            counts: of_counts,
            totals: of_totals,
            sums: address(sums.as_mut_ptr()),
            total: address(total.as_mut_ptr()),
            count,
            part,
        };
        let kernel = module.kernel("find_sums").expect("exported");
        // SAFETY: these are the kernel's parameters.
        unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
        let mut all = 0;
        for (place, &number) in counts.iter().enumerate() {
            assert_eq!(sums[place], all, "seed {seed}, number {place} of {count}, {blocks} blocks");
            all += u64::from(number);
        }
        assert_eq!(
            [sums[count as usize], total[0]],
            [all; 2],
            "seed {seed}, {count} numbers, {blocks} blocks"
        );
    }
}
