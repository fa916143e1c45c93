// Firing modules that walk: from each input down a tree, with the items that are live at each node (Cole 2017, chapter 2).
//
// A *pod* of a walk is a node of the tree and the items that are live there. The pods that wait lie on a stack, and their
// items on another one, end to end in the same order; both are in the block's global memory. A firing makes several steps
// (Cole 2017, fig. 2.7):
//
//   pull       as many pods as fill an ensemble of items, or several, from the end of the stack
//   traverse   a thread a pod: its children
//   visit      a thread for each child and item (explode): scan of the pods' sizes, search
//              items that stay live are packed in order (collect)
//   push       children that have live items
//
// A step takes the latest pods, which are the deepest of those that wait. So the stacks never hold a whole level of the
// tree: the host's plan/walk.rs has their sizes and the proof.
//
// A step begins with the children, not with the items, so items are stored once for all children of a node and not once
// for each. Traversal is decoupled from visits (Cole 2017, 2.4.3) by the size of a step: it takes up to `pods_at_once`
// pods, for one ensemble of threads that look up children, and up to `items_at_once` items, for several that visit.
//
// Contract: unless noted, all functions here are called by all threads of the block with the same arguments, contain
// barriers, and return the same in all threads.
#pragma once

#include "stream/pods.cuh"
#include "stream/walking.cuh"

namespace stream {

// Dynamic shared memory of a firing; `walk_scratch_bytes` of src/stream/cuda/layout.rs has its size. S is the stage. Most
// offsets depend on the width of the block alone, so that they need no registers.
template <class S>
struct WalkScratch {
  static constexpr u32 HEADER = sizeof(typename S::Header), ITEM = sizeof(typename S::Element);
  static constexpr u32 WARPS = 32;  // of the widest block

  u64* wide_sums;  // [WARPS] for scan_block
  u32* sums;       // [2][WARPS] for scan_block and rank_block
  u32* word;       // [4] for broadcasts
  byte* headers;   // [FAN * width] the children of the pulled pods
  u32* parent;     // [FAN * width] for each child, the first item of its parent among those pulled
  u32* begin;      // [FAN * width] the first visit of each child, among those of the step
  u32* kept;       // [FAN * width + 4] the first item of each child, among those that stay live in the step
  byte* items;     // [items_at_once] the pulled items, in chunks (items.cuh)
  u32* part_of;    // [FAN * items_at_once / 32 + 1] the child of every 32nd visit, unless a large pod was pulled

  __device__ WalkScratch(byte* memory, const WalkRow& row) {
    const u32 children = S::FAN * blockDim.x;
    wide_sums = reinterpret_cast<u64*>(memory);
    sums = reinterpret_cast<u32*>(wide_sums + WARPS);
    word = sums + 2 * WARPS;
    headers = reinterpret_cast<byte*>(word + 4);
    parent = reinterpret_cast<u32*>(headers + children * HEADER);
    begin = parent + children;
    kept = begin + children;
    items = reinterpret_cast<byte*>(kept + children + 4);
    part_of = reinterpret_cast<u32*>(items + (row.items_at_once * ITEM + 15) / 16 * 16);
  }
};

// The stacks of a walk in the block's global memory. All threads of the block have the same values.
template <class S>
struct Walk {
  using Header = typename S::Header;
  using Item = typename S::Element;
  static constexpr u32 HEADER = chunk_bytes(sizeof(Header)), ITEM = chunk_bytes(sizeof(Item));

  WalkState& state;  // in shared memory; only the functions that say so change it
  byte* memory;      // of the block

