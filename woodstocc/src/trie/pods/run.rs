//! One search on a device: its memory, its launches slice by slice, and the sharing of work between them.

use std::cmp::Reverse;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceStruct};
use aligner_core::stream::{Backend, Launch};
use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, pod_collect_to_vec};

use super::layout::{
    self, PodDonation, PodParameters, PodTotals, TrieQuery, WorklistRoom, WorklistState,
};
use super::{IndexOnDevice, PodSettings, units};
use crate::read::Queries;
use crate::trie::bound::SuffixBound;
use crate::trie::hit::TrieHit;
use crate::trie::metrics::TrieMetrics;

/// Threads of the blocks of all kernels but the search itself.
const THREADS: u32 = 128;

/// The queries of a batch, in device memory.
pub(super) struct PodBatch<'a, B: Backend> {
    queries: &'a Queries,
    codes: B::Buffer,
    offsets: B::Buffer,
    k: usize,
}

impl<'a, B: Backend> PodBatch<'a, B> {
    /// Copies the queries to the device.
    pub fn upload(backend: &B, queries: &'a Queries, k: usize) -> Result<Self, DeviceError> {
        let codes = upload(backend, queries.all_codes())?;
        let offsets = upload(backend, queries.offsets())?;
        Ok(Self { queries, codes, offsets, k })
    }

    /// The wanted queries as the kernels read them, without their bounds, and the number of 128-bit words of all their
    /// profiles.
    fn trie_queries(&self, wanted: &[u32]) -> (Vec<TrieQuery>, usize) {
        let mut profile = 0;
        let trie_query = |&number: &u32| {
            let length = self.queries.codes(number as usize).len();
            let begin = profile;
            profile += layout::profile_words(length);
            let bound = SuffixBound::default();
            TrieQuery { number, length: length as u32, profile: begin, padding: 0, bound }
        };
        let queries = wanted.iter().map(trie_query).collect();
        (queries, profile as usize)
    }
}

/// A search on a device, with its memory.
pub(super) struct PodSearch<'a, B: Backend> {
    backend: &'a B,
    settings: &'a PodSettings,
    k: usize,
    parameters: PodParameters,
    blocks: u32,
    /// Owns the arrays that `parameters` points to and that the host does not access again.
    _memory: Vec<B::Buffer>,
    states: B::Buffer,
    totals: B::Buffer,
    packed: B::Buffer,
    donations: B::Buffer,
}

impl<'a, B: Backend> PodSearch<'a, B> {
    /// Uploads the wanted queries, cuts the work into units, and allocates memory for as many blocks as fit and have
    /// work.
    pub fn new(
        backend: &'a B,
        batch: &PodBatch<'_, B>,
        wanted: &[u32],
        index: IndexOnDevice,
        settings: &'a PodSettings,
    ) -> Result<Self, DeviceError> {
        let k = batch.k;
        let (queries, profile_words) = batch.trie_queries(wanted);
        let lengths: Vec<u32> = queries.iter().map(|query| query.length).collect();
        let longest = lengths.last().copied().unwrap_or(0) as usize;
        let group = settings.group.min(queries.len() as u32);
        let room = WorklistRoom::new(longest, k, group, settings);
        let shared = layout::shared_bytes(k, settings.pods_at_once, settings.live_at_once);
        // This call also allows the kernel to use that much shared memory.
        let resident =
            backend.resident_blocks(&search_kernel(k, settings), settings.width, shared)?;
        let resident = if settings.blocks > 0 { settings.blocks } else { resident };
        let (groups, units) = units::cut(&lengths, k, resident, settings);
        let fitting = index.worklist_bytes / room.bytes(k);
        if fitting == 0 {
            return Err(DeviceError::OutOfMemory(Some(room.bytes(k))));
        }
        let blocks = resident.min(u32::try_from(fitting).unwrap_or(u32::MAX));
        // A block without a unit can only work on what other blocks share.
        let blocks = if settings.shares_work { blocks } else { blocks.min(units) };
        let row_bytes = layout::row_bytes(k);
        let for_blocks = |bytes: u64| backend.zeros((u64::from(blocks) * bytes) as usize);
        let hits_bytes = room.hits * size_of::<TrieHit>() as u64;
        let trie_queries = upload(backend, &queries)?;
        let profiles = backend.zeros(profile_words * 16)?;
        let query_groups = upload(backend, &groups)?;
        let pods = for_blocks(room.pods_bytes())?;
        let rows = for_blocks(room.live * u64::from(row_bytes))?;
        let tags = for_blocks(room.live * 4)?;
        let hits = for_blocks(hits_bytes)?;
        let packed = for_blocks(hits_bytes)?;
        let states = upload(backend, &vec![WorklistState::zeroed(); blocks as usize])?;
        let totals = upload(backend, &[PodTotals::default()])?;
        let donations = backend.zeros(blocks as usize * size_of::<PodDonation>())?;
        let parameters = PodParameters {
            index: index.view,
            codes: address(backend, &batch.codes),
            offsets: address(backend, &batch.offsets),
            queries: address(backend, &trie_queries),
            profiles: address(backend, &profiles),
            groups: address(backend, &query_groups),
            pods: address(backend, &pods),
            rows: address(backend, &rows),
            tags: address(backend, &tags),
            hits: address(backend, &hits),
            packed: address(backend, &packed),
            states: address(backend, &states),
            totals: address(backend, &totals),
            donations: address(backend, &donations),
            query_count: queries.len() as u32,
            group_count: groups.len() as u32,
            units,
            is_pruned: u32::from(settings.is_pruned),
            pods_at_once: settings.pods_at_once,
            live_at_once: settings.live_at_once,
            loops: settings.slice.unwrap_or(u32::MAX),
            pods_room: room.pods as u32,
            live_room: room.live as u32,
            live_reserve: room.live_reserve as u32,
            hits_room: room.hits as u32,
            row_bytes,
        };
        let memory = vec![trie_queries, profiles, query_groups, pods, rows, tags, hits];
        Ok(Self {
            backend,
            settings,
            k,
            parameters,
            blocks,
            _memory: memory,
            states,
            totals,
            packed,
            donations,
        })
    }

