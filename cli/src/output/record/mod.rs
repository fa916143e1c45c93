//! Records of reads, in a form that SAM, BAM and CRAM have in common, and what makes them of mappings.
//!
//! [`fields`] has the fields of a record and [`cigar`] its CIGAR. [`all`] makes the records of mode all and [`best`]
//! those of mode best; [`mate`] says what both tell of mates, [`md`] makes the `MD` tag and [`reverse_strand`] the read as it
//! lies on the other strand.

pub mod all;
pub mod best;
pub mod cigar;
pub mod fields;
mod mate;
mod md;
mod reverse_strand;
