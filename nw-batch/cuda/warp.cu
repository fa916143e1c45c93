// Scores and alignments of many pairs, a warp for two at a time (one where 16 bits do not hold
// their scores).
#include <gpualign/cuda_or_cpu.cuh>

#include <nw_batch/wave.cuh>

namespace nw {

// Fills the matrices of many of `pairs`: those with the numbers in `order`, which has Word::PAIRS for
// each task, the last one twice if their number is odd. A warp takes the next task when it is done
// with one: `next` starts at 0.
//   ends        of each pair, by its number
//   rooms       2 * row_words words a warp of the grid, the longest target's columns; unused if no
//               query has more than 32 R rows
//   directions  with TRACE, the words of task t begin at starts[t]
// Blocks of whole warps, in one dimension. One block barrier at the begin.
template <class Word, class Pairing, int R, bool AFFINE, bool TRACE>
__device__ void all_tasks(const Model* model, const Pair* pairs, const uint32_t* order,
                          uint32_t tasks, const uint8_t* queries, const uint64_t* query_offsets,
                          const uint8_t* targets, const uint64_t* target_offsets,
                          const int16_t* scores, uint32_t* next, uint32_t* rooms,
                          uint32_t row_words, End* ends, const uint64_t* starts,
                          uint32_t* directions) {
  __shared__ int16_t table[CODES * CODES];
  if (Pairing::TABLE) {
    for (uint32_t i = threadIdx.x; i < CODES * CODES; i += blockDim.x) table[i] = scores[i];
  }
  __syncthreads();
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  uint32_t* row = rooms + static_cast<uint64_t>(warp) * 2 * row_words;
  for (;;) {
    uint32_t task = 0;
    if (lane == 0) task = atomicAdd(next, 1u);
    task = __shfl_sync(~0u, task, 0);
    if (task >= tasks) return;
    Place place[Word::PAIRS];
    for (int pair = 0; pair < Word::PAIRS; pair++) {
      const uint32_t number = order[task * Word::PAIRS + pair];
      place[pair] = place_of(pairs[number], query_offsets, target_offsets);
    }
    const Ends<Word> found = wave<Word, Pairing, R, AFFINE, TRACE>(
        *model, place, queries, targets, table, row, TRACE ? directions + starts[task] : nullptr);
    if (lane == 0) {
      for (int pair = 0; pair < Word::PAIRS; pair++) {
        ends[order[task * Word::PAIRS + pair]] = found.best[pair];
      }
    }
  }
}

// Operations of a CIGAR's run, in its lowest two bits; its length is in the others. Mirrors
// `Run` of src/cigar.rs.
constexpr uint32_t EQUAL = 0, DIFFERENT = 1, INSERTION = 2, DELETION = 3;

// Collects runs from the last to the first.
struct Runs {
  uint32_t* end;  // behind the first of them in memory, which is the last to come
  uint32_t count;
  uint32_t op, length;

