//! Packed bases: four to a byte, two bits each, the first base in the highest two bits (NCBI's `ncbi2na`).

/// Number of bases in a byte.
pub(crate) const BASES: usize = 4;

/// The base at a position, counted from 0.
#[cfg(test)]
pub(crate) fn get(bytes: &[u8], place: usize) -> u8 {
    bytes[place / BASES] >> (6 - 2 * (place % BASES)) & 3
}

/// Unpacks the first `bases` bases of `bytes` into `into`, one to a byte; what `into` held before is dropped.
pub(crate) fn unpack(bytes: &[u8], bases: usize, into: &mut Vec<u8>) {
    into.clear();
    let bytes = &bytes[..bases.div_ceil(BASES)];
    into.reserve(bytes.len() * BASES);
    into.extend(bytes.iter().flat_map(|byte| [byte >> 6, byte >> 4 & 3, byte >> 2 & 3, byte & 3]));
    into.truncate(bases);
}

/// Appends bases to `into`, packed from a new byte on; the last byte is filled up with A.
pub(crate) fn pack(bases: impl ExactSizeIterator<Item = u8>, into: &mut Vec<u8>) {
    let start = into.len();
    into.resize(start + bases.len().div_ceil(BASES), 0);
    for (place, base) in bases.enumerate() {
        into[start + place / BASES] |= base << (6 - 2 * (place % BASES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_round_trip() {
        let mut random = fastrand::Rng::with_seed(1);
        for length in 0..40usize {
            let bases: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
            let (mut bytes, mut back) = (vec![7], Vec::new());
            pack(bases.iter().copied(), &mut bytes);
            assert_eq!(bytes.len(), 1 + length.div_ceil(4));
            unpack(&bytes[1..], length, &mut back);
            assert_eq!(back, bases);
            let one_by_one: Vec<u8> = (0..length).map(|place| get(&bytes[1..], place)).collect();
            assert_eq!(one_by_one, bases);
        }
    }
}
