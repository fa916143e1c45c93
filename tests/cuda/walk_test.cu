// The stages of `aligner-core/tests/common/walks.rs`, for tests of the streaming runtime.
#include "stream/stream.cuh"

namespace {

using stream::Channel;
using stream::Channels;
using stream::Site;
using stream::to;
using stream::WalkSite;
using u32 = unsigned;

// The finalizer of MurmurHash3. Any thread.
__device__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

struct Forest {
  u32 seed, elements, depth;
};

struct TreeNode {
  u32 hash, depth, most, padding;
};

struct Walker {
  u32 number, hash, steps;
};

struct Hit {
  u32 number, hash, steps;
};

struct Pace {
  u32 mortality, depth;
};

struct Descend
    : stream::Walking<Forest, TreeNode, Walker, 4, Channels<Channel<Hit, 1>, Channel<Forest, 2>>> {
  using Node = Pace;
  using Global = u32;

  __device__ u32 enter(const Forest& input, const WalkSite<Descend>& site, TreeNode& root) const {
    root = {mix(input.seed ^ site.global()), 0, input.depth, 0};
    return input.elements;
  }

  __device__ bool element(const Forest& input, const WalkSite<Descend>& site, Walker& walker) const {
    walker = {site.element, mix(input.seed * 31 ^ site.element), 0};
    return walker.hash % 8 != 0;
  }

  template <class Children>
  __device__ void children(const TreeNode& node, const WalkSite<Descend>&, Children& add) const {
#pragma unroll
    for (u32 key = 0; key < 4; ++key) {
      if (node.depth < node.most && (node.hash >> (4 + key) & 1) != 0) {
        add(key, TreeNode{mix(node.hash ^ (key + 1)), node.depth + 1, node.most, 0});
      }
    }
  }

  template <class Push>
  __device__ bool visit(const TreeNode& child, Walker& walker, const WalkSite<Descend>& site, Push& push) const {
    const Pace pace = site.node();
    walker.hash = mix(walker.hash ^ child.hash);
    ++walker.steps;
    if (walker.hash % 16 == 0) push(to<0>(), Hit{walker.number, walker.hash, walker.steps});
    if (walker.hash % 64 == 1) {
#pragma unroll
      for (u32 part = 0; part < 2; ++part) {
        const u32 seed = mix(walker.hash ^ part);
        push(to<1>(), Forest{seed, seed % 9, pace.depth}, part);
      }
    }
    return (walker.hash >> 8) % pace.mortality != 0;
  }
};

struct Scatter : stream::Exploding {
  using In = Hit;
  using Out = Channels<Channel<u32, 1>>;
  using Global = u32;
  __device__ u32 size(const Hit& hit, const Site<Scatter>&) const { return (hit.hash >> 5) % 4; }
  template <class Push>
  __device__ void run(const Hit& hit, const Site<Scatter>& site, Push& push) const {
    push(to<0>(), hit.hash ^ site.element);
  }
};

struct Plant : stream::Stage {
  using In = Forest;
  using Out = Channels<Channel<Forest, 3>>;
  using Global = u32;
  template <class Push>
  __device__ void run(const Forest& forest, const Site<Plant>&, Push& push) const {
#pragma unroll
    for (u32 tree = 0; tree < 3; ++tree) {
      if (tree < forest.seed % 4) {
        push(to<0>(), Forest{mix(forest.seed ^ tree), forest.elements, forest.depth}, tree);
      }
    }
  }
};

}  // namespace

STREAM_APP(descents, Descend)
STREAM_APP(forests, Plant, Descend, Scatter)