  __device__ const WalkRow& row() const { return state.row; }
  __device__ const SavedWalk& stack() const { return state.stack; }
  __device__ byte* header_at(u32 pod) const { return memory + row().headers + static_cast<u64>(pod) * HEADER; }
  __device__ u32 header_stride() const { return row().pods_room * HEADER; }
  __device__ u32* counts() const { return reinterpret_cast<u32*>(memory + row().counts); }
  __device__ byte* item_at(u32 item) const { return memory + row().items + static_cast<u64>(item) * ITEM; }
  __device__ u32 item_stride() const { return row().items_room * ITEM; }
};

// The site of a walking stage at a node; reads the application's parameters. Any thread; no barriers.
template <class S>
__device__ WalkSite<S> walk_site_at(const Block& b, const RunParameters& run, u32 node) {
  return {b.parameters[node], parameters_at<typename S::Global>(run.global), 0};
}

// The pods that a step takes from the stack. Thread t has the t-th pod from the end.
template <class S>
struct PulledPods {
  u32 pods;                   // number of pods; 0 if the stacks have no room for a step, which the plan excludes
  u32 removed;                // the number that leave the stack: all of them, or none if a part of a pod was taken
  u32 items;                  // number of their items, which are the last ones of the stack
  bool is_large;              // whether this is one pod with more items than a step may take, taken as a whole
  u32 count;                  // items of the calling thread's pod
  u32 before;                 // items of the pods of lower threads
  typename S::Header header;  // of the calling thread's pod
};

// Takes the last pods of the stack that together have at most `most_items` items, and at most `most_pods` of them. If
// the last pod alone has more, it is taken as a whole if there is room for its items at all children and for their
// outputs, so that its children are looked up once for all of them. Otherwise as many of its items are taken as a step
// may take, and the pod stays on the stack with the others. Leaves the ends of the stacks as they are. A barrier is
// needed between the last write to the stacks and this call.
template <class S>
__device__ PulledPods<S> pull_pods(const Walk<S>& walk, u32 visits, const WalkScratch<S>& scratch) {
  const WalkRow& row = walk.row();
  const SavedWalk stack = walk.stack();
  PulledPods<S> pulled = {};
  const u32 most = most_items(row, stack.end_item, visits), offered = most_pods(row, stack);
  if (most == 0 || offered == 0) return pulled;
  if (threadIdx.x < offered) {
    const u32 pod = stack.end_pod - 1 - threadIdx.x;
    pulled.header = load_item<typename S::Header>(walk.header_at(pod), walk.header_stride());
    pulled.count = walk.counts()[pod];
  }
  const auto scanned = scan_block(pulled.count, scratch.sums);
  pulled.before = scanned.before;
  const bool fits = threadIdx.x < offered && scanned.before + pulled.count <= most;
  pulled.pods = pulled.removed = __syncthreads_count(fits);
  if (pulled.pods > 0) {
    if (threadIdx.x == pulled.pods - 1) scratch.word[1] = pulled.before + pulled.count;
    __syncthreads();
    pulled.items = scratch.word[1];
  } else {
    const u32 count = walk.counts()[stack.end_pod - 1];
    pulled.pods = 1;
    pulled.is_large =
        stack.end_item + S::FAN * count <= row.items_room - row.items_reserve && S::FAN * count <= visits;
    pulled.removed = pulled.is_large ? 1 : 0;
    pulled.items = pulled.is_large ? count : most;
    if (threadIdx.x == 0) pulled.count = pulled.items;
    // All threads must have read the number before it changes.
    __syncthreads();
    if (!pulled.is_large && threadIdx.x == 0) walk.counts()[stack.end_pod - 1] = count - most;
  }
  if (threadIdx.x >= pulled.pods) pulled.count = 0;
  return pulled;
}

// Copies the last `count` items of the stack, from `first` on, to shared memory, because those of their children
// overwrite them. No barrier; the copies are valid after the next one.
template <class S>
__device__ void stage_items(const Walk<S>& walk, u32 first, u32 count, const WalkScratch<S>& scratch) {
  using Item = typename S::Element;
  const u32 stride = walk.row().items_at_once * Walk<S>::ITEM;
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
    const Item item = load_item<Item>(walk.item_at(first + i), walk.item_stride());
    store_item(scratch.items + i * Walk<S>::ITEM, stride, item);
  }
}

// The children of the pulled pods, in WalkScratch.
struct PulledChildren {
  u32 count;   // number of children
  u32 visits;  // number of items to visit at them
};

