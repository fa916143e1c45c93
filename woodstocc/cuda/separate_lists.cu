// Complete search over the virtual suffix trie, one thread a read with a worklist of its own: the
// "separate lists" version of the dissertation (section 2.5.3, figure 2.9). Threads of a warp walk
// unrelated parts of the trie and wait for the longest walk among them; that is the irregularity
// that the streaming version exists to remove, and this kernel is its control.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/bound.cuh>
#include <woodstocc/hit.cuh>

namespace woodstocc {

// A node on a worklist: its interval, the row of the query there, and the distance from which on
// hits are no longer wanted on this path.
template <int K>
struct Node {
  Row<K> row;
  fm::Interval interval;
  uint16_t depth;
  uint16_t wanted;
};
static_assert(sizeof(Node<4>) == 24, "as in gpu.rs");
static_assert(sizeof(Node<5>) == 32, "as in gpu.rs");

// Totals of a launch, added to by all threads.
struct Totals {
  unsigned long long hits;   // found, written or not
  unsigned long long nodes;  // expanded
  unsigned long long rows;   // computed
};

// Searches queries wanted[0..count), strided over the grid.
//
// codes, offsets   query q has the codes offsets[q] to offsets[q + 1], more than K of them
// worklists        room for `room` nodes a thread; entry e of thread t is at e * threads + t, and
//                  room >= 3 * (longest query + K) + 4: an expansion takes one node and adds at
//                  most four, at most longest + K levels deep
// hits             `capacity` places; a hit that finds none is counted, not written
// pruned           0: live reads are not dropped for what their rest needs (bound.cuh)
// counts[i]        set to the hits of wanted[i]; lost[i] to whether one was not written
//
// Any grid of one-dimensional blocks. No barriers, no shared memory. The order of hits is not
// defined, nor which hits of a query with lost[i] set were written.
template <int K>
__device__ void separate_lists(const fm::View* index, const uint8_t* codes, const uint32_t* offsets,
                               const uint32_t* wanted, uint32_t count, Node<K>* worklists, Hit* hits,
                               uint64_t capacity, Totals* totals, uint32_t* counts, uint32_t* lost,
                               uint32_t pruned) {
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  Node<K>* const worklist = worklists + thread;
  const fm::View view = *index;
  unsigned long long nodes = 0, rows = 0;
  for (uint32_t i = thread; i < count; i += threads) {
    const uint32_t query = wanted[i];
    const uint8_t* const read = codes + offsets[query];
    const uint32_t length = offsets[query + 1] - offsets[query];
    uint32_t found = 0, dropped = 0;
    const Bound rest = pruned ? find_bound<K>(view, read, length) : Bound{};
    worklist[0] = Node<K>{Band<K>::root(length), fm::root(view), 0, K + 1};
    uint64_t entries = reaches<K>(worklist[0].row, 0, K + 1, rest) ? 1 : 0;
    while (entries > 0) {
      const Node<K> node = worklist[--entries * threads];
      const uint32_t depth = node.depth + 1;
      const uint32_t whole = length + K - depth;
      uint32_t equal[4];
      Band<K>::compare(read, length, depth, equal);
      fm::Interval children[4];
      fm::extend_right(view, node.interval, children);
      nodes++;
#pragma unroll
      for (uint32_t code = 0; code < 4; code++) {
        const fm::Interval child = children[code];
        if (child.size == 0) continue;
        const Row<K> row = Band<K>::step(node.row, equal[code], whole);
        rows++;
        uint32_t wanted_below = node.wanted;
        const uint32_t distance = Band<K>::cell(row, whole);
        if (distance < wanted_below) {
          wanted_below = distance;
          found++;
          const uint64_t place = atomicAdd(&totals->hits, 1ull);
          if (place < capacity) {
            hits[place] = Hit{query, child.lo, child.size, distance};
          } else {
            dropped = 1;
          }
        }
        if (wanted_below > 0 && reaches<K>(row, depth, wanted_below, rest)) {
          worklist[entries++ * threads] =
              Node<K>{row, child, uint16_t(depth), uint16_t(wanted_below)};
        }
      }
    }
    counts[i] = found;
    lost[i] = dropped;
  }
  atomicAdd(&totals->nodes, nodes);
  atomicAdd(&totals->rows, rows);
}

}  // namespace woodstocc

// One kernel for each K, so that the cells of a row stay in registers.
#define SEPARATE_LISTS(K)                                                                       \
  extern "C" __global__ void __launch_bounds__(128) separate_lists_##K(                         \
      const fm::View* index, const uint8_t* codes, const uint32_t* offsets,                     \
      const uint32_t* wanted, uint32_t count, woodstocc::Node<K>* worklists,                    \
      woodstocc::Hit* hits, uint64_t capacity, woodstocc::Totals* totals, uint32_t* counts,     \
      uint32_t* lost, uint32_t pruned) {                                                        \
    woodstocc::separate_lists<K>(index, codes, offsets, wanted, count, worklists, hits,         \
                                 capacity, totals, counts, lost, pruned);                       \
  }                                                                                             \
  SIMT_EXPORT(separate_lists_##K)

SEPARATE_LISTS(0)
SEPARATE_LISTS(1)
SEPARATE_LISTS(2)
SEPARATE_LISTS(3)
SEPARATE_LISTS(4)
SEPARATE_LISTS(5)
SEPARATE_LISTS(6)
SEPARATE_LISTS(7)
