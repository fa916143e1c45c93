// The device side of linear_pipe.rs.
#include "stream/stream.cuh"

using Both = stream::Channels<stream::Channel<int, 4>, stream::Channel<int, 4>>;

struct Filter1 : stream::Stage {
  using In = int;
  using Out = Both;
  using Global = int;
  int state;

  template <class Push>
  __device__ void run(int item, const stream::Site<Filter1>& site, Push& push) const {
    for (int i = 0; i < 4; ++i) {
      if (state < 6) push(stream::to<0>(), item * site.global() + i);
      else push(stream::to<1>(), item + i);
    }
  }
};

struct Filter2 : stream::Stage {
  using In = int;
  using Out = Both;
  using Node = int;
  using Global = int;
  static constexpr unsigned THREADS = 4;

  template <class Push>
  __device__ void run(int item, const stream::Site<Filter2>& site, Push& push) const {
    if (item < site.node()) push(stream::to<0>(), item);
    else push(stream::to<1>(), item);
  }
};

STREAM_APP(linear_pipe, Filter1, Filter2)
