// Random trees: src/runtime/trees.rs explains them.
#pragma once

#include "benches/quote.cuh"

namespace benches {

// A node of a tree.
struct TreeNode {
  unsigned tree;   // number of the tree
  unsigned depth;  // number of edges from the root
  unsigned hash;   // random number, from which the children follow
};

// Parameters of all trees.
struct Forest {
  unsigned depth;   // depth at which nodes have no children
  unsigned rarity;  // mean number of nodes for each goal
};

constexpr unsigned kChildren = 3;    // the most children of a node: CHILDREN of trees.rs
constexpr unsigned kMostDepth = 16;  // the most depth for which a thread has room to explore a tree alone: MOST_DEPTH
constexpr unsigned kGoals = 16;      // the most goals that a tree may have there: GOALS

// Number of children of a node. Any thread.
__device__ inline unsigned children_of(const TreeNode& node, const Forest& forest) {
  return node.depth < forest.depth ? node.hash / 16 % 4 : 0;
}

// The child of this number. Any thread.
__device__ inline TreeNode child_of(const TreeNode& node, unsigned number) {
  return {node.tree, node.depth + 1, mix(node.hash ^ (number + 1))};
}

// Whether a node is a goal. Any thread.
__device__ inline bool is_goal(const TreeNode& node, const Forest& forest) { return node.hash % forest.rarity == 0; }

}  // namespace benches