// Looks up the children of the pulled pods, a thread a pod. `headers`, `parent`, `begin` and `part_of` are valid after
// the next barrier.
template <class S>
__device__ PulledChildren traverse(const Block& b, const RunParameters& run, u32 n, const PulledPods<S>& pulled,
                                   const WalkScratch<S>& scratch) {
  using Header = typename S::Header;
  Keep<Header, S::FAN> found;
  if (threadIdx.x < pulled.pods) {
    Code<S>::stage(b.module_parameters[b.node[n].module]).children(pulled.header, walk_site_at<S>(b, run, n), found);
  }
  const u32 count = __popc(found.kept);
  const u64 both = static_cast<u64>(count * pulled.count) << 32 | count;
  const auto scanned = scan_block(both, scratch.wide_sums);
  u32 child = static_cast<u32>(scanned.before), visit = static_cast<u32>(scanned.before >> 32);
#pragma unroll
  for (u32 key = 0; key < S::FAN; key++) {
    if ((found.kept >> key & 1) == 0) continue;
    store_packed(scratch.headers + child * sizeof(Header), found.items[key]);
    // Pods are pulled from the end, so the items of lower threads come after those of this thread.
    scratch.parent[child] = pulled.items - pulled.before - pulled.count;
    scratch.begin[child] = visit;
    const u32 end = visit + pulled.count;
    if (!pulled.is_large) {
      for (u32 w = (visit + WARP - 1) / WARP; WARP * w < end; w++) scratch.part_of[w] = child;
    }
    visit = end;
    child++;
  }
  return PulledChildren{static_cast<u32>(scanned.all), static_cast<u32>(scanned.all >> 32)};
}

// The child of visit `i`. Called by all lanes of a warp, converged, with consecutive visits; the result is valid in
// lanes with a visit that exists. No barriers.
template <class S>
__device__ u32 child_of_visit(const PulledChildren& children, bool is_large, const WalkScratch<S>& scratch, u32 i) {
  const u32 first = i / WARP * WARP;
  if (first >= children.visits) return 0;
  // A large pod has only its own children, so a search among them is cheap.
  const u32 part =
      is_large ? find_part(scratch.begin, children.count, first) : scratch.part_of[first / WARP];
  return find_parts(scratch.begin, children.count, first, part);
}

// What became of the visits of a step.
struct Visited {
  u32 live;   // number of items that stay live
  u32 lanes;  // lanes of the ensembles that visited, busy or idle
};

// Visits the items from `first` on at all children, a thread a visit (explode), and packs those that stay live
// (collect). They replace their parents on the stack if those are in shared memory, else they follow them. A barrier is
// needed between `traverse` and this call; the items and `kept` are valid when it returns, the outputs after the firing.
template <class S, class All>
__device__ Visited visit_children(All modules, Block& b, const RunParameters& run, u32 n, const Walk<S>& walk, u32 first,
                                  bool is_large, const PulledChildren& children, const WalkScratch<S>& scratch) {
  using Item = typename S::Element;
  constexpr u32 CHUNK = Walk<S>::ITEM;
  const auto stage = Code<S>::stage(b.module_parameters[b.node[n].module]);
  const WalkSite<S> site = walk_site_at<S>(b, run, n);
  const byte* const parents = is_large ? walk.item_at(first) : scratch.items;
  const u32 parents_stride = (is_large ? walk.row().items_room : walk.row().items_at_once) * CHUNK;
  const u32 to = is_large ? walk.stack().end_item : first;
  u32 still_live = 0, parity = 0, start = 0;
  for (; start < children.visits; start += blockDim.x, parity ^= 1) {
    const u32 i = start + threadIdx.x;
    bool lives = false, leads = false;
    Item item = {};
    Push<typename S::Out> push;
    const u32 child = child_of_visit(children, is_large, scratch, i);
    if (i < children.visits) {
      const u32 offset = i - scratch.begin[child];
      leads = offset == 0;
      item = load_item<Item>(parents + static_cast<u64>(scratch.parent[child] + offset) * CHUNK, parents_stride);
      const auto header = load_packed<typename S::Header>(scratch.headers + child * sizeof(typename S::Header));
      lives = stage.visit(header, item, site, push);
    }
    __syncwarp();
    // Most visits push nothing.
    if (__any_sync(ALL_LANES, push.has_any())) scatter<1>(modules, b, run, push, n);
    // Consecutive iterations use different sums, so one barrier for each is enough.
    const auto rank = rank_block(lives, scratch.sums + WalkScratch<S>::WARPS * parity);
    if (leads) scratch.kept[child] = still_live + rank.before;
    if (lives) store_item(walk.item_at(to + still_live + rank.before), walk.item_stride(), item);
    still_live += rank.all;
  }
  if (threadIdx.x == 0) scratch.kept[children.count] = still_live;
  __syncthreads();
  return Visited{still_live, start};
}

