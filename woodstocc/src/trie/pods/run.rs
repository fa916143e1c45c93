//! One search on a device: its queries in the device's memory, and the run of the application.

use aligner_core::gpu::{DeviceAddress, DeviceStruct};
use aligner_core::stream::{Backend, CudaExecutor, Launch, RunError, Settings};
use aligner_core::{DeviceError, device_struct};
use bytemuck::cast_slice;
use fm_index::gpu::IndexView;

use super::stage::{APPS, FAN, LiveRow, TrieContext, TrieDeviceContext, TrieQuery, topology};
use super::{PodSettings, TrieIndex, units};
use crate::read::Queries;
use crate::trie::bound::SuffixBound;
use crate::trie::hit::TrieHit;
use crate::trie::metrics::{TrieEffort, TrieMetrics};

/// Threads of the blocks of `pods_prepare_K`.
const THREADS: u32 = 128;

device_struct! {
    /// Parameters of the kernels `pods_prepare_K`.
    pub(crate) struct PrepareParameters {
        /// The FM-index of the reference.
        pub index: IndexView,
        /// Codes of all queries of the batch.
        pub codes: DeviceAddress<u8>,
        /// Starts of the queries in `codes`.
        pub offsets: DeviceAddress<u32>,
        /// The queries to search for.
        pub queries: DeviceAddress<TrieQuery>,
        /// Profiles of the queries, in words of 128 bits.
        pub profiles: DeviceAddress<u32>,
        /// Number of elements of `queries`.
        pub query_count: u32,
        /// 1 to prune with lower bounds, 0 to leave [`TrieQuery::bound`] empty.
        pub is_pruned: u32,
    }
}

/// The queries of a batch, in device memory.
pub(super) struct PodBatch<'a, B: Backend> {
    queries: &'a Queries,
    codes: B::Buffer,
    offsets: B::Buffer,
}

/// Queries to search for, with their profiles and bounds.
struct PreparedQueries<B: Backend> {
    queries: B::Buffer,
    profiles: B::Buffer,
    seconds: f64,
}

/// 32-bit words in each of the four masks of the profile of a query of `length` bases.
fn profile_words(length: usize) -> u32 {
    (length / 32 + 3) as u32
}

impl<'a, B: Backend> PodBatch<'a, B> {
    /// Copies the queries to the device.
    pub fn upload(backend: &B, queries: &'a Queries) -> Result<Self, DeviceError> {
        let codes = backend.upload(queries.all_codes())?;
        let offsets = backend.upload(cast_slice(queries.offsets()))?;
        Ok(Self { queries, codes, offsets })
    }

    /// Writes profiles and bounds of the wanted queries.
    #[allow(unsafe_code)]
    fn prepare(
        &self,
        backend: &B,
        (wanted, k): (&[u32], usize),
        index: IndexView,
        is_pruned: bool,
    ) -> Result<PreparedQueries<B>, DeviceError> {
        let mut profile = 0;
        let trie_query = |&number: &u32| {
            let length = self.queries.codes(number as usize).len();
            let begin = profile;
            profile += profile_words(length);
            let bound = SuffixBound::default();
            TrieQuery { number, length: length as u32, profile: begin, padding: 0, bound }
        };
        let queries: Vec<TrieQuery> = wanted.iter().map(trie_query).collect();
        let on_device = backend.upload(cast_slice(&queries))?;
        let profiles = backend.uninitialized(profile as usize * 16)?;
        let parameters = PrepareParameters {
            index,
            codes: backend.device_address(&self.codes),
            offsets: backend.device_address(&self.offsets),
            queries: backend.device_address(&on_device),
            profiles: backend.device_address(&profiles),
            query_count: queries.len() as u32,
            is_pruned: u32::from(is_pruned),
        };
        let launch = Launch {
            kernel: &format!("pods_prepare_{k}"),
            blocks: (queries.len() as u32).div_ceil(THREADS),
            width: THREADS,
            shared: 0,
            parameters: parameters.bytes(),
        };
        // SAFETY: `pods_prepare_K` takes these parameters. `queries` has `query_count` queries of the batch, and
        // `profiles` has the words of their profiles.
        let seconds = unsafe { backend.launch(&launch) }?;
        Ok(PreparedQueries { queries: on_device, profiles, seconds })
    }

    /// All hits of the wanted queries, which are sorted by length, for up to `K` differences. Appends the hits.
    pub fn search<W: LiveRow + Send + Sync + 'static, const K: usize>(
        &self,
        backend: &B,
        wanted: &[u32],
        index: TrieIndex<'_>,
        settings: &PodSettings,
        hits: &mut Vec<TrieHit>,
    ) -> Result<TrieMetrics, RunError>
    where
        B: Clone,
    {
        let prepared = self.prepare(backend, (wanted, K), index.view, settings.is_pruned)?;
        let on_device = TrieDeviceContext {
            index: index.view,
            queries: backend.device_address(&prepared.queries),
            profiles: backend.device_address(&prepared.profiles),
        };
        let length = |&query: &u32| self.queries.codes(query as usize).len() as u32;
        let lengths: Vec<u32> = wanted.iter().map(length).collect();
        let longest = lengths.last().copied().unwrap_or(0);
        let group = settings.group.min(wanted.len() as u32);
        let context = TrieContext::of_device(index.host, K);
        let (app, sink) = topology::<W, K>(&context, longest, group);
        // Less room than for the hits of a step would make steps smaller.
        let least = FAN * settings.run.walk.items_at_once;
        let run = Settings {
            queue_bytes: index.worklist_bytes,
            output_slots: settings.run.output_slots.max(least),
            ..settings.run.clone()
        };
        let executor =
            CudaExecutor::with_backend(backend.clone(), &app, &run, APPS[K], &on_device)?;
        let units = units::cut(&lengths, K, executor.blocks(usize::MAX)?, settings);
        let mut outputs = executor.run(&units)?;
        hits.extend(outputs.take(sink));
        let walk = outputs.metrics.walks.pop().unwrap_or_default();
        let module = outputs.metrics.modules.pop().unwrap_or_default();
        Ok(TrieMetrics {
            effort: TrieEffort { nodes: walk.pods, rows: walk.visits },
            traversal_slots: walk.pod_lanes,
            row_slots: walk.visit_lanes,
            cycles: [
                module.gather_cycles,
                module.run_cycles,
                module.scatter_cycles,
                outputs.metrics.scheduler_cycles,
            ],
            loops: walk.steps,
            slices: outputs.metrics.launches,
            donations: walk.shared,
            seconds: prepared.seconds + outputs.device_seconds,
        })
    }
}
