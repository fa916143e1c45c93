//! Everyday mapping of reads: seeds say where a read may come from, and an extension says how well it
//! fits there.
//!
//! # Design
//!
//! ```text
//!   queries (codes), text, tasks: a query, a window of the text, a band of diagonals
//!        |
//!   extend::Extender --> cpu   a look at one diagonal, else a SIMD lane a task; rayon
//!        |          `--> gpu   a thread for two tasks, a row of the band in registers
//!        v
//!   Scored: score and end; or Alignments: also the begin, and the runs of a CIGAR
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`extend`] | the best alignment of each of very many reads in a band of a window |

pub mod extend;