    /// Searches slice by slice until no block has work and no unit is left. Appends the hits.
    pub fn run(mut self, hits: &mut Vec<TrieHit>) -> Result<TrieMetrics, DeviceError> {
        let PodSettings { width, pods_at_once, live_at_once, .. } = *self.settings;
        let shared = layout::shared_bytes(self.k, pods_at_once, live_at_once);
        let prepare = format!("pods_prepare_{}", self.k);
        let search = search_kernel(self.k, self.settings);
        let mut metrics = TrieMetrics::default();
        let queries = self.parameters.query_count;
        metrics.seconds += self.launch(&prepare, queries.div_ceil(THREADS), THREADS, 0)?;
        let mut next_unit = 0;
        loop {
            let totals = PodTotals { next_unit, ..PodTotals::default() };
            self.backend.write(&mut self.totals, bytes_of(&totals))?;
            metrics.seconds += self.launch(&search, self.blocks, width, shared)?;
            metrics.slices += 1;
            let totals: PodTotals = download(self.backend, &self.totals, 1)?[0];
            metrics.effort.nodes += totals.nodes;
            metrics.effort.rows += totals.rows;
            metrics.traversal_slots += totals.traversal_slots;
            metrics.row_slots += totals.row_slots;
            for (cycles, more) in metrics.cycles.iter_mut().zip(totals.cycles) {
                *cycles += more;
            }
            let packed_hits = totals.packed_hits as usize;
            hits.extend(download::<TrieHit, B>(self.backend, &self.packed, packed_hits)?);
            next_unit = totals.next_unit.min(self.parameters.units);
            let states: Vec<WorklistState> =
                download(self.backend, &self.states, self.blocks as usize)?;
            if next_unit == self.parameters.units {
                if states.iter().all(|state| state.pods() == 0) {
                    metrics.loops = states.iter().map(|state| state.loops).collect();
                    return Ok(metrics);
                }
                if self.settings.shares_work {
                    let donations = donations(&states);
                    metrics.donations += donations.len() as u64;
                    metrics.seconds += self.share(&donations)?;
                }
            }
        }
    }

    fn share(&mut self, donations: &[PodDonation]) -> Result<f64, DeviceError> {
        if donations.is_empty() {
            return Ok(0.0);
        }
        self.backend.write(&mut self.donations, cast_slice(donations))?;
        self.launch("pods_share", donations.len() as u32, THREADS, 0)
    }

    #[allow(unsafe_code)]
    fn launch(
        &self,
        kernel: &str,
        blocks: u32,
        width: u32,
        shared: u32,
    ) -> Result<f64, DeviceError> {
        let parameters = self.parameters.bytes();
        // SAFETY: all kernels of pods.cu take `PodParameters`. The arrays have the lengths that `WorklistRoom` gives for
        // `self.blocks` blocks, the search kernels are launched with as many, and `pods_share` with one for each transfer.
        unsafe { self.backend.launch(&Launch { kernel, blocks, width, shared, parameters }) }
    }
}

fn search_kernel(k: usize, settings: &PodSettings) -> String {
    if settings.metrics { format!("pods_metrics_{k}") } else { format!("pods_{k}") }
}

/// The transfers after a slice: each block without pods gets some from one of the blocks that have most.
fn donations(states: &[WorklistState]) -> Vec<PodDonation> {
    let mut givers: Vec<usize> = (0..states.len()).filter(|&b| states[b].pods() > 1).collect();
    givers.sort_by_key(|&block| Reverse(states[block].pods()));
    let takers = (0..states.len()).filter(|&block| states[block].pods() == 0);
    let donation = |(from, to): (usize, usize)| PodDonation { from: from as u32, to: to as u32 };
    givers.into_iter().zip(takers).map(donation).collect()
}

fn address<T, B: Backend>(backend: &B, buffer: &B::Buffer) -> DeviceAddress<T> {
    DeviceAddress::new(backend.address(buffer))
}

fn upload<T: Pod, B: Backend>(backend: &B, values: &[T]) -> Result<B::Buffer, DeviceError> {
    let mut buffer = backend.zeros(size_of_val(values))?;
    backend.write(&mut buffer, cast_slice(values))?;
    Ok(buffer)
}

fn download<T: Pod, B: Backend>(
    backend: &B,
    buffer: &B::Buffer,
    count: usize,
) -> Result<Vec<T>, DeviceError> {
    Ok(pod_collect_to_vec(&backend.read(buffer, count * size_of::<T>())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_most_pods_give() {
        let state = |end_pod| WorklistState { end_pod, ..WorklistState::zeroed() };
        let states = [0, 1, 5, 0, 9, 2].map(state);
        let expected = [PodDonation { from: 4, to: 0 }, PodDonation { from: 2, to: 3 }];
        assert_eq!(donations(&states), expected);
        assert_eq!(donations(&[0, 1, 1].map(state)), []);
    }
}
