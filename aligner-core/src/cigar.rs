//! CIGAR runs: the columns of a pairwise alignment, run-length encoded (SAM specification, section 1.4).
//!
//! An alignment is a slice of [`CigarRun`]s from its first column to its last. Kernels write the same 32-bit words, so
//! runs that come from a GPU need no conversion; `gpualign/cigar.cuh` has the encoding on the device's side.
//!
//! ```
//! use aligner_core::cigar::{CigarOp, CigarRun, push_run};
//!
//! let mut runs = vec![CigarRun::new(CigarOp::Equal, 5)];
//! push_run(&mut runs, CigarOp::Equal, 2);
//! push_run(&mut runs, CigarOp::Deletion, 1);
//! let text: String = runs.iter().map(CigarRun::to_string).collect();
//! assert_eq!(text, "7=1D");
//! ```

use std::fmt;

use bytemuck::{Pod, Zeroable};

use crate::gpu::{DeviceRepr, ValidAsZeroBits};

/// Kind of an alignment column, of a query (a read) and a target (a reference).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CigarOp {
    /// `=`: the same letter in query and target.
    Equal = 0,
    /// `X`: two different letters, or an unknown one on either side.
    Different = 1,
    /// `I`: a letter of the query beside a gap in the target.
    Insertion = 2,
    /// `D`: a letter of the target beside a gap in the query.
    Deletion = 3,
}

impl CigarOp {
    /// Letter of the operation in a CIGAR string.
    pub const fn letter(self) -> char {
        match self {
            Self::Equal => '=',
            Self::Different => 'X',
            Self::Insertion => 'I',
            Self::Deletion => 'D',
        }
    }
}

/// Run of columns of one kind, in 32 bits: the operation in the lowest two (`=`, `X`, `I`, `D` are 0 to 3), the number
/// of columns in the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct CigarRun(u32);

#[allow(unsafe_code)]
// SAFETY: `Pod` makes it plain data, whose bytes may be copied to a device.
unsafe impl DeviceRepr for CigarRun {}

#[allow(unsafe_code)]
// SAFETY: `Zeroable` makes zero bytes a value of it.
unsafe impl ValidAsZeroBits for CigarRun {}

impl CigarRun {
    /// A run of `length` columns, which must be below 2^30.
    pub const fn new(op: CigarOp, length: u32) -> Self {
        let code = match op {
            CigarOp::Equal => 0,
            CigarOp::Different => 1,
            CigarOp::Insertion => 2,
            CigarOp::Deletion => 3,
        };
        Self(length << 2 | code)
    }

    /// Kind of the columns.
    pub const fn op(self) -> CigarOp {
        match self.0 & 3 {
            0 => CigarOp::Equal,
            1 => CigarOp::Different,
            2 => CigarOp::Insertion,
            _ => CigarOp::Deletion,
        }
    }

    /// Number of columns in the run.
    pub const fn length(self) -> u32 {
        self.0 >> 2
    }
}

impl fmt::Display for CigarRun {
    /// Writes the run as a CIGAR string does: `12=`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.length(), self.op().letter())
    }
}

impl fmt::Debug for CigarRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Appends `length` columns to an alignment. They extend its last run if that is of the same kind; no columns (a length
/// of 0) change nothing.
pub fn push_run(runs: &mut Vec<CigarRun>, op: CigarOp, length: u32) {
    match runs.last_mut() {
        _ if length == 0 => {}
        Some(last) if last.op() == op => *last = CigarRun::new(op, last.length() + length),
        _ => runs.push(CigarRun::new(op, length)),
    }
}