// Moves the items [from, from + count) of the stack down to `to`; the ranges may overlap.
template <class S>
__device__ void move_down(const Walk<S>& walk, u32 to, u32 from, u32 count) {
  using Item = typename S::Element;
  for (u32 start = 0; start < count; start += blockDim.x) {
    const u32 i = start + threadIdx.x;
    Item item = {};
    if (i < count) item = load_item<Item>(walk.item_at(from + i), walk.item_stride());
    __syncthreads();
    if (i < count) store_item(walk.item_at(to + i), walk.item_stride(), item);
    __syncthreads();
  }
}

// Pushes the children that have live items, in the order of those items, from slot `end_pod` of the stack on. Returns
// their number. The stack is valid after the next barrier.
template <class S>
__device__ u32 push_children(const Walk<S>& walk, u32 end_pod, const PulledChildren& children,
                             const WalkScratch<S>& scratch) {
  using Header = typename S::Header;
  // A thread has FAN neighbouring children, which is enough: there are at most FAN for each pulled pod.
  const u32 mine = S::FAN * threadIdx.x;
  u32 count = 0;
#pragma unroll
  for (u32 key = 0; key < S::FAN; key++) {
    const u32 child = mine + key;
    if (child < children.count) count += scratch.kept[child + 1] > scratch.kept[child];
  }
  const auto scanned = scan_block(count, scratch.sums);
  const u32 stride = walk.header_stride();
  byte* to = walk.header_at(end_pod + scanned.before);
  u32* to_count = walk.counts() + end_pod + scanned.before;
#pragma unroll
  for (u32 key = 0; key < S::FAN; key++) {
    const u32 child = mine + key;
    if (child >= children.count) break;
    const u32 items = scratch.kept[child + 1] - scratch.kept[child];
    if (items == 0) continue;
    const auto header = load_packed<Header>(scratch.headers + child * sizeof(Header));
    store_item(to, stride, header);
    *to_count++ = items;
    to += Walk<S>::HEADER;
  }
  return scanned.all;
}

// Puts the root of the input that the firing has taken on the empty stack, with the elements that are live there. The
// stack and its state are valid when it returns.
template <class S>
__device__ void enter(Block& b, const RunParameters& run, u32 n, const Walk<S>& walk, const WalkScratch<S>& scratch) {
  using Item = typename S::Element;
  const auto stage = Code<S>::stage(b.module_parameters[b.node[n].module]);
  const auto input = load_input<typename S::In, false>(b, run, InputPlace{n, 0});
  WalkSite<S> site = walk_site_at<S>(b, run, n);
  if (threadIdx.x == 0) {
    typename S::Header root = {};
    u32 elements = stage.enter(input, site, root);
    if (elements > walk.row().elements) {
      report(run, b.node[n].module, NONE, n);
      elements = 0;
    }
    store_item(walk.header_at(0), walk.header_stride(), root);
    scratch.word[1] = elements;
  }
  __syncthreads();
  const u32 elements = scratch.word[1];
  u32 live = 0, parity = 0;
  for (u32 start = 0; start < elements; start += blockDim.x, parity ^= 1) {
    site.element = start + threadIdx.x;
    Item item = {};
    const bool lives = site.element < elements && stage.element(input, site, item);
    __syncwarp();
    const auto rank = rank_block(lives, scratch.sums + WalkScratch<S>::WARPS * parity);
    if (lives) store_item(walk.item_at(live + rank.before), walk.item_stride(), item);
    live += rank.all;
  }
  if (threadIdx.x == 0 && live > 0) {
    walk.counts()[0] = live;
    walk.state.stack.end_pod = 1;
    walk.state.stack.end_item = live;
  }
  __syncthreads();
}

