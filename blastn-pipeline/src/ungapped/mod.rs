//! Ungapped extension of word hits along their diagonals.
//!
//! ```text
//!   subject   ...GATTACAGATTACAGG...
//!                |||| ||||||||||          a word hit (11 equal bases) is extended to both sides
//!   query     ...GATTCCAGATTACATC...      until the score falls by more than the X-drop
//! ```
//!
//! An extension is first tried four bases at a time, which only tells whether it is worth while to extend base by
//! base (Zhang et al., J. Comput. Biol. 7, 2000, section 4, for the packed comparison; `s_NuclUngappedExtend` in
//! NCBI's `na_ungapped.c`). A quicker test before it drops most word hits (`approximate_filter.rs`). A word hit is not
//! extended if an earlier one has explored that part of its diagonal.

pub(crate) mod approximate_filter;
pub mod diagonals;
pub mod extension;
pub mod hits;
pub(crate) mod two_hits;
