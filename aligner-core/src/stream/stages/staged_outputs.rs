//! Outputs of an ensemble on the CPU, before they go to queues and sinks.

use super::channel::ChannelType;

/// The outputs of an ensemble, by channel, with the tags of the nodes that they come from.
#[derive(Debug, Default)]
pub struct StagedOutputs {
    pub(crate) channels: Vec<StagedChannel>,
    /// The tag of the node that runs.
    tag: u8,
    /// A channel that got more items than its gamma, and the tag of the node.
    pub(crate) excess: Option<(usize, u8)>,
    /// What the parts of a fused stage emit; kept to be used again.
    pub(super) parts: Option<Box<[StagedOutputs; 2]>>,
}

#[derive(Debug)]
pub(crate) struct StagedChannel {
    pub(crate) bytes: Vec<u8>,
    pub(crate) tags: Vec<u8>,
    gamma: u32,
    /// Items of the current input.
    count: u32,
}

impl StagedOutputs {
    /// Empty outputs of a module with these channels.
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

    /// Outputs of a part of a fused stage. It is the whole stage whose gammas are kept to.
    pub(super) fn unbounded(channels: Vec<ChannelType>) -> Self {
        let unbounded = |channel: ChannelType| ChannelType { gamma: u32::MAX, ..channel };
        Self::new(&channels.into_iter().map(unbounded).collect::<Vec<_>>())
    }

    /// Forgets the items.
    pub(crate) fn clear(&mut self) {
        for channel in &mut self.channels {
            channel.bytes.clear();
            channel.tags.clear();
            channel.count = 0;
        }
    }

    /// The next input comes from the node of this tag.
    #[inline]
    pub(super) fn begin(&mut self, tag: u8) {
        self.tag = tag;
        for channel in &mut self.channels {
            channel.count = 0;
        }
    }

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