// The items that node n may visit before the targets of its outputs may be full, counting what the firing has pushed so
// far. A barrier is needed between the last push and this call. Any thread; no barriers.
__device__ inline u32 room_for_visits(const Block& b, u32 n) {
  u32 visits = NONE;
  for (u32 c = 0; c < b.node[n].channels; ++c) {
    const EdgeRow& edge = b.edge[b.node[n].first_edge + c];
    const Queue& queue = b.queue[edge.target];
    const u32 free = queue.open() - queue.reserve - static_cast<u32>(b.flow[edge.target].pushed);
    visits = min(visits, edge.gamma == 1 ? free : free / edge.gamma);
  }
  return visits;
}

// Cycles of the steps of a firing; not counted in kernels that do not measure.
struct WalkCycles {
  long long gather = 0, run = 0, scatter = 0;
};

// Makes one step, which visits at most `visits` items. Returns false, and does nothing, if the stacks have no room. A
// barrier is needed between the last write to stack and state and this call; they are valid when it returns.
template <bool METRICS, class S, class All>
__device__ bool make_step(All modules, Block& b, const RunParameters& run, u32 n, const Walk<S>& walk, u32 visits,
                          const WalkScratch<S>& scratch, Meter<METRICS>& meter, WalkCycles& cycles) {
  const long long t0 = Meter<METRICS>::now();
  const PulledPods<S> pulled = pull_pods(walk, visits, scratch);
  if (pulled.pods == 0) return false;
  const bool is_large = pulled.is_large;
  const u32 first = walk.stack().end_item - pulled.items;
  if (!is_large) stage_items(walk, first, pulled.items, scratch);
  const PulledChildren children = traverse(b, run, n, pulled, scratch);
  __syncthreads();
  const long long t1 = Meter<METRICS>::now();
  const Visited visited = visit_children(modules, b, run, n, walk, first, is_large, children, scratch);
  const u32 still_live = visited.live;
  const long long t2 = Meter<METRICS>::now();
  if (is_large) move_down(walk, first, walk.stack().end_item, still_live);
  const u32 end_pod = walk.stack().end_pod - pulled.removed;
  const u32 pushed = push_children(walk, end_pod, children, scratch);
  SavedWalk& stack = walk.state.stack;
  if (threadIdx.x == 0) {
    const bool is_over = end_pod + pushed == stack.first_pod;
    if (is_over) stack.first_pod = stack.first_item = 0;
    stack.end_pod = is_over ? 0 : end_pod + pushed;
    stack.end_item = is_over ? 0 : first + still_live;
    stack.pods += pulled.pods;
    stack.visits += children.visits;
    stack.lanes += visited.lanes;
    stack.steps++;
    meter.walked(b.next.module, pulled.pods, children.visits, visited.lanes);
  }
  __syncthreads();
  cycles.gather += t1 - t0;
  cycles.run += t2 - t1;
  cycles.scatter += Meter<METRICS>::now() - t2;
  return true;
}

// Fires a module that walks: up to `steps` steps of each of its nodes.
template <bool METRICS, class S, class All>
__device__ void fire_walking(All modules, Block& b, const RunParameters& run, Meter<METRICS>& meter, byte* memory) {
  static_assert(S::FAN >= 1 && S::FAN <= 32, "children are bits of a word");
  const u32 m = b.next.module, first = b.module[m].first, nodes = b.module[m].nodes;
  WalkCycles cycles;
  for (u32 n = first; n < first + nodes; ++n) {
    // As `b.walks[n]`, but the compiler knows that it is in shared memory.
    WalkState& state = reinterpret_cast<WalkState*>(memory - walk_bytes(run.node_count))[n];
    if (!state.fires) continue;
    const WalkScratch<S> scratch(memory, state.row);
    const Walk<S> walk{state, run.rings + blockIdx.x * run.ring_stride};
    if (state.stack.is_empty()) {
      __syncthreads();
      enter(b, run, n, walk, scratch);
    }
    for (u32 step = 0; step < state.row.steps && !state.stack.is_empty(); ++step) {
      const u32 items = state.stack.end_item - state.stack.first_item;
      const u32 visits = room_for_visits(b, n);
      if (visits < wanted_visits(state.row, items, state.whole)) break;
      if (!make_step(modules, b, run, n, walk, visits, scratch, meter, cycles)) break;
    }
  }
  if (lane_in_warp() == 0) meter.phases(m, cycles.gather, cycles.run, cycles.scatter);
}

}  // namespace stream
