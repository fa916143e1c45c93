// The device side of explore.rs.
#include "stream/stream.cuh"

struct TreeNode {
  unsigned tree, depth, hash;
};

struct Forest {
  unsigned depth, rarity;
};

// The finalizer of MurmurHash3. Any thread.
__device__ unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

struct Explore : stream::DepthFirst {
  using In = TreeNode;
  using Out = stream::Channels<stream::Channel<TreeNode, 3>, stream::Channel<TreeNode, 1>>;
  using Global = Forest;

  template <class Push>
  __device__ void run(const TreeNode& node, const stream::Site<Explore>& site, Push& push) const {
    const Forest forest = site.global();
    const unsigned children = node.depth < forest.depth ? node.hash / 16 % 4 : 0;
#pragma unroll
    for (unsigned part = 0; part < 3; ++part) {
      if (part < children) push(stream::to<0>(), TreeNode{node.tree, node.depth + 1, mix(node.hash ^ (part + 1))}, part);
    }
    if (node.hash % forest.rarity == 0) push(stream::to<1>(), node);
  }
};

STREAM_APP(explore, Explore)
