// Stages that push more than they may, and kernels that are built for other applications than the
// host declares.
#define STREAM_MAX_TARGETS 6
#include "adding.cuh"

namespace {

using stream::Channel;
using stream::Channels;
using stream::Site;
using stream::to;
using stream::u32;
using stream::u64;

// Pushes items below the node's parameter three times on a channel of gamma 2.
struct Boasting : stream::Stage {
  using In = u32;
  using Node = u32;
  using Out = Channels<Channel<u32, 1>, Channel<u32, 2>>;
  template <class Push>
  __device__ void run(u32 item, const Site<Boasting>& site, Push& push) const {
    push(to<0>(), item);
    const u32 copies = item < site.node() ? 3 : 2;
    for (u32 i = 0; i < copies; ++i) push(to<1>(), item);
  }
};

// Of the four threads of an item, as many push as the remainder of the item by the node's parameter.
struct Crowd : stream::Stage {
  using In = u32;
  using Node = u32;
  using Out = Channels<Channel<u32, 2>>;
  static constexpr u32 THREADS = 4;
  template <class Push>
  __device__ void run(u32 item, const Site<Crowd>& site, Push& push) const {
    if (site.lane < item % site.node()) push(to<0>(), item);
  }
};

using Pair = stream::Pod<u32, u32, 2>;

// Keeps every number, and pushes numbers below the node's parameter twice on a channel of gamma 1.
struct Leaking : stream::Collecting<Pair, Pair, 1, Channels<Channel<u32, 1>>> {
  using Node = u32;
  template <class Keep, class Push>
  __device__ void run(u32, u32 item, const Site<Leaking>& site, Keep& keep, Push& push) const {
    keep(0, item);
    for (u32 i = 0; i < (item < site.node() ? 2 : 1); ++i) push(to<1>(), item);
  }
  __device__ u32 header(u32 header, u32, const Site<Leaking>&) const { return header; }
};

// Emits sums below the node's parameter twice on a channel of gamma 1.
struct Doubling : stream::Reducing<Pair, u32> {
  using Node = u32;
  using Out = Channels<Channel<u32, 1>>;
  __device__ u32 value(u32, u32 item, const Site<Doubling>&) const { return item; }
  __device__ u32 combine(u32 left, u32 right) const { return left + right; }
  template <class Push>
  __device__ void finish(u32, u32 sum, const Site<Doubling>& site, Push& push) const {
    for (u32 i = 0; i < (sum < site.node() ? 2 : 1); ++i) push(to<0>(), sum);
  }
};

// Pushes the low byte, as many copies of the item as its last digit, and the high byte, twice if it is large.
struct Copying : stream::Stage {
  using In = u32;
  using Node = u32;
  using Global = u64;
  using Out = Channels<Channel<stream::byte, 1>, Channel<u32, 3>, Channel<stream::byte, 1>>;
  template <class Push>
  __device__ void run(u32 item, const Site<Copying>& site, Push& push) const {
    push(to<0>(), static_cast<stream::byte>(item));
    for (u32 i = 0; i < item % 10; ++i) push(to<1>(), item + site.node());
    for (u32 i = 0; i < 1 + (item >> 31); ++i) push(to<2>(), static_cast<stream::byte>(item >> 24));
  }
};

using Fused = stream::Fused<Copying, 1, Adding>;

struct First : stream::Stage {
  using In = u32;
  using Node = u32;
  using Global = u32;
  using Out = Channels<Channel<u32, 2>>;
  template <class Push>
  __device__ void run(u32 item, const Site<First>& site, Push& push) const {
    if (item > site.node() + site.global()) push(to<0>(), item);
  }
};

struct Second : stream::Stage {
  using In = u32;
  using Global = u32;
  using Out = Channels<Channel<u32, 1>>;
  template <class Push>
  __device__ void run(u32 item, const Site<Second>&, Push& push) const {
    push(to<0>(), item);
  }
};

}  // namespace

STREAM_APP(boasting, Boasting)
STREAM_APP(crowd, Crowd)
STREAM_APP(leaking, Leaking)
STREAM_APP(doubling, Doubling)
STREAM_APP(fused, Fused)
STREAM_APP(plain, First)
STREAM_APP(both, First, Second)
