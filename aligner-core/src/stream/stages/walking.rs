//! Walks without their types, as the CPU's executor and the oracle make them.

use super::erased::{EnsembleInput, ErasedStage, StageParameters, read, site};
use super::item::Item;
use super::stage::{Push, Site};
use super::staged_outputs::StagedOutputs;
use super::walk::{Children, Walk};

/// The pods of a walk that wait, the deepest at the end. Headers and items are bytes.
#[derive(Debug, Default, Clone)]
pub(crate) struct WalkStacks {
    headers: Vec<u8>,
    /// Number of items of each pod.
    counts: Vec<u32>,
    /// Items of all pods, in the same order.
    items: Vec<u8>,
    /// Number of items.
    waiting: u64,
}

impl WalkStacks {
    /// Number of pods that wait.
    pub(crate) fn pods(&self) -> u64 {
        self.counts.len() as u64
    }

    /// Number of items that wait.
    pub(crate) fn items(&self) -> u64 {
        self.waiting
    }

    /// Whether no pod waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Takes the first half of the pods away, which are the nearest to the root.
    pub(crate) fn split_half(&mut self) -> Self {
        let half = self.counts.len() / 2;
        let waiting: u64 = self.counts[..half].iter().map(|&count| u64::from(count)).sum();
        let header = self.headers.len() / self.counts.len().max(1);
        let item = self.items.len() / (self.waiting as usize).max(1);
        self.waiting -= waiting;
        Self {
            headers: self.headers.drain(..half * header).collect(),
            counts: self.counts.drain(..half).collect(),
            items: self.items.drain(..waiting as usize * item).collect(),
            waiting,
        }
    }

    fn push<H: Item, T: Item>(&mut self, header: &H, items: &[T]) {
        if items.is_empty() {
            return;
        }
        self.headers.extend_from_slice(bytemuck::bytes_of(header));
        self.counts.push(items.len() as u32);
        self.items.extend_from_slice(bytemuck::cast_slice(items));
        self.waiting += items.len() as u64;
    }

    /// Takes up to `most` items of the last pod.
    fn pop<H: Item, T: Item>(&mut self, most: u64) -> Option<(H, Vec<T>)> {
        let count = self.counts.last_mut()?;
        let taken = u64::from(*count).min(most);
        let header = read::<H>(&self.headers, self.headers.len() / size_of::<H>() - 1);
        let first = self.items.len() - taken as usize * size_of::<T>();
        let items = bytemuck::pod_collect_to_vec(&self.items[first..]);
        self.items.truncate(first);
        self.waiting -= taken;
        *count -= taken as u32;
        if *count == 0 {
            self.counts.pop();
            self.headers.truncate(self.headers.len() - size_of::<H>());
        }
        Some((header, items))
    }

    /// Number of items of the last pod.
    fn last(&self) -> Option<u64> {
        self.counts.last().map(|&count| u64::from(count))
    }
}

/// The most that a step takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepLimits {
    pub(crate) pods: u64,
    pub(crate) items: u64,
}

/// The work of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StepWork {
    /// Pods whose children were looked up; a pod that is taken in parts counts for each.
    pub(crate) pods: u64,
    /// Items visited at children.
    pub(crate) visits: u64,
}

/// A walk whose types are hidden.
pub(crate) trait ErasedWalk<G: ?Sized>: Send + Sync {
    /// Begins the walk of an input, given as its bytes, of the node of this tag. Gives false, and begins nothing, if the
    /// input has more than `most` elements.
    fn enter(
        &self,
        input: &[u8],
        tag: u8,
        parameters: &StageParameters<'_, G>,
        most: u32,
        stacks: &mut WalkStacks,
    ) -> bool;

    /// Makes a step of a walk of the node of this tag.
    fn step(
        &self,
        tag: u8,
        parameters: &StageParameters<'_, G>,
        limits: StepLimits,
        stacks: &mut WalkStacks,
        staged: &mut StagedOutputs,
    ) -> StepWork;
}

/// Adapter for a [`Walk`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walking<S>(pub(crate) S);

impl<S: Walk> Walking<S> {
    /// Where the walk of an input begins, and the items that are live there; `None` if the input has more than `most`
    /// elements.
    fn root(
        &self,
        input: &S::In,
        here: &mut Site<'_, S::Node, S::Global>,
        most: u32,
    ) -> Option<(S::Header, Vec<S::Element>)> {
        let (header, elements) = self.0.enter(input, here);
        if elements > most {
            return None;
        }
        let element = |element| {
            here.element = element;
            self.0.element(input, here)
        };
        Some((header, (0..elements).filter_map(element).collect()))
    }

