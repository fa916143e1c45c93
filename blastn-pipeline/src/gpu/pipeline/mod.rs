//! From words of a database to ungapped alignments: five nodes, each of which leaves a small and uneven part of its input to
//! the next, as an application of [`aligner_core::stream`] (Cole 2017, 3.4.1; Cole and Buhler 2017 (MERCATOR), VI.B).
//!
//! ```text
//!   slices --> seed ------> widen ------------> extend --------> extended, unaligned
//!              looks up     takes its places    extends the
//!              each word    in the queries,     seed without       `--> lengthen --> extended, unaligned
//!              of the       keeps exact         gaps, within            goes on         `--> stretch --> extended, unaligned
//!              database     matches (seeds)     a window                                     a warp ends it
//! ```
//!
//! Few words of the database are in a query, few of their places are in exact matches of the word size, and few of these
//! score enough. With queues between the stages, the threads of a warp are busy with survivors only. A word at many places of
//! the queries is exploded, a few places a thread, so their number needs no limit. The papers have four
//! stages. Their second, which lists the places, and their third are one node here (`Widen`): a queue between them would keep no
//! more lanes busy. Their fourth, ungapped extension, is three nodes (`Extend`, `Lengthen`, `Stretch`), by the length of the
//! extension.
//!
//! An *unaligned* seed has no alignment: it was tried, that is, extended and scored too little, or it was left to an earlier
//! seed of its diagonal. Unaligned seeds leave the pipeline, too, since the rule of diagonals needs them.
//!
//! In the kernels' loops, no lane leaves early. A compiler may let lanes that broke out of a loop run what follows on their
//! own, 2 of 32 at a time. Conditions that only end the loop, and selections in place of branches, keep the lanes together.
//!
//! The papers' stages do not know what was found on the same diagonal before, while NCBI's blastn extends a seed only if no
//! earlier extension has passed it. So all seeds are kept, and [`diagonals`] applies that rule afterwards, in the order of the
//! subject, with the same result. A long alignment has hundreds of seeds, of which NCBI's blastn extends the first alone. A
//! thread cannot tell which of them comes first, but a run of equal bases shortly before a seed shows that it is not the
//! first. Such a seed is not extended at first, but by the rule if no earlier extension did pass it.

mod application;
pub mod diagonals;
pub mod gpu_pipeline;
pub mod items;
pub mod lookup_tables;
pub mod stages;
pub mod tables;

pub use self::application::{PipelineBuild, PipelineSinks, slices, topology};
