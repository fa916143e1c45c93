// Chains of anchors: src/chains.rs, which says what they are.
#pragma once

#include "seeds.cuh"
#include "sort.cuh"

namespace find {

// Mirrors `Numbers` of src/chaining/stages.rs.
struct Numbers {
  uint32_t occurrences;  // of a seed that are looked at
  uint32_t width;        // of `ChainOptions`
  float overlap, drop_ratio;
  uint32_t drop_weight, most;
};
static_assert(sizeof(Numbers) == 24, "mirrored in Rust");

// Mirrors `Chain` of src/chains.rs.
struct Chain {
  int64_t low, high;
  uint32_t query, segment, begin, end, gap, weight;
};
static_assert(sizeof(Chain) == 40, "mirrored in Rust");

// A chain that is kept, and how many of its read's are better. Mirrors `Kept` of src/chaining/stages.rs.
struct Kept {
  Chain chain;
  uint32_t rank, padding;
};
static_assert(sizeof(Kept) == 48, "mirrored in Rust");

// Mirrors `Anchor` of src/anchors.rs, without the query.
struct Anchor {
  uint32_t position, begin, length;

  // As a number, in whose order anchors of a query are chained.
  static __device__ uint64_t key(uint32_t position, uint32_t begin, uint32_t length) {
    return static_cast<uint64_t>(position) << 32 | begin << 16 | length;
  }
  static __device__ Anchor of(uint64_t key) {
    return Anchor{static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key) >> 16,
                  static_cast<uint32_t>(key) & 0xFFFF};
  }
  __device__ uint32_t end() const { return begin + length; }
  __device__ uint32_t position_end() const { return position + length; }
  __device__ int64_t diagonal() const {
    return static_cast<int64_t>(position) - static_cast<int64_t>(begin);
  }
};

static __device__ __forceinline__ uint32_t minus(uint32_t a, uint32_t b) {
  return a > b ? a - b : 0;
}

// A chain that more anchors may join.
struct Growing {
  Chain chain;
  Anchor last;
  uint32_t in_query, in_text;  // bases in anchors

  __device__ void begin(uint32_t query, const Anchor& anchor, uint32_t segment) {
    const int64_t diagonal = anchor.diagonal();
    chain = Chain{diagonal,     diagonal,     query,         segment,
                  anchor.begin, anchor.end(), anchor.begin, anchor.length};
    last = anchor;
    in_query = in_text = anchor.length;
  }

  __device__ bool contains(const Anchor& anchor) const {
    const int64_t diagonal = anchor.diagonal();
    return chain.low <= diagonal && diagonal <= chain.high && chain.begin <= anchor.begin &&
           anchor.end() <= chain.end && anchor.position_end() <= last.position_end();
  }

  // How far an anchor is off the last one's diagonal, and NOWHERE if it cannot follow.
  __device__ uint32_t distance(const Anchor& anchor, uint32_t width) const {
    const int64_t off = anchor.diagonal() - last.diagonal();
    const uint64_t distance = static_cast<uint64_t>(off < 0 ? -off : off);
    const uint32_t more = min(minus(anchor.end(), last.end()),
                              minus(anchor.position_end(), last.position_end()));
    const bool follows = anchor.begin >= last.begin &&
                         (distance == 0 || 2 * more >= min(anchor.length, last.length));
    return follows && distance <= width ? static_cast<uint32_t>(distance) : NOWHERE;
  }

  __device__ void push(const Anchor& anchor) {
    const int64_t diagonal = anchor.diagonal();
    chain.low = min(chain.low, diagonal);
    chain.high = max(chain.high, diagonal);
    chain.gap = max(chain.gap, minus(anchor.begin, chain.end));
    in_query += minus(anchor.end(), max(chain.end, anchor.begin));
    in_text += minus(anchor.position_end(), max(last.position_end(), anchor.position));
    chain.weight = min(in_query, in_text);
    chain.end = max(chain.end, anchor.end());
    last = anchor;
  }

