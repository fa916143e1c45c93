//! One run: memory on the device, slice after slice, and what happens between them.

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, Launch, Word};
use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, pod_collect_to_vec};

use super::layout::{self, Donation, Read, Room, Search, State, Totals};
use super::{Measured, Settings, units};
use crate::bound::Bound;
use crate::hits::Hit;
use crate::query::Queries;

/// Threads of the blocks of kernels other than the walk.
const THREADS: u32 = 128;

/// Reads of a run, by length.
pub(super) struct Batch<'a> {
    pub queries: &'a Queries,
    pub wanted: &'a [u32],
    pub k: usize,
}

impl Batch<'_> {
    /// The reads as kernels see them, and the 128-bit words that their profiles take.
    fn reads(&self) -> (Vec<Read>, usize) {
        let mut profile = 0;
        let read = |&query: &u32| {
            let length = self.queries.codes(query as usize).len();
            let begin = profile;
            profile += layout::profile_words(length);
            let rest = Bound::default();
            Read { query, length: length as u32, profile: begin, padding: 0, rest }
        };
        let reads = self.wanted.iter().map(read).collect();
        (reads, profile as usize)
    }
}

/// A run on a device, with its memory.
pub(super) struct Run<'a, B: Backend> {
    backend: &'a B,
    settings: &'a Settings,
    k: usize,
    search: Search,
    blocks: u32,
    /// Owns the arrays that `search` points to and that the host does not need again.
    _memory: Vec<B::Buffer>,
    device_search: B::Buffer,
    states: B::Buffer,
    totals: B::Buffer,
    packed: B::Buffer,
    donations: B::Buffer,
}

impl<'a, B: Backend> Run<'a, B> {
    /// Uploads the reads, cuts the work, and makes room for as many blocks as fit and have work.
    pub fn new(
        backend: &'a B,
        batch: &Batch<'_>,
        [index, codes, offsets]: [u64; 3],
        memory: u64,
        settings: &'a Settings,
    ) -> Result<Self, DeviceError> {
        let k = batch.k;
        let (reads, profile_words) = batch.reads();
        let lengths: Vec<u32> = reads.iter().map(|read| read.length).collect();
        let longest = lengths.last().copied().unwrap_or(0) as usize;
        let group = settings.group.min(reads.len() as u32);
        let room = Room::new(longest, k, group, settings);
        let shared = layout::shared_bytes(k, settings.pods_at_once, settings.live_at_once);
        // Asking also lets the kernel have the shared memory.
        let resident =
            backend.resident_blocks(&walk_kernel(k, settings), settings.width, shared)?;
        let resident = if settings.blocks > 0 { settings.blocks } else { resident };
        let (groups, units) = units::cut(&lengths, k, resident, settings);
        let fitting = memory / room.bytes(k);
        if fitting == 0 {
            return Err(DeviceError::OutOfMemory(Some(room.bytes(k))));
        }
        let blocks = resident.min(u32::try_from(fitting).unwrap_or(u32::MAX));
        // Without a unit, a block can only work on what it is given.
        let blocks = if settings.shares { blocks } else { blocks.min(units) };
        let row_bytes = layout::row_bytes(k);
        let each = |bytes: u64| backend.zeros((u64::from(blocks) * bytes) as usize);
        let hits_bytes = room.hits * size_of::<Hit>() as u64;
        let arrays = [
            upload(backend, &reads)?,
            backend.zeros(profile_words * 16)?,
            upload(backend, &groups)?,
            each(room.pods_bytes())?,
            each(room.live * u64::from(row_bytes))?,
            each(room.live * 4)?,
            each(hits_bytes)?,
        ];
        let packed = each(hits_bytes)?;
        let states = upload(backend, &vec![State::zeroed(); blocks as usize])?;
        let totals = upload(backend, &[Totals::default()])?;
        let [reads_at, profiles, groups_at, pods, rows, tags, hits] =
            arrays.each_ref().map(|array| backend.address(array));
        let search = Search {
            index,
            codes,
            offsets,
            reads: reads_at,
            profiles,
            groups: groups_at,
            pods,
            rows,
            tags,
            hits,
            packed: backend.address(&packed),
            states: backend.address(&states),
            totals: backend.address(&totals),
            read_count: reads.len() as u32,
            group_count: groups.len() as u32,
            units,
            pruned: u32::from(settings.pruned),
            pods_at_once: settings.pods_at_once,
            live_at_once: settings.live_at_once,
            loops: settings.slice.unwrap_or(u32::MAX),
            pods_room: room.pods as u32,
            live_room: room.live as u32,
            live_reserve: room.live_reserve as u32,
            hits_room: room.hits as u32,
            row_bytes,
        };
        let device_search = upload(backend, &[search])?;
        let donations = backend.zeros(blocks as usize * size_of::<Donation>())?;
        Ok(Self {
            backend,
            settings,
            k,
            search,
            blocks,
            _memory: Vec::from(arrays),
            device_search,
            states,
            totals,
            packed,
            donations,
        })
    }

