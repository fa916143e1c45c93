// Items of sizes that are cut into chunks of 1, 2, 4, 8 and 16 bytes, and of odd ones.
#include "stream/stream.cuh"

namespace {

template <unsigned N>
struct Bytes {
  stream::byte bytes[N];
};

// Rotates the bytes by one place and adds 1 to the first; items that began with an odd byte leave the loop.
template <unsigned N>
struct Turn : stream::Stage {
  using In = Bytes<N>;
  using Out = stream::Channels<stream::Channel<In, 1>, stream::Channel<In, 1>>;
  template <class Push>
  __device__ void run(const In& item, const stream::Site<Turn>&, Push& push) const {
    In turned;
    for (unsigned i = 0; i < N; ++i) turned.bytes[i] = item.bytes[(i + 1) % N];
    ++turned.bytes[0];
    if (item.bytes[0] % 2 == 0) push(stream::to<0>(), turned);
    else push(stream::to<1>(), turned);
  }
};

}  // namespace

STREAM_APP(turn1, Turn<1>)
STREAM_APP(turn2, Turn<2>)
STREAM_APP(turn7, Turn<7>)
STREAM_APP(turn12, Turn<12>)
STREAM_APP(turn24, Turn<24>)
STREAM_APP(turn48, Turn<48>)
