//! Sharing of walks between launches: blocks that have nothing left to do get half of the pods of others.

use super::application::CudaApplication;
use super::backend::{Backend, Launch};
use super::memory::RunMemory;
use super::tables::{Donation, SavedBlock, SavedWalk};
use crate::DeviceError;
use crate::gpu::DeviceStruct;
use crate::stream::plan::walk::{WalkGift, walk_gifts};
use crate::stream::{Metrics, OutputScheme, Policy};

/// Threads of a block of the kernel that moves pods.
const THREADS: u32 = 128;

impl<G: Sync + ?Sized, B: Backend> CudaApplication<'_, '_, G, B> {
    /// Whether blocks share walks.
    pub(super) fn shares_walks(&self) -> bool {
        let settings = &self.settings;
        let shares_rests = settings.share_rest && settings.policy == Policy::Lazy;
        settings.walk.shares
            && settings.slice > 0
            && !shares_rests
            && settings.outputs != OutputScheme::CountThenWrite
            && self.plan.nodes.iter().any(|node| node.walk.is_some())
    }

    /// Gives each block that is done half of the pods of one of the blocks that have most. The input must be used up.
    #[allow(unsafe_code)]
    pub(super) fn share_walks(
        &self,
        memory: &RunMemory<B>,
        blocks: &[SavedBlock],
        metrics: &mut Metrics,
    ) -> Result<(), DeviceError> {
        let donations = donations(blocks, &memory.walks(&self.backend)?);
        if donations.is_empty() {
            return Ok(());
        }
        let walks = self.plan.walks();
        metrics.walks.resize_with(walks.len(), Default::default);
        for donation in &donations {
            let of_node = walks.iter().position(|&node| node as u32 == donation.node);
            if let Some(walk) = of_node.and_then(|walk| metrics.walks.get_mut(walk)) {
                walk.shared += 1;
            }
        }
        let count = donations.len() as u32;
        let donations = self.backend.upload(bytemuck::cast_slice(&donations))?;
        let parameters = memory.share_parameters(self.backend.device_address(&donations));
        let launch = Launch {
            kernel: &format!("{}_share", self.app),
            blocks: count,
            width: THREADS,
            shared: 0,
            parameters: parameters.bytes(),
        };
        // SAFETY: the parameter is that of `APP_share`: the tables and stacks are those of the run, there is a donation
        // for each block of the grid, and no block of the application is in two of them.
        unsafe { self.backend.enqueue(&launch) }
    }
}

/// The donations to the blocks that have finished. `walks` has, for each block, the walk of each node.
fn donations(blocks: &[SavedBlock], walks: &[SavedWalk]) -> Vec<Donation> {
    let nodes = walks.len() / blocks.len().max(1);
    let states = blocks.iter().zip(walks.chunks(nodes.max(1))).map(|(block, own)| {
        let pods = own.iter().map(|walk| u64::from(walk.end_pod - walk.first_pod));
        (pods.zip(0..).max(), block.finished != 0)
    });
    let donation = |WalkGift { from, to, node }| Donation {
        from: from as u32,
        to: to as u32,
        node: node as u32,
        padding: 0,
    };
    walk_gifts(states).into_iter().map(donation).collect()
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;

    #[test]
    fn blocks_with_most_pods_give() {
        let block = |finished| SavedBlock { finished, ..SavedBlock::zeroed() };
        let walk = |end_pod| SavedWalk { end_pod, ..SavedWalk::zeroed() };
        let donation = |from, to, node| Donation { from, to, node, padding: 0 };
        let blocks = [1, 0, 0, 1, 0, 0].map(block);
        let one_node = [0, 1, 5, 0, 9, 2].map(walk);
        assert_eq!(donations(&blocks, &one_node), [donation(4, 0, 0), donation(2, 3, 0)]);
        let two_nodes = [0, 0, 1, 1, 2, 3, 0, 0, 7, 1, 0, 0].map(walk);
        assert_eq!(donations(&blocks, &two_nodes), [donation(4, 0, 0), donation(2, 3, 1)]);
        assert_eq!(donations(&blocks, &[0, 1, 1, 0, 1, 0].map(walk)), []);
        assert_eq!(donations(&[0, 0].map(block), &[4, 4].map(walk)), []);
    }
}
