// Making chains of anchors, and choosing among them: the device side of src/chain/chains.rs, which defines both.
#pragma once

#include <seed_extend/chains.cuh>
#include <seed_extend/sort.cuh>

namespace seed_extend {

// An occurrence of a seed of a query: where it begins in the text and in the query, and its bases.
struct Anchor {
  uint32_t position, begin, length;

  // The anchor as a number; the anchors of a query are chained in the order of these numbers.
  static __device__ uint64_t key(uint32_t position, uint32_t begin, uint32_t length) {
    return static_cast<uint64_t>(position) << 32 | begin << 16 | length;
  }
  // The anchor of a key.
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

// a - b, or 0 if that is negative.
static __device__ __forceinline__ uint32_t minus(uint32_t a, uint32_t b) {
  return a > b ? a - b : 0;
}

// A chain that more anchors may join. Any thread may call its functions at any time.
struct GrowingChain {
  Chain chain;
  Anchor last;                 // the anchor that joined last
  uint32_t in_query, in_text;  // bases covered by anchors, of the query and of the text

  // Begins a chain with an anchor.
  __device__ void begin(uint32_t query, const Anchor& anchor, uint32_t segment) {
    const int64_t diagonal = anchor.diagonal();
    chain = Chain{diagonal,     diagonal,     query,         segment,
                  anchor.begin, anchor.end(), anchor.begin, anchor.length};
    last = anchor;
    in_query = in_text = anchor.length;
  }

  // Whether an anchor adds nothing: it is on a diagonal of the chain and within it in query and text.
  __device__ bool contains(const Anchor& anchor) const {
    const int64_t diagonal = anchor.diagonal();
    return chain.low <= diagonal && diagonal <= chain.high && chain.begin <= anchor.begin &&
           anchor.end() <= chain.end && anchor.position_end() <= last.position_end();
  }

  // Diagonals between an anchor and the last one, or NOWHERE if the anchor cannot join. The segment is not compared.
  __device__ uint32_t distance(const Anchor& anchor, uint32_t band_width) const {
    const int64_t off = anchor.diagonal() - last.diagonal();
    const uint64_t distance = static_cast<uint64_t>(off < 0 ? -off : off);
    const uint32_t more = min(minus(anchor.end(), last.end()),
                              minus(anchor.position_end(), last.position_end()));
    const bool follows = anchor.begin >= last.begin &&
                         (distance == 0 || 2 * more >= min(anchor.length, last.length));
    return follows && distance <= band_width ? static_cast<uint32_t>(distance) : NOWHERE;
  }

