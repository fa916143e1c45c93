// The stages of `aligner-core/tests/common/tokens.rs`, for tests of the streaming runtime.
#define STREAM_MAX_WIDTH 1024
#define STREAM_MAX_TARGETS 64  // two targets for each lane of the scheduler
#include "stream/stream.cuh"

namespace {

using stream::Channel;
using stream::Channels;
using stream::Site;
using stream::to;
using u32 = unsigned;

struct Token {
  u32 id, hash, hops, spare;
};

struct Knob {
  u32 seed, threshold;
};

// The finalizer of MurmurHash3. Any thread.
__device__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

__device__ u32 draw(const Token& token, const Knob& knob) { return mix(token.hash ^ knob.seed); }
__device__ Token changed(const Token& token, u32 hash) {
  return {token.id, hash, token.hops, token.spare};
}
__device__ Token split(const Token& token, u32 hash, u32 part) {
  return {token.id, hash, mix(hash) % 5, part};
}

struct Filter : stream::Stage {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 1>>;
  template <class Push>
  __device__ void run(const Token& token, const Site<Filter>& site, Push& push) const {
    const u32 hash = draw(token, site.node());
    if (hash < site.node().threshold) push(to<0>(), changed(token, hash));
  }
};

struct Route : stream::Stage {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 1>, Channel<Token, 1>>;
  template <class Push>
  __device__ void run(const Token& token, const Site<Route>& site, Push& push) const {
    const u32 hash = draw(token, site.node());
    if (hash < site.node().threshold) push(to<0>(), changed(token, hash));
    else push(to<1>(), changed(token, hash));
  }
};

struct Expand : stream::Stage {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 3>>;
  template <class Push>
  __device__ void run(const Token& token, const Site<Expand>& site, Push& push) const {
    const u32 hash = draw(token, site.node());
    for (u32 part = 0; part < hash % 4; ++part) {
      push(to<0>(), split(token, mix(hash ^ (part + 1)), part));
    }
  }
};

struct Spin : stream::Stage {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 1>, Channel<Token, 1>>;
  template <class Push>
  __device__ void run(const Token& token, const Site<Spin>& site, Push& push) const {
    const u32 hash = draw(token, site.node());
    if (token.hops > 0 && hash < site.node().threshold) {
      push(to<0>(), Token{token.id, hash, token.hops - 1, token.spare});
    } else {
      push(to<1>(), changed(token, hash));
    }
  }
};

struct Burst : stream::Exploding {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 1>>;
  __device__ u32 size(const Token& token, const Site<Burst>& site) const {
    return draw(token, site.node()) % 41;
  }
  template <class Push>
  __device__ void run(const Token& token, const Site<Burst>& site, Push& push) const {
    const u32 hash = mix(draw(token, site.node()) ^ (site.element + 1));
    if (hash < site.node().threshold) push(to<0>(), split(token, hash, site.element));
  }
};

struct Wide : stream::Stage {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 4>>;
  static constexpr u32 THREADS = 4;
  template <class Push>
  __device__ void run(const Token& token, const Site<Wide>& site, Push& push) const {
    const u32 hash = mix(draw(token, site.node()) ^ (site.lane + site.lanes));
    if (hash < site.node().threshold) push(to<0>(), split(token, hash, site.lane));
  }
};

struct Grow : stream::DepthFirst {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 3>, Channel<Token, 1>>;
  template <class Push>
  __device__ void run(const Token& token, const Site<Grow>& site, Push& push) const {
    const u32 hash = draw(token, site.node());
    u32 children = max(hash % 8, 4u) - 4;
    if (site.node().threshold == 0) children = 3;
    if (token.hops == 0) children = 0;
    for (u32 part = 0; part < children; ++part) {
      push(to<0>(), Token{token.id, mix(hash ^ (part + 1)), token.hops - 1, part});
    }
    push(to<1>(), split(token, hash, children));
  }
};

struct Narrow : stream::Stage {
  using In = Token;
  using Node = Knob;
  using Out = Channels<Channel<Token, 1>>;
  static constexpr u32 ITEMS = 4;
  template <class Push>
  __device__ void run(const Token& token, const Site<Narrow>& site, Push& push) const {
    const u32 hash = draw(token, site.node());
    if (hash >= site.node().threshold) push(to<0>(), changed(token, hash));
  }
};

}  // namespace

// Random topologies, which have nodes of all stages.
STREAM_APP(tokens, Filter, Route, Expand, Spin, Burst, Wide, Narrow)
// The same with depth-first nodes.
STREAM_APP(growing, Filter, Route, Expand, Spin, Burst, Wide, Narrow, Grow)
// The application `Fork` of `aligner-core/tests/kernels/streaming_outputs.rs`.
STREAM_APP(fork, Route, Expand)
