// The device side of self_loop.rs.
#include "stream/stream.cuh"

struct Orbit {
  unsigned start, value, steps;
};

struct Collatz : stream::Stage {
  using In = Orbit;
  using Out = stream::Channels<stream::Channel<Orbit, 1>, stream::Channel<Orbit, 1>>;

  template <class Push>
  __device__ void run(const Orbit& orbit, const stream::Site<Collatz>&, Push& push) const {
    if (orbit.value == 1) {
      push(stream::to<1>(), orbit);
    } else {
      const unsigned next = orbit.value % 2 == 0 ? orbit.value / 2 : 3 * orbit.value + 1;
      push(stream::to<0>(), Orbit{orbit.start, next, orbit.steps + 1});
    }
  }
};

STREAM_APP(self_loop, Collatz)
