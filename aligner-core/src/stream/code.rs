//! Stages without their types, as executors on the CPU run them.
//!
//! Items are bytes here; each stage's own adapter reads them as its types again.

use std::ops::Range;

use super::pod::{AnyPod, Collect, Keep, Reduce};
use super::stage::{ChannelType, Push, Site, Stage};

/// The outputs of an ensemble, by channel, with the tags of the nodes that they come from.
#[derive(Debug, Default)]
pub struct Staged {
    pub(crate) channels: Vec<StagedChannel>,
    /// The tag of the node that runs.
    tag: u8,
    /// A channel that got more items than its gamma, and the tag of the node.
    pub(crate) excess: Option<(usize, u8)>,
    /// What the parts of a fused stage emit; kept to be used again.
    pub(super) parts: Option<Box<[Staged; 2]>>,
}

#[derive(Debug)]
pub(crate) struct StagedChannel {
    pub(crate) bytes: Vec<u8>,
    pub(crate) tags: Vec<u8>,
    gamma: u32,
    /// Items of the current input.
    count: u32,
}

impl Staged {
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
    pub(super) fn unbounded<S: Stage>() -> Self {
        let unbounded = |channel: ChannelType| ChannelType { gamma: u32::MAX, ..channel };
        Self::new(&S::channels().into_iter().map(unbounded).collect::<Vec<_>>())
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
    fn begin(&mut self, tag: u8) {
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

/// One input of an ensemble: the node it waits at, and which of its elements are to be run.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    pub(crate) tag: u8,
    pub(crate) elements: Range<u32>,
}

/// What the nodes of a module and the application have as parameters.
pub(crate) struct Parameters<'a, G: ?Sized> {
    /// The bytes of each node's parameters, by tag.
    pub(crate) nodes: &'a [&'a [u8]],
    pub(crate) global: &'a G,
}

/// A stage without its types.
pub(crate) trait Code<G: ?Sized>: Send + Sync {
    /// Elements of an input: 1 unless it explodes.
    fn size(&self, item: &[u8], tag: u8, parameters: &Parameters<'_, G>) -> u32;

    /// Runs the inputs, whose bytes lie one after the other in `items`.
    fn run(
        &self,
        items: &[u8],
        taken: &[Taken],
        parameters: &Parameters<'_, G>,
        staged: &mut Staged,
    );
}

fn site<'a, N: super::Item, G: ?Sized>(
    node: &'a N,
    parameters: &Parameters<'a, G>,
    element: u32,
) -> Site<'a, N, G> {
    Site { node, global: parameters.global, lane: 0, lanes: 1, element }
}

pub(super) fn read<T: super::Item>(items: &[u8], index: usize) -> T {
    bytemuck::pod_read_unaligned(&items[index * size_of::<T>()..][..size_of::<T>()])
}

/// Adapter of a [`Stage`].
pub(crate) struct Each<S> {
    pub(crate) stage: S,
    /// Threads that share an item.
    pub(crate) lanes: u32,
    pub(crate) explodes: bool,
}

impl<S: Stage> Code<S::Global> for Each<S> {
    fn size(&self, item: &[u8], tag: u8, parameters: &Parameters<'_, S::Global>) -> u32 {
        if !self.explodes {
            return 1;
        }
        let node: S::Node = read(parameters.nodes[usize::from(tag)], 0);
        self.stage.size(&read(item, 0), &site(&node, parameters, 0))
    }

    fn run(
        &self,
        items: &[u8],
        taken: &[Taken],
        parameters: &Parameters<'_, S::Global>,
        staged: &mut Staged,
    ) {
        for (index, Taken { tag, elements }) in taken.iter().enumerate() {
            let node: S::Node = read(parameters.nodes[usize::from(*tag)], 0);
            let item: S::In = read(items, index);
            for element in elements.clone() {
                staged.begin(*tag);
                for lane in 0..self.lanes {
                    let mut here = site(&node, parameters, element);
                    (here.lane, here.lanes) = (lane, self.lanes);
                    self.stage.run(&item, &here, &mut Push { staged: &mut *staged });
                }
            }
        }
    }
}

/// Adapter of a [`Collect`] stage.
pub(crate) struct Collecting<S>(pub(crate) S);

impl<S: Collect> Code<S::Global> for Collecting<S> {
    fn size(&self, item: &[u8], _: u8, _: &Parameters<'_, S::Global>) -> u32 {
        read::<S::In>(item, 0).items().len() as u32
    }

    fn run(
        &self,
        items: &[u8],
        taken: &[Taken],
        parameters: &Parameters<'_, S::Global>,
        staged: &mut Staged,
    ) {
        let mut pods: Vec<Vec<<S::Out as AnyPod>::Element>> = vec![Vec::new(); S::FAN as usize];
        for (index, Taken { tag, .. }) in taken.iter().enumerate() {
            let node: S::Node = read(parameters.nodes[usize::from(*tag)], 0);
            let pod: S::In = read(items, index);
            for (element, item) in pod.items().iter().enumerate() {
                staged.begin(*tag);
                let here = site(&node, parameters, element as u32);
                let mut keep = Keep { kept: vec![None; S::FAN as usize] };
                self.0.run(pod.header(), item, &here, &mut keep, &mut Push { staged });
                for (pod, kept) in pods.iter_mut().zip(keep.kept) {
                    pod.extend(kept);
                }
            }
            staged.begin(*tag);
            for (key, kept) in pods.iter_mut().enumerate().filter(|(_, kept)| !kept.is_empty()) {
                let here = site(&node, parameters, 0);
                let header = self.0.header(pod.header(), key as u32, &here);
                staged.push(0, bytemuck::bytes_of(&S::Out::new(header, kept)));
                kept.clear();
            }
        }
    }
}

/// Adapter of a [`Reduce`] stage.
pub(crate) struct Reducing<S>(pub(crate) S);

impl<S: Reduce> Code<S::Global> for Reducing<S> {
    fn size(&self, item: &[u8], _: u8, _: &Parameters<'_, S::Global>) -> u32 {
        read::<S::In>(item, 0).items().len() as u32
    }

    fn run(
        &self,
        items: &[u8],
        taken: &[Taken],
        parameters: &Parameters<'_, S::Global>,
        staged: &mut Staged,
    ) {
        for (index, Taken { tag, .. }) in taken.iter().enumerate() {
            let node: S::Node = read(parameters.nodes[usize::from(*tag)], 0);
            let pod: S::In = read(items, index);
            let value = pod
                .items()
                .iter()
                .enumerate()
                .map(|(element, item)| {
                    let here = site(&node, parameters, element as u32);
                    self.0.value(pod.header(), item, &here)
                })
                .reduce(|left, right| self.0.combine(left, right));
            if let Some(value) = value {
                staged.begin(*tag);
                let here = site(&node, parameters, 0);
                self.0.finish(pod.header(), &value, &here, &mut Push { staged });
            }
        }
    }
}
