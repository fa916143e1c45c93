//! The results that the repository keeps, and the pages made of them.

pub mod page;
pub mod papers;
pub mod results;
