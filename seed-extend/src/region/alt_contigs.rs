//! ALT contigs: other sequences of loci that the primary assembly has, too.
//!
//! Reads of such a locus align to both. So regions on ALT contigs do not compete with those on the primary assembly
//! ([`ranking`](crate::region::ranking)), as in `bwa mem` with a file `.alt`.

/// The set of the ALT contigs of a reference; empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AltContigs {
    /// Whether each contig is one; contigs behind the last entry are none.
    is_alt: Vec<bool>,
}

impl AltContigs {
    /// The contigs with these numbers, from 0.
    pub fn new(numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut is_alt = Vec::new();
        for number in numbers {
            if is_alt.len() <= number {
                is_alt.resize(number + 1, false);
            }
            is_alt[number] = true;
        }
        Self { is_alt }
    }

    /// Whether the contig with this number, from 0, is an ALT contig.
    #[inline]
    pub fn contains(&self, contig: u32) -> bool {
        self.is_alt.get(contig as usize).copied().unwrap_or(false)
    }
}
