//! The columns of alignments, as in CIGAR strings (SAM specification, section 1.4).

/// What a column of an alignment is, of a query (a read) and a target (a reference).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `=`: two residues that are the same letter.
    Equal,
    /// `X`: two others, or an unknown one on either side.
    Different,
    /// `I`: a residue of the query that the target lacks.
    Insertion,
    /// `D`: a residue of the target that the query lacks.
    Deletion,
}

impl Op {
    /// Its letter.
    pub const fn letter(self) -> char {
        match self {
            Self::Equal => '=',
            Self::Different => 'X',
            Self::Insertion => 'I',
            Self::Deletion => 'D',
        }
    }
}
