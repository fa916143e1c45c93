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

// Chains the `count` anchors of a query with `length` bases, whose keys are sorted, and gives how many
// chains there are. Each is held by a lane until LOOK_BACK later ones have begun, and then written.
// Called by the LOOK_BACK lanes of one half of a warp, with the same arguments.
static __device__ uint32_t chain(uint32_t query, uint32_t length, const uint64_t* keys,
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

// Orders the `count` chains of a read of `length` bases by weight, and keeps those that may matter: their
// numbers go to `kept`, and how many they are is given. `numbers` says which; `keys` has room for a word a
// chain. Called by all lanes of a warp with the same arguments.
static __device__ uint32_t keep_best(const Chain* chains, uint32_t count, uint32_t length,
                                     const Numbers& numbers, uint64_t* keys, uint32_t* kept) {
  const uint32_t lane = threadIdx.x % LANES;
  for (uint32_t number = lane; number < count; number += LANES) {
    keys[number] = static_cast<uint64_t>(~chains[number].weight) << 32 | number;
  }
  __syncwarp();
  sort(keys, count);
  // Chains that may shadow others take the place of the keys that were looked at: from the highest bits,
  // begin and end in the read, 16 bits each, the weight, and whether it stands for one that it shadows.
  uint32_t wanted = 0, casting = 0;
  // A chain a lane of the next LANES: its number, weight, and begin and end in the read as above.
  uint32_t some = 0, some_weight = 0, some_places = 0;
  for (uint32_t place = 0; place < count && wanted < numbers.most; place++) {
    const uint32_t from = place % LANES;
    if (from == 0 && place + lane < count) {
      some = static_cast<uint32_t>(keys[place + lane]);
      const Chain chain = chains[some];
      const bool reverse = chain.query % 2 == 1;
      const uint32_t begin = reverse ? length - chain.end : chain.begin;
      const uint32_t end = reverse ? length - chain.begin : chain.end;
      some_places = begin << 16 | end;
      some_weight = chain.weight;
    }
    const uint32_t number = __shfl_sync(ALL_LANES, some, from);
    const uint32_t own_weight = __shfl_sync(ALL_LANES, some_weight, from);
    const uint32_t places = __shfl_sync(ALL_LANES, some_places, from);
    const uint32_t begin = places >> 16, end = places & 0xFFFF;
    bool is_shadowed = false, stands = false;
    for (uint32_t first = 0; first < casting && !is_shadowed; first += LANES) {
      const uint32_t other = first + lane;
      bool casts = false;
      uint64_t known = 0;
      if (other < casting) {
        known = keys[other];
        const uint32_t other_begin = static_cast<uint32_t>(known >> 48);
        const uint32_t other_end = static_cast<uint32_t>(known >> 32) & 0xFFFF;
        const uint32_t weight = static_cast<uint32_t>(known) >> 1;
        const uint32_t shared = minus(min(end, other_end), max(begin, other_begin));
        const uint32_t shorter = min(end - begin, other_end - other_begin);
        casts = shared > 0 &&
                static_cast<float>(shared) >= static_cast<float>(shorter) * numbers.overlap &&
                static_cast<float>(own_weight) < static_cast<float>(weight) * numbers.drop_ratio &&
                weight - own_weight >= numbers.drop_weight;
      }
      const uint32_t all = __ballot_sync(ALL_LANES, casts);
      if (all != 0) {
        // The first of them tells how good the next best is.
        const int caster = __ffs(static_cast<int>(all)) - 1;
        is_shadowed = true;
        stands = __shfl_sync(ALL_LANES, static_cast<uint32_t>(known) & 1, caster) == 0;
        if (static_cast<int>(lane) == caster) keys[other] = known | 1;
      }
    }
    __syncwarp();
    if (lane == 0) {
      if (!is_shadowed) {
        keys[casting] = static_cast<uint64_t>(places) << 32 | own_weight << 1;
      }
      if (!is_shadowed || stands) kept[wanted] = number;
    }
    __syncwarp();
    casting += is_shadowed ? 0 : 1;
    wanted += !is_shadowed || stands ? 1 : 0;
  }
  return wanted;
}

}  // namespace find
