//! The index on a GPU, with the kernels that search and locate.
//!
//! Each search has a module of its own; [`GpuEngine`] hands them the index and halves batches that do not fit into
//! device memory.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::stream::{CudaBackend, Settings};
use fm_index::FmIndex;
use fm_index::gpu::DeviceIndex;

use crate::filter;
use crate::filter::cuts::QueryCuts;
use crate::filter::gpu::GpuFilter;
use crate::read::Queries;
use crate::scheme::SchemeWindows;
use crate::scheme::gpu::GpuScheme;
use crate::scheme::stages::SchemeContext;
use crate::trie::hit::{RowSegment, TrieHit};
use crate::trie::metrics::TrieMetrics;
use crate::trie::pods::{self, PodSettings, TrieIndex};
use crate::trie::separate_lists::SeparateLists;
use crate::verify::FoundWindows;

/// Worklists of a trie search may take the free memory divided by this.
const MEMORY_SHARE: u64 = 2;

/// An index on a GPU, and the kernels that search it.
#[derive(Debug)]
pub struct GpuEngine {
    gpu: Gpu,
    index: DeviceIndex,
    pods: CudaBackend,
    filter: GpuFilter,
    scheme: GpuScheme,
}

/// Calls `work` with all wanted queries or, where that runs out of device memory, with halves of them, one after the
/// other.
fn in_halves(
    wanted: &[u32],
    mut work: impl FnMut(&[u32]) -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    let mut open = vec![wanted];
    while let Some(part) = open.pop().filter(|part| !part.is_empty()) {
        match work(part) {
            Err(DeviceError::OutOfMemory(_)) if part.len() > 1 => {
                let (left, right) = part.split_at(part.len() / 2);
                open.extend([right, left]);
            }
            done => done?,
        }
    }
    Ok(())
}

impl GpuEngine {
    /// Uploads an index and loads the kernels.
    ///
    /// # Errors
    /// If the index does not fit into device memory, or the driver fails.
    pub fn new(gpu: Gpu, index: &FmIndex) -> Result<Self, DeviceError> {
        let pods = CudaBackend::new(&gpu, "pods", include_bytes!("../cuda/pods.fatbin"))?;
        let filter = GpuFilter::new(&gpu)?;
        let scheme = GpuScheme::new(&gpu)?;
        let index = DeviceIndex::new(&gpu, index)?;
        // All kernels are loaded, which this would delay.
        index.locate_ahead()?;
        Ok(Self { gpu, index, pods, filter, scheme })
    }

    /// All hits in the trie of the wanted queries, each of more than `k` bases, in no particular order. A batch that
    /// does not fit into device memory is searched for in halves.
    ///
    /// # Errors
    /// If not even one query fits, a setting is out of its range, or the driver fails.
    ///
    /// # Panics
    /// If `k` is greater than [`MAX_TRIE_K`](crate::MAX_TRIE_K).
    pub fn search(
        &self,
        index: &FmIndex,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        settings: &PodSettings,
    ) -> Result<(Vec<TrieHit>, TrieMetrics), DeviceError> {
        let mut hits = Vec::new();
        let mut metrics = TrieMetrics::default();
        in_halves(wanted, |part| {
            let worklist_bytes = self.gpu.free_memory()? / MEMORY_SHARE;
            let index = TrieIndex { host: index, view: self.index.values(), worklist_bytes };
            let (found, done) = pods::search(&self.pods, index, queries, part, k, settings)?;
            hits.extend(found);
            metrics.add(&done);
            Ok(())
        })?;
        Ok((hits, metrics))
    }

    /// All hits as by [`search`](Self::search), from the kernel with a worklist for each thread
    /// ([`crate::trie::separate_lists`]). Without `is_pruned`, no lower bounds are used.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub fn search_separately(
        &self,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        is_pruned: bool,
    ) -> Result<(Vec<TrieHit>, TrieMetrics), DeviceError> {
        let lists = SeparateLists::load(&self.gpu, self.index.values(), k, is_pruned)?;
        let mut hits = Vec::new();
        let mut metrics = TrieMetrics::default();
        in_halves(wanted, |part| {
            let (found, done) = lists.search(queries, part)?;
            hits.extend(found);
            metrics.add(&done);
            Ok(())
        })?;
        Ok((hits, metrics))
    }

    /// Windows of the wanted queries by the filter ([`crate::filter`]), halving the batch as [`search`](Self::search)
    /// does; `None` if there are more windows than the limit that comes with the settings.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub(crate) fn filter(
        &self,
        index: &FmIndex,
        queries: &Arc<Queries>,
        wanted: &[u32],
        k: usize,
        limits: (&Settings, u64),
    ) -> Result<Option<FoundWindows>, DeviceError> {
        let mut all = Some(FoundWindows::default());
        let context = filter::context(index, queries, k, QueryCuts::default());
        in_halves(wanted, |part| {
            let Some(sum) = &mut all else { return Ok(()) };
            let limits = (limits.0, limits.1.saturating_sub(sum.windows.len() as u64));
            let view = self.index.values();
            match self.filter.search(&self.gpu, view, &context, part, limits)? {
                Some(found) => sum.append(found),
                None => all = None,
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Windows of the wanted queries by search schemes ([`crate::scheme`]), halving the batch as
    /// [`search`](Self::search) does; `None` if there are more windows than the limit that comes with the settings.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub(crate) fn scheme(
        &self,
        context: &SchemeContext,
        wanted: &[u32],
        limits: (&Settings, u64),
    ) -> Result<Option<SchemeWindows>, DeviceError> {
        let mut all = Some(SchemeWindows::default());
        in_halves(wanted, |part| {
            let Some(sum) = &mut all else { return Ok(()) };
            let limits = (limits.0, limits.1.saturating_sub(sum.found.windows.len() as u64));
            let view = self.index.values();
            match self.scheme.search(&self.gpu, view, context, part, limits)? {
                Some(found) => sum.append(found),
                None => all = None,
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The text position of every suffix-array row of the segments, in their order.
    ///
    /// # Errors
    /// If the driver fails.
    pub(crate) fn locate(&self, segments: &[RowSegment]) -> Result<Vec<u32>, DeviceError> {
        let (lo, sizes): (Vec<u32>, Vec<u32>) =
            segments.iter().map(|segment| (segment.lo, segment.size)).unzip();
        self.index.locate(&self.gpu, &lo, &sizes)
    }
}
