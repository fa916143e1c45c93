//! How well reads were placed: against the truth in their names, or by one mapper against another.
//!
//! [`alignments`] reads SAM, BAM and CRAM, [`place`] is where a record lies and whether that is where
//! another one does, [`truth`] what a simulated read's name tells, [`accuracy`] and [`comparison`] count.

pub mod accuracy;
pub mod alignments;
pub mod comparison;
mod place;
pub mod truth;
