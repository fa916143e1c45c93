//! Reads in the memory that they share.

/// A read.
#[derive(Debug, Clone, Copy)]
pub struct Read<'r> {
    /// The header's first word.
    pub name: &'r [u8],
    /// Upper-case IUPAC letters, T for U and N for a dot. May be empty.
    pub sequence: &'r [u8],
    /// Phred qualities, 0 to 93, one a base; `None` in FASTA.
    pub quality: Option<&'r [u8]>,
}

/// Reads one after the other.
#[derive(Debug, Default)]
pub struct Reads {
    /// Name, sequence and, if there is one, quality of each.
    text: Vec<u8>,
    reads: Vec<Extent>,
}

/// Where a read lies.
#[derive(Debug)]
struct Extent {
    begin: usize,
    name: usize,
    bases: usize,
    end: usize,
}

impl Reads {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.reads.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }

    /// Removes all, and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.reads.clear();
    }

    /// One of them.
    pub fn get(&self, number: usize) -> Read<'_> {
        let &Extent { begin, name, bases, end } = &self.reads[number];
        let (name, letters) = self.text[begin..end].split_at(name);
        let (sequence, quality) = letters.split_at(bases);
        // Of no bases, there are as many qualities.
        let quality = (quality.len() == bases).then_some(quality);
        Read { name, sequence, quality }
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Read<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Begins a read of this name, and gives where its sequence and quality are to be appended. What
    /// was begun before and not ended goes.
    pub(super) fn begin(&mut self, name: &[u8]) -> &mut Vec<u8> {
        self.text.truncate(self.reads.last().map_or(0, |last| last.end));
        self.text.extend_from_slice(name);
        &mut self.text
    }

    /// Ends the read, whose name and sequence have these lengths.
    pub(super) fn end(&mut self, name: usize, bases: usize) {
        let begin = self.reads.last().map_or(0, |last| last.end);
        self.reads.push(Extent { begin, name, bases, end: self.text.len() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_what_was_added() {
        let mut reads = Reads::default();
        for (name, letters, bases) in [("a", "ACGT", 4), ("bc", "AG\x01\x02", 2), ("d", "", 0)] {
            reads.begin(b"not ended").extend_from_slice(b"ACG");
            reads.begin(name.as_bytes()).extend_from_slice(letters.as_bytes());
            reads.end(name.len(), bases);
        }
        let fields = |number| {
            let Read { name, sequence, quality } = reads.get(number);
            (name, sequence, quality)
        };
        assert_eq!(fields(0), (&b"a"[..], &b"ACGT"[..], None));
        assert_eq!(fields(1), (&b"bc"[..], &b"AG"[..], Some(&b"\x01\x02"[..])));
        assert_eq!(fields(2), (&b"d"[..], &b""[..], Some(&b""[..])));
        assert_eq!(reads.iter().len(), 3);
        assert!(!reads.is_empty());
        reads.clear();
        assert!(reads.is_empty());
        reads.begin(b"e").push(b'T');
        reads.end(1, 1);
        assert_eq!((reads.get(0).name, reads.get(0).sequence), (&b"e"[..], &b"T"[..]));
    }
}