    fn children(&self, header: &S::Header, here: &Site<'_, S::Node, S::Global>) -> Vec<S::Header> {
        let mut children = Children { headers: Vec::new() };
        self.0.children(header, here, &mut children);
        assert!(
            children.headers.len() <= S::FAN as usize,
            "{} adds more than FAN children",
            S::NAME
        );
        children.headers
    }

    /// Visits the items at a child, and gives those that are live there.
    fn visit(
        &self,
        child: &S::Header,
        items: &[S::Element],
        here: &Site<'_, S::Node, S::Global>,
        (tag, staged): (u8, &mut StagedOutputs),
    ) -> Vec<S::Element> {
        let visit = |&item: &S::Element| {
            staged.begin(tag);
            self.0.visit(child, item, here, &mut Push { staged: &mut *staged })
        };
        items.iter().filter_map(visit).collect()
    }

    /// Walks below a node of the tree, child by child.
    fn descend(
        &self,
        header: &S::Header,
        items: &[S::Element],
        here: &Site<'_, S::Node, S::Global>,
        (tag, staged): (u8, &mut StagedOutputs),
    ) {
        for child in self.children(header, here) {
            let live = self.visit(&child, items, here, (tag, &mut *staged));
            if !live.is_empty() {
                self.descend(&child, &live, here, (tag, &mut *staged));
            }
        }
    }
}

/// Whole walks, one input after the other: what the oracle interprets.
impl<S: Walk> ErasedStage<S::Global> for Walking<S> {
    fn size(&self, _: &[u8], _: u8, _: &StageParameters<'_, S::Global>) -> u32 {
        1
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
            let mut here = site(&node, parameters, 0);
            let input: S::In = read(items, index);
            if let Some((header, live)) = self.root(&input, &mut here, u32::MAX) {
                self.descend(&header, &live, &here, (*tag, &mut *staged));
            }
        }
    }
}

impl<S: Walk> ErasedWalk<S::Global> for Walking<S> {
    fn enter(
        &self,
        input: &[u8],
        tag: u8,
        parameters: &StageParameters<'_, S::Global>,
        most: u32,
        stacks: &mut WalkStacks,
    ) -> bool {
        let node: S::Node = read(parameters.nodes[usize::from(tag)], 0);
        let mut here = site(&node, parameters, 0);
        let root = self.root(&read(input, 0), &mut here, most);
        if let Some((header, live)) = &root {
            stacks.push(header, live);
        }
        root.is_some()
    }

    fn step(
        &self,
        tag: u8,
        parameters: &StageParameters<'_, S::Global>,
        limits: StepLimits,
        stacks: &mut WalkStacks,
        staged: &mut StagedOutputs,
    ) -> StepWork {
        let node: S::Node = read(parameters.nodes[usize::from(tag)], 0);
        let here = site(&node, parameters, 0);
        let mut pulled: Vec<(S::Header, Vec<S::Element>)> = Vec::new();
        let mut room = limits.items;
        while (pulled.len() as u64) < limits.pods
            && let Some(last) = stacks.last().filter(|&last| last <= room || pulled.is_empty())
            && let Some(pod) = stacks.pop(room)
        {
            pulled.push(pod);
            room -= last.min(room);
        }
        let mut work = StepWork::default();
        for (header, items) in pulled {
            work.pods += 1;
            for child in self.children(&header, &here) {
                work.visits += items.len() as u64;
                stacks.push(&child, &self.visit(&child, &items, &here, (tag, &mut *staged)));
            }
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_half_of_the_pods_leaves_with_its_items() {
        let mut stacks = WalkStacks::default();
        for (header, items) in [(1_u16, &[10_u32, 11][..]), (2, &[20]), (3, &[]), (4, &[40, 41])] {
            stacks.push(&header, items);
        }
        assert_eq!((stacks.pods(), stacks.items()), (3, 5));
        let mut half = stacks.split_half();
        assert_eq!((half.pods(), half.items()), (1, 2));
        assert_eq!((stacks.pods(), stacks.items()), (2, 3));
        assert_eq!(half.pop::<u16, u32>(9), Some((1, vec![10, 11])));
        assert!(half.is_empty());
        // A pod may leave in parts, its last items first.
        assert_eq!(stacks.pop::<u16, u32>(1), Some((4, vec![41])));
        assert_eq!(stacks.pop::<u16, u32>(9), Some((4, vec![40])));
        assert_eq!(stacks.pop::<u16, u32>(9), Some((2, vec![20])));
        assert_eq!(stacks.pop::<u16, u32>(9), None);
    }
}