    /// Walks slice by slice until no block has work and no unit is left.
    pub fn walk(mut self, hits: &mut Vec<Hit>) -> Result<Measured, DeviceError> {
        let Settings { width, pods_at_once, live_at_once, .. } = *self.settings;
        let shared = layout::shared_bytes(self.k, pods_at_once, live_at_once);
        let prepare = format!("pods_prepare_{}", self.k);
        let walk = walk_kernel(self.k, self.settings);
        let mut measured = Measured::default();
        let reads = self.search.read_count;
        measured.seconds += self.launch(&prepare, reads.div_ceil(THREADS), THREADS, 0, false)?;
        let mut unit = 0;
        loop {
            self.backend
                .write(&mut self.totals, bytes_of(&Totals { unit, ..Totals::default() }))?;
            measured.seconds += self.launch(&walk, self.blocks, width, shared, false)?;
            measured.slices += 1;
            let totals: Totals = download(self.backend, &self.totals, 1)?[0];
            measured.effort.nodes += totals.nodes;
            measured.effort.rows += totals.rows;
            measured.traversal_slots += totals.pulled_slots;
            measured.row_slots += totals.row_slots;
            for (cycles, more) in measured.cycles.iter_mut().zip(totals.cycles) {
                *cycles += more;
            }
            hits.extend(download::<Hit, B>(self.backend, &self.packed, totals.packed as usize)?);
            unit = totals.unit.min(self.search.units);
            let states: Vec<State> = download(self.backend, &self.states, self.blocks as usize)?;
            if unit == self.search.units {
                if states.iter().all(|state| state.pods() == 0) {
                    measured.loops = states.iter().map(|state| state.loops).collect();
                    return Ok(measured);
                }
                if self.settings.shares {
                    let donations = donations(&states);
                    measured.donations += donations.len() as u64;
                    measured.seconds += self.share(&donations)?;
                }
            }
        }
    }

    fn share(&mut self, donations: &[Donation]) -> Result<f64, DeviceError> {
        if donations.is_empty() {
            return Ok(0.0);
        }
        self.backend.write(&mut self.donations, cast_slice(donations))?;
        self.launch("pods_share", donations.len() as u32, THREADS, 0, true)
    }

    #[allow(unsafe_code)]
    fn launch(
        &self,
        kernel: &str,
        blocks: u32,
        width: u32,
        shared: u32,
        with_donations: bool,
    ) -> Result<f64, DeviceError> {
        let search = Word::Address(self.backend.address(&self.device_search));
        let donations = Word::Address(self.backend.address(&self.donations));
        let arguments = [search, donations];
        let arguments = if with_donations { &arguments[..] } else { &arguments[..1] };
        // SAFETY: all kernels of pods.cu take a `Search`, and `pods_share` donations, one for each of
        // its blocks. The arrays have the room that `Room` says for `self.blocks` blocks, and the
        // walk is launched with as many.
        unsafe { self.backend.launch(&Launch { kernel, blocks, width, shared, arguments }) }
    }
}

fn walk_kernel(k: usize, settings: &Settings) -> String {
    if settings.metrics { format!("pods_metrics_{k}") } else { format!("pods_{k}") }
}

/// Who gives to whom: blocks without pods get from those that have most.
fn donations(states: &[State]) -> Vec<Donation> {
    let mut givers: Vec<usize> = (0..states.len()).filter(|&b| states[b].pods() > 1).collect();
    givers.sort_by_key(|&block| std::cmp::Reverse(states[block].pods()));
    let takers = (0..states.len()).filter(|&block| states[block].pods() == 0);
    let donation = |(from, to): (usize, usize)| Donation { from: from as u32, to: to as u32 };
    givers.into_iter().zip(takers).map(donation).collect()
}

pub(super) fn upload<T: Pod, B: Backend>(
    backend: &B,
    values: &[T],
) -> Result<B::Buffer, DeviceError> {
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
    fn those_that_have_most_give() {
        let state = |end_pod| State { end_pod, ..State::zeroed() };
        let states = [0, 1, 5, 0, 9, 2].map(state);
        let expected = [Donation { from: 4, to: 0 }, Donation { from: 2, to: 3 }];
        assert_eq!(donations(&states), expected);
        assert_eq!(donations(&[0, 1, 1].map(state)), []);
    }
}
