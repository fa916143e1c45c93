// The device side of src/lib.rs.
#include "stream/stream.cuh"

struct Kmer {
  uint32_t code, position;
};

struct DropRuns : stream::Stage {
  using In = Kmer;
  using Out = stream::Channels<stream::Channel<Kmer, 1>>;
  using Node = uint32_t;

  template <class Push>
  __device__ void run(const Kmer& kmer, const stream::Site<DropRuns>& site, Push& push) const {
    // A bit for each pair of neighbours that differ.
    const uint32_t differ = kmer.code ^ kmer.code >> 2;
    const uint32_t pairs = (differ | differ >> 1) & 0x15555555u;
    if (15u - uint32_t(__popc(pairs)) <= site.node()) push(stream::to<0>(), kmer);
  }
};

struct Sample : stream::Stage {
  using In = Kmer;
  using Out = stream::Channels<stream::Channel<Kmer, 1>>;
  using Node = uint32_t;

  template <class Push>
  __device__ void run(const Kmer& kmer, const stream::Site<Sample>& site, Push& push) const {
    uint32_t reverse = 0;
    for (int base = 0; base < 16; ++base) reverse = reverse << 2 | (~kmer.code >> (2 * base) & 3u);
    const uint32_t canonical = kmer.code < reverse ? kmer.code : reverse;
    uint32_t hash = canonical;
    hash = (hash ^ hash >> 16) * 0x7FEB352Du;
    hash = (hash ^ hash >> 15) * 0x846CA68Bu;
    hash ^= hash >> 16;
    if (hash < site.node()) push(stream::to<0>(), Kmer{canonical, kmer.position});
  }
};

STREAM_APP(sketch, DropRuns, Sample)
