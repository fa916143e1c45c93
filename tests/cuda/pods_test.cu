// The stages of `aligner-core/tests/common/pods.rs` and `tickets.rs`, for tests of the streaming
// runtime.
#include "stream/stream.cuh"

namespace {

using stream::Channel;
using stream::Channels;
using stream::Site;
using stream::to;
using u32 = unsigned;

using Numbers = stream::Pod<u32, u32, 24>;

// The finalizer of MurmurHash3. Any thread.
__device__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

struct Multiples : stream::Collecting<Numbers, Numbers, 1, Channels<Channel<u32, 1>>> {
  using Node = u32;
  template <class Keep, class Push>
  __device__ void run(u32, u32 item, const Site<Multiples>& site, Keep& keep, Push& push) const {
    if (item % site.node() == 0) keep(0, item);
    else push(to<1>(), item);
  }
  __device__ u32 header(u32 header, u32, const Site<Multiples>&) const { return header; }
};

struct Thirds : stream::Collecting<Numbers, Numbers, 3> {
  template <class Keep, class Push>
  __device__ void run(u32, u32 item, const Site<Thirds>&, Keep& keep, Push&) const {
    keep(item % 3, item);
  }
  __device__ u32 header(u32 header, u32 key, const Site<Thirds>&) const { return header * 3 + key; }
};

struct Halve : stream::Collecting<Numbers, Numbers, 1, Channels<Channel<u32, 1>>> {
  template <class Keep, class Push>
  __device__ void run(u32, u32 item, const Site<Halve>&, Keep& keep, Push& push) const {
    if (item > 0 && item % 2 == 0) keep(0, item / 2);
    else push(to<1>(), item);
  }
  __device__ u32 header(u32 header, u32, const Site<Halve>&) const { return header; }
};

struct Affine {
  u32 scale, offset;
};

struct Three {
  u32 words[3];
};

struct Chain : stream::Reducing<Numbers, Affine> {
  using Out = Channels<Channel<Three, 1>>;
  __device__ Affine value(u32, u32 item, const Site<Chain>& site) const {
    return {mix(item) | 1, mix(item ^ site.element << 16)};
  }
  __device__ Affine combine(Affine left, Affine right) const {
    return {left.scale * right.scale, left.offset * right.scale + right.offset};
  }
  template <class Push>
  __device__ void finish(u32 header, Affine all, const Site<Chain>&, Push& push) const {
    push(to<0>(), Three{{header, all.scale, all.offset}});
  }
};

struct Ticket {
  u32 header, seed, len;
};

__device__ Numbers pod(const Ticket& ticket, u32 which) {
  Numbers pod = {ticket.header, ticket.len, {}};
  for (u32 index = 0; index < ticket.len; ++index) {
    const u32 hash = mix(ticket.seed ^ which << 8 ^ index);
    pod.items[index] = hash % 70 * ((hash & 0x100) == 0 ? 2 : 20);
  }
  return pod;
}

struct Make : stream::Stage {
  using In = Ticket;
  using Out = Channels<Channel<Numbers, 2>, Channel<Numbers, 1>, Channel<Numbers, 1>,
                       Channel<Numbers, 1>>;
  template <class Push>
  __device__ void run(const Ticket& ticket, const Site<Make>&, Push& push) const {
    for (u32 which = 0; which < ticket.seed % 3; ++which) push(to<0>(), pod(ticket, which));
    push(to<1>(), pod(ticket, 2));
    push(to<2>(), pod(ticket, 3));
    if (ticket.seed & 4) push(to<3>(), pod(ticket, 4));
  }
};

struct Measure : stream::Stage {
  using In = Numbers;
  using Out = Channels<Channel<Three, 1>>;
  template <class Push>
  __device__ void run(const Numbers& pod, const Site<Measure>&, Push& push) const {
    u32 sum = 0;
    for (u32 i = 0; i < pod.len; ++i) sum += pod.items[i];
    push(to<0>(), Three{{pod.header, pod.len, sum}});
  }
};

struct Spread : stream::Exploding {
  using In = Three;
  using Node = u32;
  using Out = Channels<Channel<Three, 1>>;
  u32 spared;
  __device__ u32 size(const Three& measured, const Site<Spread>& site) const {
    const u32 fewer = spared + site.node();
    return measured.words[1] > fewer ? measured.words[1] - fewer : 0;
  }
  template <class Push>
  __device__ void run(const Three& measured, const Site<Spread>& site, Push& push) const {
    push(to<0>(), Three{{measured.words[0], site.element, measured.words[2]}});
  }
};

struct Portion : stream::Exploding {
  using In = u32;
  using Global = u32;
  using Out = Channels<Channel<u32, 1>>;
  __device__ u32 size(u32 item, const Site<Portion>& site) const { return item % site.global(); }
  template <class Push>
  __device__ void run(u32 item, const Site<Portion>& site, Push& push) const {
    push(to<0>(), mix(item ^ site.element));
  }
};

}  // namespace

STREAM_APP(sieve, Multiples, Thirds, Chain)
STREAM_APP(halves, Halve)
STREAM_APP(tickets, Make, Multiples, Thirds, Measure, Spread, Chain)
STREAM_APP(portions, Portion)
