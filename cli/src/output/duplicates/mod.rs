//! Marking duplicates: templates that were copied from one fragment of DNA, before sequencing (PCR) or on the flow cell
//! (optical).
//!
//! The rules are those of Picard's `MarkDuplicates`. A template is a read, or a pair of reads. Its [`signature`] is its library
//! and, for each read that is aligned, the orientation and the position of the 5' end as if nothing were clipped. Pairs with
//! equal signatures are duplicates of the best of them, and so are single aligned reads; a single aligned read is also a
//! duplicate if an end of any pair has its position. The best template has the highest sum of base qualities of 15 and more,
//! and of several the first on the flow cell, then in the input. All records of a template are flagged, also secondary and
//! supplementary ones and an unaligned mate, as Picard does with records in the order of the reads.
//!
//! With UMIs (unique molecular identifiers), these are part of signatures: templates with different ones, even in one base, are
//! not duplicates of each other, as with Picard's `BARCODE_TAG`.
//!
//! Signatures are made where records are made, and [decided](find) by sorting when all are known. Duplicate pairs whose
//! [positions on the flow cell](flow_cell) lie close to each other are optical duplicates, which the [`metrics`] count.

pub mod find;
pub mod flow_cell;
pub mod metrics;
mod partitions;
pub mod sets;
pub mod signature;
pub mod stored;

pub use self::find::{DuplicateCounts, LibraryCounts, Signatures};

use serde::{Deserialize, Serialize};

use crate::input::Umis;

/// The treatment of duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marking {
    /// Whether to leave their records out, not to flag them.
    pub removes: bool,
    /// The most units of the flow cell, in x and in y, between optical duplicates; 0 does not look for them.
    pub optical_distance: u32,
    /// Where the UMIs of templates are, if these tell templates apart.
    pub umis: Option<Umis>,
}
