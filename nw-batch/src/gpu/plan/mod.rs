//! Plans: which kernel aligns which pairs of a batch, in which order, and what memory it needs.

pub mod edit;
pub mod full_matrix;
pub mod strips;
pub mod warp;
pub mod warp_kernel;

/// Repeats the last pair until all tasks are full.
fn fill_last_task(order: &mut Vec<u32>, pairs_per_task: u32) {
    if let Some(&last) = order.last() {
        order.resize(order.len().next_multiple_of(pairs_per_task as usize), last);
    }
}
