// The stages of `src/runtime/trees.rs`: random trees, depth first by the runtime, and a thread for each tree.
#include "stream/stream.cuh"

#include "benches/trees.cuh"

using namespace benches;

// Visits a node and sends its children back.
struct Explore : stream::DepthFirst {
  using In = TreeNode;
  using Out = stream::Channels<stream::Channel<TreeNode, kChildren>, stream::Channel<TreeNode, 1>>;
  using Global = Forest;

  template <class Push>
  __device__ void run(const TreeNode& node, const stream::Site<Explore>& site, Push& push) const {
    const Forest forest = site.global();
    const unsigned children = children_of(node, forest);
#pragma unroll
    for (unsigned number = 0; number < kChildren; ++number) {
      if (number < children) push(stream::to<0>(), child_of(node, number), number);
    }
    if (is_goal(node, forest)) push(stream::to<1>(), node);
  }
};

// Explores a whole tree, with a stack of its own.
struct Alone : stream::Stage {
  using In = TreeNode;
  using Out = stream::Channels<stream::Channel<TreeNode, kGoals>>;
  using Global = Forest;

  template <class Push>
  __device__ void run(const TreeNode& root, const stream::Site<Alone>& site, Push& push) const {
    const Forest forest = site.global();
    // Each level leaves at most `kChildren - 1` nodes behind.
    TreeNode stack[kMostDepth * (kChildren - 1) + 1];
    unsigned count = 0;
    stack[count++] = root;
    while (count > 0) {
      const TreeNode node = stack[--count];
      const unsigned children = children_of(node, forest);
      for (unsigned number = 0; number < children; ++number) stack[count++] = child_of(node, number);
      if (is_goal(node, forest)) push(stream::to<0>(), node);
    }
  }
};

STREAM_APP(explore, Explore)
STREAM_APP(alone, Alone)
