// Search of the virtual suffix trie, one thread a query with a worklist of its own: the "separate lists" version of
// Cole 2017 (2.5.3, fig. 2.9). Threads of a warp walk unrelated parts of the trie and wait for the longest walk among
// them. The pods kernels exist to remove that irregularity, and this kernel is their baseline.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/trie/bound.cuh>
#include <woodstocc/trie/hit.cuh>
#include <woodstocc/trie/separate_lists.cuh>

namespace woodstocc {

// A node on a worklist.
template <int K>
struct Node {
  Row<K> row;             // the query's row at the node
  fm::Interval interval;  // the node's interval
  uint16_t depth;
  uint16_t wanted;        // only hits of a distance below this are reported further down
};
static_assert(sizeof(Node<4>) == 24, "node_bytes of separate_lists.rs");
static_assert(sizeof(Node<5>) == 32, "node_bytes of separate_lists.rs");

// Searches for the wanted queries, strided over the grid. Any grid of one-dimensional blocks; no barriers, no shared
// memory. The order of hits is not defined, nor which hits of a query with `lost` set were written.
template <int K>
__device__ void separate_lists(const SeparateListsParameters& parameters) {
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  Node<K>* const worklist = static_cast<Node<K>*>(parameters.worklists) + thread;
  const fm::IndexView& view = parameters.index;
  unsigned long long nodes = 0, rows = 0;
  for (uint32_t i = thread; i < parameters.wanted_count; i += threads) {
    const uint32_t query = parameters.wanted[i];
    const uint32_t begin = parameters.offsets[query], length = parameters.offsets[query + 1] - begin;
    const uint8_t* const codes = parameters.codes + begin;
    uint32_t found = 0, lost = 0;
    const SuffixBound bound = parameters.is_pruned ? find_bound<K>(view, codes, length) : SuffixBound{};
    worklist[0] = Node<K>{RowBand<K>::root(length), fm::root(view), 0, K + 1};
    uint64_t entries = reaches<K>(worklist[0].row, 0, K + 1, bound) ? 1 : 0;
    while (entries > 0) {
      const Node<K> node = worklist[--entries * threads];
      const uint32_t depth = node.depth + 1;
      const uint32_t whole = length + K - depth;
      uint32_t equal[4];
      RowBand<K>::compare(codes, length, depth, equal);
      fm::Interval children[4];
      fm::extend_right(view, node.interval, children);
      nodes++;
#pragma unroll
      for (uint32_t code = 0; code < 4; code++) {
        const fm::Interval child = children[code];
        if (child.size == 0) continue;
        const Row<K> row = RowBand<K>::step(node.row, equal[code], whole);
        rows++;
        uint32_t wanted_below = node.wanted;
        const uint32_t distance = RowBand<K>::cell(row, whole);
        if (distance < wanted_below) {
          wanted_below = distance;
          found++;
          const uint64_t slot = atomicAdd(&parameters.totals->hits, 1ull);
          if (slot < parameters.capacity) {
            parameters.hits[slot] = TrieHit{query, child.lo, child.size, distance};
          } else {
            lost = 1;
          }
        }
        if (wanted_below > 0 && reaches<K>(row, depth, wanted_below, bound)) {
          worklist[entries++ * threads] =
              Node<K>{row, child, uint16_t(depth), uint16_t(wanted_below)};
        }
      }
    }
    parameters.counts[i] = found;
    parameters.lost[i] = lost;
  }
  atomicAdd(&parameters.totals->nodes, nodes);
  atomicAdd(&parameters.totals->rows, rows);
}

}  // namespace woodstocc

// One kernel for each K, so that the cells of a row stay in registers.
#define SEPARATE_LISTS(K)                                                                 \
  extern "C" __global__ void __launch_bounds__(128) separate_lists_##K(                   \
      const __grid_constant__ woodstocc::SeparateListsParameters parameters) {            \
    woodstocc::separate_lists<K>(parameters);                                             \
  }                                                                                       \
  SIMT_EXPORT(separate_lists_##K)

SEPARATE_LISTS(0)
SEPARATE_LISTS(1)
SEPARATE_LISTS(2)
SEPARATE_LISTS(3)
SEPARATE_LISTS(4)
SEPARATE_LISTS(5)
SEPARATE_LISTS(6)
SEPARATE_LISTS(7)
