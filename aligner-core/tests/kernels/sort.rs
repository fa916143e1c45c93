//! The kernels of the sort, run on the CPU, sort as the standard library does.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use aligner_core::sort::{Field, ITEM_BYTES, Sorter};
use aligner_core::stream::Backend;
use fastrand::Rng;
use gpualign_tests::ShimBackend;

type Item = [u32; 4];

/// Sorts items by fields on the shim and by the standard library.
fn check(case: &str, items: &[Item], fields: &[Field]) {
    let backend = || {
        ShimBackend::new(gpualign_tests::kernels("aligner-core", "sort").expect("it is built"), 7)
    };
    let memory = backend();
    let on_device = memory.upload(bytemuck::cast_slice(items)).expect("memory");
    let sorter = Sorter::with_backend(backend());
    let sorted = sorter.sort(on_device, items.len(), fields).expect("it sorts");
    let sorted = memory.read(&sorted, items.len() * ITEM_BYTES).expect("memory");
    let mut expected = items.to_vec();
    expected.sort_by_key(|item| {
        let part = |field: &Field| {
            let mask = 1_u64.checked_shl(field.bits).map_or(u64::MAX, |bit| bit - 1);
            u64::from(item[field.word as usize]) & mask
        };
        fields.iter().rev().map(part).collect::<Vec<_>>()
    });
    let sorted: Vec<Item> = bytemuck::pod_collect_to_vec(&sorted);
    assert!(sorted == expected, "{case}");
    let mut on_host = items.to_vec();
    sorter.sort_on_host(&mut on_host, fields).expect("it sorts");
    assert!(on_host == expected, "{case}");
}

#[test]
fn items_are_sorted_by_their_fields() {
    for seed in 0..6 {
        let mut random = Rng::with_seed(seed);
        let (count, range) = (random.usize(2..12_000), [3, 300, 70_000][random.usize(..3)]);
        let items: Vec<Item> = (0..count as u32)
            .map(|number| [number, random.u32(..range), random.u32(..5), random.u32(..)])
            .collect();
        let fields = [
            Field::up_to(2, 4),
            Field { word: 3, bits: [0, 3, 11][random.usize(..3)] },
            Field::up_to(1, range - 1),
        ];
        check(&format!("seed {seed}"), &items, &fields);
    }
}

#[test]
fn none_one_whole_tiles_and_greatest_numbers() {
    let mut random = Rng::with_seed(3);
    for count in [0, 1, 2, 255, 256, 257, 4096, 4097] {
        let items: Vec<Item> =
            (0..count).map(|number| [random.u32(u32::MAX - 3..=u32::MAX), number, 0, 0]).collect();
        check(&format!("{count} items"), &items, &[Field::up_to(0, u32::MAX)]);
        check(&format!("{count} items, all alike"), &items, &[Field::up_to(2, 1)]);
        check(&format!("{count} items, no field"), &items, &[]);
    }
}
