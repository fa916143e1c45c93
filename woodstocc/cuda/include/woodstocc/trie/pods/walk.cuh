// A block's search: units of work in, hits out, one slice for each launch.
#pragma once

#include <woodstocc/trie/pods/step.cuh>

namespace woodstocc::pods {

// Claims the next unit of work; `parameters.units` or more if none is left. Called by all threads of the block, which
// get the same; contains barriers.
template <int K>
__device__ u32 claim_unit(const PodParameters& parameters, const BlockMemory<K>& shared) {
  if (threadIdx.x == 0) shared.word[1] = atomicAdd(&parameters.totals->next_unit, 1u);
  __syncthreads();
  const u32 unit = shared.word[1];
  __syncthreads();
  return unit;
}

// The group of queries that a unit belongs to. Any thread.
__device__ inline QueryGroup group_of(const PodParameters& parameters, u32 unit) {
  u32 low = 0, high = parameters.group_count;
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if (parameters.groups[middle].first_unit <= unit) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return parameters.groups[low];
}

// The interval of a word of `length` codes, two bits each, the first one in the highest bits. Empty (size 0) if the
// word does not occur. Any thread.
__device__ inline fm::Interval find_word(const fm::IndexView& view, u32 word, u32 length) {
  fm::Interval interval = fm::root(view);
  for (u32 i = length; i-- > 0 && interval.size > 0;) {
    fm::Interval children[4];
    fm::extend_right(view, interval, children);
#pragma unroll
    for (u32 code = 0; code < 4; code++) {
      if (code == (word >> (2 * i) & 3)) interval = children[code];
    }
  }
  return interval;
}

// Puts the node of the unit's word on the empty worklist, with all queries of the group that are live there. No query
// has a hit above that node, since words are shorter than all queries by more than K. Called by all threads of the
// block with the same arguments; contains barriers; the worklist is valid when it returns.
template <int K>
__device__ void seed(const PodParameters& parameters, const fm::IndexView& view, u32 unit, Worklist<K>& list,
                     const BlockMemory<K>& shared) {
  const QueryGroup group = group_of(parameters, unit);
  const u32 word = unit - group.first_unit;
  if (threadIdx.x == 0) {
    const fm::Interval interval = find_word(view, word, group.word);
    shared.word[1] = interval.lo;
    shared.word[2] = interval.lo_reverse;
    shared.word[3] = interval.size;
  }
  __syncthreads();
  const fm::Interval interval{shared.word[1], shared.word[2], shared.word[3]};
  u32 live = 0, parity = 0;
  const u32 queries = interval.size > 0 ? group.queries : 0;
  for (u32 start = 0; start < queries; start += blockDim.x, parity ^= 1) {
    const u32 i = start + threadIdx.x;
    const u32 number = group.first + i;
    bool lives = false;
    Row<K> row = 0;
    if (i < queries) {
      const TrieQuery query = parameters.queries[number];
      row = RowBand<K>::root(query.length);
      lives = reaches<K>(row, 0, K + 1, query.bound);
      for (u32 depth = 1; lives && depth <= group.word; depth++) {
        const u32 code = word >> (2 * (group.word - depth)) & 3;
        const u32 whole = query.length + K - depth;
        row = RowBand<K>::step(row, equal<K>(parameters, query.profile, code, depth), whole);
        lives = reaches<K>(row, depth, K + 1, query.bound);
      }
    }
    __syncwarp();
    const auto rank = stream::rank_block(lives, shared.sums + 8 * parity);
    if (lives) {
      list.rows[live + rank.before] = row;
      list.tags[live + rank.before] = number << 4 | (K + 1);
    }
    live += rank.all;
  }
  list.clear();
  if (live > 0) {
    const uint16_t depth = static_cast<uint16_t>(group.word);
    if (threadIdx.x == 0) list.pods[0] = TriePod{interval, depth, static_cast<uint16_t>(live)};
    list.end_pod = 1;
    list.end_live = live;
  }
  __syncthreads();
}

// Copies the block's hits behind those of other blocks in `packed`. Called by all threads of the block, after a
// barrier; contains a barrier. The hits are valid after the kernel.
template <int K>
__device__ void pack_hits(const PodParameters& parameters, const Worklist<K>& list, const BlockMemory<K>& shared) {
  const u32 count = shared.word[0];
  if (threadIdx.x == 0) shared.word[1] = atomicAdd(&parameters.totals->packed_hits, count);
  __syncthreads();
  const uint4* const from = reinterpret_cast<const uint4*>(list.hits);
  uint4* const to = reinterpret_cast<uint4*>(parameters.packed) + shared.word[1];
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

// A slice of the search: at most `parameters.loops` main loops. A block stops early when it has no room for hits, or no
// work. Called by all threads of a one-dimensional grid, which has as many blocks as in the slices before. Needs the
// dynamic shared memory of `BlockMemory`.
template <int K, bool METRICS>
__device__ void walk(const PodParameters& parameters) {
  DYN_SMEM(unsigned char, memory);
  const BlockMemory<K> shared(memory, parameters);
  const fm::IndexView& view = parameters.index;
  WorklistState* const state = parameters.states + blockIdx.x;
  Worklist<K> list(parameters, *state);
  Clock<METRICS> clock;
  if (threadIdx.x == 0) {
    shared.word[0] = 0;
    for (u32 i = 0; i < 4; i++) shared.counts[i] = 0;
  }
  __syncthreads();
  u32 loops = 0;
  while (loops < parameters.loops) {
    if (list.is_empty()) {
      const u32 unit = claim_unit(parameters, shared);
      if (unit >= parameters.units) break;
      seed(parameters, view, unit, list, shared);
    } else if (!step<K>(parameters, view, list, shared, clock)) {
      break;
    }
    loops++;
  }
  __syncthreads();
  pack_hits(parameters, list, shared);
  if (threadIdx.x != 0) return;
  if (list.is_empty()) list.clear();
  *state = WorklistState{list.first_pod,  list.end_pod,          list.first_live,
                 list.end_live, state->loops + loops, {0, 0, 0}};
  PodTotals& totals = *parameters.totals;
  atomicAdd(&totals.nodes, shared.counts[kNodes]);
  atomicAdd(&totals.rows, shared.counts[kRowsDone]);
  atomicAdd(&totals.traversal_slots, shared.counts[kTraversalSlots]);
  atomicAdd(&totals.row_slots, shared.counts[kRowSlots]);
  clock.flush(totals);
}

}  // namespace woodstocc::pods
