//! Sharing of walks between rounds: blocks that are done get half of the pods of others.

use super::block::{Block, BlockStatus};
use crate::stream::plan::walk::{WalkGift, walk_gifts};

/// Gives each block that is done half of the pods of one of the blocks that have most. The input must be used up.
pub(super) fn share_walks(blocks: &mut [Block]) {
    let states = blocks.iter().map(|it| (it.largest_walk(), it.status == BlockStatus::Done));
    for WalkGift { from, to, node } in walk_gifts(states) {
        let half = blocks[from].split_walk(node);
        blocks[to].take_walk(node, half);
    }
}
