//! Outputs of an ensemble on the CPU, before they go to queues and sinks.

use super::channel::ChannelType;

/// The items that an ensemble has pushed, by channel, with the tags of the nodes that pushed them. The tag of a node is its
/// number among the nodes of the module type that runs: at most 32, so a byte, where an index among all nodes is not.
#[derive(Debug, Default)]
pub struct StagedOutputs {
    pub(crate) channels: Vec<StagedChannel>,
    /// Tag of the node that runs.
    tag: u8,
    /// A channel that got more items than its gamma, and the tag of the node that pushed them.
    pub(crate) excess: Option<(usize, u8)>,
    /// Outputs of the two parts of a fused stage, kept so that their memory is used again.
    pub(super) parts: Option<Box<[StagedOutputs; 2]>>,
}

/// The items that an ensemble has pushed on one channel.
#[derive(Debug)]
pub(crate) struct StagedChannel {
    /// Bytes of the items, one after the other.
    pub(crate) bytes: Vec<u8>,
    /// For each item, the tag of the node that pushed it.
    pub(crate) tags: Vec<u8>,
    gamma: u32,
    /// Number of items that the current input has pushed.
    count: u32,
}

impl StagedOutputs {
    /// Empty outputs for a module type with these channels.
    pub(crate) fn new(channels: &[ChannelType]) -> Self {
        let channels = channels
            .iter()
            .map(|channel| StagedChannel {
                bytes: Vec::new(),
                tags: Vec::new(),
                gamma: channel.gamma,
                count: 0,
            })
            .collect();
        Self { channels, tag: 0, excess: None, parts: None }
    }

    /// Empty outputs for a part of a fused stage, without limits: only the gammas of the whole stage count.
    pub(super) fn unbounded(channels: Vec<ChannelType>) -> Self {
        let unbounded = |channel: ChannelType| ChannelType { gamma: u32::MAX, ..channel };
        Self::new(&channels.into_iter().map(unbounded).collect::<Vec<_>>())
    }

    /// Removes all items, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        for channel in &mut self.channels {
            channel.bytes.clear();
            channel.tags.clear();
            channel.count = 0;
        }
    }

    /// Begins an input of the node of this tag.
    #[inline]
    pub(super) fn begin(&mut self, tag: u8) {
        self.tag = tag;
        for channel in &mut self.channels {
            channel.count = 0;
        }
    }

    /// Adds an item, or notes that the current input has pushed more than gamma.
    #[inline]
    pub(crate) fn push(&mut self, channel: usize, item: &[u8]) {
        let staged = &mut self.channels[channel];
        if staged.count == staged.gamma {
            self.excess = Some((channel, self.tag));
            return;
        }
        staged.count += 1;
        staged.bytes.extend_from_slice(item);
        staged.tags.push(self.tag);
    }
}
