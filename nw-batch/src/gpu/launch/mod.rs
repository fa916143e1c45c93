//! Launches of planned batches, and their results. Each module adds its part to [`Engine`](super::Engine).

mod alignments;
pub mod batch;
mod edit;
mod full_matrix;
mod scores;
mod strips;
mod warp;
