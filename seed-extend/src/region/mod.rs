//! Regions: where a read aligns, how its regions compare, and which are reported.
//!
//! | module | concept |
//! |---|---|
//! | [`regions`] | an alignment of a read to the text |
//! | [`builder`] | alignment tasks from chains, and regions from alignments |
//! | [`alt_contigs`] | contigs whose regions do not compete with those of the primary assembly |
//! | [`alignment_tasks`] | the tasks of a batch |
//! | [`ranking`] | which region is best, what competes with it, mapping quality |
//! | [`gpu`], `finder` | regions on a GPU, and whichever device there is |
//! | [`mapped_reads`] | which regions are reported |
//! | [`lists`] | the regions of many reads in one array |

pub mod alignment_tasks;
pub mod alt_contigs;
pub mod builder;
pub(crate) mod finder;
pub mod gpu;
pub mod lists;
pub mod mapped_reads;
pub mod ranking;
pub mod regions;
