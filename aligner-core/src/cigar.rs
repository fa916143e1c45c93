//! The columns of alignments, as in CIGAR strings (SAM specification, section 1.4).

use std::fmt;

use bytemuck::{Pod, Zeroable};

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

/// A run of columns of one kind: the operation in the lowest two bits, how many in the others.
/// Kernels write the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Run(u32);

impl Run {
    /// So many columns.
    pub fn new(op: Op, count: u32) -> Self {
        let code = match op {
            Op::Equal => 0,
            Op::Different => 1,
            Op::Insertion => 2,
            Op::Deletion => 3,
        };
        Self(count << 2 | code)
    }

    /// What they are.
    pub fn op(self) -> Op {
        match self.0 & 3 {
            0 => Op::Equal,
            1 => Op::Different,
            2 => Op::Insertion,
            _ => Op::Deletion,
        }
    }

    /// How many.
    pub fn count(self) -> u32 {
        self.0 >> 2
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.count(), self.op().letter())
    }
}
