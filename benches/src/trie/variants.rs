//! The variants of the aligner, and running one.

use std::time::Instant;

use aligner_core::DeviceError;
use fm_index::FmIndex;
use rayon::prelude::*;
use serde::Serialize;
use woodstocc::gpu::GpuEngine;
use woodstocc::read::Queries;
use woodstocc::trie::hit::TrieHit;
use woodstocc::trie::metrics::TrieMetrics;
use woodstocc::trie::pods::PodSettings;
use woodstocc::trie::walk;

/// How the trie is walked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Walk {
    /// On the CPU, so many queries together.
    Cpu {
        /// Queries that share nodes.
        together: usize,
    },
    /// On a GPU, a thread a query.
    SeparateLists {
        /// Whether live reads are dropped for what their rest needs.
        pruned: bool,
    },
    /// On a GPU, a block a worklist of pods.
    Pods(Shape),
}

/// The settings of the pods kernel that differ between variants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shape {
    /// Threads of a block.
    pub width: u32,
    /// Reads that share nodes.
    pub group: u32,
    /// Whether a group's trie is cut into subtries.
    pub subtries: bool,
    /// Most pods of a step: the threshold of decoupled traversal.
    pub pods_at_once: u32,
    /// Most live reads of a step.
    pub live_at_once: u32,
    /// Main loops of a slice, after which work is given to idle blocks.
    pub slice: Option<u32>,
    /// Whether live reads are dropped for what their rest needs.
    pub pruned: bool,
}

impl Shape {
    /// That of the mapper.
    fn default_shape() -> Self {
        let PodSettings { width, group, word, pods_at_once, live_at_once, slice, .. } =
            PodSettings::default();
        let pruned = PodSettings::default().is_pruned;
        let subtries = word.is_none();
        Self { width, group, subtries, pods_at_once, live_at_once, slice, pruned }
    }

    fn settings(self, metrics: bool) -> PodSettings {
        let Self { width, group, subtries, pods_at_once, live_at_once, slice, pruned } = self;
        let word = if subtries { None } else { Some(0) };
        PodSettings {
            width,
            group,
            word,
            pods_at_once,
            live_at_once,
            slice,
            shares_work: slice.is_some(),
            is_pruned: pruned,
            metrics,
            ..PodSettings::default()
        }
    }
}

/// A way of searching, with a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variant {
    /// What it adds to the one before.
    pub name: String,
    /// How it searches.
    pub walk: Walk,
}

/// The dissertation's Table 2.1: a query alone, and batched.
pub(crate) fn on_cpu() -> Vec<Variant> {
    let cpu =
        |name: &str, together| Variant { name: name.to_owned(), walk: Walk::Cpu { together } };
    vec![cpu("one query at a time", 1), cpu("batched", 4096)]
}

/// The ablation of Figure 2.9 and Tables 2.3 and 2.4, one thing after the other; and unless it is to
/// be quick, other shapes of the last.
pub(crate) fn on_gpu(quick: bool) -> Vec<Variant> {
    let all = Shape::default_shape();
    let large = Shape { live_at_once: all.width, slice: None, ..all };
    let remapping = Shape { group: all.width, subtries: false, ..large };
    let separate = |pruned| Walk::SeparateLists { pruned };
    let threshold = |pods_at_once| Walk::Pods(Shape { pods_at_once, slice: None, ..all });
    let mut variants = vec![
        ("separate lists, no bounds".to_owned(), separate(false)),
        ("separate lists".to_owned(), separate(true)),
        ("shared worklist, remapping".to_owned(), Walk::Pods(remapping)),
        ("+ large groups, subtries".to_owned(), Walk::Pods(large)),
        ("+ decoupled, threshold 32".to_owned(), threshold(32)),
        ("+ decoupled, threshold 64".to_owned(), threshold(64)),
        ("+ decoupled, threshold 128".to_owned(), threshold(128)),
        ("+ slices, redistribution".to_owned(), Walk::Pods(all)),
        ("all, no bounds".to_owned(), Walk::Pods(Shape { pruned: false, ..all })),
    ];
    if !quick {
        for width in [32, 64, 256] {
            let shape = Shape { width, pods_at_once: width, live_at_once: 4 * width, ..all };
            variants.push((format!("all, width {width}"), Walk::Pods(shape)));
        }
        for group in [256, 2048, 65_535] {
            variants.push((format!("all, groups of {group}"), Walk::Pods(Shape { group, ..all })));
        }
        for live_at_once in [256, 1024] {
            let shape = Shape { live_at_once, ..all };
            variants.push((format!("all, {live_at_once} live at once"), Walk::Pods(shape)));
        }
        for slice in [256, 1 << 13] {
            let shape = Shape { slice: Some(slice), ..all };
            variants.push((format!("all, slices of {slice}"), Walk::Pods(shape)));
        }
    }
    variants.into_iter().map(|(name, walk)| Variant { name, walk }).collect()
}

/// What is searched, and for what.
pub(crate) struct Task<'a> {
    pub(crate) index: &'a FmIndex,
    pub(crate) gpu: Option<&'a GpuEngine>,
    pub(crate) queries: &'a Queries,
    pub(crate) wanted: &'a [u32],
    pub(crate) k: usize,
}

impl Task<'_> {
    /// Searches; with `metrics`, measures the stages if the variant can.
    pub(crate) fn run(
        &self,
        walk: Walk,
        metrics: bool,
    ) -> Result<(Vec<TrieHit>, TrieMetrics), DeviceError> {
        let &Task { queries, wanted, k, .. } = self;
        match (walk, self.gpu) {
            (Walk::SeparateLists { pruned }, Some(gpu)) => {
                gpu.search_separately(queries, wanted, k, pruned)
            }
            (Walk::Pods(shape), Some(gpu)) => {
                gpu.search(queries, wanted, k, &shape.settings(metrics))
            }
            (Walk::Cpu { together }, _) => Ok(self.on_cpu(together)),
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
