// A block's walk: units of work in, hits out, a slice at a time.
#pragma once

#include <woodstocc/pods/step.cuh>

namespace woodstocc::pods {

// Claims the next unit; `search.units` or more if there is none left. All threads; two barriers.
template <int K>
__device__ u32 claim_unit(const Search& search, const Shared<K>& shared) {
  if (threadIdx.x == 0) shared.word[1] = atomicAdd(&search.totals->unit, 1u);
  __syncthreads();
  const u32 unit = shared.word[1];
  __syncthreads();
  return unit;
}

// The group of a unit. Any thread.
__device__ inline Group group_of(const Search& search, u32 unit) {
  u32 low = 0, high = search.group_count;
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if (search.groups[middle].first_unit <= unit) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return search.groups[low];
}

// The interval of the first `length` codes of a word, the first one in its highest bits. Any thread.
__device__ inline fm::Interval find_word(const fm::View& view, u32 word, u32 length) {
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

// Puts the node of the unit's word on the empty worklist, with all reads of the group that are live
// there. No read has a hit above: a word is shorter than any read by more than K. All threads of the
// block; the worklist is valid after the barrier at its end.
template <int K>
__device__ void seed(const Search& search, const fm::View& view, u32 unit, Worklist<K>& list,
                     const Shared<K>& shared) {
  const Group group = group_of(search, unit);
  const u32 word = unit - group.first_unit;
  if (threadIdx.x == 0) {
    const fm::Interval interval = find_word(view, word, group.word);
    shared.word[1] = interval.lo;
    shared.word[2] = interval.lo_reverse;
    shared.word[3] = interval.size;
  }
  __syncthreads();
  const fm::Interval interval{shared.word[1], shared.word[2], shared.word[3]};
  u32 live = 0, turn = 0;
  const u32 reads = interval.size > 0 ? group.reads : 0;
  for (u32 start = 0; start < reads; start += blockDim.x, turn ^= 1) {
    const u32 i = start + threadIdx.x;
    const u32 number = group.first + i;
    bool lives = false;
    Row<K> row = 0;
    if (i < reads) {
      const Read read = search.reads[number];
      row = Band<K>::root(read.length);
      lives = reaches<K>(row, 0, K + 1, read.rest);
      for (u32 depth = 1; lives && depth <= group.word; depth++) {
        const u32 code = word >> (2 * (group.word - depth)) & 3;
        const u32 whole = read.length + K - depth;
        row = Band<K>::step(row, equal<K>(search, read.profile, code, depth), whole);
        lives = reaches<K>(row, depth, K + 1, read.rest);
      }
    }
    __syncwarp();
    const auto rank = stream::rank_block(lives, shared.sums + 8 * turn);
    if (lives) {
      list.rows[live + rank.before] = row;
      list.tags[live + rank.before] = number << 4 | (K + 1);
    }
    live += rank.all;
  }
  list.clear();
  if (live > 0) {
    const uint16_t depth = static_cast<uint16_t>(group.word);
    if (threadIdx.x == 0) list.pods[0] = Pod{interval, depth, static_cast<uint16_t>(live)};
    list.end_pod = 1;
    list.end_live = live;
  }
  __syncthreads();
}

// Adds the block's hits to those of all blocks. All threads of the block, after a barrier.
template <int K>
__device__ void pack_hits(const Search& search, const Worklist<K>& list, const Shared<K>& shared) {
  const u32 count = shared.word[0];
  if (threadIdx.x == 0) shared.word[1] = atomicAdd(&search.totals->packed, count);
  __syncthreads();
  const uint4* const from = reinterpret_cast<const uint4*>(list.hits);
  uint4* const to = reinterpret_cast<uint4*>(search.packed) + shared.word[1];
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

// A slice of the search: `search.loops` main loops at most. A block stops early when there is no
// room for hits, or no work. All threads of a one-dimensional grid; as many blocks as in the slices
// before. Dynamic shared memory as `Shared` wants it.
template <int K, bool METRICS>
__device__ void walk(const Search* where) {
  DYN_SMEM(unsigned char, memory);
  const Search search = *where;
  const Shared<K> shared(memory, search);
  const fm::View view = *search.index;
  State* const state = search.states + blockIdx.x;
  Worklist<K> list(search, *state);
  Clock<METRICS> clock;
  if (threadIdx.x == 0) {
    shared.word[0] = 0;
    for (u32 i = 0; i < 4; i++) shared.counts[i] = 0;
  }
  __syncthreads();
  u32 loops = 0;
  while (loops < search.loops) {
    if (list.empty()) {
      const u32 unit = claim_unit(search, shared);
      if (unit >= search.units) break;
      seed(search, view, unit, list, shared);
    } else if (!step<K>(search, view, list, shared, clock)) {
      break;
    }
    loops++;
  }
  __syncthreads();
  pack_hits(search, list, shared);
  if (threadIdx.x != 0) return;
  if (list.empty()) list.clear();
  *state = State{list.first_pod,  list.end_pod,          list.first_live,
                 list.end_live, state->loops + loops, {0, 0, 0}};
  Totals& totals = *search.totals;
  atomicAdd(&totals.nodes, shared.counts[kNodes]);
  atomicAdd(&totals.rows, shared.counts[kRowsDone]);
  atomicAdd(&totals.pulled_slots, shared.counts[kPulledSlots]);
  atomicAdd(&totals.row_slots, shared.counts[kRowSlots]);
  clock.flush(totals);
}

}  // namespace woodstocc::pods
