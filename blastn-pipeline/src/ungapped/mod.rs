//! Ungapped extension of word hits, once for each part of a diagonal.
//!
//! The score may fall by the X-drop below its best. Four bases at a time are scored first, which
//! only tells whether it is worth while to do it base by base (Zhang et al., J. Comput. Biol. 7,
//! 2000, section 4, for the packed comparison).

pub mod diagonals;
pub mod extension;
pub mod hits;
