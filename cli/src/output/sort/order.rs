//! The order of gathered records.
//!
//! Where each record lies is one number, by which records are in order. These numbers are distributed to buckets between borders
//! that a sample of them tells, as in samplesort (Frazer and `McKellar`, J. ACM 17, 1970), and each bucket, which has few enough for
//! a processor's cache up to tens of millions of records, is sorted by itself. A bucket gets about as many numbers as any other,
//! also where many records have one position: no two numbers are equal.

use bytemuck::{Zeroable, zeroed_vec};
use rayon::prelude::*;

use crate::output::bam::records::{CoordinateKey, RecordPlace};

/// Buckets, at most: the number of one is a byte.
const BUCKETS: usize = 1 << u8::BITS;

/// Numbers of the sample for each bucket.
const SAMPLES: usize = 16;

/// Groups of parts that a thread distributes, one after the other.
const GROUPS_OF_A_THREAD: usize = 4;

/// A record's key, the number of its part in the 32 bits behind it, and in the last 32 its number in the part. By comparison,
/// records are in the order of their keys, and those with equal keys as they came; one number is compared more quickly than
/// three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Zeroable)]
#[repr(transparent)]
pub struct Place(u128);

impl Place {
    fn new(key: CoordinateKey, part: usize, number: usize) -> Self {
        Self(u128::from(key) << 64 | (part as u128) << 32 | number as u128)
    }

    /// Returns the key of the record.
    pub fn key(self) -> CoordinateKey {
        (self.0 >> 64) as CoordinateKey
    }

    /// The number of its part.
    pub fn part(self) -> usize {
        (self.0 >> 32) as u32 as usize
    }

    /// Its number in the part.
    pub fn number(self) -> usize {
        self.0 as u32 as usize
    }
}

/// The places of all records of some parts, in order.
pub fn sorted(parts: &[&[RecordPlace]]) -> Vec<Place> {
    let count = parts.iter().map(|part| part.len()).sum();
    let borders = &borders(parts, count);
    let of_group = parts.len().div_ceil(GROUPS_OF_A_THREAD * rayon::current_num_threads()).max(1);
    let distribute = |(group, parts): (usize, &[&[RecordPlace]])| {
        let places = || {
            (group * of_group..).zip(parts).flat_map(|(part, places)| {
                let place =
                    move |(number, it): (usize, &RecordPlace)| Place::new(it.key, part, number);
                places.iter().enumerate().map(place)
            })
        };
        let bucket = |place: Place| borders.partition_point(|border| *border <= place) as u8;
        let numbers: Vec<u8> = places().map(bucket).collect();
        let mut sizes = vec![0; borders.len() + 1];
        for &number in &numbers {
            sizes[usize::from(number)] += 1;
        }
        let mut buckets: Vec<Vec<Place>> = sizes.into_iter().map(Vec::with_capacity).collect();
        for (place, number) in places().zip(numbers) {
            buckets[usize::from(number)].push(place);
        }
        buckets
    };
    let groups: Vec<Vec<Vec<Place>>> =
        parts.par_chunks(of_group).enumerate().map(distribute).collect();
    let mut order: Vec<Place> = zeroed_vec(count);
    let mut rest = order.as_mut_slice();
    let mut buckets = Vec::new();
    for bucket in 0..=borders.len() {
        let size = groups.iter().map(|group| group[bucket].len()).sum();
        buckets.push(rest.split_off_mut(..size).unwrap_or_default());
    }
    buckets.into_par_iter().enumerate().for_each(|(number, bucket)| {
        let places = groups.iter().flat_map(|group| &group[number]);
        for (target, place) in bucket.iter_mut().zip(places) {
            *target = *place;
        }
        bucket.sort_unstable();
    });
    order
}

/// Places that begin all buckets but the first, in order.
fn borders(parts: &[&[RecordPlace]], count: usize) -> Vec<Place> {
    let step = (count / (BUCKETS * SAMPLES)).max(1);
    let of_part = |(part, places): (usize, &&[RecordPlace])| {
        // Parts of fewer places than a step are not left out together.
        let first = part.wrapping_mul(0x9E37_79B9) % step;
        let numbers = (first..places.len()).step_by(step);
        numbers.map(|number| Place::new(places[number].key, part, number)).collect::<Vec<_>>()
    };
    let mut sample: Vec<Place> = parts.iter().enumerate().flat_map(of_part).collect();
    sample.sort_unstable();
    let buckets = (sample.len() / SAMPLES).clamp(1, BUCKETS);
    (1..buckets).map(|bucket| sample[bucket * sample.len() / buckets]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_keys_and_then_of_records() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let keys = [1, 3, 1000, u64::MAX][random.usize(..4)];
            let parts: Vec<Vec<RecordPlace>> = (0..random.usize(..40))
                .map(|_| {
                    let key = |random: &mut fastrand::Rng| random.u64(..keys);
                    let place = |key| RecordPlace { key, offset: 0, template: 0 };
                    (0..random.usize(..800)).map(|_| place(key(&mut random))).collect()
                })
                .collect();
            let mut expected: Vec<(CoordinateKey, usize, usize)> = Vec::new();
            for (part, places) in parts.iter().enumerate() {
                expected.extend(places.iter().enumerate().map(|(it, place)| (place.key, part, it)));
            }
            expected.sort_unstable();
            let parts: Vec<&[RecordPlace]> = parts.iter().map(Vec::as_slice).collect();
            let found: Vec<(CoordinateKey, usize, usize)> =
                sorted(&parts).iter().map(|it| (it.key(), it.part(), it.number())).collect();
            assert!(found == expected, "seed {seed}");
        }
    }

    #[test]
    fn buckets_are_of_about_one_size() {
        // A sorted part, parts of few records, and many records of one key.
        let place = |key| RecordPlace { key, offset: 0, template: 0 };
        let sorted: Vec<RecordPlace> = (0..40_000).map(place).collect();
        let equal = vec![place(7); 40_000];
        let few: Vec<RecordPlace> = (0..40_000_u64).map(|it| place(it * 77 % 40_009)).collect();
        let parts: Vec<&[RecordPlace]> =
            [sorted.as_slice(), &equal].into_iter().chain(few.chunks(3)).collect();
        let borders = borders(&parts, 120_000);
        assert_eq!(borders.len(), BUCKETS - 1);
        let mut counts = vec![0; BUCKETS];
        for place in super::sorted(&parts) {
            counts[borders.partition_point(|border| *border <= place)] += 1;
        }
        let largest = counts.iter().max();
        assert!(largest.is_some_and(|&it| it < 3 * 120_000 / BUCKETS), "{largest:?}");
    }
}
