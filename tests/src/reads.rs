//! Simulated reads for tests of searches.

/// Simulates reads of up to `longest` bases of a text, with up to three differences each: substitutions, unknown bases,
/// deletions and insertions.
pub fn reads(
    random: &mut fastrand::Rng,
    text: &[u8],
    count: usize,
    longest: usize,
) -> Vec<Vec<u8>> {
    (0..count)
        .map(|_| {
            let start = random.usize(..text.len());
            let length = 1 + random.usize(..longest);
            let mut read = text[start..text.len().min(start + length)].to_vec();
            for _ in 0..random.usize(..4) {
                let at = random.usize(..read.len());
                match random.usize(..3) {
                    0 => read.insert(at, b'A'),
                    1 if read.len() > 1 => drop(read.remove(at)),
                    _ => read[at] = b"ACGTN"[random.usize(..5)],
                }
            }
            read
        })
        .collect()
}
