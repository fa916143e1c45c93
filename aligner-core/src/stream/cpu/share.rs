//! Sharing of walks between rounds: blocks that are done get half of the pods of others.

use std::cmp::Reverse;

use super::block::{Block, BlockStatus};

/// Gives each block that is done half of the pods of one of the blocks that have most. The input must be used up.
pub(super) fn share_walks(blocks: &mut [Block]) {
    let is_done = |block: &usize| blocks[*block].status == BlockStatus::Done;
    let takers: Vec<usize> = (0..blocks.len()).filter(is_done).collect();
    if takers.is_empty() {
        return;
    }
    let mut givers: Vec<(u64, usize, usize)> = blocks
        .iter()
        .enumerate()
        .filter_map(|(giver, block)| block.largest_walk().map(|(pods, node)| (pods, giver, node)))
        .filter(|&(pods, ..)| pods > 1)
        .collect();
    givers.sort_by_key(|&(pods, ..)| Reverse(pods));
    for (taker, (_, giver, node)) in takers.into_iter().zip(givers) {
        let half = blocks[giver].split_walk(node);
        blocks[taker].take_walk(node, half);
    }
}
