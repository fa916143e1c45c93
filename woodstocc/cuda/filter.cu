// The stages of the filter: src/filter/stages.rs explains them.
//
// Contract of all stages: each thread runs on its own; no barriers, no shared memory.
#include "stream/stream.cuh"

#include <woodstocc/filter/stages.cuh>
#include <woodstocc/verify/band.cuh>

namespace {

using woodstocc::FilterDeviceContext;
using woodstocc::PieceCandidate;
using woodstocc::PieceSeed;
using woodstocc::QueryPiece;

// Greatest number of occurrences in one seed: OCCURRENCES_PER_SEED of stages.rs.
constexpr uint32_t kOccurrencesPerSeed = 128;

// The codes of a query, and the starts of its pieces.
struct CutQuery {
  const uint8_t* codes;
  const uint32_t* bounds;
  uint32_t length;

  __device__ CutQuery(const FilterDeviceContext& context, uint32_t query) {
    const uint32_t begin = __ldg(context.offsets + query);
    codes = context.codes + begin;
    length = __ldg(context.offsets + query + 1) - begin;
    bounds = context.bounds + query * (context.k + 2);
  }
  __device__ uint32_t begin(uint32_t piece) const { return __ldg(bounds + piece); }
};

// Searches a piece in the index and yields its rows as a seed, and as a frequent piece if there are too many.
struct Search : stream::Stage {
  using In = QueryPiece;
  using Out = stream::Channels<stream::Channel<PieceSeed, 1>, stream::Channel<PieceSeed, 1>>;
  using Global = FilterDeviceContext;

  template <class Push>
  __device__ void run(const QueryPiece& piece, const stream::Site<Search>& site, Push& push) const {
    const FilterDeviceContext context = site.global();
    const CutQuery query(context, piece.query);
    const uint32_t begin = query.begin(piece.number), end = query.begin(piece.number + 1);
    const fm::Interval rows = fm::search(context.index, query.codes + begin, end - begin);
    if (rows.size == 0) return;
    const uint32_t part = min(rows.size - piece.first, kOccurrencesPerSeed);
    push(stream::to<0>(), PieceSeed{piece.query, piece.number, rows.lo + piece.first, part});
    if (piece.first == 0 && rows.size > part) {
      push(stream::to<1>(), PieceSeed{piece.query, piece.number, rows.lo, rows.size});
    }
  }
};

// Locates the occurrences of a seed, one a thread, and keeps those whose diagonal passes the prefilter.
struct Candidates : stream::Exploding {
  using In = PieceSeed;
  using Out = stream::Channels<stream::Channel<PieceCandidate, 1>>;
  using Global = FilterDeviceContext;

  __device__ uint32_t size(const PieceSeed& seed, const stream::Site<Candidates>&) const { return seed.size; }

  template <class Push>
  __device__ void run(const PieceSeed& seed, const stream::Site<Candidates>& site, Push& push) const {
    const FilterDeviceContext context = site.global();
    const CutQuery query(context, seed.query);
    const fm::IndexView& index = context.index;
    const uint32_t begin = query.begin(seed.number);
    const uint32_t diagonal = fm::locate(index, seed.lo + site.element) - begin;
    if (woodstocc::passes_prefilter(index, query.codes, query.length, context.k, diagonal, begin)) {
      push(stream::to<0>(), PieceCandidate{seed.query, seed.number, diagonal});
    }
  }
};

// Computes the distances near a candidate's diagonal, unless a piece of a lower number occurs on it, too.
struct Verify : stream::Stage {
  using In = PieceCandidate;
  using Out = stream::Channels<stream::Channel<woodstocc::Window, 1>>;
  using Global = FilterDeviceContext;

  template <class Push>
  __device__ void run(const PieceCandidate& candidate, const stream::Site<Verify>& site, Push& push) const {
    const FilterDeviceContext context = site.global();
    const CutQuery query(context, candidate.query);
    for (uint32_t piece = 0; piece < candidate.number; piece++) {
      if (occurs(context.index, query, piece, candidate.diagonal)) return;
    }
    woodstocc::Window window;
    window.query = candidate.query;
    if (woodstocc::find_window(context.index, query.codes, query.length, context.k, candidate.diagonal,
                               window)) {
      push(stream::to<0>(), window);
    }
  }

  // Whether a piece occurs without a difference on a diagonal.
  __device__ static bool occurs(const fm::IndexView& index, const CutQuery& query, uint32_t piece, uint32_t diagonal) {
    const uint32_t end = query.begin(piece + 1);
    for (uint32_t s = query.begin(piece); s < end; s++) {
      const uint32_t position = diagonal + s;
      if (position >= index.bases || fm::base_at(index, position) != query.codes[s]) return false;
    }
    return true;
  }
};

}  // namespace

STREAM_APP(filter, Search, Candidates, Verify)
