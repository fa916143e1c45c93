//! A read as it lies on the reverse strand.

use crate::input::Read;
use crate::iupac::reverse_complement;

/// Memory for the sequence and qualities of one read on the reverse strand.
#[derive(Debug, Clone, Default)]
pub struct ReverseStrand {
    sequence: Vec<u8>,
    quality: Vec<u8>,
}

impl ReverseStrand {
    /// The reverse complement of a read's sequence, and its qualities in reverse order.
    pub fn set(&mut self, read: Read<'_>) -> (&[u8], Option<&[u8]>) {
        let quality = read.quality.unwrap_or_default();
        self.sequence.resize(read.sequence.len(), 0);
        reverse_complement(read.sequence, &mut self.sequence);
        self.quality.resize(quality.len(), 0);
        // The compiler makes vector instructions of this.
        for (to, &value) in self.quality.iter_mut().zip(quality.iter().rev()) {
            *to = value;
        }
        (&self.sequence, read.quality.map(|_| self.quality.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complements_keep_ambiguity_and_undo_themselves() {
        let (letters, values) = (b"ACGTRYKMBVDHSWN", (0..15).collect::<Vec<u8>>());
        let read = Read {
            name: b"r",
            sequence: letters,
            quality: Some(&values),
            comment: b"",
            group: None,
        };
        let (mut there, mut back) = (ReverseStrand::default(), ReverseStrand::default());
        let (sequence, quality) = there.set(read);
        assert_eq!(sequence, b"NWSDHBVKMRYACGT");
        assert_eq!(back.set(Read { sequence, quality, ..read }), (&letters[..], Some(&values[..])));
        let fasta = Read { name: b"r", sequence: b"A", quality: None, comment: b"", group: None };
        assert_eq!(there.set(fasta), (&b"T"[..], None));
    }

    #[test]
    fn reads_of_all_lengths_are_reversed() {
        let seed = 31;
        let mut random = fastrand::Rng::with_seed(seed);
        let mut reversed = ReverseStrand::default();
        for length in (0..=130).rev().chain([150, 1000]) {
            let letters = if random.bool() { b"ACGT".as_slice() } else { b"ACGTRYKMBVDHSWN" };
            let mut any = |_| letters[random.usize(..letters.len())];
            let sequence: Vec<u8> = (0..length).map(&mut any).collect();
            let quality: Vec<u8> = (0..length).map(any).collect();
            let quality = Some(quality.as_slice()).filter(|_| length % 3 > 0);
            let read = Read { name: b"r", sequence: &sequence, quality, comment: b"", group: None };
            let complement = |letter: &u8| {
                let place = b"ACGTRYKMBVDHSWN".iter().position(|it| it == letter);
                b"TGCAYRMKVBHDSWN"[place.expect("is a letter")]
            };
            let expected: Vec<u8> = sequence.iter().rev().map(complement).collect();
            let values = quality.map(|it| it.iter().rev().copied().collect::<Vec<u8>>());
            let found = reversed.set(read);
            assert_eq!(found, (&expected[..], values.as_deref()), "seed {seed}, {length}");
        }
    }
}