  static constexpr uint32_t NOWHERE = ~0u;
};

// Chains before an anchor that it may join: as many as lanes that hold one each.
constexpr uint32_t LOOK_BACK = 16;

// The number of the segment of the text with a position; `ends` are those of the segments.
static __device__ uint32_t segment_of(const uint32_t* ends, uint32_t segments, uint32_t position) {
  uint32_t low = 0, high = segments;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (__ldg(ends + middle) <= position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Chains the `count` anchors of a piece of a query with `length` bases, whose keys are sorted, and gives how many
// chains there are. Each is held by a lane until LOOK_BACK later ones have begun, and then written.
// Called by the LOOK_BACK lanes of one half of a warp, with the same arguments.
static __device__ uint32_t chain_piece(uint32_t query, uint32_t length, const uint64_t* keys,
                                       uint32_t count, const uint32_t* ends, uint32_t segments,
                                       uint32_t width, Chain* chains) {
  const uint32_t lane = threadIdx.x % LOOK_BACK;
  const uint32_t mask = 0xFFFFu << (threadIdx.x & LOOK_BACK);
  Growing own{};
  uint32_t begun = 0;  // chains
  // The number of the chain that this lane holds, if it holds one.
  const auto held = [&] { return begun - 1 - (begun - 1 - lane) % LOOK_BACK; };
  const auto write = [&] {
    Chain done = own.chain;
    done.gap = max(done.gap, length - done.end);
    chains[held()] = done;
  };
  uint64_t some = 0;  // this lane's of the next LOOK_BACK keys, and its segment
  uint32_t some_segment = 0;
  for (uint32_t number = 0; number < count; number++) {
    const uint32_t from = number % LOOK_BACK;
    if (from == 0) {
      some = number + lane < count ? keys[number + lane] : 0;
      const Anchor anchor = Anchor::of(some);
      some_segment = segment_of(ends, segments, anchor.position + anchor.length / 2);
    }
    const Anchor anchor = Anchor::of(__shfl_sync(mask, some, from, LOOK_BACK));
    const uint32_t segment = __shfl_sync(mask, some_segment, from, LOOK_BACK);
    const bool may = lane < begun && own.chain.segment == segment;
    if (__ballot_sync(mask, may && own.contains(anchor)) != 0) continue;
    // The nearest, and the oldest of several.
    const uint32_t distance = may ? own.distance(anchor, width) : Growing::NOWHERE;
    const uint32_t age = LOOK_BACK - 1 - (begun - 1 - lane) % LOOK_BACK;
    const uint32_t rank = distance == Growing::NOWHERE ? distance : distance * LOOK_BACK + age;
    uint32_t best = rank;
    for (uint32_t other = LOOK_BACK / 2; other > 0; other /= 2) {
      best = min(best, __shfl_xor_sync(mask, best, other));
    }
    if (best == Growing::NOWHERE) {
      if (begun % LOOK_BACK == lane) {
        if (begun >= LOOK_BACK) write();
        own.begin(query, anchor, segment);
      }
      begun++;
    } else if (rank == best) {
      own.push(anchor);
    }
  }
  if (lane < begun) write();
  return begun;
}

// A piece of a query's anchors: those from one that is too far from the one before it to be in a chain with it,
// to the next such. What is chained of one piece does not depend on others.
struct Piece {
  Growing growing;   // a chain of its anchors,
  bool is_one;       // which are all in it
  uint32_t anchors;  // how many they are
};

// How far apart the positions of neighbours in one piece are at most: the diagonals of what is farther apart are too,
// wherever in the query it is.
static __device__ __forceinline__ uint32_t piece_reach(uint32_t length, uint32_t width) {
  return length + width;
}

static __device__ __forceinline__ uint32_t position_of(uint64_t key) { return static_cast<uint32_t>(key >> 32); }

// The piece that begins with the anchor `first` of `count`. Any thread may call it at any time.
static __device__ Piece piece_at(uint32_t query, uint32_t length, const uint64_t* keys, uint32_t first,
                                 uint32_t count, const uint32_t* ends, uint32_t segments, uint32_t width) {
  const Anchor begin = Anchor::of(keys[first]);
  const uint32_t segment = segment_of(ends, segments, begin.position + begin.length / 2);
  const uint32_t segment_begin = segment > 0 ? __ldg(ends + segment - 1) : 0, segment_end = __ldg(ends + segment);
  Piece piece;
  piece.growing.begin(query, begin, segment);
  piece.is_one = true;
  uint32_t next = first + 1, position = begin.position;
  for (; next < count; next++) {
    const Anchor anchor = Anchor::of(keys[next]);
    if (anchor.position - position > piece_reach(length, width)) break;
    position = anchor.position;
    if (!piece.is_one) continue;
    const uint32_t middle = anchor.position + anchor.length / 2;
    const bool may = segment_begin <= middle && middle < segment_end;
    if (may && piece.growing.contains(anchor)) continue;
    piece.is_one = may && piece.growing.distance(anchor, width) != Growing::NOWHERE;
    if (piece.is_one) piece.growing.push(anchor);
  }
  piece.anchors = next - first;
  return piece;
}

// Chains the `count` anchors of a query with `length` bases, whose keys are sorted, and gives how many chains there
// are. A lane takes a piece, since most are one chain; those that are not are done by half of the warp, one after the
// other. Called by all lanes of a warp with the same arguments; what it wrote is there for all of them.
static __device__ uint32_t chain(uint32_t query, uint32_t length, const uint64_t* keys, uint32_t count,
                                 const uint32_t* ends, uint32_t segments, uint32_t width, Chain* chains) {
  const uint32_t lane = threadIdx.x % LANES;
  uint32_t begun = 0;  // chains
  for (uint32_t tile = 0; tile < count; tile += LANES) {
    const uint32_t number = tile + lane;
    const bool begins =
        number < count && (number == 0 || position_of(keys[number]) - position_of(keys[number - 1]) >
                                              piece_reach(length, width));
    Piece piece{};
    if (begins) piece = piece_at(query, length, keys, number, count, ends, segments, width);
    __syncwarp();
    const uint32_t all = __ballot_sync(ALL_LANES, begins);
    uint32_t several = __ballot_sync(ALL_LANES, begins && !piece.is_one);
    // Where the chains of a lane's piece go; each has one so far.
    uint32_t place = begun + __popc(all & ((1u << lane) - 1));
    begun += __popc(all);
    while (several != 0) {
      const uint32_t from = __ffs(static_cast<int>(several)) - 1;
      several &= several - 1;
      const uint32_t anchors = __shfl_sync(ALL_LANES, piece.anchors, from);
      const uint32_t to = __shfl_sync(ALL_LANES, place, from);
      uint32_t found = 0;
      if (lane < LOOK_BACK) {
        found = chain_piece(query, length, keys + tile + from, anchors, ends, segments, width, chains + to);
      }
      __syncwarp();
      const uint32_t more = __shfl_sync(ALL_LANES, found, 0) - 1;
      if (lane > from) place += more;
      begun += more;
    }
    if (begins && piece.is_one) {
      Chain done = piece.growing.chain;
      done.gap = max(done.gap, length - done.end);
      chains[place] = done;
    }
  }
  __syncwarp();
  return begun;
}

// What is compared of two chains of a read: where they are in it, begin and end in 16 bits each, and their weights.
struct Shade {
  uint32_t places, weight;

  // Whether a chain that is no heavier cannot matter beside this one.
  __device__ bool falls_on(const Shade& other, const Numbers& numbers) const {
    const uint32_t begin = places >> 16, end = places & 0xFFFF;
    const uint32_t other_begin = other.places >> 16, other_end = other.places & 0xFFFF;
    const uint32_t shared = minus(min(end, other_end), max(begin, other_begin));
    const uint32_t shorter = min(end - begin, other_end - other_begin);
    return shared > 0 && static_cast<float>(shared) >= static_cast<float>(shorter) * numbers.overlap &&
           static_cast<float>(other.weight) < static_cast<float>(weight) * numbers.drop_ratio &&
           weight - other.weight >= numbers.drop_weight;
  }
};

// Orders the `count` chains of a read of `length` bases by weight, and keeps those that may matter: their
// numbers go to `kept`, and how many they are is given. `numbers` says which; `keys` has room for a word a
// chain. Called by all lanes of a warp with the same arguments.
static __device__ uint32_t keep_best(const Chain* chains, uint32_t count, uint32_t length,
                                     const Numbers& numbers, uint64_t* keys, uint32_t* kept) {
  const uint32_t lane = threadIdx.x % LANES, before = (1u << lane) - 1, NOBODY = ~0u;
  for (uint32_t number = lane; number < count; number += LANES) {
    keys[number] = static_cast<uint64_t>(~chains[number].weight) << 32 | number;
  }
  __syncwarp();
  sort(keys, count);
  // Chains that shadow others take the place of the keys that were looked at: from the highest bits, their places,
  // their weight, and whether one that each shadows stands for the next best.
  uint32_t wanted = 0, casting = 0;
  for (uint32_t tile = 0; tile < count && wanted < numbers.most; tile += LANES) {
    // A chain a lane.
    const bool is_one = tile + lane < count;
    uint32_t number = 0;
    Shade own{0, 0};
    if (is_one) {
      number = static_cast<uint32_t>(keys[tile + lane]);
      const Chain chain = chains[number];
      const bool reverse = chain.query % 2 == 1;
      const uint32_t begin = reverse ? length - chain.end : chain.begin;
      const uint32_t end = reverse ? length - chain.begin : chain.end;
      own = Shade{begin << 16 | end, chain.weight};
    }
    // The first of those before that shadows it.
    uint32_t by = is_one ? NOBODY : 0;
    for (uint32_t other = 0; other < casting && __any_sync(ALL_LANES, by == NOBODY); other++) {
      const uint64_t known = keys[other];
      const Shade caster{static_cast<uint32_t>(known >> 32), static_cast<uint32_t>(known) >> 1};
      if (by == NOBODY && caster.falls_on(own, numbers)) by = other;
    }
    // The first that each shadows tells how good the next best is.
    const bool is_shadowed = is_one && by != NOBODY;
    const uint32_t alike = __match_any_sync(ALL_LANES, is_shadowed ? by : NOBODY);
    bool stands = is_shadowed && (alike & before) == 0 && (keys[by] & 1) == 0;
    if (stands) keys[by] |= 1;
    __syncwarp();
    // The others shadow those after them.
    uint32_t open = __ballot_sync(ALL_LANES, is_one && !is_shadowed);
    uint32_t casters = 0;
    bool has_one = false;
    while (open != 0) {
      const uint32_t from = __ffs(static_cast<int>(open)) - 1;
      const Shade caster{__shfl_sync(ALL_LANES, own.places, from), __shfl_sync(ALL_LANES, own.weight, from)};
      const bool falls = (open >> lane & 1) != 0 && lane != from && caster.falls_on(own, numbers);
      const uint32_t shadowed = __ballot_sync(ALL_LANES, falls);
      if (falls) stands = (shadowed & before) == 0;
      if (lane == from) has_one = shadowed != 0;
      casters |= 1u << from;
      open &= ~(shadowed | 1u << from);
    }
    const bool casts = (casters >> lane & 1) != 0;
    if (casts) {
      keys[casting + __popc(casters & before)] =
          static_cast<uint64_t>(own.places) << 32 | own.weight << 1 | (has_one ? 1 : 0);
    }
    const uint32_t all = __ballot_sync(ALL_LANES, casts || stands);
    const uint32_t place = wanted + __popc(all & before);
    if ((casts || stands) && place < numbers.most) kept[place] = number;
    casting += __popc(casters);
    wanted += __popc(all);
    __syncwarp();
  }
  return min(wanted, numbers.most);
}

}  // namespace find