  __device__ void push(uint32_t next, uint32_t by) {
    if (by == 0) return;
    if (next == op) {
      length += by;
      return;
    }
    flush();
    op = next;
    length = by;
  }
  __device__ void flush() {
    if (length == 0) return;
    count++;
    *(end - count) = length << 2 | op;
  }
};

// Where a pair's directions are. Mirrors `Trace` of src/gpu/model.rs.
struct Trace {
  uint64_t start;   // of its task's words
  uint64_t behind;  // end of its room for runs
  uint32_t pair;    // number of the pair
  uint32_t steps;   // of its task, in a strip
  uint16_t rows;    // of a lane
  uint8_t half;     // the first or the second pair of the task
  uint8_t affine;   // whether gaps are
  uint32_t reserved;
};
static_assert(sizeof(Trace) == 32, "mirrored in Rust");

// An alignment's score, and its runs among those of all. Mirrors `Traced` of src/gpu/model.rs.
struct Traced {
  int32_t score;
  uint32_t count;
  uint64_t first;
};
static_assert(sizeof(Traced) == 16, "mirrored in Rust");

// The alignments of `count` pairs, from their directions: a thread a trace. A walk begins at the end,
// so runs come in the wrong order and in unknown number: they fill the pair's part of `room` from its
// end, and go from there to the next free words of `runs`, of which `*taken` (0 at first) are taken.
// Each room is as large as `max_runs` of src/cigar.rs says, and `runs` as all of them.
//   traced  of each pair, by its number
// Any grid.
extern "C" __global__ void __launch_bounds__(128)
    nw_walk(const Model* model, const Pair* pairs, const Trace* traces, uint32_t count,
            const uint8_t* queries, const uint64_t* query_offsets, const uint8_t* targets,
            const uint64_t* target_offsets, const End* ends, const uint32_t* directions,
            uint32_t* room, unsigned long long* taken, uint32_t* runs, Traced* traced) {
  for (uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; t < count; t += gridDim.x * blockDim.x) {
    const Trace trace = traces[t];
    const Place place = place_of(pairs[trace.pair], query_offsets, target_offsets);
    const uint32_t bits = trace.affine != 0 ? 4 : 2;
    const uint32_t rows = trace.rows, rows_of_word = 16 / bits;
    const uint32_t words = (rows + rows_of_word - 1) / rows_of_word;
    const uint32_t* words_of_task = directions + trace.start;
    const End end = ends[trace.pair];
    uint32_t i = end.row, j = end.column;
    Runs out{room + trace.behind, 0, ~0u, 0};
    out.push(INSERTION, place.rows - i);
    out.push(DELETION, place.columns - j);
    uint32_t state = EQUAL;  // or in a gap: INSERTION or DELETION
    while (i > 0 && j > 0) {
      const uint32_t strip = (i - 1) / (32 * rows), lane = (i - 1) / rows % 32, r = (i - 1) % rows;
      const uint64_t step = static_cast<uint64_t>(strip) * trace.steps + (j - 1 + lane);
      const uint32_t word = words_of_task[(step * words + r / rows_of_word) * 32 + lane];
      const uint32_t cell = word >> (16 * trace.half + r % rows_of_word * bits);
      if (state == EQUAL) {
        if ((cell & 1) == 0) {
          const uint32_t q = queries[place.query + i - 1], t = targets[place.target + j - 1];
          out.push(q == t && q != model->unknown ? EQUAL : DIFFERENT, 1);
          i--;
          j--;
          continue;
        }
        state = (cell & 2) == 0 ? DELETION : INSERTION;
      }
      const bool goes_on = trace.affine != 0 && (cell & (state == DELETION ? 4 : 8)) != 0;
      out.push(state, 1);
      if (state == DELETION) j--; else i--;
      if (!goes_on) state = EQUAL;
    }
    out.push(INSERTION, i);
    out.push(DELETION, j);
    out.flush();
    const uint64_t first = atomicAdd(taken, static_cast<unsigned long long>(out.count));
    for (uint32_t run = 0; run < out.count; run++) runs[first + run] = *(out.end - out.count + run);
    traced[trace.pair] = Traced{end.score, out.count, first};
  }
}
SIMT_EXPORT(nw_walk)

}  // namespace nw

#define NW_WARP(name, word, pairing, R, affine, trace, blocks)                                   \
  extern "C" __global__ void __launch_bounds__(128, blocks) name(                                \
      const nw::Model* model, const nw::Pair* pairs, const uint32_t* order, uint32_t tasks,      \
      const uint8_t* queries, const uint64_t* query_offsets, const uint8_t* targets,             \
      const uint64_t* target_offsets, const int16_t* scores, uint32_t* next, uint32_t* rooms,    \
      uint32_t row_words, nw::End* ends, const uint64_t* starts, uint32_t* directions) {         \
    nw::all_tasks<nw::word, nw::pairing<R>, R, affine, trace>(                                   \
        model, pairs, order, tasks, queries, query_offsets, targets, target_offsets, scores,     \
        next, rooms, row_words, ends, starts, directions);                                       \
  }                                                                                              \
  SIMT_EXPORT(name)

// A kernel for scores and one for alignments. `blocks` of 128 threads are on a multiprocessor at a
// time: left alone, the compiler computes scores of residues far ahead, in too many registers.
#define NW_WARP_BOTH(name, word, pairing, R, affine, blocks)              \
  NW_WARP(nw_##name##_score_##R, word, pairing, R, affine, false, blocks) \
  NW_WARP(nw_##name##_trace_##R, word, pairing, R, affine, true, blocks)

NW_WARP_BOTH(linear, Packed, Nucleotides, 8, false, 7)
NW_WARP_BOTH(linear, Packed, Nucleotides, 16, false, 4)
NW_WARP_BOTH(linear, Packed, Nucleotides, 32, false, 3)
NW_WARP_BOTH(linear, Packed, Nucleotides, 48, false, 2)
NW_WARP_BOTH(affine, Packed, Nucleotides, 8, true, 6)
NW_WARP_BOTH(affine, Packed, Nucleotides, 16, true, 4)
NW_WARP_BOTH(affine, Packed, Nucleotides, 32, true, 2)
NW_WARP_BOTH(linear_unknown, Packed, NucleotidesOrUnknown, 8, false, 7)
NW_WARP_BOTH(linear_unknown, Packed, NucleotidesOrUnknown, 32, false, 3)
NW_WARP_BOTH(linear_unknown, Packed, NucleotidesOrUnknown, 48, false, 2)
NW_WARP_BOTH(affine_unknown, Packed, NucleotidesOrUnknown, 8, true, 6)
NW_WARP_BOTH(affine_unknown, Packed, NucleotidesOrUnknown, 32, true, 2)
NW_WARP_BOTH(table, Packed, Table, 8, true, 6)
NW_WARP_BOTH(table, Packed, Table, 32, true, 2)
NW_WARP_BOTH(wide, Wide, WideTable, 8, true, 7)
NW_WARP_BOTH(wide, Wide, WideTable, 32, true, 3)
