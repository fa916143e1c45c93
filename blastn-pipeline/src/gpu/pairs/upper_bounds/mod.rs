//! Upper bounds of the scores of alignments of a query and a chunk, so that hopeless pairs are not extended.
//!
//! Where thousands of subjects are alike, as among 16S genes, a query has words in nearly all of them, and its list of hits
//! fills up with much better ones. A cheap upper bound tells most of the others:
//!
//! ```text
//!   words of a chunk --> set      strand   ......xxx....xxx......   x: words that begin here are not in the set
//!                                                ^-----^            words that do not overlap: a difference each
//!   upper bounds of all pairs --> the pairs with the highest bounds are extended
//!     --> the score of the last pair that a query's list has room for
//!     --> hits of pairs whose upper bound is less are left out
//! ```
//!
//! This is the q-gram lemma (Jokinen and Ukkonen, MFCS 1991), for scores: a word of an aligned stretch that the chunk does not
//! have holds a difference, words that do not overlap hold different ones, and each takes from the score at least what
//! [`BoundCosts`] says. The upper bound of a strand is that of its best stretch, found in one pass.
//!
//! It holds for all alignments of the pair, wherever they were seeded and however they were extended, so a query's list of
//! subjects is the same without the hits that are left out. Among 16S genes these are three of five.

mod costs;
mod table;

pub(crate) use self::costs::has_bound;
pub use self::costs::{BoundCosts, UNBOUNDED, words};
#[cfg(test)]
pub(crate) use self::table::UpperBoundParameters;
pub use self::table::UpperBounds;
