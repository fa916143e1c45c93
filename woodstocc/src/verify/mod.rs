//! Verification of candidate places in the text, shared by the filter and the search schemes.
//!
//! Both find places where a query may match, and compute the distances of all match starts near them by a banded
//! matrix.
//!
//! | module | concept |
//! |---|---|
//! | [`window`] | match starts near a diagonal, with their distances |
//! | [`band`] | the banded matrix that computes them |

pub mod band;
pub mod window;

pub use window::{FoundWindows, Window};
