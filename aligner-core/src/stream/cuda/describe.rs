//! The description of the stages that a kernel was compiled for, and its comparison with the topology.

use super::tables::SIZES;
use crate::stream::graph::topology::WalkType;
use crate::stream::stages::item::ItemType;
use crate::stream::stages::stage::Mapping;
use crate::stream::{RunError, Topology};

/// The most words of a description.
pub(super) const ROOM: usize = 1 << 14;

/// The description that the kernel `APP_describe` gives; see `cuda/include/stream/describe.cuh`.
#[derive(Debug, Clone)]
pub(super) struct KernelDescription {
    pub max_targets: u32,
    pub max_edges: u32,
    pub max_width: u32,
    /// Dynamic shared memory that firings of a block need, in bytes.
    pub scratch_bytes: u32,
    sizes: Vec<u32>,
    modules: Vec<Vec<u32>>,
    names: Vec<String>,
}

/// Number of words of a module before those of its channels.
const MODULE_WORDS: usize = 11;

impl KernelDescription {
    /// Reads a description; `None` if the words are not one.
    pub(super) fn parse(words: &[u32]) -> Option<Self> {
        let len = *words.first()? as usize;
        let mut rest = words.get(1..len)?.iter().copied();
        let [max_targets, max_edges, max_width] = [rest.next()?, rest.next()?, rest.next()?];
        let sizes: Vec<u32> = rest.by_ref().take(SIZES.len()).collect();
        let scratch_bytes = rest.next()?;
        let count = rest.next()?;
        let mut modules = Vec::new();
        for _ in 0..count {
            let mut module: Vec<u32> = rest.by_ref().take(MODULE_WORDS).collect();
            let channels = *module.get(MODULE_WORDS - 1)? as usize;
            module.extend(rest.by_ref().take(2 * channels));
            modules.push(module);
        }
        let text: String = rest.map(|word| char::from_u32(word).unwrap_or('?')).collect();
        let names = split_names(&text);
        Some(Self { max_targets, max_edges, max_width, scratch_bytes, sizes, modules, names })
    }

    /// Compares the description with a topology, whose global parameters have `global_bytes` bytes on the device.
    ///
    /// # Errors
    /// [`RunError::Kernel`], which names the first difference.
    pub(super) fn compare<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
        global_bytes: usize,
    ) -> Result<(), RunError> {
        let differs =
            |reason: String| Err(RunError::Kernel { kernel: topology.name.to_owned(), reason });
        for ((name, host), &device) in SIZES.iter().zip(&self.sizes) {
            if *host as u32 != device {
                return differs(format!("{name} has {device} bytes there and {host} here"));
            }
        }
        let declared: Vec<&str> = topology.modules.iter().map(|module| module.name).collect();
        if self.names != declared {
            let (device, host) = (self.names.join(", "), declared.join(", "));
            return differs(format!("its modules are [{device}], the topology's [{host}]"));
        }
        for (module, device) in topology.modules.iter().zip(&self.modules) {
            let MappingNumbers { kind, threads, items, fan } = module.mapping.into();
            // An application without parameters, or a stage that does not read them, has 0 bytes.
            let global = if device[3] == 0 { 0 } else { global_bytes as u32 };
            let walk_bytes = |of: fn(&WalkType<G>) -> ItemType| {
                module.walk.as_ref().map_or(0, |walk| of(walk).size() as u32)
            };
            let mut host = vec![
                module.input.size() as u32,
                module.parameters.len() as u32,
                module.node.size() as u32,
                global,
                kind,
                threads,
                items,
                fan,
                walk_bytes(|walk| walk.header),
                walk_bytes(|walk| walk.item),
                module.channels.len() as u32,
            ];
            for channel in &module.channels {
                host.extend([channel.item.size() as u32, channel.gamma]);
            }
            if let Some(at) = (0..host.len()).find(|&at| device.get(at) != Some(&host[at])) {
                let what = quantity(at, module);
                let (name, here) = (module.name, host[at]);
                let there = device.get(at).map_or("nothing".to_owned(), u32::to_string);
                return differs(format!("{what} of {name} is {there} there and {here} here"));
            }
        }
        Ok(())
    }
}

/// A mapping as the kernel describes it.
struct MappingNumbers {
    /// `stream::Kind` in `stage.cuh`.
    kind: u32,
    /// Threads that share an item.
    threads: u32,
    /// Items that a thread takes.
    items: u32,
    /// The most new pods that one pod yields, or children of a node of a tree.
    fan: u32,
}

impl From<Mapping> for MappingNumbers {
    fn from(mapping: Mapping) -> Self {
        let one_to_one = |kind, fan| Self { kind, threads: 1, items: 1, fan };
        match mapping {
            Mapping::Each { items, threads } => Self { kind: 0, threads, items, fan: 0 },
            Mapping::DepthFirst => one_to_one(4, 0),
            Mapping::Explode => one_to_one(1, 0),
            Mapping::Collect { fan } => one_to_one(2, fan),
            Mapping::Reduce => one_to_one(3, 0),
            Mapping::Walk { fan } => one_to_one(5, fan),
        }
    }
}

/// The kind of a mapping as kernels schedule it: a `stream::Kind` of `stage.cuh`. Nodes of depth-first module types
/// differ from others that take items one by one in having a descent.
pub(super) fn kind(mapping: Mapping) -> u32 {
    match mapping {
        Mapping::DepthFirst => MappingNumbers::from(Mapping::ONE_TO_ONE).kind,
        other => MappingNumbers::from(other).kind,
    }
}

/// Name of the quantity in word `at` of a module's description.
fn quantity<G: ?Sized>(
    at: usize,
    module: &crate::stream::graph::topology::ModuleType<G>,
) -> String {
    const NAMES: [&str; MODULE_WORDS] = [
        "the size of an input",
        "the size of the parameters",
        "the size of a node's parameters",
        "the size of the global parameters",
        "the kind of mapping",
        "the threads an item",
        "the items a thread",
        "the fan",
        "the size of a header",
        "the size of an item",
        "the number of channels",
    ];
    if let Some(name) = NAMES.get(at) {
        return (*name).to_owned();
    }
    let channel = &module.channels[(at - MODULE_WORDS) / 2];
    let what = if (at - MODULE_WORDS).is_multiple_of(2) { "the item size" } else { "gamma" };
    format!("{what} of channel '{}'", channel.name)
}

/// Splits a list such as `A, B<C, D>` at the commas outside of angle brackets.
fn split_names(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut depth = 0;
    for letter in text.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                names.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(name) = names.last_mut() {
            name.push(letter);
        }
    }
    names.iter().map(|name| name.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::split_names;

    #[test]
    fn names_are_split_outside_of_brackets() {
        assert_eq!(split_names("A, Work<1>, Pair<A, B>"), ["A", "Work<1>", "Pair<A, B>"]);
    }
}
