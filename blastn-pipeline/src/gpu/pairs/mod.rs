//! Pairs of a query and a chunk: gapped extensions of their ungapped hits for the score, in device memory.
//!
//! ```text
//!   hits --sort--> by chunk, query and score; the first hit of a pair is its best
//!     best hits --> two sides each --extend--> reaches
//!     other hits that do not lie within that extension --> sides --extend--> reaches
//!     hits that do lie within it, if another extension replaced it --> sides --extend--> reaches
//!       `--> verdicts on pairs --> the host chooses pairs --> their hits, with reaches
//! ```
//!
//! The ungapped hits of a pair are mostly parts of one gapped alignment, which the best hit extends to. So that hit is extended
//! first, and hits that lie within its extension are not extended, unless a better extension that shares an end replaces it.
//! The hits outnumber those of the pairs that matter by far: a query may have hits with half of the subjects of a database, and
//! 500 of them are reported. So only a verdict on each pair leaves the device, and the hits of the pairs that the host then
//! asks for. A verdict (`PairVerdict`) has the best scores of the best hit, of the other hits on the same strand, and of those
//! on the opposite strand. If none of the others is better than the best hit, the rank of the pair is known before it is
//! decided which alignments lie within others; if not, the pair ranks no better than the best of these scores. E-values are
//! computed by the host, so that they are the same for all devices.
//!
//! If there are many subjects, most pairs are not extended at all: [`upper_bounds`] tells what they score at most.
//!
//! Which hits are of a pair, and their order, follow from the hits themselves, not from where they were found. So results are
//! the same each time, though kernels list items in any order.

mod judged_pairs;
mod kernels;
pub(crate) mod parameters;
mod side_extender;
pub mod upper_bounds;

pub(crate) use self::judged_pairs::{JudgedPairs, ScoredHit};
pub use self::kernels::PairKernels;
