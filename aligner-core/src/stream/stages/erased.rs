//! Stages without their types, as the CPU's executor and the oracle run them.
//!
//! Items are bytes in queues. An adapter for each kind of stage reads them as the stage's types, and calls the stage.

use std::ops::Range;

use super::item::Item;
use super::pod::{AnyPod, Collect, Keep, Reduce};
use super::stage::{Push, Site, Stage};
use super::staged_outputs::StagedOutputs;

/// One input of an ensemble: the node that it waits at, and the elements of it that the ensemble takes.
#[derive(Debug, Clone)]
pub(crate) struct EnsembleInput {
    pub(crate) tag: u8,
    pub(crate) elements: Range<u32>,
}

/// Parameters of a module type's nodes and of the application.
pub(crate) struct StageParameters<'a, G: ?Sized> {
    /// For each node, by tag, the bytes of its parameters.
    pub(crate) nodes: &'a [&'a [u8]],
    pub(crate) global: &'a G,
}

/// A stage whose types are hidden, so that a topology can hold stages of any type.
pub(crate) trait ErasedStage<G: ?Sized>: Send + Sync {
    /// Number of elements of an input, given as its bytes; 1 if the stage does not explode.
    fn size(&self, item: &[u8], tag: u8, parameters: &StageParameters<'_, G>) -> u32;

    /// Runs the stage on the inputs of an ensemble, whose bytes follow each other in `items`.
    fn run(
        &self,
        items: &[u8],
        taken: &[EnsembleInput],
        parameters: &StageParameters<'_, G>,
        staged: &mut StagedOutputs,
    );
}

/// The site of one element at a node, for a stage that runs in one thread.
pub(super) fn site<'a, N: Item, G: ?Sized>(
    node: &'a N,
    parameters: &StageParameters<'a, G>,
    element: u32,
) -> Site<'a, N, G> {
    Site { node, global: parameters.global, lane: 0, lanes: 1, element }
}

/// The item of number `index` in the bytes of an array.
pub(super) fn read<T: Item>(items: &[u8], index: usize) -> T {
    bytemuck::pod_read_unaligned(&items[index * size_of::<T>()..][..size_of::<T>()])
}

/// Adapter for a [`Stage`].
pub(crate) struct Each<S> {
    pub(crate) stage: S,
    /// Number of threads that share an item.
    pub(crate) lanes: u32,
    pub(crate) explodes: bool,
}

impl<S: Stage> ErasedStage<S::Global> for Each<S> {
    fn size(&self, item: &[u8], tag: u8, parameters: &StageParameters<'_, S::Global>) -> u32 {
        if !self.explodes {
            return 1;
        }
        let node: S::Node = read(parameters.nodes[usize::from(tag)], 0);
        self.stage.size(&read(item, 0), &site(&node, parameters, 0))
    }

    fn run(
        &self,
        items: &[u8],
        taken: &[EnsembleInput],
        parameters: &StageParameters<'_, S::Global>,
        staged: &mut StagedOutputs,
    ) {
        for (index, EnsembleInput { tag, elements }) in taken.iter().enumerate() {
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

/// Adapter for a [`Collect`] stage.
pub(crate) struct Collecting<S>(pub(crate) S);

impl<S: Collect> ErasedStage<S::Global> for Collecting<S> {
    fn size(&self, item: &[u8], _: u8, _: &StageParameters<'_, S::Global>) -> u32 {
        read::<S::In>(item, 0).items().len() as u32
    }

    fn run(
        &self,
        items: &[u8],
        taken: &[EnsembleInput],
        parameters: &StageParameters<'_, S::Global>,
        staged: &mut StagedOutputs,
    ) {
        let mut pods: Vec<Vec<<S::Out as AnyPod>::Element>> = vec![Vec::new(); S::FAN as usize];
        for (index, EnsembleInput { tag, .. }) in taken.iter().enumerate() {
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

/// Adapter for a [`Reduce`] stage.
pub(crate) struct Reducing<S>(pub(crate) S);

impl<S: Reduce> ErasedStage<S::Global> for Reducing<S> {
    fn size(&self, item: &[u8], _: u8, _: &StageParameters<'_, S::Global>) -> u32 {
        read::<S::In>(item, 0).items().len() as u32
    }

    fn run(
        &self,
        items: &[u8],
        taken: &[EnsembleInput],
        parameters: &StageParameters<'_, S::Global>,
        staged: &mut StagedOutputs,
    ) {
        for (index, EnsembleInput { tag, .. }) in taken.iter().enumerate() {
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
