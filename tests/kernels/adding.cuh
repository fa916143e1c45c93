// A stage with parameters of all kinds, as the second part of fused ones.
#pragma once

#include "stream/stream.cuh"

namespace {

struct TwoShorts {
  unsigned short shorts[2];
};

// Adds the parameters of the stage, the node and the application to an item, and pushes the sum `times` times.
struct Adding : stream::Stage {
  using In = stream::u32;
  using Node = TwoShorts;
  using Global = stream::u64;
  using Out = stream::Channels<stream::Channel<stream::u64, 2>>;
  stream::u32 own, times;
  template <class Push>
  __device__ void run(stream::u32 item, const stream::Site<Adding>& site, Push& push) const {
    const stream::u64 sum =
        static_cast<stream::u64>(item) + own + site.global() + site.node().shorts[1];
    for (stream::u32 i = 0; i < times; ++i) push(stream::to<0>(), sum + i);
  }
};

}  // namespace