  // Adds an anchor at the end.
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

// Chains that an anchor may join, the last ones that were begun: as many as lanes that hold one each.
constexpr uint32_t LOOK_BACK = 16;

// The number of the segment that holds a position of the text; `ends` are the ends of the segments. Any thread may call
// it at any time.
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

// Chains the `count` anchors of a piece of a query of `length` bases, whose keys are sorted, writes the chains and
// returns their number. A lane holds a chain until LOOK_BACK later ones have begun, and then writes it. The LOOK_BACK
// lanes of one half of a warp must call it with the same arguments; the number is valid in all of them.
static __device__ uint32_t chain_piece(uint32_t query, uint32_t length, const uint64_t* keys,
                                       uint32_t count, const uint32_t* ends, uint32_t segments,
                                       uint32_t band_width, Chain* chains) {
  const uint32_t lane = threadIdx.x % LOOK_BACK;
  const uint32_t mask = 0xFFFFu << (threadIdx.x & LOOK_BACK);
  GrowingChain own{};
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
    const uint32_t distance = may ? own.distance(anchor, band_width) : GrowingChain::NOWHERE;
    const uint32_t age = LOOK_BACK - 1 - (begun - 1 - lane) % LOOK_BACK;
    const uint32_t rank = distance == GrowingChain::NOWHERE ? distance : distance * LOOK_BACK + age;
    uint32_t best = rank;
    for (uint32_t other = LOOK_BACK / 2; other > 0; other /= 2) {
      best = min(best, __shfl_xor_sync(mask, best, other));
    }
    if (best == GrowingChain::NOWHERE) {
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

// A piece of a query's anchors: from an anchor too far behind the one before it to be in one chain with it, to the next
// such. The chains of a piece do not depend on other pieces.
struct Piece {
  GrowingChain growing;  // the chain of its first anchors
  bool is_one;           // whether all its anchors are in that chain
  uint32_t anchors;      // number of its anchors
};

// Distance of the positions of neighbours in one piece, at most: anchors farther apart have diagonals too far apart,
// wherever in the query they are.
static __device__ __forceinline__ uint32_t piece_reach(uint32_t length, uint32_t band_width) {
  return length + band_width;
}

// Position in the text of the anchor of a key.
static __device__ __forceinline__ uint32_t position_of(uint64_t key) { return static_cast<uint32_t>(key >> 32); }

// The piece that begins with the anchor `first` of `count`. Any thread may call it at any time.
static __device__ Piece piece_at(uint32_t query, uint32_t length, const uint64_t* keys, uint32_t first,
                                 uint32_t count, const uint32_t* ends, uint32_t segments, uint32_t band_width) {
  const Anchor begin = Anchor::of(keys[first]);
  const uint32_t segment = segment_of(ends, segments, begin.position + begin.length / 2);
  const uint32_t segment_begin = segment > 0 ? __ldg(ends + segment - 1) : 0, segment_end = __ldg(ends + segment);
  Piece piece;
  piece.growing.begin(query, begin, segment);
  piece.is_one = true;
  uint32_t next = first + 1, position = begin.position;
  for (; next < count; next++) {
    const Anchor anchor = Anchor::of(keys[next]);
    if (anchor.position - position > piece_reach(length, band_width)) break;
    position = anchor.position;
    if (!piece.is_one) continue;
    const uint32_t middle = anchor.position + anchor.length / 2;
    const bool may = segment_begin <= middle && middle < segment_end;
    if (may && piece.growing.contains(anchor)) continue;
    piece.is_one = may && piece.growing.distance(anchor, band_width) != GrowingChain::NOWHERE;
    if (piece.is_one) piece.growing.push(anchor);
  }
  piece.anchors = next - first;
  return piece;
}

// Chains the `count` anchors of a query of `length` bases, whose keys are sorted, writes the chains and returns their
// number. A lane takes a piece, since most pieces are one chain; pieces of several chains are done by half of the warp,
// one after the other. All lanes of a warp must call it with the same arguments; the number is valid in all of them,
// and the chains are visible to all of them afterwards.
static __device__ uint32_t chain(uint32_t query, uint32_t length, const uint64_t* keys, uint32_t count,
                                 const uint32_t* ends, uint32_t segments, uint32_t band_width, Chain* chains) {
  const uint32_t lane = threadIdx.x % LANES;
  uint32_t begun = 0;  // chains
  for (uint32_t tile = 0; tile < count; tile += LANES) {
    const uint32_t number = tile + lane;
    const bool begins =
        number < count && (number == 0 || position_of(keys[number]) - position_of(keys[number - 1]) >
                                              piece_reach(length, band_width));
    Piece piece{};
    if (begins) piece = piece_at(query, length, keys, number, count, ends, segments, band_width);
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
        found = chain_piece(query, length, keys + tile + from, anchors, ends, segments, band_width, chains + to);
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

// What is compared of two chains of a read: begin and end in the read, in 16 bits each, and weight. Any thread may call
// its function at any time.
struct ReadInterval {
  uint32_t places, weight;

  // Whether a chain that is no heavier can be dropped because of this one.
  __device__ bool outweighs(const ReadInterval& other, const ChainThresholds& thresholds) const {
    const uint32_t begin = places >> 16, end = places & 0xFFFF;
    const uint32_t other_begin = other.places >> 16, other_end = other.places & 0xFFFF;
    const uint32_t shared = minus(min(end, other_end), max(begin, other_begin));
    const uint32_t shorter = min(end - begin, other_end - other_begin);
    return shared > 0 && static_cast<float>(shared) >= static_cast<float>(shorter) * thresholds.min_overlap &&
           static_cast<float>(other.weight) < static_cast<float>(weight) * thresholds.drop_ratio &&
           weight - other.weight >= thresholds.drop_weight;
  }
};

// Orders the `count` chains of a read of `length` bases by weight, the heaviest first, and drops those that cannot
// matter. Writes the numbers of the others to `kept` and returns how many they are. `keys` is room for a word for each
// chain. All lanes of a warp must call it with the same arguments; the number is valid in all of them.
static __device__ uint32_t keep_best(const Chain* chains, uint32_t count, uint32_t length,
                                     const ChainThresholds& thresholds, uint64_t* keys, uint32_t* kept) {
  const uint32_t lane = threadIdx.x % LANES, before = (1u << lane) - 1, NOBODY = ~0u;
  for (uint32_t number = lane; number < count; number += LANES) {
    keys[number] = static_cast<uint64_t>(~chains[number].weight) << 32 | number;
  }
  __syncwarp();
  sort(keys, count);
  // Chains that can drop others take the place of the keys that were read. Such a word has, from the highest bits, the
  // chain's places, its weight, and whether a chain that it would have dropped was kept as its second best.
  uint32_t wanted = 0, leading = 0;
  for (uint32_t tile = 0; tile < count && wanted < thresholds.max_chains; tile += LANES) {
    // A lane takes a chain.
    const bool is_one = tile + lane < count;
    uint32_t number = 0;
    ReadInterval own{0, 0};
    if (is_one) {
      number = static_cast<uint32_t>(keys[tile + lane]);
      const Chain chain = chains[number];
      const bool reverse = chain.query % 2 == 1;
      const uint32_t begin = reverse ? length - chain.end : chain.begin;
      const uint32_t end = reverse ? length - chain.begin : chain.end;
      own = ReadInterval{begin << 16 | end, chain.weight};
    }
    // The first earlier chain that drops it.
    uint32_t by = is_one ? NOBODY : 0;
    for (uint32_t other = 0; other < leading && __any_sync(ALL_LANES, by == NOBODY); other++) {
      const uint64_t known = keys[other];
      const ReadInterval leader{static_cast<uint32_t>(known >> 32), static_cast<uint32_t>(known) >> 1};
      if (by == NOBODY && leader.outweighs(own, thresholds)) by = other;
    }
    // Of the chains that one leader drops, the first is kept: it tells how good the second best alignment is.
    const bool is_dropped = is_one && by != NOBODY;
    const uint32_t alike = __match_any_sync(ALL_LANES, is_dropped ? by : NOBODY);
    bool is_second = is_dropped && (alike & before) == 0 && (keys[by] & 1) == 0;
    if (is_second) keys[by] |= 1;
    __syncwarp();
    // Each of the others may drop later chains of the same tile.
    uint32_t open = __ballot_sync(ALL_LANES, is_one && !is_dropped);
    uint32_t leaders = 0;
    bool has_second = false;
    while (open != 0) {
      const uint32_t from = __ffs(static_cast<int>(open)) - 1;
      const ReadInterval leader{__shfl_sync(ALL_LANES, own.places, from), __shfl_sync(ALL_LANES, own.weight, from)};
      const bool is_light = (open >> lane & 1) != 0 && lane != from && leader.outweighs(own, thresholds);
      const uint32_t dropped = __ballot_sync(ALL_LANES, is_light);
      if (is_light) is_second = (dropped & before) == 0;
      if (lane == from) has_second = dropped != 0;
      leaders |= 1u << from;
      open &= ~(dropped | 1u << from);
    }
    const bool leads = (leaders >> lane & 1) != 0;
    if (leads) {
      keys[leading + __popc(leaders & before)] =
          static_cast<uint64_t>(own.places) << 32 | own.weight << 1 | (has_second ? 1 : 0);
    }
    const uint32_t all = __ballot_sync(ALL_LANES, leads || is_second);
    const uint32_t place = wanted + __popc(all & before);
    if ((leads || is_second) && place < thresholds.max_chains) kept[place] = number;
    leading += __popc(leaders);
    wanted += __popc(all);
    __syncwarp();
  }
  return min(wanted, thresholds.max_chains);
}

}  // namespace seed_extend
