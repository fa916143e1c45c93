// The device side of filter/stages.rs.
#include "stream/stream.cuh"

#include <woodstocc/band.cuh>

namespace {

struct Piece {
  uint32_t query, number, first;
};
struct Seed {
  uint32_t query, number, lo, size;
};
struct Candidate {
  uint32_t query, number, diagonal;
};

// Occurrences that go the same way: TOGETHER of stages.rs.
constexpr uint32_t kTogether = 128;

// What the application is given: DeviceContext of stages.rs.
struct Context {
  fm::View index;
  const uint8_t* codes;
  const uint32_t* offsets;  // query q has the codes offsets[q] to offsets[q + 1]
  const uint32_t* bounds;   // k + 2 a query: where its pieces begin, and the end of the last
  uint32_t k;
  uint32_t padding;
};

// A query's codes, and where its pieces begin.
struct Query {
  const uint8_t* codes;
  const uint32_t* bounds;
  uint32_t length;

  __device__ Query(const Context& context, uint32_t query) {
    const uint32_t begin = __ldg(context.offsets + query);
    codes = context.codes + begin;
    length = __ldg(context.offsets + query + 1) - begin;
    bounds = context.bounds + query * (context.k + 2);
  }
  __device__ uint32_t begin(uint32_t piece) const { return __ldg(bounds + piece); }
};

struct Search : stream::Stage {
  using In = Piece;
  using Out = stream::Channels<stream::Channel<Seed, 1>, stream::Channel<Seed, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Piece& piece, const stream::Site<Search>& site, Push& push) const {
    const Context context = site.global();
    const Query query(context, piece.query);
    const uint32_t begin = query.begin(piece.number), end = query.begin(piece.number + 1);
    const fm::Interval rows = fm::search(context.index, query.codes + begin, end - begin);
    if (rows.size == 0) return;
    const uint32_t part = min(rows.size - piece.first, kTogether);
    push(stream::to<0>(), Seed{piece.query, piece.number, rows.lo + piece.first, part});
    if (piece.first == 0 && rows.size > part) {
      push(stream::to<1>(), Seed{piece.query, piece.number, rows.lo, rows.size});
    }
  }
};

struct Candidates : stream::Exploding {
  using In = Seed;
  using Out = stream::Channels<stream::Channel<Candidate, 1>>;
  using Global = Context;

  __device__ uint32_t size(const Seed& seed, const stream::Site<Candidates>&) const { return seed.size; }

  template <class Push>
  __device__ void run(const Seed& seed, const stream::Site<Candidates>& site, Push& push) const {
    const Context context = site.global();
    const Query query(context, seed.query);
    const fm::View& index = context.index;
    const uint32_t begin = query.begin(seed.number);
    const uint32_t diagonal = fm::locate(index, seed.lo + site.element) - begin;
    if (woodstocc::promising(index, query.codes, query.length, context.k, diagonal, begin)) {
      push(stream::to<0>(), Candidate{seed.query, seed.number, diagonal});
    }
  }
};

struct Verify : stream::Stage {
  using In = Candidate;
  using Out = stream::Channels<stream::Channel<woodstocc::Window, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Candidate& candidate, const stream::Site<Verify>& site, Push& push) const {
    const Context context = site.global();
    const Query query(context, candidate.query);
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

  // Whether a piece occurs on a diagonal.
  __device__ static bool occurs(const fm::View& index, const Query& query, uint32_t piece, uint32_t diagonal) {
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
