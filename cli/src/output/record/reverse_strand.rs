//! A read as it lies on the reverse strand.

use crate::input::Read;
use crate::iupac::complement;

/// Memory for the sequence and qualities of one read on the reverse strand.
#[derive(Debug, Clone, Default)]
pub struct ReverseStrand {
    sequence: Vec<u8>,
    quality: Vec<u8>,
}

impl ReverseStrand {
    /// The reverse complement of a read's sequence, and its qualities in reverse order.
    pub fn set(&mut self, read: Read<'_>) -> (&[u8], Option<&[u8]>) {
        self.sequence.clear();
        self.sequence.extend(read.sequence.iter().rev().map(|&letter| complement(letter)));
        self.quality.clear();
        self.quality.extend(read.quality.iter().copied().flatten().rev());
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
}
