// A stage that explodes, alone and as the first part of a fused one.
#define STREAM_MAX_TARGETS 6
#include "adding.cuh"

namespace {

using stream::Channel;
using stream::Channels;
using stream::Site;
using stream::to;
using stream::u32;
using stream::u64;

// Pushes some elements, to slots between which others stay empty.
struct Spreading : stream::Exploding {
  using In = u32;
  using Node = u32;
  using Global = u64;
  using Out = Channels<Channel<u32, 3>>;
  __device__ u32 size(u32 item, const Site<Spreading>& site) const { return item % 10 + (site.node() & 1); }
  template <class Push>
  __device__ void run(u32 item, const Site<Spreading>& site, Push& push) const {
    if (site.element % 2 == 0) push(to<0>(), item + site.element, 2);
    if (site.element % 3 == 0) push(to<0>(), item + site.node() + site.element, 0);
  }
};

using Fused = stream::Fused<Spreading, 0, Adding>;

}  // namespace

STREAM_APP(spreading, Spreading)
STREAM_APP(fused_elements, Fused)
