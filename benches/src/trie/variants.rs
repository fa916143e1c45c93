//! The variants of the search over the suffix trie, and running one.

use std::time::Instant;

use aligner_core::DeviceError;
use aligner_core::stream::{Settings, WalkSettings};
use fm_index::FmIndex;
use rayon::prelude::*;
use serde::Serialize;
use woodstocc::gpu::GpuEngine;
use woodstocc::read::Queries;
use woodstocc::trie::hit::TrieHit;
use woodstocc::trie::metrics::TrieMetrics;
use woodstocc::trie::pods::PodSettings;
use woodstocc::trie::walk;

/// The way in which the trie is walked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrieWalk {
    /// On the CPU, in batches.
    Cpu {
        /// Queries of a batch, which share nodes.
        together: usize,
    },
    /// On a GPU, with one thread for each query.
    SeparateLists {
        /// Whether a read leaves a node once the rest of it needs more differences than are left.
        pruned: bool,
    },
    /// On a GPU, with a worklist of pods for each block.
    Pods(PodShape),
}

/// The settings of the search by pods that differ between variants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PodShape {
    /// Threads of a block.
    pub width: u32,
    /// Reads of a group, which share nodes.
    pub group: u32,
    /// Whether a group's trie is cut into subtries.
    pub subtries: bool,
    /// Most pods of a step: the threshold of decoupled traversal.
    pub pods_at_once: u32,
    /// Most live reads of a step.
    pub live_at_once: u32,
    /// Steps of a slice, after which idle blocks get work of others; `None` runs to the end in one slice.
    pub slice: Option<u32>,
    /// Whether a read leaves a node once the rest of it needs more differences than are left.
    pub pruned: bool,
}

impl PodShape {
    /// The settings that the mapper uses.
    fn default_shape() -> Self {
        let PodSettings { group, word, is_pruned, run } = PodSettings::default();
        let WalkSettings { pods_at_once, items_at_once, steps, .. } = run.walk;
        Self {
            width: run.width,
            group,
            subtries: word.is_none(),
            pods_at_once,
            live_at_once: items_at_once,
            slice: Some(run.slice * steps),
            pruned: is_pruned,
        }
    }

    fn settings(self, metrics: bool) -> PodSettings {
        let Self { width, group, subtries, pods_at_once, live_at_once, slice, pruned } = self;
        let word = if subtries { None } else { Some(0) };
        let usual = PodSettings::default().run;
        let walk = WalkSettings {
            pods_at_once,
            items_at_once: live_at_once,
            shares: slice.is_some(),
            ..usual.walk
        };
        let slice = slice.map_or(0, |steps| (steps / walk.steps).max(1));
        let run = Settings { width, walk, slice, metrics, ..usual };
        PodSettings { group, word, is_pruned: pruned, run }
    }
}

/// A named way of searching.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrieVariant {
    /// The technique that the variant adds to the one before.
    pub name: String,
    /// How the variant walks the trie.
    pub walk: TrieWalk,
}

/// The variants of Cole 2017, table 2.1: one query at a time, and batched.
pub(crate) fn on_cpu() -> Vec<TrieVariant> {
    let cpu = |name: &str, together| TrieVariant {
        name: name.to_owned(),
        walk: TrieWalk::Cpu { together },
    };
    vec![cpu("one query at a time", 1), cpu("batched", 4096)]
}

/// The variants of Cole 2017, figure 2.9 and tables 2.3 and 2.4, one technique after the other; unless `quick`, also other settings of
/// the last one.
pub(crate) fn on_gpu(quick: bool) -> Vec<TrieVariant> {
    let all = PodShape::default_shape();
    let large = PodShape { live_at_once: all.width, slice: None, ..all };
    let remapping = PodShape { group: all.width, subtries: false, ..large };
    let separate = |pruned| TrieWalk::SeparateLists { pruned };
    let threshold = |pods_at_once| TrieWalk::Pods(PodShape { pods_at_once, slice: None, ..all });
    let mut variants = vec![
        ("separate lists, no bounds".to_owned(), separate(false)),
        ("separate lists".to_owned(), separate(true)),
        ("shared worklist, remapping".to_owned(), TrieWalk::Pods(remapping)),
        ("+ large groups, subtries".to_owned(), TrieWalk::Pods(large)),
        ("+ decoupled, threshold 32".to_owned(), threshold(32)),
        ("+ decoupled, threshold 64".to_owned(), threshold(64)),
        ("+ decoupled, threshold 128".to_owned(), threshold(128)),
        ("+ slices, redistribution".to_owned(), TrieWalk::Pods(all)),
        ("all, no bounds".to_owned(), TrieWalk::Pods(PodShape { pruned: false, ..all })),
    ];
    if !quick {
        for width in [32, 64, 256] {
            let shape = PodShape { width, pods_at_once: width, live_at_once: 4 * width, ..all };
            variants.push((format!("all, width {width}"), TrieWalk::Pods(shape)));
        }
        for group in [256, 2048, 65_535] {
            variants.push((
                format!("all, groups of {group}"),
                TrieWalk::Pods(PodShape { group, ..all }),
            ));
        }
        for live_at_once in [256, 1024] {
            let shape = PodShape { live_at_once, ..all };
            variants.push((format!("all, {live_at_once} live at once"), TrieWalk::Pods(shape)));
        }
        for slice in [256, 1 << 13] {
            let shape = PodShape { slice: Some(slice), ..all };
            variants.push((format!("all, slices of {slice}"), TrieWalk::Pods(shape)));
        }
    }
    variants.into_iter().map(|(name, walk)| TrieVariant { name, walk }).collect()
}

/// A search for reads in a reference, which every variant runs.
pub(crate) struct AblationTask<'a> {
    pub(crate) index: &'a FmIndex,
    pub(crate) gpu: Option<&'a GpuEngine>,
    pub(crate) queries: &'a Queries,
    pub(crate) wanted: &'a [u32],
    pub(crate) k: usize,
}

impl AblationTask<'_> {
    /// Hits and counts of one variant; with `metrics`, also the stages of the search by pods.
    pub(crate) fn run(
        &self,
        walk: TrieWalk,
        metrics: bool,
    ) -> Result<(Vec<TrieHit>, TrieMetrics), DeviceError> {
        let &Self { queries, wanted, k, .. } = self;
        match (walk, self.gpu) {
            (TrieWalk::SeparateLists { pruned }, Some(gpu)) => {
                gpu.search_separately(queries, wanted, k, pruned)
            }
            (TrieWalk::Pods(shape), Some(gpu)) => {
                gpu.search(self.index, queries, wanted, k, &shape.settings(metrics))
            }
            (TrieWalk::Cpu { together }, _) => Ok(self.on_cpu(together)),
            (_, None) => unreachable!("variants for a GPU are made where there is one"),
        }
    }

    fn on_cpu(&self, together: usize) -> (Vec<TrieHit>, TrieMetrics) {
        let start = Instant::now();
        let parts: Vec<_> = self
            .wanted
            .par_chunks(together)
            .map(|chunk| {
                let mut hits = Vec::new();
                let effort = walk::search(self.index, self.queries, chunk, self.k, &mut hits);
                (hits, effort)
            })
            .collect();
        let mut measured = TrieMetrics::default();
        let mut all = Vec::new();
        for (hits, effort) in parts {
            all.extend(hits);
            measured.effort.nodes += effort.nodes;
            measured.effort.rows += effort.rows;
        }
        measured.seconds = start.elapsed().as_secs_f64();
        (all, measured)
    }
}
